package lint

import (
	"slices"
	"strconv"
	"strings"

	"opweld/gen/ccode"
	"opweld/npyapi"
)

// result is what an expression gives in one of the ways that it may go.
type result struct {
	s *state
	v value
	n *ccode.Node
}

func only(s *state, v value, n *ccode.Node) []result {
	return append(s.room.results.short(), result{s, v, n})
}

// eval evaluates an expression.
func (r *run) eval(n *ccode.Node, s *state) []result {
	n = bare(n)
	switch n.Kind {
	case "identifier":
		return only(s, r.name(n, s), n)
	case "null":
		return only(s, null, n)
	case "number_literal", "char_literal", "true", "false":
		return only(s, literal(n), n)
	case "string_literal", "concatenated_string", "this":
		return only(s, value{kind: nonzero}, n)
	case "assignment_expression":
		return r.assignment(n, s)
	case "update_expression":
		return r.update(n, s)
	case "call_expression":
		return r.call(n, s)
	case "conditional_expression":
		return r.choice(n, s)
	case "comma_expression":
		return r.comma(n, s)
	case "binary_expression":
		return r.binary(n, s)
	case "unary_expression":
		return r.unary(n, s)
	case "pointer_expression", "subscript_expression", "field_expression":
		return r.memory(n, s)
	case "new_expression":
		return r.made(n, s)
	case "delete_expression":
		return r.deleted(n, s)
	}
	return r.other(n, s)
}

// other are expressions whose value is not followed.
func (r *run) other(n *ccode.Node, s *state) []result {
	switch n.Kind {
	case "sizeof_expression", "alignof_expression", "offsetof_expression", "type_descriptor", "template_function", "qualified_identifier":
		return only(s, nothing, n)
	case "lambda_expression":
		r.mentioned(n, s)
		return only(s, nothing, n)
	}
	states := []*state{s}
	for _, kid := range n.Kids { // an initialiser's list, new, and what else there is
		var after []*state
		for _, s := range states {
			for _, one := range r.eval(kid, s) {
				one.s.escape(one.v)
				after = append(after, one.s)
			}
		}
		states = after
	}
	found := s.room.results.short()
	for _, s := range states {
		found = append(found, result{s, nothing, n})
	}
	return found
}

// mentioned lets go of every variable that a text names.
func (r *run) mentioned(n *ccode.Node, s *state) {
	visit(n, func(kid *ccode.Node) bool {
		if at, ok := r.uses[kid]; ok {
			s.escape(s.vars[at])
			s.set(at, nothing)
			s.changed(at)
			r.touch(s, at)
		}
		return true
	})
}

// escape says that others may have an object now.
func (s *state) escape(v value) {
	if t := s.held(v); t != nil {
		t.loose, t.shared = true, true
	}
}

func (r *run) touch(s *state, at int) {
	if given := r.locals[at].given; given >= 0 {
		s.touched |= 1 << given
	}
}

// name is the value of a name.
func (r *run) name(n *ccode.Node, s *state) value {
	at, known := r.uses[n]
	if !known {
		switch n.Text {
		case "NULL", "nullptr", "NPY_FALSE":
			return null
		case "NPY_TRUE":
			return value{kind: number, n: 1}
		}
		return nothing
	}
	r.touch(s, at)
	if l := r.locals[at]; l.hidden || l.outlast {
		return nothing
	}
	return s.vars[at]
}

func literal(n *ccode.Node) value {
	switch n.Text {
	case "true":
		return value{kind: number, n: 1}
	case "false":
		return null
	}
	if parsed, err := strconv.ParseInt(strings.TrimRight(n.Text, "uUlL"), 0, 64); err == nil {
		return value{kind: number, n: parsed}
	}
	if parsed, err := strconv.ParseFloat(n.Text, 64); err == nil && parsed == float64(int64(parsed)) {
		return value{kind: number, n: int64(parsed)}
	}
	return nothing
}

func (r *run) assignment(n *ccode.Node, s *state) []result {
	left, right, how := n.Child("left"), n.Child("right"), n.Child("operator").Text
	found := s.room.results.short()
	for _, one := range r.eval(right, s) {
		v := one.v
		if how != "=" {
			v = r.moved(left, one, how)
		}
		if !r.follows(left) || how != "=" && v.kind == unknown {
			blur(one.s, right, one.v)
		}
		for _, s := range r.store(left, v, one.s) {
			found = append(found, result{s, v, left})
		}
	}
	return found
}

// follows tells whether a place is a variable whose value is followed.
func (r *run) follows(to *ccode.Node) bool {
	at, known := r.uses[bare(to)]
	return known && !r.locals[at].hidden && !r.locals[at].outlast
}

// blur is for what a call gave, and is kept where it is not followed: whether the call failed is not known any more.
func blur(s *state, n *ccode.Node, v value) {
	if v.kind != unknown && (v.from != nil || v.kind == object || calls(n)) {
		s.raised, s.by = maybe, nil
	}
}

// calls tells whether a call that may fail stands in an expression.
func calls(n *ccode.Node) bool {
	found := false
	visit(n, func(kid *ccode.Node) bool {
		if kid.Kind == "call_expression" {
			f, known := npyapi.Lookup(kid.Child("function").Text)
			found = found || !known || f.Fails != npyapi.Never
		}
		return !found
	})
	return found
}

// moved is what `p += n` makes of p.
func (r *run) moved(left *ccode.Node, one result, how string) value {
	at, known := r.uses[bare(left)]
	if !known || r.locals[at].hidden {
		return nothing
	}
	old := one.s.vars[at]
	if old.kind == data {
		r.jumped(one.s, left, old)
		old.raw = false
		return old
	}
	return r.arithmetic(how[:1], old, one.v)
}

func (r *run) update(n *ccode.Node, s *state) []result {
	argument := n.Child("argument")
	v := r.moved(argument, result{s, nothing, argument}, n.Child("operator").Text)
	found := s.room.results.short()
	for _, s := range r.store(argument, v, s) {
		found = append(found, result{s, v, n})
	}
	return found
}

// store gives a place a value.
func (r *run) store(to *ccode.Node, v value, s *state) []*state {
	to = bare(to)
	if at, known := r.uses[to]; known {
		r.assign(s, at, v)
		return append(s.room.ways.short(), s)
	}
	if to.Kind == "identifier" { // not the text's: who reads it is not known
		s.escape(v)
		return append(s.room.ways.short(), s)
	}
	after := s.room.ways.short()
	for _, one := range r.target(to, s) {
		one.s.escape(v)
		one.s.changed(-1)
		r.writes(one.s, to, one.v)
		after = append(after, one.s)
	}
	return after
}

// target evaluates where a place lies, and gives the address.
func (r *run) target(to *ccode.Node, s *state) []result {
	switch to.Kind {
	case "subscript_expression", "field_expression", "pointer_expression":
		return r.address(to, s)
	}
	return r.eval(to, s)
}

// assign gives a variable a value.
func (r *run) assign(s *state, at int, v value) {
	s.changed(at)
	r.touch(s, at)
	l := r.locals[at]
	if l.hidden || l.outlast {
		s.escape(v)
		v = nothing
	}
	if l.outer || l.given >= 0 && !r.Variables[l.given].Array {
		s.escape(v) // who owns what such a variable holds is its type's to say
	}
	s.set(at, v)
}

func (r *run) choice(n *ccode.Node, s *state) []result {
	found := s.room.results.short()
	for _, one := range r.test(n.Child("condition"), s) {
		if one.truth {
			found = append(found, r.eval(n.Child("consequence"), one.s)...)
		} else {
			found = append(found, r.eval(n.Child("alternative"), one.s)...)
		}
	}
	return found
}

func (r *run) comma(n *ccode.Node, s *state) []result {
	found := s.room.results.short()
	for _, one := range r.eval(n.Child("left"), s) {
		found = append(found, r.eval(n.Child("right"), one.s)...)
	}
	return found
}

func (r *run) binary(n *ccode.Node, s *state) []result {
	how := n.Child("operator").Text
	if how == "&&" || how == "||" || slices.Contains(comparisons, how) {
		return r.asNumber(n, s)
	}
	found := s.room.results.short()
	for _, a := range r.eval(n.Child("left"), s) {
		for _, b := range r.eval(n.Child("right"), a.s) {
			v := r.arithmetic(how, a.v, b.v)
			if v.kind == unknown {
				blur(b.s, n.Child("left"), a.v)
				blur(b.s, n.Child("right"), b.v)
			}
			found = append(found, result{b.s, v, n})
		}
	}
	return found
}

// arithmetic follows addresses, and flags that are joined.
func (r *run) arithmetic(how string, a, b value) value {
	if b.kind == data && a.kind != data {
		a, b = b, a
	}
	switch {
	case a.kind == data && (how == "+" || how == "-") && b.kind != data:
		a.raw = a.raw && b.kind == number && b.n == 0
		return a
	case a.kind == number && b.kind == number && how == "|":
		return value{kind: number, n: a.n | b.n}
	}
	return nothing
}

// asNumber evaluates a condition where its value is taken.
func (r *run) asNumber(n *ccode.Node, s *state) []result {
	found := s.room.results.short()
	for _, one := range r.test(n, s) {
		found = append(found, result{one.s, value{kind: number, n: int64(1 - one.way())}, n})
	}
	return found
}

func (r *run) unary(n *ccode.Node, s *state) []result {
	how := n.Child("operator").Text
	if how == "!" {
		return r.asNumber(n, s)
	}
	found := r.eval(n.Child("argument"), s)
	for i := range found {
		if v := found[i].v; how == "-" && v.kind == number {
			found[i].v.n = -v.n
		} else {
			blur(found[i].s, n.Child("argument"), v)
			found[i].v = nothing
		}
		found[i].n = n
	}
	return found
}
