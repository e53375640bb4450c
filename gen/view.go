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
	Module                string
	Name                  string // of the functions, for the reader
	Summary               []string
	Headers               []string
	NoPrefix              bool     // a header of NumPy 1's is asked for, whose names stand in plain C of the engine's
	Helpers               []string // C of the scalar operations, filled in by text
	Support               []Fragment
	Types                 []*TypeView
	Kernels               []*KernelView
	Init                  []InitView
	Functions             []*FunctionView
	Table                 []*LoopView     // the table of loops
	Accesses              []AccessView    // the table of views
	Library               []string        // pieces of the vector library that loops run
	Loops                 []*LoopView     // those of the engine alone, each distinct one once
	Light                 bool            // no header of Python's or NumPy's is read
	Bare                  bool            // nor one of libc's
	Parts                 bool            // Loops are compiled apart, at the same time as the rest
	Accounted             []AccountedView // calls in users' texts of which is told; empty: of none
	LoopsText, TablesText string          // what is written before the rest of it, filled in by text
	helpers               []scalar.Helper // each after those that it needs
}

// FunctionView is a function as data.
type FunctionView struct {
	C, QuotedName string
	VariableTypes []int
	Constants     []int
	Kept          []int // variables
	Fits          []FitView
	Arguments     []ArgumentView
	Results       []ResultView
	Steps         []StepView
	Structs       []StructStepView
	Groups        []GroupView
	Chains        []ChainView
	Counts        Counts
	summary       []string
}

// Fragment is a user's text and the canonical name that its #line marks carry.
type Fragment struct {
	Origin string
	Text   string
}

// Counts are the lengths of the tables.
type Counts struct {
	Variables, Arguments, Results, Steps, Slots, Constants, Performs, Structs, Kept, Single int
	Cells, Updates, Lent                                                                    int
}

// InitView is a piece of init code and the function that holds it.
type InitView struct {
	C, Label string // Label: a C string, for messages
	Text     Fragment
}

// ArgumentView is an entry of the table of arguments; Name is a C string or NULL, Accept and Fit a test or NULL.
type ArgumentView struct {
	Name        string
	Variable    int
	Accept, Fit string
}

// ResultView is an entry of the table of results.
type ResultView struct {
	Variable    int
	Accept, Fit string
	Update      int // which cell takes it; -1: none
	Scalar      int // 1: the caller gets a scalar, not an array
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
	v := &viewer{plan: plan, view: &View{Module: plan.Module, Light: plan.Light, Parts: plan.Parts}}
	for i := range plan.Types {
		v.view.Types = append(v.view.Types, newTypeView(i, &plan.Types[i], plan.cxx()))
	}
	for i := range plan.Kernels {
		v.view.Kernels = append(v.view.Kernels, newKernelView(&plan.Kernels[i], plan.cxx()))
	}
	v.loops()
	v.accesses()
	v.texts()
	var names []string
	for i := range plan.Functions {
		f := &plan.Functions[i]
		names = append(names, f.Name)
		v.view.Functions = append(v.view.Functions, v.function(fmt.Sprintf("%sf%d", gluePrefix, i), f))
	}
	v.view.Name = comment(strings.Join(names, ", "))
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
			if name := strings.Trim(h, `<>"`); name == "numpy/noprefix.h" {
				v.view.NoPrefix = true
			} else if name != "numpy/old_defines.h" { // the head of every unit has what it had
				headers.add(Fragment{Text: quoted(h)})
			}
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
	for _, f := range v.plan.Kernels {
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

// functionViewer names what belongs to one function.
type functionViewer struct {
	*viewer
	of *FunctionPlan
	w  *FunctionView
}

func (v *viewer) function(c string, f *FunctionPlan) *FunctionView {
	fv := &functionViewer{v, f, &FunctionView{C: c, QuotedName: cString(f.Name)}}
	fv.interface_()
	fv.steps()
	fv.groups()
	fv.chains()
	return fv.w
}

// interface_ fills the tables of variables, arguments and results.
func (v *functionViewer) interface_() {
	w := v.w
	for i := range v.of.Variables {
		w.VariableTypes = append(w.VariableTypes, v.place(i))
	}
	w.Constants, w.Kept = v.of.Constants, v.of.Kept
	for _, in := range v.of.Inputs {
		name := "NULL"
		if in.Name != "" {
			name = cString(in.Name)
		}
		w.Arguments = append(w.Arguments, ArgumentView{name, in.Variable, v.accept(in.Variable, in.Accept), v.fit(in.Variable, in.Fit)})
		if in.Shared {
			w.Counts.Cells++
		}
	}
	for _, out := range v.of.Outputs {
		r := ResultView{Variable: out.Variable, Accept: v.accept(out.Variable, out.Accept), Fit: v.fit(out.Variable, out.Fit), Update: -1}
		if out.Update != nil {
			r.Update = *out.Update - (len(v.of.Inputs) - w.Counts.Cells)
			w.Counts.Updates++
		}
		if out.Scalar {
			r.Scalar = 1
		}
		w.Results = append(w.Results, r)
	}
}

// accept names the test of an argument or result; NULL: it has none.
func (v *functionViewer) accept(variable int, text *string) string {
	if text == nil {
		return "NULL"
	}
	accepts := v.plan.Types[v.place(variable)].Accepts
	return v.typeView(variable).accept(slices.Index(accepts, *text))
}

// place is where a variable's type stands among the unit's.
func (v *functionViewer) place(variable int) int { return v.of.Place[v.of.Variables[variable].Type] }

func (v *functionViewer) typeView(variable int) *TypeView { return v.view.Types[v.place(variable)] }

// summary is the head of the file: what the unit is made of.
func (v *viewer) summary() {
	for _, f := range v.view.Functions {
		v.view.Summary = append(v.view.Summary, fmt.Sprintf("%d variables of %d types, %d steps, %d distinct kernels.",
			f.Counts.Variables, len(v.view.Types), f.Counts.Steps, len(v.view.Kernels)))
		v.view.Summary = append(v.view.Summary, f.summary...)
	}
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
