// Package cop writes the C of a short form: a signature and the few lines that do the work become a function that takes arrays,
// checks their sizes, makes what comes out and calls the lines; or one that NumPy calls as the loop of a ufunc, or that C calls
// back. What a type variable stands for is left open: the text says T, and opw_num_T for its type number. It computes no sizes and
// knows no Program: what it gives is one op's text.
package cop

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/signature"
	"opweld/templates"
)

// Request is what a short form is made of.
type Request struct {
	Signature string            `json:"signature"`
	Body      string            `json:"body"`
	Name      string            `json:"name"`
	Check     bool              `json:"check"` // every index is tested
	CXX       bool              `json:"cxx"`
	Nogil     bool              `json:"nogil"`
	Ufunc     bool              `json:"ufunc"`     // a loop of a ufunc, which Python cannot be called in
	Callback  string            `json:"callback"`  // the prototype of a function for who calls back; empty: none
	Functions map[string]string `json:"functions"` // of arguments that are functions their types
	Success   int               `json:"success"`   // what that returns where it has succeeded, and returns no output
}

// Form is what it becomes. The texts have Id where the kernel's name belongs.
type Form struct {
	Signature *signature.Signature `json:"signature"`
	Shared    []string             `json:"shared"` // at file scope, each once a unit
	Text      string               `json:"text"`   // at file scope, once a kernel
	Call      string               `json:"call"`   // what is non-zero where it failed, of the arguments {0}, {1} …
	Unseen    []Unseen             `json:"unseen"` // what Check cannot test
	Core      string               `json:"core"`   // of a ufunc: what NumPy calls its signature; empty: element by element. Of a callback: its types
	Dims      []*signature.Dim     `json:"dims"`   // the sizes that Core names, in its order
	Types     map[string]string    `json:"types"`  // of a callback: what type variables are
}

// Unseen is a use of an array whose indices no text says.
type Unseen struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Error says what is wrong, and in which of the texts.
type Error struct {
	In      string // "signature", "body" or "prototype"
	Message string
	Line    int
	Column  int // in characters, from 1; 0: the whole line
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: line %d, column %d: %s", e.In, e.Line, e.Column, e.Message)
}

// Id stands in the texts for the kernel's name.
const Id = "OPW_COP_ID"

// Make reads both texts and writes the C. What a user can cause is an *Error.
func Make(r *Request) (*Form, error) {
	s, err := signature.Parse(r.Signature)
	var fault *signature.Error
	if errors.As(err, &fault) {
		return nil, &Error{"signature", fault.Message, fault.Line, fault.Column}
	}
	if err == nil {
		err = outputsHaveNames(s)
	}
	if err == nil && r.Ufunc {
		err = canBeUfunc(s)
	}
	if err == nil {
		err = functionsAreKnown(r, s)
	}
	if err != nil {
		return nil, err
	}
	body, unseen, err := rewrite(r, s)
	if err != nil {
		return nil, err
	}
	w := &writer{s: s, r: r}
	return w.form(body, unseen)
}

func outputsHaveNames(s *signature.Signature) error {
	for _, a := range s.Outputs {
		if a.Name == "" {
			line, column := a.Place()
			return &Error{"signature", fmt.Sprintf("an output needs a name, by which the body sets it: write `-> y: %s`", a.Dtype), line, column}
		}
	}
	return nil
}

// functionsAreKnown refuses functions of which no prototype says the types.
func functionsAreKnown(r *Request, s *signature.Signature) error {
	for i := range s.Inputs {
		if a := &s.Inputs[i]; a.Dtype == signature.Function && (r.Functions[a.Name] == "" || r.Ufunc || r.Callback != "") {
			line, column := a.Place()
			return &Error{"signature", fmt.Sprintf("%q is a function, which opweld.wrap takes: a prototype says of what types", a.Name), line, column}
		}
	}
	return nil
}

// rewrite gives the body with its returns as jumps to the end, and tests about its indices where they are asked for.
func rewrite(r *Request, s *signature.Signature) (string, []Unseen, error) {
	for _, a := range arrays(s) {
		if name, line := ccode.Listed(r.Body, []string{a.Name}); name != "" {
			said := fmt.Sprintf("a comma in %s[] leaves but the last index in C: the elements of %q are %s", name, name, elements(&a))
			return "", nil, &Error{"body", said, line, 0}
		}
	}
	body, bad := ccode.ReadBody(r.Body, r.CXX, s.Names())
	if body == nil {
		return r.Body, nil, unread(r, bad)
	}
	defer body.Close()
	if err := judge(body, s); err != nil {
		return "", nil, err
	}
	e := edits{}
	returns, _ := body.Returns()
	for _, span := range returns {
		e.replace(span, "goto opw_cop_end;")
	}
	var unseen []Unseen
	if r.Check {
		unseen = e.test(body, s)
	}
	return e.apply(r.Body), unseen, nil
}

// unread says of a body that the grammar does not follow what is certain; the compiler has the last word.
func unread(r *Request, bad int) error {
	if bracket, line := ccode.Unbalanced(r.Body); strings.ContainsAny(bracket, "{([") {
		return &Error{"body", fmt.Sprintf("%q is never closed", bracket), line, 0}
	} else if bracket != "" {
		return &Error{"body", fmt.Sprintf("%q closes nothing, or something else", bracket), line, 0}
	}
	if r.Check {
		return &Error{"body", "check=True cannot follow the text from here: a macro, or a fault, is in its way", bad, 0}
	}
	return nil
}

// judge refuses what no body may do.
func judge(body *ccode.Body, s *signature.Signature) error {
	if _, valued := body.Returns(); len(valued) > 0 {
		return &Error{"body", "`return` of a value: a body sets its outputs by their names; `return;` ends it", valued[0].Line, 0}
	}
	if hidden := body.Declared(); len(hidden) > 0 {
		name := hidden[0].Name
		return &Error{"body", fmt.Sprintf("%q is %s: declare another name", name, role(s, name)), hidden[0].Line, 0}
	}
	if set := body.Assigned(sizes(s)); len(set) > 0 {
		return &Error{"body", fmt.Sprintf("%q is a size of the signature and cannot be changed: copy it into a variable", set[0].Name), set[0].Line, 0}
	}
	for _, a := range arrays(s) {
		if msg, line := misread(body, &a); msg != "" {
			return &Error{"body", msg, line, 0}
		}
	}
	for _, call := range body.Calls("fail") {
		if msg := failing(call); msg != "" {
			return &Error{"body", msg, call.Line, 0}
		}
	}
	return nil
}

// misread says what a body does that no array can have meant, and in which line; empty: nothing.
func misread(body *ccode.Body, a *signature.Argument) (string, int) {
	if seen, _ := body.Subscripts([]string{a.Name}); a.Strided && len(seen) > 0 {
		return fmt.Sprintf("%q is strided, so it is no block of memory: its elements are %s", a.Name, elements(a)), seen[0].Index.Line
	}
	for _, call := range body.Calls(a.Name) {
		if call.Arguments != len(a.Dims) {
			return fmt.Sprintf("%q has %s: its elements are %s", a.Name, counted(len(a.Dims), "dimension"), elements(a)), call.Line
		}
	}
	if set := body.Redirected([]string{a.Name}); len(set) > 0 && !a.Work {
		return fmt.Sprintf("%q is an array, and `=` would leave its memory as it is: set its elements, %s", a.Name, elements(a)), set[0].Line
	}
	return "", 0
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// arrays are the arguments that have sizes.
func arrays(s *signature.Signature) []signature.Argument {
	return slices.DeleteFunc(slices.Concat(s.Inputs, s.Outputs), func(a signature.Argument) bool { return len(a.Dims) == 0 })
}

// elements shows how the elements of an array are read: x(i, j).
func elements(a *signature.Argument) string {
	var names []string
	for k := range a.Dims {
		names = append(names, string(rune('i'+k)))
	}
	return fmt.Sprintf("%s(%s)", a.Name, strings.Join(names, ", "))
}

// failing says what is wrong with a call of fail; empty: nothing.
func failing(call ccode.Call) string {
	switch {
	case call.Arguments < 2:
		return `fail takes an exception and a text: fail(ValueError, "x[%zd] is negative", i)`
	case !exceptions[call.First]:
		return fmt.Sprintf("fail: Python has no exception %q", strings.TrimPrefix(call.First, "PyExc_"))
	}
	return ""
}

// role says what a name of the signature is.
func role(s *signature.Signature, name string) string {
	for _, a := range s.Inputs {
		if a.Name == name {
			return "an input of the signature"
		}
	}
	for _, a := range s.Outputs {
		if a.Name == name {
			return "an output of the signature"
		}
	}
	return "a size of the signature"
}

func sizes(s *signature.Signature) []string {
	var names []string
	for _, size := range s.Sizes {
		names = append(names, size.Name)
	}
	return names
}

// test puts a test about each index of arrays that are one block of memory; those of strided ones are tested where they are read.
func (e *edits) test(body *ccode.Body, s *signature.Signature) []Unseen {
	var blocks []string
	for _, a := range arrays(s) {
		if !a.Strided {
			blocks = append(blocks, a.Name)
		}
	}
	seen, hidden := body.Subscripts(blocks)
	for _, sub := range seen {
		e.insert(sub.Index.Start, "opw_cop_at((")
		e.insert(sub.Index.End, "), "+sub.Name+")")
	}
	unseen := []Unseen{}
	for _, use := range hidden {
		unseen = append(unseen, Unseen{use.Name, use.Line, use.Text})
	}
	return unseen
}

// form renders the templates.
func (w *writer) form(body string, unseen []Unseen) (*Form, error) {
	f, name, shared := &Form{Signature: w.s, Unseen: unseen}, "cop.c.tmpl", []string{"shared.c.tmpl"}
	var view *View
	var blocks []Block
	switch {
	case w.r.Callback != "":
		var err error
		if view, err = w.callbackView(body); err != nil {
			return nil, err
		}
		name, f.Call, f.Core, f.Types = "callback.c.tmpl", "(void *)opw_cop_callback_"+Id, view.Callback.name, view.Callback.types
		blocks = view.Callback.Blocks
	case w.r.Ufunc:
		view = w.loopView(body)
		name, f.Call, f.Core, f.Dims = "loop.c.tmpl", "(void *)opw_cop_loop_"+Id, view.Loop.core(), view.Loop.dims
		blocks = view.Loop.Blocks
	default:
		view = w.view(body)
		if len(view.Functions) > 0 {
			shared = append(shared, "function.c.tmpl")
		}
		f.Call = w.call()
	}
	if len(blocks) > 0 {
		shared = append(shared, "blocks.c.tmpl")
	}
	var err error
	for _, one := range shared {
		f.Shared = append(f.Shared, rendered(one, nil, &err))
	}
	f.Text = rendered(name, view, &err)
	return f, err
}

// rendered is what a template of this room gives.
func rendered(name string, data any, err *error) string {
	text, bad := templates.Text("cop/"+name, data)
	if bad != nil {
		*err = bad
	}
	return text
}
