package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
)

// Stages that are no text of the unit's: the vector library has their pieces.

// simple gives the name of the piece of the library that a stage is: an operation of an instruction or two, or a copy of what has
// waited; empty: it is none.
func (p *piece) simple(st *stage) string {
	if p.view.Exact || len(st.given) > 0 || len(st.body) > 1 || len(st.stores) > 1 {
		return ""
	}
	op, args, made := "positive", []int(nil), -1
	if len(st.body) > 0 {
		op, args, made = p.Body[st.body[0]].Op, p.Body[st.body[0]].Args, p.first[st.body[0]]
	} else {
		args = []int{p.Outputs[st.stores[0]].Value}
	}
	h, known := p.near(op, args)
	if !known || p.leaves(st, made, h.Type) < 0 {
		return ""
	}
	p.helpers = append(p.helpers, h)
	for _, v := range args {
		if p.from[v] < 0 {
			p.point(p.input(v), "const ")
		} else {
			p.point(-1-v, "const ")
		}
	}
	return h.Piece()
}

// leaves has a stage leave what it makes where it waits, or is stored, and gives the pointer to that; -1: the dtype is another, or
// something else is stored.
func (p *piece) leaves(st *stage, made int, t scalar.Type) int {
	if len(st.stores) == 0 {
		p.writes = []int{made}
		return p.point(-1-made, "")
	}
	if out := p.Outputs[st.stores[0]]; out.Type.Name != t.Name || made >= 0 && made != out.Value {
		return -1
	}
	return p.point(p.output(st.stores[0]), "")
}

// near finds the piece of the library for an operation on values that have waited or are inputs, of which one may be a number.
func (p *piece) near(op string, args []int) (scalar.Helper, bool) {
	number := -1
	for i, v := range args {
		switch {
		case p.held(v) && number < 0 && len(args) > 1:
			number = i
		case !p.close(v) && !p.waits[v] || p.from[v] >= 0 && p.Body[p.from[v]].Op == OpConstant:
			return scalar.Helper{}, false
		}
	}
	return scalar.Simple(op, p.typeOf(args[0]), number)
}

// vector calls a function of many numbers: the library has the piece that computes whole vectors, and gives its name.
func (p *piece) vector(st *stage) string {
	in, v := &p.Body[st.body[0]], p.first[st.body[0]]
	h, _ := scalar.Vector(in.Op, in.Takes[0])
	p.helpers = append(p.helpers, h)
	text := ""
	if at := p.leaves(st, v, h.Type); p.view.Exact {
		text = fmt.Sprintf("%s((%s *)(void *)%s", h.C(), h.Type.Value, pointer(at))
	}
	for _, arg := range in.Args {
		what := -1 - arg
		if p.close(arg) {
			what = p.input(arg)
		}
		if at := p.point(what, "const "); p.view.Exact {
			text += fmt.Sprintf(", (const %s *)(const void *)%s", h.Type.Value, pointer(at))
		}
	}
	if !p.view.Exact {
		return h.Piece()
	}
	p.view.Call = text + ", opw_n);"
	return ""
}

// direct is the call that a loop is: of a function that takes its inputs and gives its outputs; nil: it is more.
func (b *body) direct(l *Loop) *DirectView {
	h, known := l.alone()
	if !known || len(l.Outputs) != len(l.Body) || len(l.Body[0].Args) != len(l.Inputs) {
		return nil
	}
	d, givers := &DirectView{}, make([]string, len(l.Body))
	for i := range l.Outputs {
		of, out := l.Outputs[i].Value-len(l.Inputs), len(l.Inputs)+i
		if of < 0 || givers[of] != "" {
			return nil
		}
		givers[of] = fmt.Sprintf("(%s *)(void *)opw_p[%d]", l.Outputs[i].Type.Value, out)
		d.Test += fmt.Sprintf(" && opw_s[%d] == %d", out, l.Outputs[i].Type.Size)
		for _, arg := range l.Body[0].Args {
			d.Test += fmt.Sprintf(" && opw_p[%d] != opw_p[%d]", arg, out)
		}
	}
	d.Call = h.C() + "(" + strings.Join(givers, ", ")
	for i, arg := range l.Body[0].Args {
		d.Test += fmt.Sprintf(" && opw_s[%d] == %d", arg, l.Inputs[arg].Size)
		d.Call += fmt.Sprintf(", (const %s *)(const void *)opw_p[%d]", l.Body[0].Takes[i].Value, arg)
	}
	b.helpers = append(b.helpers, h)
	d.Test, d.Call = strings.TrimPrefix(d.Test, " && "), d.Call+", opw_n);"
	return d
}

// alone is the function that the instructions of a loop are: of one, or of all parts of one operation on the same arguments.
func (l *Loop) alone() (scalar.Helper, bool) {
	if len(l.Body) == 1 {
		return scalar.Alone(l.Body[0].Op, l.Body[0].Takes)
	}
	var names []string
	for i := range l.Body {
		if !slices.Equal(l.Body[i].Args, l.Body[0].Args) {
			return scalar.Helper{}, false
		}
		names = append(names, l.Body[i].Op)
	}
	if len(names) == 0 {
		return scalar.Helper{}, false
	}
	return scalar.Together(names, l.Body[0].Takes[0])
}
