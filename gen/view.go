package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
	"opweld/refcount"
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
	Elementwise      []*LoopView     // the table of elementwise kernels
	Reductions       []*FoldView     // the table of reductions
	Loops            []*LoopView     // those of the engine alone, each distinct one once
	Folds            []*FoldView     // the same of reductions
	Parts            bool            // Loops and Folds are compiled apart, at the same time as the rest
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

// NewView shapes a plan.
func NewView(plan *Plan) (*View, error) {
	p := plan.Program
	v := &viewer{plan: plan, p: p, alike: map[string]string{}, works: map[string]int{}, view: &View{Name: comment(p.Name), QuotedName: cString(p.Name)}}
	if err := v.types(); err != nil {
		return nil, err
	}
	if err := v.kernels(); err != nil {
		return nil, err
	}
	v.parts()
	v.texts()
	v.interface_()
	v.steps()
	v.summary()
	return v.view, nil
}

type viewer struct {
	plan      *Plan
	p         *Program
	view      *View
	functions []function        // distinct ones, in the order in which they run first
	names     map[int]string    // a step's function
	alike     map[string]string // what the loops of kernels have in common -> the first such kernel
	works     map[string]int    // a structured kernel's place in its table
}

// function is a kernel under the name by which it is called. Steps of one kernel share a function, unless its texts
// at file scope keep state: then each step has its own.
type function struct {
	kernel int
	name   string
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

// state are the variables that a frame keeps: constants are the same wherever their text stands.
func state(found []refcount.Declared) []refcount.Declared {
	return slices.DeleteFunc(slices.Clone(found), func(d refcount.Declared) bool { return d.Const })
}

// declared reads the variables that a declaration text declares.
func declared(label, text string, lang Lang) ([]refcount.Declared, error) {
	found, err := refcount.Declarations(text, lang == CXX)
	if err != nil {
		return nil, &Error{Stage: "view", Op: label, Msg: "c_declare: " + Shown(err.Error()) + "; write plain declarations, such as double V;"}
	}
	for _, d := range found {
		if strings.HasPrefix(d.Name, "py_"+variableToken) || strings.HasPrefix(d.Name, "storage_"+variableToken) {
			return nil, &Error{Stage: "view", Op: label, Msg: fmt.Sprintf("c_declare: %s exists already; declare a variable of another name", Shown(d.Name))}
		}
	}
	return found, nil
}

// kernels makes a view of each distinct function, in the order in which they run first.
func (v *viewer) kernels() error {
	v.names = map[int]string{}
	shared, seen := map[int]string{}, map[string]int{}
	for _, a := range v.plan.Actions {
		if a.Step < 0 {
			continue
		}
		i := v.p.Steps[a.Step].Kernel
		k := &v.p.Kernels[i]
		name, known := shared[i]
		if !known {
			base := k.cName(v.p.Types, v.plan.Leaves[i])
			name = base
			if !k.Perform && k.keepsState(v.p.Types) {
				name = fmt.Sprintf("%s_%d", base, seen[base])
			} else {
				shared[i] = name
			}
			seen[base]++
			v.functions = append(v.functions, function{i, name})
			if err := v.kernel(i, name); err != nil {
				return err
			}
		}
		v.names[a.Step] = gluePrefix + name
	}
	return nil
}

// kernel adds the view of a function, once: kernels of equal texts have one.
func (v *viewer) kernel(i int, name string) error {
	k := &v.p.Kernels[i]
	if k.Perform || slices.ContainsFunc(v.view.Kernels, func(have *KernelView) bool { return have.C == gluePrefix+name }) {
		return nil
	}
	kv, err := newKernelView(v.p.Types, k, v.plan.Leaves[i], name, v.p.cxx())
	if err != nil {
		return err
	}
	if k.structured() {
		v.loop(k, kv)
	}
	v.view.Kernels = append(v.view.Kernels, kv)
	return nil
}

// keepsState tells whether applies may not share the kernel's texts.
func (k *Kernel) keepsState(types []Type) bool {
	cxx, before := k.Lang == CXX, k.before(types)
	if k.SupportCodeApply != "" && refcount.KeepsState(k.SupportCodeApply, cxx, before...) {
		return true
	}
	before = append(before, k.SupportCodeApply)
	for _, in := range k.body() {
		if in.Op == OpCode && refcount.CodeKeepsState(in.Code, cxx, before...) {
			return true
		}
	}
	return refcount.CodeKeepsState(k.Code, cxx, before...) || refcount.CodeKeepsState(k.CodeCleanup, cxx, before...)
}

// before gives the texts in which the macros of a kernel's texts may be defined.
func (k *Kernel) before(types []Type) []string {
	texts := slices.Clone(k.SupportCode)
	for _, t := range k.types() {
		texts = append(texts, types[t].SupportCode...)
	}
	for _, arg := range k.Build.CompileArgs {
		if macro, ok := strings.CutPrefix(arg, "-D"); ok {
			texts = append(texts, "#define "+strings.Replace(macro, "=", " ", 1))
		}
	}
	return texts
}

// texts collects what stands at file scope: headers, support code and init code, each distinct text once.
func (v *viewer) texts() {
	headers, support, init := newSet(), newSet(), newSet()
	add := func(label, name string, b Build, supportCode, initCode []string, initApply string) {
		for _, h := range b.Headers {
			headers.add(quoted(h), "")
		}
		for _, text := range supportCode {
			support.add(text, label+".c_support_code")
		}
		for _, text := range initCode {
			init.add(text, label+".c_init_code")
		}
		if initApply != "" {
			init.add(strings.ReplaceAll(initApply, nameToken, name), label+".c_init_code_apply")
		}
	}
	for i := range v.p.Types {
		t := &v.p.Types[i]
		add(t.Label, "", t.Build, t.SupportCode, t.InitCode, "")
	}
	for _, f := range v.functions {
		k := &v.p.Kernels[f.kernel]
		add(k.Label, f.name, k.Build, k.SupportCode, k.InitCode, k.InitCodeApply)
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
	for _, variable := range v.p.Variables {
		w.VariableTypes = append(w.VariableTypes, variable.Type)
	}
	w.Constants = v.plan.Constants
	for _, in := range v.p.Inputs {
		name := "NULL"
		if in.Name != "" {
			name = cString(in.Name)
		}
		w.Arguments = append(w.Arguments, ArgumentView{name, in.Variable})
	}
	arguments := len(v.p.Inputs)
	for _, in := range v.p.Inputs {
		if in.Shared {
			w.Counts.Cells++
			arguments--
		}
	}
	for _, out := range v.p.Outputs {
		r := ResultView{Variable: out.Variable, Accept: "NULL", Update: -1}
		if out.Update != nil {
			r.Update = *out.Update - arguments
			w.Counts.Updates++
		}
		if out.Accept != nil {
			r.Accept = v.typeView(out.Variable).accept(*out.Accept)
		}
		w.Results = append(w.Results, r)
	}
}

func (v *viewer) typeView(variable int) *TypeView {
	return v.view.Types[v.p.Variables[variable].Type]
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

func (s *set) add(text, origin string) {
	if strings.TrimSpace(text) == "" || s.seen[text] {
		return
	}
	s.seen[text] = true
	s.list = append(s.list, Fragment{origin, text})
}

// quoted gives a header the quotes that it lacks.
func quoted(header string) string {
	if strings.HasPrefix(header, "<") || strings.HasPrefix(header, `"`) {
		return header
	}
	return `"` + header + `"`
}
