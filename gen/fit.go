package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Fit says, instead of a text, which objects are taken as they are: arrays as a plain type has them, of these sizes.
type Fit struct {
	Sizes     [][2]int // axis, size
	Writeable bool
}

// taken tells whether an argument may be taken as it is.
func (in *Input) taken() bool { return in.Accept != nil || in.Fit != nil }

// taken tells whether storage may be given for a result.
func (out *Output) taken() bool { return out.Accept != nil || out.Fit != nil }

// fit checks what says which objects are taken as they are.
func (c *checker) fit(where string, variable int, accept *string, fit *Fit) {
	if fit == nil {
		return
	}
	t := &c.p.Types[c.p.Variables[variable].Type]
	if accept != nil {
		c.fail(where+".fit", t.Label, "accept says it already")
	}
	if t.Array == nil || !t.Array.Plain {
		c.fail(where+".fit", t.Label, "the type's array is not plain: accept says which objects are taken")
		return
	}
	for i, size := range fit.Sizes {
		if size[0] >= t.Array.NDim {
			c.fail(fmt.Sprintf("%s.fit.sizes[%d]", where, i), t.Label, "no axis %d, there are %d", size[0], t.Array.NDim)
		}
	}
}

// FitView is what an array must be to be taken as it is.
type FitView struct{ C, Promise, Sizes string }

// fit names what says which objects are taken as they are; NULL: a text does, or nothing.
func (v *functionViewer) fit(variable int, fit *Fit) string {
	if fit == nil {
		return "NULL"
	}
	writeable := 0
	if fit.Writeable {
		writeable = 1
	}
	number, ndim := v.of.typeOf(variable).Array.promise()
	w := FitView{C: fmt.Sprintf("%s_fit%d", v.w.C, len(v.w.Fits)), Promise: fmt.Sprintf("%s, %d, %d", number, ndim, writeable)}
	for _, size := range fit.Sizes {
		w.Sizes += fmt.Sprintf("%d, %d, ", size[0], size[1])
	}
	at := slices.IndexFunc(v.w.Fits, func(have FitView) bool { return have.Promise == w.Promise && have.Sizes == w.Sizes })
	if at < 0 {
		at = len(v.w.Fits)
		v.w.Fits = append(v.w.Fits, w)
	}
	return "&" + v.w.Fits[at].C
}

// light tells whether a unit is tables and loops of the engine's alone, for which no header of Python's or NumPy's is read.
func (plan *Plan) light() bool {
	given := func(b *Build, texts *Texts) bool {
		return len(b.Headers) > 0 || texts.any(SupportCode) || texts.any(InitCode) || texts.any(InitCodeApply) || texts.any(SupportCodeApply)
	}
	for i := range plan.Types {
		t := &plan.Types[i]
		if t.Lang != C || !t.plain() || len(t.Accepts) > 0 || given(&t.Build, &t.Texts) {
			return false
		}
	}
	for _, k := range plan.Kernels {
		if k.Lang != C || k.Loop < 0 || !k.TypedKernel.Loop.pure() || given(&k.Build, &k.Texts) {
			return false
		}
	}
	return true
}

// any tells whether there is more than blanks of a text.
func (t *Texts) any(h Hook) bool {
	return slices.ContainsFunc(t[h], func(text string) bool { return strings.TrimSpace(text) != "" })
}

// plain tells whether a type does no more than hold a reference to an array: the runtime has its functions.
func (t *TypedType) plain() bool { return t.Array != nil && t.Array.Plain }
