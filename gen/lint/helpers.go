package lint

import (
	"slices"

	"opweld/gen/ccode"
	"opweld/npyapi"
)

// helpers are the functions that a fragment's texts define, and what else they call. They are read when a name is called that
// nobody else knows.
type helpers struct {
	texts []string // not read yet
	cxx   bool
	calls map[string][]string
	knows map[string]tri
	wild  map[string]bool // macros: what they do is not known
}

// helpersOf are those of the texts before a fragment; its own count where it stands at file scope.
func helpersOf(f *Fragment) *helpers {
	h := &helpers{f.Support, f.CXX, map[string][]string{}, map[string]tri{}, map[string]bool{}}
	if f.File {
		h.texts = append(slices.Clone(h.texts), f.Text)
	}
	return h
}

func (h *helpers) read() {
	for _, text := range h.texts {
		u, tree, _ := read(&Fragment{Text: text, File: true, CXX: h.cxx})
		if tree != nil {
			visit(tree, h.learn)
		}
		u.read.Close()
	}
	h.texts = nil
}

func (h *helpers) learn(n *ccode.Node) bool {
	switch n.Kind {
	case "function_definition":
		name := functionName(n)
		h.calls[name] = []string{}
		visit(n, func(kid *ccode.Node) bool {
			switch kid.Kind {
			case "call_expression":
				h.calls[name] = append(h.calls[name], kid.Child("function").Text)
			case "assignment_expression": // may keep what it is given
				if kid.Child("left").Kind == "field_expression" {
					h.wild[name] = true
				}
			}
			return true
		})
		return false
	case "preproc_function_def":
		h.wild[n.Child("name").Text] = true
	}
	return true
}

// harmless tells whether a function of the text's neither keeps or releases what it is given nor sets an exception.
func (h *helpers) harmless(name string) bool {
	h.read()
	if h.knows[name] != maybe {
		return h.knows[name] == yes
	}
	calls, defined := h.calls[name]
	if !defined || h.wild[name] {
		return false
	}
	h.knows[name] = yes // it may call itself
	for _, called := range calls {
		if !h.quiet(called) {
			h.knows[name] = no
		}
	}
	return h.knows[name] == yes
}

func (h *helpers) quiet(name string) bool {
	if f, known := npyapi.Library(name); known {
		return !f.Memory
	}
	f, known := npyapi.Lookup(name)
	if known {
		return f.Fails == npyapi.Never && f.NoGIL
	}
	return typed.MatchString(name) || h.harmless(name)
}
