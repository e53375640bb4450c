package ccode

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"opweld/gen/pattern"
	"opweld/npyapi"
)

// Breach is a thing that a fragment may not do.
type Breach struct {
	Line   int // from 1
	Column int // in bytes, from 1
	Msg    string
}

// Place says where a fragment's text stands in the C that is written, and so what it may do.
type Place struct {
	Body  bool   // inside a function of the glue: no return, no jump out
	Fails bool   // may use fail
	Scope bool   // shares its scope with a clean-up that follows fail's label
	CXX   bool   // C++
	Fail  string // the text of fail
	Label string // the label that fail leads to

	Declares bool     // declares variables, and does nothing else
	Released bool     // runs without the GIL
	Support  []string // the support code, whose functions it may call
}

// Breaches lists what a fragment does that it may not, by line. What a grammar cannot read with certainty is not judged:
// the compiler has the last word.
func (f *Fragment) Breaches() []Breach {
	f.found = nil
	f.gone()
	f.quoted()
	f.fails()
	if f.Body {
		f.body()
	}
	if f.Released {
		f.withoutGIL()
	}
	slices.SortStableFunc(f.found, func(a, b Breach) int { return a.Line - b.Line })
	return f.found
}

func (f *Fragment) breach(code string, offset int, format string, args ...any) {
	before := code[:offset]
	line := strings.Count(before, "\n") + 1
	f.found = append(f.found, Breach{line, offset - strings.LastIndexByte(before, '\n'), fmt.Sprintf(format, args...)})
}

var (
	unused   = pattern.New(`(?ms)^[ \t]*#[ \t]*if[ \t]+0[ \t\r]*\n(?:.*?\n)??[ \t]*#[ \t]*(?:if|el|endif)`)
	define   = pattern.New(`(?m)^[ \t]*#[ \t]*define[ \t]+FAIL\b`)
	failWord = pattern.New(`\bFAIL\b`)
	tested   = pattern.New(`(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|define|undef)\b.*$`)
	word     = pattern.New(`\b[A-Za-z_]\w*\b`)
)

// macros are those of CPython and NumPy that stand for braces, which a grammar cannot see.
var macros = pattern.New(`\b(?:Py|NPY)_(BEGIN|END)_(?:ALLOW_)?THREADS(?:_DEF|_DESCR\([^)]*\)|_THRESHOLDED\([^)]*\))?;?`)

// braces writes them out, in as many bytes.
func braces(code string) string {
	if !strings.Contains(code, "_THREADS") {
		return code
	}
	return macros.ReplaceAllStringFunc(code, func(s string) string {
		with := map[string]string{"Py_BEGIN_ALLOW_THREADS": "{", "Py_END_ALLOW_THREADS": "}"}[strings.TrimSuffix(s, ";")]
		if with == "" {
			with = ";" // NumPy's open no brace
		}
		return with + strings.Repeat(" ", len(s)-len(with))
	})
}

// expand replaces the macro FAIL of .c files by its text, line for line.
func (p Place) expand(code string) string {
	if p.Fail == "" || !strings.Contains(code, "FAIL") || !define.MatchString(code) {
		return code
	}
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = failWord.ReplaceAllString(line, p.Fail)
		}
	}
	return strings.Join(lines, "\n")
}

// gone finds the names that NumPy 2 and CPython 3 dropped. A name that the text tests for with #if is its own affair.
func (f *Fragment) gone() {
	for at, name := range words(f.code) {
		instead, dropped := npyapi.Gone[name]
		library := "NumPy 2"
		if !dropped {
			instead, dropped = npyapi.GonePython[name]
			library = "CPython 3"
		}
		if dropped && !strings.Contains(strings.Join(tested.FindAllString(f.code, -1), "\n"), name) {
			f.breach(f.code, at, "%s has no %s: write %s", library, name, instead)
		}
	}
}

// quoted finds the name of a variable as a literal of characters, which would be a number.
func (f *Fragment) quoted() {
	if !strings.Contains(f.Text, "'opw_V") {
		return
	}
	for _, at := range ignored(f.Text) {
		if found := f.Text[at[0]:at[1]]; strings.HasPrefix(found, "'opw_V") {
			f.breach(f.Text, at[0], "%s is text: an f-string makes it of { {x} }, which it takes for a set; write {x}", found)
		}
	}
}

// fails looks at each place where fail stands.
func (f *Fragment) fails() {
	if f.Fail == "" {
		return
	}
	for from := 0; ; {
		i := strings.Index(f.code[from:], f.Fail)
		if i < 0 {
			return
		}
		at := from + i
		from = at + len(f.Fail)
		lineStart := strings.LastIndexByte(f.code[:at], '\n') + 1
		if strings.HasPrefix(strings.TrimSpace(f.code[lineStart:]), "#") {
			continue // in a macro's text
		}
		before, after := strings.TrimSpace(f.code[:at]), strings.TrimSpace(f.code[from:])
		switch rest := strings.TrimSpace(strings.TrimPrefix(after, ";")); {
		case !f.Fails:
			f.breach(f.code, at, "fail may not stand here: this text runs where nothing can fail any more")
		case before != "" && strings.ContainsRune("=?,&|+-*/<>!~^", rune(before[len(before)-1])):
			f.breach(f.code, at, "fail is a statement and may not stand inside an expression")
		case strings.HasPrefix(after, ";") && regexp.MustCompile(`^else\b`).MatchString(rest):
			f.breach(f.code, at, "`if (...) fail; else` does not compile, for fail is a statement in braces: leave the semicolon out")
		}
	}
}

// body looks at a text that stands inside a function of the glue.
func (f *Fragment) body() {
	root := f.root()
	if root == nil {
		return
	}
	if root.HasError() {
		f.words()
		return
	}
	w := &bodyWalk{f: f, labels: map[string]int{}}
	whole := f.nodes(root)
	w.collect(whole)
	w.visit(whole, nil)
	w.crossed(whole)
}

var (
	returns = pattern.New(`\breturn\b`)
	nested  = pattern.New(`\]\s*(?:\([^)]*\)\s*)?(?:->[^{;]*)?\{|\b(?:struct|class|union)\b`)
)

// words looks for what no function of the glue may hold, where the grammar cannot follow the text: a macro may stand for
// anything. Where functions may be nested nothing is judged.
func (f *Fragment) words() {
	if nested.MatchString(f.code) {
		return
	}
	for _, at := range returns.FindAllStringIndex(f.code, -1) {
		start := strings.LastIndexByte(f.code[:at[0]], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(f.code[start:]), "#") && !inMacro(f.code[:at[0]]) {
			f.breach(f.code, at[0], "%s", noReturn)
		}
	}
}

// inMacro tells whether a text ends inside a #define that backslashes continue.
func inMacro(before string) bool {
	lines := strings.Split(before, "\n")
	for i := len(lines) - 2; i >= 0 && strings.HasSuffix(lines[i], "\\"); i-- {
		if strings.HasPrefix(strings.TrimSpace(lines[i]), "#") {
			return true
		}
	}
	return false
}

const noReturn = "`return` would leave without clean-up: use fail after setting an exception, or let the fragment end"

// bodyWalk finds jumps that leave the fragment.
type bodyWalk struct {
	f      *Fragment
	labels map[string]int // how often each is defined
}

func (w *bodyWalk) breach(n *Node, format string, args ...any) {
	w.f.breach(w.f.code, n.Start, format, args...)
}

// inner tells nodes that begin a function of their own, by their kind and that of what they stand in.
func inner(kind, around string) bool {
	switch kind {
	case "lambda_expression", "class_specifier", "struct_specifier":
		return true
	case "function_definition":
		return around != "" && around != "translation_unit"
	}
	return false
}

// collect gathers the fragment's labels.
func (w *bodyWalk) collect(n *Node) {
	if n.Kind == "labeled_statement" {
		name := n.Child("label").Text
		switch w.labels[name]++; {
		case name == w.f.Label:
			w.breach(n, "the label %s is the glue's: choose another name", name)
		case w.labels[name] == 2:
			w.breach(n, "the label %s is defined twice: give each fragment's labels names of their own", name)
		}
	}
	for _, kid := range n.Kids {
		w.collect(kid)
	}
}

// visit looks at jumps. around holds the kinds of the statements that break and continue may leave.
func (w *bodyWalk) visit(n *Node, around []string) {
	if n.Parent != nil && inner(n.Kind, n.Parent.Kind) {
		return
	}
	switch n.Kind {
	case "return_statement", "co_return_statement":
		w.breach(n, "%s", noReturn)
	case "goto_statement":
		switch name := n.Child("label").Text; {
		case name == w.f.Label && !w.isFail(n):
			w.breach(n, "`goto %s` by hand looks like success: use sub['fail']", name)
		case name != w.f.Label && w.labels[name] == 0:
			w.breach(n, "`goto %s` leads out of the fragment: only labels of its own may be jumped to", name)
		}
	case "break_statement":
		if len(around) == 0 {
			w.breach(n, "`break` stands outside a loop or switch of the fragment")
		}
	case "continue_statement":
		if !slices.Contains(around, "loop") {
			w.breach(n, "`continue` stands outside a loop of the fragment")
		}
	case "for_statement", "while_statement", "do_statement", "for_range_loop":
		around = append(slices.Clone(around), "loop")
	case "switch_statement":
		around = append(slices.Clone(around), "switch")
	}
	for _, kid := range n.Kids {
		w.visit(kid, around)
	}
}

// isFail tells whether a goto is the one inside fail's text.
func (w *bodyWalk) isFail(n *Node) bool {
	start := n.Start - strings.Index(w.f.Fail, "goto")
	return start >= 0 && strings.HasPrefix(w.f.code[start:], w.f.Fail)
}

// crossed finds declarations with initialisers that a fail before them would jump over, where a clean-up shares the
// scope: C++ refuses that.
func (w *bodyWalk) crossed(whole *Node) {
	if !w.f.CXX || !w.f.Scope || w.f.Fail == "" {
		return
	}
	first, body := strings.Index(w.f.code, w.f.Fail), whole.Kids[0].Child("body")
	if first < 0 || body == nil {
		return
	}
	for _, n := range body.Kids {
		if n.Kind != "declaration" || n.Start < first {
			continue
		}
		if d := n.Child("declarator"); d != nil && d.Kind == "init_declarator" {
			w.breach(n, "fail before it would jump over this declaration's initialiser, which C++ forbids: declare it before the first fail, or open a brace")
			return
		}
	}
}
