package lint

import (
	"math/bits"
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/pattern"
)

// sweep finds the references that nothing holds any more.
func (r *run) sweep(s *state, n *ccode.Node) {
	r.reached = append(r.reached[:0], make([]bool, len(s.things))...)
	for _, v := range s.vars {
		if v.kind == object || v.kind == data {
			r.reached[v.obj] = true
		}
	}
	for i := range s.things {
		t := &s.things[i]
		if r.reached[i] || t.loose || t.owned <= 0 || t.null == yes || t.of >= 0 && r.askable(s, t.of) {
			continue
		}
		t.loose = true
		switch {
		case t.given >= 0:
			r.wrong(Lost, s, n, "the array that %s held is lost: its reference is not released before %s gets another value", t.name, t.name).mends(r.freed(n, t)...)
		case t.memory:
			r.wrongOf(Memory, s, n, t, "the memory of %s is lost: nothing points to it any more", r.title(t))
		default:
			r.wrongOf(Lost, s, n, t, "the reference that %s gave is lost: nothing holds it any more", r.title(t))
		}
	}
}

// askable tells whether something may be asked for once more.
func (r *run) askable(s *state, of int) bool {
	for _, v := range s.vars {
		if v.kind == object && int(v.obj) == of {
			return true
		}
	}
	return false
}

// atFail looks at what fail leaves behind.
func (r *run) atFail(s *state, n *ccode.Node) {
	if s.raised == no && !s.chosen {
		r.wrong(Quiet, s, n, "no exception is set where fail is reached").mends(r.raised(s, n)...)
	}
	if s.released {
		r.wrong(WithoutGIL, s, n, "fail leaves the text while the lock is released")
	}
	r.leave(s, n, "at fail")
}

// atEnd looks at what a text leaves that succeeds.
func (r *run) atEnd(s *state, n *ccode.Node) {
	at := n
	if n.Kind == "compound_statement" { // the closing brace is not the user's
		at = last(n)
	}
	if s.raised == yes && !s.blind && (r.entry || r.function == nil) {
		r.wrong(Ignored, s, s.by, "`%s` %s, and the text goes on to its end without fail", told(s.by), r.manner(s.by)).mends(r.heeded(s.by)...)
	}
	if s.released {
		r.wrong(WithoutGIL, s, at, "the text ends while the lock is released")
	}
	if r.entry && !s.chosen {
		r.outputs(s, at)
	}
	r.leave(s, at, "at the end")
}

func (r *run) manner(n *ccode.Node) string {
	if strings.HasPrefix(n.Text, "PyErr_Occurred") {
		return "finds an exception"
	}
	if strings.HasPrefix(n.Text, "PyErr_") {
		return "sets an exception"
	}
	return "may fail"
}

// last is the last statement of a block.
func last(n *ccode.Node) *ccode.Node {
	for i := len(n.Kids) - 1; i >= 0; i-- {
		if kid := n.Kids[i]; kid.Kind != "expression_statement" || len(kid.Kids) > 0 {
			return kid
		}
	}
	return n
}

// atReturn looks at what a function leaves.
func (r *run) atReturn(s *state, n *ccode.Node) {
	results := []result{{s, nothing, n}}
	if len(n.Kids) > 0 {
		results = r.eval(n.Kids[0], s)
	}
	for _, one := range results {
		v := one.v
		switch {
		case r.function == nil: // forbidden in a fragment, and said so
		case r.entry && v.kind == number && v.n == 0:
			r.atEnd(one.s, n)
		case r.entry && (v.kind == number || v.kind == nonzero):
			r.atFail(one.s, n)
		default:
			if t := one.s.held(v); t != nil {
				t.loose = true
			}
			r.leave(one.s, n, "at return")
		}
	}
}

// holders counts for each thing how many of the given variables hold it, and names the last.
func (r *run) holders(s *state) (count []int, name []string) {
	count, name = make([]int, len(s.things)), make([]string, len(s.things))
	for i, l := range r.locals {
		if v := s.vars[i]; l.given >= 0 && v.kind == object {
			count[v.obj]++
			name[v.obj] = r.Variables[l.given].Name
		}
	}
	return count, name
}

var words = pattern.New(`[A-Za-z_]\w*`)

// handedOn lists the variables that c_code_cleanup names, which runs behind the text and sees them.
func (r *run) handedOn() []int {
	if r.function != nil || r.Cleanup == "" {
		return nil
	}
	var found []int
	named := words.FindAllString(r.Cleanup, -1)
	for at, l := range r.locals {
		if l.given < 0 && slices.Contains(named, l.name) {
			found = append(found, at)
		}
	}
	return found
}

// leave accounts for the references that a text holds where it is left: one for each given variable.
func (r *run) leave(s *state, n *ccode.Node, where string) {
	for _, at := range r.handed {
		s.escape(s.vars[at])
	}
	count, name := r.holders(s)
	for i := range s.things {
		t := &s.things[i]
		if t.loose || t.null == yes {
			continue
		}
		switch {
		case t.memory && t.owned > 0:
			r.wrongOf(Memory, s, n, t, "the memory of %s is not freed %s", r.title(t), where).mends(r.released(s, n, t, where)...)
		case t.memory:
		case t.owned > count[i]:
			r.leaked(s, n, t, where)
		case count[i] > 0 && t.owned < count[i]:
			r.unowned(s, n, t, name[i], where)
		}
	}
}

func (r *run) leaked(s *state, n *ccode.Node, t *thing, where string) {
	if t.at == nil {
		r.wrong(Leaked, s, n, "a reference to %s more than before is held %s", t.name, where)
		return
	}
	verb := "gave"
	if !t.fresh {
		verb = "lent and Py_INCREF added"
	}
	r.wrongOf(Leaked, s, n, t, "the reference that %s %s is not released %s", r.title(t), verb, where).mends(r.released(s, n, t, where)...)
}

func (r *run) unowned(s *state, n *ccode.Node, t *thing, name, where string) {
	switch {
	case t.dead, t.given >= 0 && name == t.name:
		r.wrong(Double, s, n, "%s still holds, %s, what was released, and it will be released once more: set it to NULL, as Py_CLEAR does", name, where)
	default:
		r.wrongOf(Unowned, s, n, t, "%s holds, %s, a reference to %s that is not its own: it needs a Py_INCREF", name, where, r.title(t))
	}
}

// outputs looks at what a text that succeeds hands on.
func (r *run) outputs(s *state, n *ccode.Node) {
	for i, l := range r.locals {
		if l.given < 0 || !r.Variables[l.given].Output {
			continue
		}
		out := r.Variables[l.given]
		if !out.Array {
			if s.touched&(1<<l.given) == 0 {
				r.wrong(Unset, s, n, "the output %s is given no value", out.Name)
			}
			continue
		}
		v := s.vars[i]
		t := s.held(v)
		switch {
		case v.kind == number && v.n == 0, t != nil && t.null == yes:
			r.wrong(Unset, s, n, "the output %s is NULL at the end", out.Name)
		case t != nil && t.given == l.given && t.null == maybe && !t.dead:
			r.wrong(Unset, s, n, "the output %s is given no array, and holds NULL or what an earlier call left", out.Name)
		case t != nil:
			r.viewed(s, n, t, out)
			r.twice(s, n, i, out)
		}
	}
}

// twice looks whether an earlier output holds the same array.
func (r *run) twice(s *state, n *ccode.Node, at int, out Variable) {
	for i, l := range r.locals[:at] {
		if v := s.vars[i]; l.given >= 0 && r.Variables[l.given].Output && v.kind == object && v.obj == s.vars[at].obj {
			r.wrong(View, s, n, "the outputs %s and %s are one array", r.Variables[l.given].Name, out.Name)
		}
	}
}

// viewed looks whose memory an output has.
func (r *run) viewed(s *state, n *ccode.Node, t *thing, out Variable) {
	for base := t.base; base != 0 && !r.Open; base &= base - 1 {
		in := bits.TrailingZeros64(base)
		declared := false
		for _, of := range out.Views {
			declared = declared || of == in
		}
		if !declared {
			r.wrong(View, s, n, "the output %s may have the memory of the input %s, and view_map does not name that", out.Name, r.Variables[in].Name)
		}
	}
}
