package lint

import (
	"slices"
	"strings"

	"opweld/gen/ccode"
)

// outcome is a state in which a condition is true, or false.
type outcome struct {
	s     *state
	truth bool
}

func (o outcome) way() int {
	if o.truth {
		return 0
	}
	return 1
}

// is says that a condition is true, or false, in every way that there is.
func (s *state) is(truth bool) []outcome {
	return append(s.room.outcomes.short(), outcome{s, truth})
}

// hints are macros that say which way is likely.
var hints = []string{"likely", "unlikely", "NPY_LIKELY", "NPY_UNLIKELY", "__builtin_expect"}

// test evaluates a condition, and goes both ways where it may be either.
func (r *run) test(n *ccode.Node, s *state) []outcome {
	inside := bare(n)
	operator := inside.Child("operator")
	switch {
	case inside.Kind == "condition_clause" || inside.Kind == "declaration":
		return r.declaring(inside, s)
	case inside.Kind == "unary_expression" && operator != nil && operator.Text == "!":
		found := r.test(inside.Child("argument"), s)
		for i := range found {
			found[i].truth = !found[i].truth
		}
		return found
	case inside.Kind == "binary_expression" && (operator.Text == "&&" || operator.Text == "||"):
		found := s.room.outcomes.short()
		for _, one := range r.test(inside.Child("left"), s) {
			if one.truth == (operator.Text == "||") {
				found = append(found, one)
			} else {
				found = append(found, r.test(inside.Child("right"), one.s)...)
			}
		}
		return found
	case inside.Kind == "call_expression" && slices.Contains(hints, inside.Child("function").Text) && len(inside.Child("arguments").Kids) > 0:
		return r.test(inside.Child("arguments").Kids[0], s)
	case inside.Kind == "binary_expression" && slices.Contains(comparisons, operator.Text):
		return r.compare(inside, s)
	}
	found := s.room.outcomes.short()
	for _, one := range r.eval(inside, s) {
		found = append(found, r.truth(inside, one, false)...)
	}
	return found
}

// declaring is a condition that declares what it tests, with a statement before it or not.
func (r *run) declaring(n *ccode.Node, s *state) []outcome {
	var found []outcome
	states, last := []*state{s}, n
	if n.Kind == "condition_clause" {
		last = n.Kids[len(n.Kids)-1]
		for _, kid := range n.Kids[:len(n.Kids)-1] {
			var after []*state
			for _, s := range states {
				after = append(after, r.perform(kid, s)...)
			}
			states = after
		}
	}
	for _, s := range states {
		if last.Kind != "declaration" {
			found = append(found, r.test(last, s)...)
			continue
		}
		at, named := r.uses[declaratorOf(last.Child("declarator"), "identifier")]
		for _, one := range r.eval(last.Child("value"), s) {
			if named {
				r.assign(one.s, at, one.v)
			}
			r.sweep(one.s, last)
			found = append(found, r.truth(last, result{one.s, one.v, last}, false)...)
		}
	}
	return found
}

var comparisons = []string{"==", "!=", "<", ">", "<=", ">="}

// compare evaluates a comparison.
func (r *run) compare(n *ccode.Node, s *state) []outcome {
	left, right, how := n.Child("left"), n.Child("right"), n.Child("operator").Text
	found := s.room.outcomes.short()
	for _, a := range r.eval(left, s) {
		for _, b := range r.eval(right, a.s) {
			x, y := a.v, b.v
			if y.kind != number && x.kind == number {
				found = append(found, r.compared(n, b.s, right, y, x.n, mirrored[how])...)
			} else if y.kind == number {
				found = append(found, r.compared(n, b.s, left, x, y.n, how)...)
			} else if x.kind == object && y.kind == object && x.obj == y.obj && (how == "==" || how == "!=") {
				found = append(found, outcome{b.s, how == "=="})
			} else {
				found = append(found, r.met(r.either(b.s, n), x, y, how)...)
			}
		}
	}
	return found
}

// met says, where two objects are compared and found to be one, that an output holds what the other is: not NULL, nor what only an
// earlier call knows.
func (r *run) met(ways []outcome, x, y value, how string) []outcome {
	if x.kind != object || y.kind != object || how != "==" && how != "!=" {
		return ways
	}
	for _, way := range ways {
		switch s := way.s; {
		case way.truth != (how == "=="):
		case r.left(s, x):
			s.merge(x.obj, y)
		case r.left(s, y):
			s.merge(y.obj, x)
		}
	}
	return ways
}

// left tells whether a value is what an earlier call left in an output.
func (r *run) left(s *state, v value) bool {
	t := s.held(v)
	return t != nil && t.given >= 0 && r.Variables[t.given].Output && !t.dead && t.null != yes
}

// merge has one thing be another.
func (s *state) merge(gone int32, with value) {
	s.things[with.obj].owned += s.things[gone].owned
	s.things[gone].owned, s.things[gone].null = 0, yes
	for i, v := range s.vars {
		if v.kind == object && v.obj == gone {
			s.set(i, with)
		}
	}
}

var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

// compared compares a value with a number.
func (r *run) compared(n *ccode.Node, s *state, of *ccode.Node, v value, with int64, how string) []outcome {
	if with == 0 && (how == "==" || how == "!=") {
		return r.truth(n, result{s, v, of}, how == "==")
	}
	if v.kind == number {
		return s.is(holds(v.n, how, with))
	}
	if v.kind == positive && with <= 0 {
		switch {
		case how == "<", how == "==" && with < 0, how == "<=" && with < 0:
			return s.is(false)
		case how == ">=", how == "!=" && with < 0, how == ">" && with < 0:
			return s.is(true)
		}
	}
	return r.either(s, n)
}

func holds(a int64, how string, b int64) bool {
	switch how {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "<=":
		return a <= b
	}
	return a >= b
}

// truth tells whether a value is not 0, or, turned, whether it is; and what is known of it in either case.
func (r *run) truth(n *ccode.Node, one result, turned bool) []outcome {
	s, v := one.s, one.v
	switch v.kind {
	case number:
		return s.is((v.n != 0) != turned)
	case nonzero, data:
		return s.is(!turned)
	case object:
		return r.present(n, one, turned)
	}
	found := r.either(s, n)
	at, known := r.uses[bare(one.n)]
	if !known || r.locals[at].hidden || v.kind == positive || r.asked(one.n) < 2 {
		return found // nobody asks again
	}
	for _, o := range found {
		if o.truth != turned {
			o.s.set(at, value{kind: nonzero})
		} else {
			o.s.set(at, null)
		}
	}
	return found
}

// present tells whether there is an object, or, turned, whether there is none.
func (r *run) present(n *ccode.Node, one result, turned bool) []outcome {
	t := one.s.held(one.v)
	if t.null != maybe {
		return one.s.is((t.null == no) != turned)
	}
	missing := one.s.copy()
	t.null = no
	missing.things[one.v.obj].null = yes
	one.s.stepOf(n, t, "is not NULL")
	missing.stepOf(n, t, "is NULL")
	return append(one.s.is(!turned), outcome{missing, turned})
}

// either goes both ways, unless the same was asked before on this path and nothing has changed since.
func (r *run) either(s *state, n *ccode.Node) []outcome {
	q := r.question(n)
	again := r.again(q, r.at)
	if again {
		if truth := s.known(q.id); truth != maybe {
			return s.is((truth == yes) != q.turned)
		}
	}
	if p := r.Params; p != "" && strings.Contains(n.Text, p) {
		s.chosen = true
	}
	other := s.copy()
	s.step(n, "is true")
	other.step(n, "is false")
	if again {
		s.learn(fact{q.id, !q.turned, q.vars, q.far})
		other.learn(fact{q.id, q.turned, q.vars, q.far})
	}
	return append(s.is(true), outcome{other, false})
}
