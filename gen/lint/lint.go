package lint

import (
	"cmp"
	"slices"
	"strings"

	"opweld/gen/ccode"
)

// Version counts in what is kept of findings: another version may find others.
const Version = 5

// Fragment is a text and what its surroundings say of it.
type Fragment struct {
	Name      string     `json:"name"` // what a text without #line of its own is called
	Op        string     `json:"op"`   // whose it is
	Hook      string     `json:"hook"` // and what it is of that
	Text      string     `json:"text"`
	CXX       bool       `json:"cxx"`
	File      bool       `json:"file"`   // at file scope: functions; else inside a function of the glue
	Entry     string     `json:"entry"`  // at file scope: the function that does the op's work
	Fail      string     `json:"fail"`   // the text of fail; empty: it may not stand here
	Label     string     `json:"label"`  // that fail leads to
	Params    string     `json:"params"` // what the op's params are called; empty: it has none
	Variables []Variable `json:"variables"`
	Support   []string   `json:"support"`  // texts that stand before it
	Cleanup   string     `json:"cleanup"`  // runs behind it, and sees its variables
	Released  bool       `json:"released"` // runs without the GIL
	Open      bool       `json:"open"`     // what it destroys and views is not known
}

// Variable is a name that a fragment is given: of an entry function the parameter in the same place.
type Variable struct {
	Name      string `json:"name"`
	Shown     string `json:"shown"` // what a person calls it
	Output    bool   `json:"output"`
	Array     bool   `json:"array"` // one PyArrayObject*
	NDim      int    `json:"ndim"`
	Destroyed bool   `json:"destroyed"` // an input that destroy_map names
	Views     []int  `json:"views"`     // of an output: the inputs that view_map and destroy_map name, by place among Variables
}

// Step is a place on the way to a finding.
type Step struct {
	File string `json:"file"`
	Line int    `json:"line"`
	At   int    `json:"fragment_line"`
	Code string `json:"source"`
	Text string `json:"text"`
}

// Finding is one thing that goes wrong.
type Finding struct {
	Op       string `json:"op"`
	Hook     string `json:"hook"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	File     string `json:"file"` // a fragment's name, or what its #line says
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	At       int    `json:"fragment_line"` // the line of the fragment, from 1
	Source   string `json:"source"`        // the line
	Message  string `json:"message"`
	Mend     string `json:"mend"`
	Path     []Step `json:"path"`

	ways [][]edit // in which it may be mended
}

// Check finds what goes wrong in a fragment, in the order of its lines.
func Check(f *Fragment) []Finding { return look(f, false) }

func look(f *Fragment, mending bool) []Finding {
	u, tree, bad := read(f)
	u.mending = mending
	defer u.read.Close()
	u.breaches()
	if tree != nil {
		u.functions(tree)
	} else if strings.TrimSpace(f.Text) != "" {
		u.unclear(bad)
	}
	u.suppress()
	for i := range u.found {
		u.found[i].ways = slices.DeleteFunc(u.found[i].ways, func(way []edit) bool { return touches(way, u.inside) })
	}
	slices.SortStableFunc(u.found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Rule, b.Rule))
	})
	return u.found
}

// unit is a fragment under examination.
type unit struct {
	*Fragment
	expanded *expansion
	read     *ccode.Fragment
	helpers  *helpers
	inside   [][2]int // macros whose functions are looked at
	*notes
}

// notes are what was found, each once.
type notes struct {
	found   []Finding
	seen    map[string]bool
	mending bool // ways to mend what is found are wanted
}

// read gives a fragment's syntax; of one at file scope with its macros opened, if the grammar follows it so.
func read(f *Fragment) (u *unit, tree *ccode.Node, bad int) {
	if f.File {
		text, inside := opened(f.Text, f.CXX)
		u = newUnit(f, text)
		if tree, bad = u.read.Tree(); tree != nil {
			u.inside = inside
			return u, tree, bad
		}
		u.read.Close()
	}
	u = newUnit(f, f.Text)
	tree, bad = u.read.Tree()
	return u, tree, bad
}

func newUnit(f *Fragment, text string) *unit {
	e := expand(text, f.Fail)
	place := ccode.Place{Body: !f.File, Fails: f.Fail != "", CXX: f.CXX, Fail: f.Fail, Label: f.Label, Released: f.Released, Support: f.Support}
	u := &unit{Fragment: f, expanded: e, read: ccode.Read(e.text, place), notes: &notes{seen: map[string]bool{}}}
	u.helpers = helpersOf(f)
	return u
}

// breaches are what the contract forbids, whatever the path.
func (u *unit) breaches() {
	for _, b := range u.read.Breaches() {
		at := offsetOf(u.expanded.text, b.Line) + b.Column - 1
		rule := ControlFlow
		if strings.Contains(b.Msg, "GIL") {
			rule = WithoutGIL
		}
		u.report(rule, at, nil, "%s", b.Msg)
	}
}

func (u *unit) unclear(line int) {
	u.report(NotUnderstood, offsetOf(u.expanded.text, line), nil,
		"the grammar cannot follow the text from here, so its paths were not looked at")
}

// functions follows the fragment itself, or each function of a text at file scope.
func (u *unit) functions(tree *ccode.Node) {
	if !u.File {
		newRun(u, tree, nil).follow()
		return
	}
	visit(tree, func(n *ccode.Node) bool {
		if n.Kind == "function_definition" && n.Child("body") != nil {
			newRun(u.entering(n), n.Child("body"), n).follow()
		}
		return n.Kind != "function_definition"
	})
}

// entering gives the parameters of an op's function the names that it has for them. Where nobody says which function that is, it is
// one that APPLY_SPECIFIC names, that fills arrays and tells by a number whether it failed.
func (u *unit) entering(function *ccode.Node) *unit {
	parameters := parametersOf(function)
	if u.Entry == "" && u.Open {
		return u.guessed(function, parameters)
	}
	if functionName(function) != u.Entry || u.Entry == "" {
		return u
	}
	f := *u.Fragment
	f.Variables = slices.Clone(f.Variables)
	for i, l := range parameters {
		if i < len(f.Variables) {
			f.Variables[i].Name, f.Variables[i].Shown = l.name, ""
		}
	}
	return u.with(&f)
}

// guessed takes a function for the op's that looks like one.
func (u *unit) guessed(function *ccode.Node, parameters []*local) *unit {
	f := *u.Fragment
	f.Variables = nil
	fills := false
	for _, l := range parameters {
		v := Variable{Name: l.name, Array: l.typ == "PyArrayObject", NDim: 1, Output: l.typ == "PyArrayObject" && l.stars == 2}
		f.Variables = append(f.Variables, v)
		fills = fills || v.Output
	}
	t := function.Child("type")
	if !fills || t == nil || t.Text != "int" || !strings.HasSuffix(functionName(function), "_apply") {
		return u
	}
	f.Entry = functionName(function)
	return u.with(&f)
}

// with is the same examination of a text of which more is known.
func (u *unit) with(f *Fragment) *unit {
	return &unit{f, u.expanded, u.read, u.helpers, u.inside, u.notes}
}

// visit goes through a tree, into what go says yes to.
func visit(n *ccode.Node, enter func(*ccode.Node) bool) {
	if !enter(n) {
		return
	}
	for _, kid := range n.Kids {
		visit(kid, enter)
	}
}
