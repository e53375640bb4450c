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
	Support            []Fragment
	Variables, Closing []KernelVariable
	Code               Fragment
	Cleanup            *Fragment
}

// KernelVariable is one variable of a kernel: V0, V1, …
type KernelVariable struct {
	Name    string
	Index   int
	Declare Fragment
	State   []refcount.Declared
	Saved   bool // outputs are; inputs are only loaded
}

func newKernelView(types []Type, k *Kernel, name string) (*KernelView, error) {
	named := func(hook, text string) Fragment {
		return Fragment{k.Label + "." + hook, strings.ReplaceAll(text, nameToken, name)}
	}
	kv := &KernelView{C: name, Label: k.Label, Code: named("c_code", k.Code)}
	if k.SupportCodeApply != "" {
		kv.Support = []Fragment{named("c_support_code_apply", k.SupportCodeApply)}
	}
	if strings.TrimSpace(k.CodeCleanup) != "" {
		cleanup := named("c_code_cleanup", k.CodeCleanup)
		kv.Cleanup = &cleanup
	}
	for i, text := range k.Declares {
		t := &types[slices.Concat(k.Inputs, k.Outputs)[i]]
		state, err := declared(t.Label, text, t.Lang)
		if err != nil {
			return nil, err
		}
		kv.Variables = append(kv.Variables, KernelVariable{
			Name: fmt.Sprintf("V%d", i), Index: i, State: state, Saved: i >= len(k.Inputs),
			Declare: Fragment{t.Label + ".c_declare", text},
		})
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
		w.Counts.Slots += len(s.Slots)
		w.Steps = append(w.Steps, s)
		if a.Kind == Perform {
			w.Counts.Performs++
		}
	}
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
	EnterInput: ".c_extract", EnterInit: ".c_init", EnterOutput: ".c_extract_out", Sync: ".c_sync",
}

func (v *viewer) step(a Action) StepView {
	if a.Step >= 0 {
		return v.graphStep(a)
	}
	variable := a.Variables[0]
	tv := v.typeView(variable)
	s := StepView{Undo: tv.C + "_leave", Slots: []int{variable}, Label: cString(tv.Label + hooks[a.Kind]),
		Comment: comment(fmt.Sprintf("%s %s", a.Kind, v.describe(variable)))}
	switch a.Kind {
	case EnterInput:
		s.Run = tv.input(v.p.Inputs[a.Index].Accept)
		s.Slots = append(s.Slots, number(a.Index))
	case EnterInit:
		s.Run = tv.Init.C + "_own"
	case EnterOutput:
		s.Run = tv.Offer.C + "_own"
	case Sync:
		s.Run, s.Undo = tv.Sync.C, "NULL"
	}
	return s
}

func (v *viewer) graphStep(a Action) StepView {
	k := v.p.kernel(a.Step)
	s := StepView{Run: v.cNames[v.p.Steps[a.Step].Kernel], Undo: "NULL", Slots: a.Variables, Label: cString(k.Label + ".c_code"),
		Comment: comment(k.Label)}
	if a.Kind != Perform {
		return s
	}
	s.Label = cString(k.Label + ".perform")
	s.Run, s.Undo = "opw_perform", "opw_perform_undo"
	outputs := a.Variables[a.Inputs:]
	s.Slots = []int{number(a.Index), number(a.Inputs), number(len(outputs))}
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
