package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
)

// View is a plan in the shape in which the templates need it: names chosen, texts paired with their origins, tables
// flattened. Templates only range over it.
type View struct {
	Name, QuotedName string
	Summary          []string
	Headers          []string
	Helpers          []string // C of the scalar operations, filled in by text
	Support          []Fragment
	Types            []*TypeView
	Kernels          []*KernelView
	Init             []InitView
	VariableTypes    []int
	Constants        []int
	Arguments        []ArgumentView
	Results          []ResultView
	Steps            []StepView
	Structs          []StructStepView
	Counts           Counts
	Table            []*LoopView     // the table of loops
	Loops            []*LoopView     // those of the engine alone, each distinct one once
	Parts            bool            // Loops are compiled apart, at the same time as the rest
	helpers          []scalar.Helper // each after those that it needs
}

// Fragment is a user's text and the canonical name that its #line marks carry.
type Fragment struct {
	Origin string
	Text   string
}

// Counts are the lengths of the tables.
type Counts struct {
	Variables, Arguments, Results, Steps, Slots, Constants, Performs, Structs, Kept, Single int
	Cells, Updates                                                                          int
}

// InitView is a piece of init code and the function that holds it.
type InitView struct {
	C, Label string // Label: a C string, for messages
	Text     Fragment
}

// ArgumentView is an entry of the table of arguments; Name is a C string or NULL.
type ArgumentView struct {
	Name     string
	Variable int
}

// ResultView is an entry of the table of results.
type ResultView struct {
	Variable int
	Accept   string
	Update   int // which cell takes it; -1: none
}

// StepView is an entry of the table of steps, with its part of the table of slots.
type StepView struct {
	Run, Undo, Label, Comment string
	First                     int
	Slots                     []int
	Node, Reads               int // the Program's step or -1; where in the table of slots its inputs are
	Inputs, Outputs           int
}

// NewView names what a plan has decided.
func NewView(plan *Plan) *View {
	v := &viewer{plan: plan, view: &View{Name: comment(plan.Name), QuotedName: cString(plan.Name), Parts: plan.Parts}}
	for i := range plan.Types {
		v.view.Types = append(v.view.Types, newTypeView(i, &plan.Types[i], &plan.Lifecycles[i], plan.cxx()))
	}
	for i := range plan.Functions {
		v.view.Kernels = append(v.view.Kernels, newKernelView(&plan.Functions[i], plan.cxx()))
	}
	v.loops()
	v.texts()
	v.interface_()
	v.steps()
	v.summary()
	return v.view
}

type viewer struct {
	plan *Plan
	view *View
}

// ScopeView is what a function of C++ sees declared: the texts, and where it is a member, of what.
type ScopeView struct {
	C, Base  string
	Declares []ScopeDeclare
}

// ScopeDeclare is the declaration text of one variable.
type ScopeDeclare struct {
	Name    string
	Declare Fragment
}

// texts collects what stands at file scope: headers, support code and init code, each distinct text once.
func (v *viewer) texts() {
	headers, support, init := newSet(), newSet(), newSet()
	add := func(label, name string, b Build, texts *Texts) {
		for _, h := range b.Headers {
			headers.add(Fragment{Text: quoted(h)})
		}
		for _, text := range texts[SupportCode] {
			support.add(fragment(label, SupportCode, text, ""))
		}
		for _, text := range texts[InitCode] {
			init.add(fragment(label, InitCode, text, ""))
		}
		if texts.Given(InitCodeApply) {
			init.add(fragment(label, InitCodeApply, texts.Text(InitCodeApply), name))
		}
	}
	for i := range v.plan.Types {
		t := &v.plan.Types[i]
		add(t.Label, "", t.Build, &t.Texts)
	}
	for _, f := range v.plan.Functions {
		add(f.Label, f.Name, f.Build, &f.Texts)
	}
	for _, f := range headers.list {
		v.view.Headers = append(v.view.Headers, f.Text)
	}
	v.view.Support = support.list
	for i, f := range init.list {
		v.view.Init = append(v.view.Init, InitView{C: fmt.Sprintf("opw_init_%d", i), Label: cString(f.Origin), Text: f})
	}
}

// interface_ fills the tables of variables, arguments and results.
func (v *viewer) interface_() {
	w := v.view
	for _, variable := range v.plan.Variables {
		w.VariableTypes = append(w.VariableTypes, variable.Type)
	}
	w.Constants = v.plan.Constants
	for _, in := range v.plan.Inputs {
		name := "NULL"
		if in.Name != "" {
			name = cString(in.Name)
		}
		w.Arguments = append(w.Arguments, ArgumentView{name, in.Variable})
		if in.Shared {
			w.Counts.Cells++
		}
	}
	for _, out := range v.plan.Outputs {
		r := ResultView{Variable: out.Variable, Accept: "NULL", Update: -1}
		if out.Update != nil {
			r.Update = *out.Update - (len(v.plan.Inputs) - w.Counts.Cells)
			w.Counts.Updates++
		}
		if out.Accept != nil {
			lifecycle := &v.plan.Lifecycles[v.plan.Variables[out.Variable].Type]
			r.Accept = v.typeView(out.Variable).accept(slices.Index(lifecycle.Accepts, *out.Accept))
		}
		w.Results = append(w.Results, r)
	}
}

func (v *viewer) typeView(variable int) *TypeView {
	return v.view.Types[v.plan.Variables[variable].Type]
}

// summary is the head of the file: what the unit is made of.
func (v *viewer) summary() {
	n := v.view.Counts
	v.view.Summary = []string{fmt.Sprintf("%d variables of %d types, %d steps, %d distinct kernels.",
		n.Variables, len(v.view.Types), n.Steps, len(v.view.Kernels))}
	for _, k := range v.view.Kernels {
		v.view.Summary = append(v.view.Summary, fmt.Sprintf("%s: %s", comment(k.Label), k.C))
	}
}

// set keeps distinct texts in order of arrival.
type set struct {
	list []Fragment
	seen map[string]bool
}

func newSet() *set { return &set{seen: map[string]bool{}} }

func (s *set) add(f Fragment) {
	if strings.TrimSpace(f.Text) == "" || s.seen[f.Text] {
		return
	}
	s.seen[f.Text] = true
	s.list = append(s.list, f)
}

// quoted gives a header the quotes that it lacks.
func quoted(header string) string {
	if strings.HasPrefix(header, "<") || strings.HasPrefix(header, `"`) {
		return header
	}
	return `"` + header + `"`
}
