package lint

import (
	"slices"

	"opweld/gen/ccode"
)

// set is one of small numbers.
type set []uint64

func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }

// join adds what another has and without has not, and tells whether that is more.
func (s set) join(other, without set) bool {
	more := false
	for i, bits := range other {
		bits &^= without[i]
		more = more || bits&^s[i] != 0
		s[i] |= bits
	}
	return more
}

// needs are what may still be asked for from a block on: variables, and answers to questions. In the rest no two states differ.
type needs struct {
	vars, answers set
	lost, moot    set // what the block gives new values: variables, and questions that depend on them
}

// liveness finds what is needed at each block, from the ends to the beginning.
func (r *run) liveness() {
	var order []*block // each behind what follows it, but for loops
	var reach func(b *block)
	reach = func(b *block) {
		if b == nil || b.needs != nil {
			return
		}
		b.needs = r.needs(b)
		for _, next := range b.next {
			if next != nil {
				next.before++
				reach(next)
			}
		}
		order = append(order, b)
	}
	r.start.before++
	reach(r.start)
	for more := true; more; {
		more = false
		for _, b := range order {
			l := b.needs
			for _, next := range b.next {
				if next != nil {
					after := next.needs
					more = l.vars.join(after.vars, l.lost) || more
					more = l.answers.join(after.answers, l.moot) || more
				}
			}
		}
	}
}

// needs are what a block itself asks for.
func (r *run) needs(b *block) *needs {
	vars, answers := len(r.locals)/64+1, len(r.counts)/64+1
	bits := make(set, 2*(vars+answers))
	l := &needs{vars: bits[:vars], lost: bits[vars : 2*vars]}
	bits = bits[2*vars:]
	l.answers, l.moot = bits[:answers], bits[answers:]
	for at, local := range r.locals {
		if local.given >= 0 || local.outer { // what the glue gave is looked at where the text is left
			l.vars.add(at)
		}
	}
	if b.op == opEval || b.op == opTest || b.op == opReturn {
		r.reads(b.n, l)
	}
	if b.op == opEval {
		r.overwrites(b.n, l)
	}
	return l
}

// reads notes the variables and questions of a piece of text.
func (r *run) reads(n *ccode.Node, l *needs) {
	visit(n, func(kid *ccode.Node) bool {
		if at, known := r.uses[kid]; known && !assigned(kid) {
			l.vars.add(at)
		}
		if q := r.question(kid); q.count != nil && q.count.asked > 0 {
			l.answers.add(q.id)
		}
		return true
	})
}

// assigned tells whether a name stands where it only gets a value.
func assigned(n *ccode.Node) bool {
	if p := n.Parent; p != nil && p.Kind == "assignment_expression" {
		return n.Field == "left" && p.Child("operator").Text == "="
	}
	for p := n.Parent; p != nil && n.Field == "declarator"; n, p = p, p.Parent {
		if p.Kind == "declaration" {
			return true
		}
	}
	return false
}

// overwrites notes the variables that have other values behind a statement.
func (r *run) overwrites(n *ccode.Node, l *needs) {
	switch n = bare(n); n.Kind {
	case "declaration":
		for _, kid := range n.Kids {
			if at, known := r.uses[declaratorOf(kid, "identifier")]; known && kid.Field == "declarator" {
				r.overwritten(at, l)
			}
		}
	case "assignment_expression":
		if at, known := r.uses[bare(n.Child("left"))]; known {
			r.overwritten(at, l)
		}
	case "update_expression":
		if at, known := r.uses[bare(n.Child("argument"))]; known {
			r.overwritten(at, l)
		}
	}
}

func (r *run) overwritten(at int, l *needs) {
	l.lost.add(at)
	for _, id := range r.about[at] {
		l.moot.add(id)
	}
}

// prune drops from a state what nobody asks for any more. What is held stays, for it may be lost.
func (r *run) prune(s *state, b *block) {
	l := b.needs
	s.facts = slices.DeleteFunc(s.facts, func(f fact) bool { return !l.answers.has(f.of) })
	for at, v := range s.vars {
		if v.kind != unknown && !l.vars.has(at) {
			if t := s.held(v); t == nil || t.given < 0 && t.of < 0 && (t.owned <= 0 || t.loose || t.null == yes) {
				s.set(at, nothing)
			}
		}
	}
}
