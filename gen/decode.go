package gen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Decode reads a Program strictly: what is unknown, missing, repeated or of the wrong kind is an *Error that says where.
// It checks the form only; Check looks at what the parts say of one another.
func Decode(data []byte) (*Program, error) {
	tree, err := parse(data)
	if err != nil {
		return nil, &Error{Stage: "decode", Msg: err.Error()}
	}
	d := &decoder{}
	p := d.program(tree)
	if d.err != nil {
		return nil, d.err
	}
	return p, nil
}

// decoder keeps the first error; later reads give zero values.
type decoder struct{ err *Error }

func (d *decoder) fail(where place, format string, args ...any) {
	if d.err == nil {
		d.err = &Error{Stage: "decode", Where: where.String(), Msg: fmt.Sprintf(format, args...)}
	}
}

// place is where something stands in a Program: in a field of an object, and there in a list, or in one of a list's. It is written out
// where something is wrong there.
type place struct {
	of    *object // nil: the Program
	field string
	index [2]int // in the list, and in one of it, each from 1; 0: none
}

// String gives the path, such as steps[3].inputs[1].
func (p place) String() string {
	path := p.field
	if p.of != nil {
		path = join(p.of.where.String(), path)
	}
	for _, i := range p.index {
		if i > 0 {
			path += fmt.Sprintf("[%d]", i-1)
		}
	}
	return path
}

// within is the place of one in a list.
func (p place) within(i int) place {
	if p.index[0] == 0 {
		p.index[0] = i + 1
	} else {
		p.index[1] = i + 1
	}
	return p
}

// object reads the fields of one JSON object; close reports those that nobody asked for.
type object struct {
	d      *decoder
	where  place
	fields []named
	asked  []string
}

func (d *decoder) object(v any, where place) *object {
	m, ok := v.([]named)
	if !ok {
		d.fail(where, "expected an object, got %s", kind(v))
	}
	return &object{d: d, where: where, fields: m, asked: make([]string, 0, 8)}
}

func (o *object) at(field string) place { return place{of: o, field: field} }

func join(where, field string) string {
	if where == "" {
		return field
	}
	return where + "." + field
}

// take gives a field's value; a missing one is an error unless it is optional.
func (o *object) take(field string, optional bool) (any, bool) {
	o.asked = append(o.asked, field)
	for i := range o.fields {
		if o.fields[i].name == field {
			return o.fields[i].value, true
		}
	}
	if !optional {
		o.d.fail(o.where, "field %q is missing", field)
	}
	return nil, false
}

func (o *object) close() {
	unknown := []string{}
	for _, m := range o.fields {
		if !slices.Contains(o.asked, m.name) {
			unknown = append(unknown, m.name)
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	slices.Sort(o.asked)
	o.d.fail(o.where, "unknown field %q; known are %s", unknown[0], strings.Join(slices.Compact(o.asked), ", "))
}

func (o *object) str(field string, optional bool) string {
	v, ok := o.take(field, optional)
	if !ok {
		return ""
	}
	return o.d.str(v, o.at(field))
}

// text reads an optional fragment: nil where it is not there.
func (o *object) text(field string) *string {
	v, ok := o.take(field, true)
	if !ok {
		return nil
	}
	s := o.d.str(v, o.at(field))
	return &s
}

func (o *object) bool(field string, optional bool) bool {
	v, ok := o.take(field, optional)
	if !ok {
		return false
	}
	b, isBool := v.(bool)
	if !isBool {
		o.d.fail(o.at(field), "expected true or false, got %s", kind(v))
	}
	return b
}

func (o *object) num(field string) int {
	v, ok := o.take(field, false)
	if !ok {
		return 0
	}
	return o.d.num(v, o.at(field))
}

// optional reads an index that may be left out.
func (o *object) optional(field string) *int {
	v, ok := o.take(field, true)
	if !ok {
		return nil
	}
	i := o.d.num(v, o.at(field))
	return &i
}

// list calls read for each member of a list field.
func (o *object) list(field string, optional bool, read func(v any, where place)) {
	v, ok := o.take(field, optional)
	if !ok {
		return
	}
	members, isList := v.([]any)
	if !isList {
		o.d.fail(o.at(field), "expected a list, got %s", kind(v))
	}
	for i, m := range members {
		read(m, o.at(field).within(i))
	}
}

func (o *object) strs(field string) []string {
	var out []string
	o.list(field, true, func(v any, where place) { out = append(out, o.d.str(v, where)) })
	return out
}

func (o *object) nums(field string) []int {
	out := []int{}
	o.list(field, false, func(v any, where place) { out = append(out, o.d.num(v, where)) })
	return out
}

func (o *object) pairs(field, first, second string) [][2]int {
	var out [][2]int
	o.list(field, true, func(v any, where place) {
		m, ok := v.([]any)
		if !ok || len(m) != 2 {
			o.d.fail(where, "expected [%s, %s], got %s", first, second, kind(v))
			return
		}
		out = append(out, [2]int{o.d.num(m[0], where.within(0)), o.d.num(m[1], where.within(1))})
	})
	return out
}

func (o *object) lang() Lang {
	s := Lang(o.str("lang", false))
	if s != C && s != CXX {
		o.d.fail(o.at("lang"), "expected %q or %q, got %q", C, CXX, s)
	}
	return s
}

func (o *object) gil() GIL {
	g := GIL(o.str("gil", true))
	if g != GILHeld && g != GILReleased && g != GILFreeThreaded {
		o.d.fail(o.at("gil"), "expected %q or %q, got %q", GILReleased, GILFreeThreaded, g)
	}
	return g
}

func (d *decoder) str(v any, where place) string {
	s, ok := v.(string)
	if !ok {
		d.fail(where, "expected a string, got %s", kind(v))
	}
	if strings.ContainsRune(s, 0) {
		d.fail(where, "holds a NUL character, which no compiler reads")
	}
	return s
}

func (d *decoder) num(v any, where place) int {
	n, ok := v.(json.Number)
	if !ok {
		d.fail(where, "expected an integer, got %s", kind(v))
		return 0
	}
	i, err := n.Int64()
	if err != nil || i < 0 || i > 1<<31-1 {
		d.fail(where, "expected an integer from 0 to 2147483647, got %s", n)
	}
	return int(i)
}

func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return "the number " + v.String()
	case string:
		return fmt.Sprintf("the string %q", v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	}
	return "an object"
}
