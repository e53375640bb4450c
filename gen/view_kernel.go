package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/refcount"
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
	Loop               *LoopView // or Fold: a loop that holds a user's code, or may fail; nil: among the engine's own
	Fold               *FoldView
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
	Declared []refcount.Declared
	State    []refcount.Declared // those of them that are kept
	Saved    bool                // inputs and outputs are, for both may be replaced; params are only loaded
	Storage  bool                // the code speaks of its storage_<name>
}

// PromisedVariable is an output, or an input that may have been replaced, that must hold an array once the code has run.
type PromisedVariable struct {
	Name, Number string
	NDim         int
	Unread       bool // nothing looks at it again: it may be NULL
}

func newKernelView(types []Type, k *Kernel, leaves Leaves, name string, cxx bool) (*KernelView, error) {
	named := func(hook, text string) Fragment {
		return Fragment{k.Label + "." + hook, strings.ReplaceAll(text, nameToken, name)}
	}
	kv := &KernelView{Structured: k.structured(), C: gluePrefix + name, Name: name, Label: k.Label, Code: named("c_code", k.Code), Slots: len(k.types()),
		Released: k.GIL == GILReleased, CXX: cxx, Scope: ScopeView{C: gluePrefix + name}}
	if k.SupportCodeApply != "" {
		kv.Support = []Fragment{named("c_support_code_apply", k.SupportCodeApply)}
	}
	if strings.TrimSpace(k.CodeCleanup) != "" {
		cleanup := named("c_code_cleanup", k.CodeCleanup)
		kv.Cleanup = &cleanup
	}
	for i, text := range k.Declares {
		t := &types[k.types()[i]]
		found, err := declared(t.Label, text, t.Lang)
		if err != nil {
			return nil, err
		}
		variable := KernelVariable{
			Name: variableName(i), Index: i, Declared: found, State: state(found), Saved: true,
			Declare: Fragment{t.Label + ".c_declare", text},
		}
		if i == len(k.Inputs)+len(k.Outputs) {
			variable.Name, variable.Saved = paramsToken, false
		}
		variable.Storage = storage(k.Code+k.CodeCleanup, variable.Name)
		kv.Variables = append(kv.Variables, variable)
		filled := i >= len(k.Inputs) && i < len(k.Inputs)+len(k.Outputs)
		if number, ndim := t.Array.promise(); ndim >= 0 && (filled || slices.Contains(leaves.Replaced, i)) {
			kv.Promised = append(kv.Promised, PromisedVariable{variable.Name, number, ndim, slices.Contains(leaves.Unread, i)})
		}
		kv.Scope.Declares = append(kv.Scope.Declares, ScopeDeclare{variable.Name, variable.Declare})
	}
	if k.Struct != (Struct{}) {
		kv.Scope.Base = kv.C + "_struct"
		kv.Struct = &StructView{Support: named("c_support_code_struct", refcount.Public(k.Struct.Support)),
			Init: named("c_init_code_struct", k.Struct.Init), Cleanup: named("c_cleanup_code_struct", k.Struct.Cleanup)}
		if k.Params != nil {
			kv.Struct.Params = kv.Variables[len(kv.Variables)-1:]
		}
	}
	for i := len(kv.Variables) - 1; i >= 0; i-- {
		kv.Closing = append(kv.Closing, kv.Variables[i])
	}
	return kv, nil
}

// steps fills the table that a call walks, and the slots that its entries work on.
func (v *viewer) steps() {
	w := v.view
	for _, a := range v.plan.Actions {
		s := v.step(a)
		s.First = w.Counts.Slots
		s.Reads += s.First
		w.Counts.Slots += len(s.Slots)
		w.Steps = append(w.Steps, s)
		if a.Kind == Perform {
			w.Counts.Performs++
		}
	}
	for _, i := range v.plan.Structs {
		label := v.p.kernel(v.plan.Actions[i].Step).Label + ".c_init_code_struct"
		w.Structs = append(w.Structs, StructStepView{C: w.Steps[i].Run, Label: cString(label), First: w.Steps[i].First})
	}
	w.Counts.Structs, w.Counts.Kept = len(w.Structs), v.plan.Kept
	w.Counts.Variables, w.Counts.Arguments, w.Counts.Results = len(v.p.Variables), len(w.Arguments), len(w.Results)
	w.Counts.Steps, w.Counts.Constants = len(w.Steps), len(w.Constants)
	if v.p.Single {
		w.Counts.Single = 1
	}
}

// number is how the table of slots tells a plain number from a variable.
func number(n int) int { return -1 - n }

// hooks name what runs when a variable is entered or synced, for messages.
var hooks = map[ActionKind]string{
	EnterInput: ".c_extract", EnterOwn: ".c_extract", EnterInit: ".c_init", EnterOutput: ".c_extract_out", EnterKept: ".c_extract_out",
	Sync: ".c_sync", Separate: ", a copy of what is written over",
}

func (v *viewer) step(a Action) StepView {
	if a.Step >= 0 {
		return v.graphStep(a)
	}
	variable := a.Variables[0]
	tv := v.typeView(variable)
	s := StepView{Node: -1, Undo: tv.C + "_leave", Slots: []int{variable}, Label: cString(tv.Label + hooks[a.Kind]),
		Comment: comment(fmt.Sprintf("%s %s", a.Kind, v.describe(variable)))}
	switch a.Kind {
	case EnterInput:
		s.Run = tv.input(v.p.Inputs[a.Index].Accept, v.p.Inputs[a.Index].Shared)
		s.Slots = append(s.Slots, number(a.Index))
	case EnterOwn:
		s.Run = tv.C + "_own"
	case EnterInit:
		s.Run = tv.Init.C + "_own"
	case EnterOutput:
		s.Run = tv.Offer.C + "_own"
		s.Slots = append(append(s.Slots, number(a.Index)), v.others(a)...)
	case Separate:
		s.Run, s.Undo = "opw_separate", "NULL"
		s.Slots = append(s.Slots, v.others(a)...)
	case EnterKept:
		s.Run, s.Undo = tv.C+"_take", tv.C+"_keep"
		s.Slots = append(s.Slots, number(a.Index))
	case Sync:
		s.Run, s.Undo = tv.Sync.C, "NULL"
	}
	return s
}

// others is how the table of slots lists the variables behind an action's first: how many, then of each type and slot.
func (v *viewer) others(a Action) []int {
	found := []int{number(len(a.Variables) - 1)}
	for _, other := range a.Variables[1:] {
		found = append(found, number(v.p.Variables[other].Type), other)
	}
	return found
}

func (v *viewer) graphStep(a Action) StepView {
	k := v.p.kernel(a.Step)
	s := StepView{Run: v.names[a.Step], Undo: "NULL", Slots: a.Variables, Label: cString(k.Label + ".c_code"),
		Comment: comment(k.Label), Node: a.Step, Inputs: a.Inputs, Outputs: len(k.Outputs)}
	if k.structured() {
		s.Run = "opw_run_elementwise"
		if k.Reduce != nil {
			s.Run = "opw_run_reduce"
		}
		s.Slots, s.Reads = slices.Concat([]int{number(v.works[v.names[a.Step]])}, a.Variables), 1
	}
	if k.Struct != (Struct{}) {
		s.Slots = append(slices.Clone(s.Slots), number(a.Index))
	}
	if a.Kind != Perform {
		return s
	}
	s.Label = cString(k.Label + ".perform")
	s.Run, s.Undo = "opw_perform", "opw_perform_undo"
	outputs := a.Variables[a.Inputs:]
	s.Slots = []int{number(a.Index), number(a.Inputs), number(len(outputs))}
	s.Reads = len(s.Slots)
	s.Slots = append(s.Slots, a.Variables[:a.Inputs]...)
	for _, out := range outputs {
		s.Slots = append(s.Slots, number(v.p.Variables[out].Type), out)
	}
	return s
}

// describe names a variable for the reader of the C.
func (v *viewer) describe(variable int) string {
	if name := v.p.Variables[variable].Name; name != "" {
		return name
	}
	return fmt.Sprintf("variable %d", variable)
}
