package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/ccode"
)

// KernelView is one kernel function.
type KernelView struct {
	C, Label           string
	Name               string // what hooks got as `name`; C is the glue's
	Support            []Fragment
	Variables, Closing []KernelVariable
	Promised           []PromisedVariable
	Code               Fragment
	Cleanup            *Fragment
	Struct             *StructView
	Loop               *LoopView // a loop that holds a user's code, or may fail; nil: among the engine's own
	Structured         bool
	Slots              int  // of its variables; a struct's number comes after them
	Released           bool // runs without the GIL
	CXX                bool // as part of a unit in C++
	Scope              ScopeView
}

// StructView is the state that a kernel keeps for each instance and step.
type StructView struct {
	Support, Init, Cleanup Fragment
	Params                 []KernelVariable // none or one
}

// StructStepView is an entry of the table of structs.
type StructStepView struct {
	C, Label string
	First    int
}

// KernelVariable is one variable of a kernel: opw_V0, opw_V1, …
type KernelVariable struct {
	Name     string
	Index    int
	Declare  Fragment
	Declared []ccode.Declared
	State    []ccode.Declared // those of them that are kept
	Saved    bool             // inputs and outputs are, for both may be replaced; params are only loaded
	Storage  bool             // the code speaks of its storage_<name>
	Held     bool             // the code may replace the array, and read on what it has of the old one, as its sizes
}

// PromisedVariable is an output, or an input that may have been replaced, that must hold an array once the code has run.
type PromisedVariable struct {
	Name, Number string
	NDim         int
	Unread       bool // nothing looks at it again: it may be NULL
}

// newKernelView names the variables and texts of a kernel's function.
func newKernelView(f *KernelFunction, cxx bool) *KernelView {
	named := func(h Hook) Fragment { return fragment(f.Label, h, f.Text(h), f.Name) }
	kv := &KernelView{Structured: f.Loop >= 0, C: gluePrefix + f.Name, Name: f.Name, Label: f.Label, Code: named(Code),
		Slots: len(f.Variables), Released: f.GIL == GILReleased, CXX: cxx, Scope: ScopeView{C: gluePrefix + f.Name}}
	if f.Given(SupportCodeApply) {
		kv.Support = []Fragment{named(SupportCodeApply)}
	}
	if strings.TrimSpace(f.Text(CodeCleanup)) != "" {
		cleanup := named(CodeCleanup)
		kv.Cleanup = &cleanup
	}
	if kv.Structured {
		return kv
	}
	for i := range f.Variables {
		kv.Variables = append(kv.Variables, newKernelVariable(f, i))
		kv.Scope.Declares = append(kv.Scope.Declares, ScopeDeclare{kv.Variables[i].Name, kv.Variables[i].Declare})
	}
	for _, i := range f.promised() {
		number, ndim := f.Variables[i].Type.Array.promise()
		kv.Promised = append(kv.Promised, PromisedVariable{f.Variables[i].Name, number, ndim, slices.Contains(f.Unread, i)})
	}
	if f.stateful() {
		kv.Scope.Base = kv.C + "_struct"
		kv.Struct = &StructView{Support: fragment(f.Label, SupportCodeStruct, ccode.Public(f.Text(SupportCodeStruct)), f.Name),
			Init: named(InitCodeStruct), Cleanup: named(CleanupCodeStruct)}
		if f.Params != nil {
			kv.Struct.Params = kv.Variables[len(kv.Variables)-1:]
		}
	}
	kv.Closing = slices.Clone(kv.Variables)
	slices.Reverse(kv.Closing)
	return kv
}

func newKernelVariable(f *KernelFunction, i int) KernelVariable {
	v := &f.Variables[i]
	return KernelVariable{
		Name: v.Name, Index: i, Declared: v.Declared, State: v.State, Saved: v.Name != paramsToken,
		Declare: fragment(v.Type.Label, Declare, v.Source, ""), Storage: storage(f.Text(Code)+f.Text(CodeCleanup), v.Name),
		Held: v.Type.Array != nil && slices.Contains(f.Replaced, i),
	}
}

// steps fills the table that a call walks, and the slots that its entries work on.
func (v *functionViewer) steps() {
	w := v.w
	for i := range v.of.Table {
		s := v.step(&v.of.Table[i])
		s.First = w.Counts.Slots
		s.Reads += s.First
		w.Counts.Slots += len(s.Slots)
		w.Steps = append(w.Steps, s)
	}
	for _, i := range v.of.Structs {
		label := v.of.kernel(v.of.Table[i].Step).Label + "." + InitCodeStruct.String()
		w.Structs = append(w.Structs, StructStepView{C: w.Steps[i].Run, Label: cString(label), First: w.Steps[i].First})
	}
	w.Counts.Structs, w.Counts.Kept, w.Counts.Performs = len(w.Structs), len(v.of.Kept), v.of.Performs
	w.Counts.Variables, w.Counts.Arguments, w.Counts.Results = len(v.of.Variables), len(w.Arguments), len(w.Results)
	w.Counts.Steps, w.Counts.Constants = len(w.Steps), len(w.Constants)
	if v.of.Single {
		w.Counts.Single = 1
	}
	if v.of.Lent {
		w.Counts.Lent = 1
	}
}

// number is how the table of slots tells a plain number from a variable.
func number(n int) int { return -1 - n }

// step names an entry of the table.
func (v *functionViewer) step(e *Entry) StepView {
	if e.Step >= 0 {
		return v.graphStep(e)
	}
	variable := e.Variables[0]
	tv := v.typeView(variable)
	s := StepView{Node: -1, Undo: undo(tv, e.Undo), Slots: []int{variable},
		Comment: comment(fmt.Sprintf("%s %s", effects[e.Run].name, v.describe(variable)))}
	label := ""
	switch e.Run {
	case RunInput:
		s.Run, label = tv.input(e.Function, v.of.Inputs[e.Index].Shared), Extract.String()
		s.Slots = append(s.Slots, number(e.Index))
	case RunOwn:
		s.Run, label = tv.F+"_own", Extract.String()
	case RunInit:
		s.Run, label = tv.F+"_init_own", Init.String()
	case RunOutput:
		s.Run, label = tv.F+"_offer_own", ExtractOut.String()
		s.Slots = append(append(s.Slots, number(e.Index)), v.others(e)...)
	case RunSeparate:
		s.Run, s.Label = "opw_separate", cString(tv.Label+", a copy of what is written over")
		s.Slots = append(s.Slots, v.others(e)...)
		return s
	case RunKept:
		s.Run, label = tv.F+"_take", ExtractOut.String()
		s.Slots = append(s.Slots, number(e.Index))
	case RunSync:
		s.Run, label = tv.F+"_sync", Sync.String()
	}
	s.Label = cString(tv.Label + "." + label)
	return s
}

// undo names what undoes an entry; tv is the type of the variable that it is for.
func undo(tv *TypeView, u Undo) string {
	switch u {
	case UndoLeave:
		return tv.F + "_leave"
	case UndoKeep:
		return tv.F + "_keep"
	case UndoPerform:
		return "opw_perform_undo"
	}
	return "NULL"
}

// others is how the table of slots lists the variables behind an entry's first: how many, then of each type and slot.
func (v *functionViewer) others(e *Entry) []int {
	found := []int{number(len(e.Variables) - 1)}
	for _, other := range e.part(otherParts) {
		found = append(found, number(v.place(other)), other)
	}
	return found
}

// graphStep names the entry of a step.
func (v *functionViewer) graphStep(e *Entry) StepView {
	k := v.of.kernel(e.Step)
	s := StepView{Undo: undo(nil, e.Undo), Slots: e.Variables, Label: cString(k.Label + "." + Code.String()),
		Comment: comment(k.Label), Node: e.Step, Inputs: e.Inputs, Outputs: e.Outputs}
	if s.Node >= 0 {
		s.Node = v.of.Nodes[e.Step]
	}
	switch e.Run {
	case RunGroup:
		s.Run, s.Reads = "opw_run_group", 1
		s.Slots = slices.Concat([]int{number(e.Index)}, e.Variables)
	case RunView:
		s.Run, s.Reads = "opw_run_view", 1
		s.Slots = slices.Concat([]int{number(e.Function)}, e.Variables)
	case RunLoop:
		if s.Run, s.Reads = "opw_run_stores", 1; k.Loop.folds() {
			s.Run = "opw_run_folds"
		}
		s.Slots = slices.Concat([]int{number(v.plan.Kernels[e.Function].Loop)}, e.Variables)
	case RunKernel:
		s.Run = gluePrefix + v.plan.Kernels[e.Function].Name
		if k.stateful() {
			s.Slots = append(slices.Clone(s.Slots), number(e.Index))
		}
	case RunPerform:
		s.Run, s.Label = "opw_perform", cString(k.Label+".perform")
		s.Slots = []int{number(e.Index), number(e.Inputs), number(e.Outputs)}
		s.Reads = len(s.Slots)
		s.Slots = append(s.Slots, e.part(inputPart)...)
		for _, out := range e.part(outputPart) {
			s.Slots = append(s.Slots, number(v.place(out)), out)
		}
	}
	return s
}

// describe names a variable for the reader of the C.
func (v *functionViewer) describe(variable int) string {
	if name := v.of.Variables[variable].Name; name != "" {
		return name
	}
	return fmt.Sprintf("variable %d", variable)
}
