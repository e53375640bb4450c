package lint

import (
	"strings"

	"opweld/gen/ccode"
)

// limit is how many states of a function are looked at, and how many one expression of it may give.
const limit = 12000

// run follows the paths of one function.
type run struct {
	*unit
	scopes
	function *ccode.Node // nil: the fragment itself
	body     *ccode.Node
	entry    bool  // what it is given is the glue's
	handed   []int // variables that are left to c_code_cleanup
	start    *block
	questions
	pending []arrival
	seen    map[string]bool // states at blocks
	keys    keys
	reached []bool // of things: whether a variable holds them
	at      *block // what is being looked at
}

// arrival is a state at a block.
type arrival struct {
	at *block
	s  *state
}

func newRun(u *unit, body, function *ccode.Node) *run {
	r := &run{unit: u, function: function, body: body, seen: map[string]bool{}}
	r.uses = make(map[*ccode.Node]int, len(body.Text)/16)
	r.given(u.Fragment, function)
	r.entry = function == nil || u.Entry != "" && functionName(function) == u.Entry
	r.resolve(body)
	r.handed = r.handedOn()
	for i, v := range u.Variables {
		if v.Output && !v.Array {
			r.keys.told |= 1 << i
		}
	}
	b := &builder{text: u.expanded.text, fail: u.Fail, label: u.Label, labels: map[string]*block{}}
	r.start = b.statement(body, b.block(opEnd, body))
	r.number(body)
	r.liveness()
	r.narrow(body)
	r.formats(body)
	return r
}

// begin is the state before the first statement.
func (r *run) begin() *state {
	vars := &values{make([]value, len(r.locals)), 1}
	s := &state{vars: vars.all, from: vars, raised: no, room: &room{}}
	if r.function != nil && !r.entry {
		s.raised = maybe
	}
	for i, l := range r.locals {
		if l.given < 0 {
			continue
		}
		v := r.Variables[l.given]
		if l.hidden {
			s.touched |= 1 << l.given
		}
		if !v.Array || l.hidden {
			continue
		}
		t := thing{name: v.Name, owned: 1, null: no, given: l.given, of: -1, flat: v.NDim == 0}
		if v.Output {
			t.null = maybe
		} else {
			t.base = 1 << l.given
		}
		t.loose = r.function != nil && !v.Output // a parameter is the caller's
		s.set(i, s.make(t))
	}
	return s
}

// follow goes every way there is, as often as something new is known there.
func (r *run) follow() {
	defer func() {
		switch said := recover(); said {
		case nil:
		case errCrowded:
			r.report(NotUnderstood, r.start.n.Start, nil, "there are too many paths: %d states were looked at, and the rest was not", limit)
		default:
			panic(said)
		}
	}()
	r.arrive(r.start, r.begin())
	for count := 0; len(r.pending) > 0; count++ {
		if count > limit {
			panic(errCrowded)
		}
		next := r.pending[len(r.pending)-1]
		r.pending = r.pending[:len(r.pending)-1]
		r.take(next.at, next.s)
	}
}

// arrive goes on at a block, unless a state was there from which the same follows.
func (r *run) arrive(at *block, s *state) {
	if at == nil {
		return
	}
	r.prune(s, at)
	if key := r.keys.of(s, at); r.seen[string(key)] {
		s.gone()
	} else {
		r.seen[string(key)] = true
		r.pending = append(r.pending, arrival{at, s})
	}
}

// goOn is to arrive with the only state that a block gives: where no other block leads, nobody was.
func (r *run) goOn(at *block, s *state) {
	if at != nil && at.before == 1 {
		r.pending = append(r.pending, arrival{at, s})
	} else {
		r.arrive(at, s)
	}
}

// take does what a block says.
func (r *run) take(b *block, s *state) {
	r.at = b
	s.room.clear()
	switch b.op {
	case opEval:
		after := r.perform(b.n, s)
		if len(after) == 1 {
			r.goOn(b.next[0], after[0])
			return
		}
		for _, one := range after {
			r.arrive(b.next[0], one)
		}
		return
	case opTest:
		r.part(b, s)
		return
	case opEnd:
		r.atEnd(s, b.n)
		s.gone()
		return
	case opFail:
		r.atFail(s, b.n)
		s.gone()
		return
	case opReturn:
		r.atReturn(s, b.n)
		return
	case opRelease, opTake:
		s.released = b.op == opRelease
	case opForget:
		s.forget()
	}
	for i, next := range b.next {
		if i < len(b.next)-1 {
			r.goOn(next, s.copy())
		} else {
			r.goOn(next, s)
		}
	}
}

// part goes both ways from a condition.
func (r *run) part(b *block, s *state) {
	var count [2]int
	ways := r.test(b.n, s)
	for _, one := range ways {
		r.sweep(one.s, b.n)
		count[one.way()]++
	}
	for _, one := range ways {
		if way := one.way(); count[way] == 1 {
			r.goOn(b.next[way], one.s)
		} else {
			r.arrive(b.next[way], one.s)
		}
	}
}

// perform evaluates a statement.
func (r *run) perform(n *ccode.Node, s *state) []*state {
	if n.Kind == "declaration" {
		return r.declaration(n, s)
	}
	after := s.room.ways.short()
	for _, one := range r.eval(n, s) {
		r.sweep(one.s, n)
		after = append(after, one.s)
	}
	return after
}

// declaration gives the variables of a declaration their values.
func (r *run) declaration(n *ccode.Node, s *state) []*state {
	states := append(s.room.ways.short(), s)
	for _, kid := range n.Kids {
		if kid.Field != "declarator" {
			continue
		}
		at, named := r.uses[declaratorOf(kid, "identifier")]
		if !named {
			continue
		}
		after := s.room.ways.short()
		for _, s := range states {
			after = append(after, r.initial(kid, at, s)...)
		}
		states = after
	}
	return states
}

func (r *run) initial(n *ccode.Node, at int, s *state) []*state {
	given := n.Child("value")
	if given == nil {
		s.changed(at)
		s.set(at, nothing)
		r.sweep(s, n)
		return append(s.room.ways.short(), s)
	}
	after := s.room.ways.short()
	for _, one := range r.eval(given, s) {
		if l := r.locals[at]; l.hidden || l.outlast {
			blur(one.s, given, one.v)
		}
		r.assign(one.s, at, one.v)
		r.sweep(one.s, n)
		after = append(after, one.s)
	}
	return after
}

// path is how a state was reached, for people: what was decided, from the first to the last.
func (r *run) path(s *state) []Step {
	var steps []Step
	for w := s.way; w != nil; w = w.before {
		steps = append(steps, r.step(w.n, w.String()))
	}
	for i, j := 0, len(steps)-1; i < j; i, j = i+1, j-1 {
		steps[i], steps[j] = steps[j], steps[i]
	}
	if len(steps) > 12 { // the beginning and the end tell most
		steps = append(steps[:4:4], steps[len(steps)-8:]...)
	}
	return steps
}

// wrong reports a finding on the path to a state.
func (r *run) wrong(rule Rule, s *state, n *ccode.Node, format string, args ...any) *Finding {
	if !r.first(rule, n, nil) {
		return nil
	}
	return r.unit.report(rule, n.Start, r.path(s), format, args...)
}

// wrongOf reports a finding about a thing, whose path begins where that comes from.
func (r *run) wrongOf(rule Rule, s *state, n *ccode.Node, t *thing, format string, args ...any) *Finding {
	if !r.first(rule, n, t.at) {
		return nil
	}
	path := r.path(s)
	if t.at != nil {
		from := "the reference comes from here"
		if t.memory {
			from = "the memory comes from here"
		} else if !t.fresh {
			from = "it is borrowed here"
		}
		path = append([]Step{r.step(t.at, from)}, path...)
	}
	return r.unit.report(rule, n.Start, path, format, args...)
}

// title names a thing for people.
func (r *run) title(t *thing) string { return titled(t.at, t.name) }

func titled(at *ccode.Node, name string) string {
	if at == nil {
		return name
	}
	return "`" + strings.TrimSuffix(told(at), ";") + "`"
}
