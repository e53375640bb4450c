package gen

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"opweld/gen/ccode"
)

// failText is what hooks get as sub['fail'], and failLabel where it leads.
const (
	failText  = "{ opw_failure = 1; goto opw_fail; }"
	failLabel = "opw_fail"
)

// Breach is a thing that a fragment may not do, with the place that a #line mark would give it.
type Breach struct {
	Op, Hook     string // label and hook
	Origin       string // #line name
	Line         int    // under that name
	FragmentLine int
	Column       int
	Text         string // the line
	Msg          string
}

// FragmentError says what fragments do that they may not, before a compiler sees them.
type FragmentError struct{ Breaches []Breach }

// Error gives the first.
func (e *FragmentError) Error() string {
	b := e.Breaches[0]
	return fmt.Sprintf("%s:%d: %s", b.Origin, b.Line, b.Msg)
}

// textReader reads every text of a Program, each once: what it may not do, what it declares, replaces and keeps.
type textReader struct {
	found    []Breach
	err      error           // of the first declaration that cannot be read
	seen     map[string]bool // texts whose breaches are known
	declared map[string]Declares
}

// typ reads a type's texts.
func (r *textReader) typ(t *Type, array *TypedArray) TypedType {
	read := TypedType{Type: t, Array: array, Declares: r.declares(t, t.Text(Declare), true)}
	for _, h := range hooksOf(ofType) {
		if h != Declare {
			r.each(t.Label, h, t.Texts[h], h.place(t.Lang), nil)
		}
	}
	if array != nil && len(read.State) != 1 {
		r.fail(t.Label, "a type with \"array\" declares one PyArrayObject* and nothing else")
	}
	return read
}

func (r *textReader) fail(label, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Stage: "check", Op: label, Msg: "c_declare: " + fmt.Sprintf(format, args...)}
	}
}

// declares reads a declaration of a type; own: the type's, not what it gives for a variable of a kernel.
func (r *textReader) declares(t *Type, text string, own bool) Declares {
	id := string(t.Lang) + text
	if read, known := r.declared[id]; known {
		return read
	}
	f := ccode.Read(text, Declare.place(t.Lang))
	defer f.Close()
	if own {
		r.breaches(t.Label, Declare, f)
	}
	found, err := f.Declarations()
	if err != nil {
		r.fail(t.Label, "%s; write plain declarations, such as double V;", Shown(err.Error()))
	}
	for _, d := range found {
		if strings.HasPrefix(d.Name, "py_"+variableToken) || strings.HasPrefix(d.Name, "storage_"+variableToken) {
			r.fail(t.Label, "%s exists already; declare a variable of another name", Shown(d.Name))
		}
	}
	state := slices.DeleteFunc(slices.Clone(found), func(d ccode.Declared) bool { return d.Const })
	r.declared[id] = Declares{Source: text, Declared: found, State: state}
	return r.declared[id]
}

// kernel reads a kernel's texts.
func (r *textReader) kernel(k *Kernel, types []TypedType, loop *Loop) TypedKernel {
	read := TypedKernel{Kernel: k, Loop: loop}
	names := k.variableNames()
	for i, t := range k.types() {
		v := TypedVariable{Name: names[i], Type: &types[t]}
		if !k.fixed() {
			v.Declares = r.declares(v.Type.Type, k.Declares[i], false)
		}
		read.Variables = append(read.Variables, v)
	}
	if k.Perform {
		return read
	}
	c := &codeReader{names: read.stateNames(), replaced: map[string]bool{},
		before: append(k.before(types), k.Text(SupportCodeApply), k.Text(SupportCodeStruct))}
	c.helpers = sync.OnceValue(func() map[string]bool { return ccode.Helpers(k.Lang == CXX, k.Text(Code), c.before...) })
	for _, h := range hooksOf(ofKernel | ofText) {
		r.each(k.Label, h, k.Texts[h], k.place(h, c.before), c)
	}
	for _, in := range k.instructions() {
		if in.Op == OpCode {
			r.each(in.Label, Code, []string{in.Code}, k.place(Code, c.before), c)
		}
	}
	read.State = c.state
	for i, names := range c.names {
		if slices.ContainsFunc(names, func(name string) bool { return c.replaced[name] }) {
			read.Replaced = append(read.Replaced, i)
		}
	}
	return read
}

// stateNames are for each input of a text the names that stand for its value.
func (k *TypedKernel) stateNames() [][]string {
	if k.fixed() {
		return nil
	}
	names := make([][]string, len(k.Inputs))
	for i := range names {
		names[i] = []string{k.Variables[i].Name}
		for _, d := range k.Variables[i].Declared {
			names[i] = append(names[i], d.Name)
		}
	}
	return names
}

// codeReader gathers what the texts of one kernel keep and replace.
type codeReader struct {
	before   []string               // the texts that may define macros
	helpers  func() map[string]bool // the functions that they define
	names    [][]string             // for each input, what stands for its value
	replaced map[string]bool
	state    bool
}

func (c *codeReader) read(h Hook, f *ccode.Fragment) {
	if h.shared() {
		c.state = c.state || f.KeepsState(c.before...)
	}
	if h != Code && h != CodeCleanup {
		return
	}
	for name, replaced := range f.Replaced(slices.Concat(c.names...), c.helpers) {
		c.replaced[name] = c.replaced[name] || replaced
	}
}

// place is where a hook's text stands.
func (h Hook) place(lang Lang) ccode.Place {
	row := hooks[h]
	p := ccode.Place{CXX: lang == CXX || row.scope == inStruct}
	if row.scope == inBody {
		p.Body, p.Fails, p.Fail, p.Label, p.Declares = true, row.fails, failText, failLabel, h == Declare
	}
	return p
}

// place is where a text of a kernel stands: its code shares a scope with its clean-up, and may run without the GIL.
func (k *Kernel) place(h Hook, support []string) ccode.Place {
	p := h.place(k.Lang)
	if h == Code {
		p.Scope = strings.TrimSpace(k.Text(CodeCleanup)) != ""
		if p.Released = k.GIL == GILReleased; p.Released {
			p.Support = support
		}
	}
	return p
}

// each reads the texts of a hook; c, where there is one, is told of them.
func (r *textReader) each(label string, h Hook, texts []string, place ccode.Place, c *codeReader) {
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		f := ccode.Read(text, place)
		r.breaches(label, h, f)
		if c != nil {
			c.read(h, f)
		}
		f.Close()
	}
}

// breaches notes what a text may not do, once for equal texts.
func (r *textReader) breaches(label string, h Hook, f *ccode.Fragment) {
	id := fmt.Sprint(h, f.Released, f.Support, f.Text)
	if r.seen[id] {
		return
	}
	r.seen[id] = true
	for _, b := range f.Breaches() {
		line := strings.Split(f.Text, "\n")[b.Line-1]
		origin, at := ccode.Located(f.Text, b.Line, label+"."+h.String())
		r.found = append(r.found, Breach{Op: label, Hook: h.String(), Origin: origin, Line: at, FragmentLine: b.Line,
			Column: b.Column, Text: line, Msg: b.Msg})
	}
}
