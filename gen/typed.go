package gen

import (
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/scalar"
)

// Typed is a Program whose parts fit one another, with what its dtypes and texts say. Each is looked up and parsed once,
// by Check; what comes after reads it here. Nothing changes it.
type Typed struct {
	*Program
	Types   []TypedType   // in Program's order
	Kernels []TypedKernel // in Program's order
	Nodes   []int         // of each step, which of the steps of the Program that was read it was: of several the last
	Groups  []*Group      // of each step what it was made of; nil: it is one that was read
	ways    map[wayName]*way
}

// TypedType is a type with what its declaration says.
type TypedType struct {
	*Type
	Declares
	Array *TypedArray
	Kept  bool // whether the Program that was read has some variable of it kept
}

// TypedArray is the array that a type promises.
type TypedArray struct {
	scalar.Type
	NDim  int
	Plain bool // holding a reference to it is all that the type does
}

// Declares is a declaration text, read.
type Declares struct {
	Source   string
	Declared []ccode.Declared // all that it declares
	State    []ccode.Declared // what a frame keeps of it: constants are the same wherever their text stands
}

// TypedKernel is a kernel with what its texts say.
type TypedKernel struct {
	*Kernel
	Variables []TypedVariable // inputs, outputs, params
	Replaced  []int           // the inputs, by position, whose values its texts may replace
	Unread    []int           // the outputs, by position among Variables, that nothing reads, whichever step runs it
	State     bool            // a text defines an object that outlives a call: each step needs a function of its own
	Loop      *Loop           // the work that the engine writes the loops of; nil: a text, or Python's
}

// TypedVariable is a variable of a kernel, under the kernel's name for it.
type TypedVariable struct {
	Name string
	Type *TypedType
	Declares
}

// newTyped reads the texts of a Program whose parts fit.
func newTyped(p *Program, arrays []*TypedArray, loops []*Loop) (*Typed, error) {
	t := &Typed{Program: p, Types: make([]TypedType, len(p.Types)), Kernels: make([]TypedKernel, len(p.Kernels)), Groups: make([]*Group, len(p.Steps))}
	for i := range p.Steps {
		t.Nodes = append(t.Nodes, i)
	}
	r := &textReader{seen: map[string]bool{}, declared: map[string]Declares{}}
	for i := range p.Types {
		t.Types[i] = r.typ(&p.Types[i], arrays[i])
	}
	for i := range p.Variables {
		if p.Variables[i].Keep {
			t.typeOf(i).Kept = true
		}
	}
	unread := p.unread()
	for i := range p.Kernels {
		t.Kernels[i] = r.kernel(&p.Kernels[i], t.Types, loops[i])
		t.Kernels[i].Unread = unread[i]
	}
	if len(r.found) > 0 {
		return nil, &FragmentError{r.found}
	}
	return t, r.err
}

// kernel gives the kernel that a step runs.
func (t *Typed) kernel(step int) *TypedKernel { return &t.Kernels[t.Steps[step].Kernel] }

// typeOf gives a variable's type.
func (t *Typed) typeOf(variable int) *TypedType { return &t.Types[t.Variables[variable].Type] }

// unread lists for each kernel the outputs that nobody reads, whichever step runs it, by position among its variables.
func (p *Program) unread() [][]int {
	wanted := map[int]bool{}
	for i := range p.Steps {
		for _, v := range p.Steps[i].reads() {
			wanted[v] = true
		}
	}
	for _, out := range p.Outputs {
		wanted[out.Variable] = true
	}
	read := make([]map[int]bool, len(p.Kernels))
	for i := range p.Steps {
		s := &p.Steps[i]
		if read[s.Kernel] == nil {
			read[s.Kernel] = map[int]bool{}
		}
		for at, v := range s.Outputs {
			read[s.Kernel][at] = read[s.Kernel][at] || wanted[v]
		}
	}
	found := make([][]int, len(p.Kernels))
	for i := range p.Kernels {
		for at := range p.Kernels[i].Outputs {
			if !read[i][at] {
				found[i] = append(found[i], len(p.Kernels[i].Inputs)+at)
			}
		}
	}
	return found
}

// promised lists the variables of a kernel that must hold an array once its code has run: its outputs, and the inputs
// that it replaces.
func (k *TypedKernel) promised() []int {
	var found []int
	for i := range k.Variables {
		filled := i >= len(k.Inputs) && i < len(k.Inputs)+len(k.Outputs)
		if k.Variables[i].Type.Array != nil && (filled || slices.Contains(k.Replaced, i)) {
			found = append(found, i)
		}
	}
	return found
}

// variableNames are what a kernel calls its variables: opw_V0, opw_V1, …, then its params.
func (k *Kernel) variableNames() []string {
	var names []string
	for i := range k.types() {
		names = append(names, variableName(i))
	}
	if k.Params != nil {
		names[len(names)-1] = paramsToken
	}
	return names
}

// before gives the texts in which the macros of a kernel's texts may be defined.
func (k *Kernel) before(types []TypedType) []string {
	texts := slices.Clone(k.Texts[SupportCode])
	for _, t := range k.types() {
		texts = append(texts, types[t].Texts[SupportCode]...)
	}
	for _, arg := range k.Build.CompileArgs {
		if macro, ok := strings.CutPrefix(arg, "-D"); ok {
			texts = append(texts, "#define "+strings.Replace(macro, "=", " ", 1))
		}
	}
	return texts
}
