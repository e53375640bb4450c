package lint

import (
	"strings"

	"opweld/gen/ccode"
)

// memory reads what lies somewhere.
func (r *run) memory(n *ccode.Node, s *state) []result {
	if at, known := r.uses[n]; known {
		return only(s, r.named(n, at, s), n)
	}
	if operator := n.Child("operator"); n.Kind == "pointer_expression" && operator.Text == "&" {
		return r.addressOf(n, s)
	}
	found := s.room.results.short()
	for _, one := range r.address(n, s) {
		if at, known := r.uses[n]; known {
			found = append(found, result{one.s, one.s.vars[at], n})
			continue
		}
		found = append(found, result{one.s, r.field(n, one), n})
	}
	return found
}

func (r *run) named(n *ccode.Node, at int, s *state) value {
	r.touch(s, at)
	return s.vars[at]
}

// field is what a member of an array gives.
func (r *run) field(n *ccode.Node, one result) value {
	t := one.s.held(one.v)
	name := n.Child("field")
	if t == nil || name == nil || one.v.kind != object {
		return nothing
	}
	switch name.Text {
	case "data":
		return value{kind: data, obj: one.v.obj, raw: true}
	case "strides", "flags":
		t.block = true
	}
	return nothing
}

// addressOf is `&x`.
func (r *run) addressOf(n *ccode.Node, s *state) []result {
	inside := bare(n.Child("argument"))
	if _, known := r.uses[inside]; known || inside.Kind == "identifier" {
		return only(s, value{kind: nonzero}, n)
	}
	found := r.target(inside, s)
	for i := range found {
		found[i].n = n
		if found[i].v.kind == object {
			found[i].v = value{kind: nonzero}
		}
	}
	return found
}

// address evaluates where something lies: the address in an array's memory, where it is one.
func (r *run) address(n *ccode.Node, s *state) []result {
	found := s.room.results.short()
	for _, one := range r.eval(n.Child("argument"), s) {
		if n.Kind == "field_expression" && strings.HasPrefix(strings.TrimSpace(n.Text[len(n.Child("argument").Text):]), ".") {
			found = append(found, result{one.s, nothing, n})
			continue
		}
		if !r.usable(one.s, n.Child("argument"), one.v, "is looked into") {
			continue
		}
		for _, s := range r.indexed(n, one) {
			found = append(found, result{s, one.v, n})
		}
	}
	return found
}

// indexed evaluates the index of a[i].
func (r *run) indexed(n *ccode.Node, one result) []*state {
	index := n.Child("index")
	if list := n.Child("indices"); list != nil && len(list.Kids) > 0 {
		index = list.Kids[0]
	}
	if n.Kind != "subscript_expression" || index == nil {
		return append(one.s.room.ways.short(), one.s)
	}
	after := one.s.room.ways.short()
	for _, i := range r.eval(index, one.s) {
		if one.v.kind == data && one.v.raw && i.v.kind != number {
			r.jumped(i.s, n, one.v)
		}
		after = append(after, i.s)
	}
	return after
}

// jumped looks at an address that moves along an array's memory.
func (r *run) jumped(s *state, n *ccode.Node, v value) {
	t := s.held(v)
	if t == nil || !v.raw || t.memory || t.block || t.flat || t.null == yes {
		return
	}
	r.wrong(Strides, s, n, "%s is indexed as one block, and neither its strides nor whether it is contiguous was looked at", r.title(t))
	t.block = true
}

// writes looks at a place that is written to.
func (r *run) writes(s *state, n *ccode.Node, v value) {
	t := s.held(v)
	if t == nil || v.kind != data || s.chosen {
		return
	}
	for i := range r.Variables {
		if t.base&(1<<i) == 0 || r.Variables[i].Destroyed || r.Open {
			continue
		}
		if t.given == i {
			r.wrong(Written, s, n, "the input %s is written, and destroy_map does not name it", r.Variables[i].Name)
		} else {
			r.wrong(Written, s, n, "%s may have the memory of the input %s, and is written; destroy_map does not name that", r.title(t), r.Variables[i].Name)
		}
		t.base &^= 1 << i
	}
}

// usable tells whether a path goes on where a value is used as an object or an address; where it is none, or gone, that is
// said.
func (r *run) usable(s *state, n *ccode.Node, v value, how string) bool {
	if v.kind == number && v.n == 0 {
		if v.from != nil {
			r.wrong(Unchecked, s, n, "`%s` %s where `%s` failed and gave NULL", told(n), how, told(v.from)).mends(r.tested(v.from)...)
			return false
		}
		return false // it cannot be here, or it would be a crash that others see
	}
	t := s.held(v)
	if t == nil {
		return true
	}
	if t.null == yes {
		r.wrong(Unchecked, s, n, "`%s` %s where it is NULL", told(n), how)
		return false
	}
	if t.null == maybe && t.given >= 0 && r.Variables[t.given].Output && !s.chosen {
		r.wrong(Unchecked, s, n, "`%s` %s where it may be NULL: before the first call nothing lies in an output", told(n), how)
		t.null = no
	}
	if t.dead {
		r.wrong(Dead, s, n, "`%s` %s after its reference was released", told(n), how)
		t.dead, t.loose = false, true
	}
	return true
}
