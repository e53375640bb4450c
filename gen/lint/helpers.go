package lint

import (
	"opweld/gen/ccode"
	"opweld/npyapi"
)

// helpers are the functions that a fragment's texts define, and what else they call.
type helpers struct {
	calls map[string][]string
	knows map[string]tri
	wild  map[string]bool // macros: what they do is not known
}

func readHelpers(texts []string, cxx bool) *helpers {
	h := &helpers{map[string][]string{}, map[string]tri{}, map[string]bool{}}
	for _, text := range texts {
		f := ccode.Read(expand(text, "").text, ccode.Place{CXX: cxx})
		if tree, _ := f.Tree(); tree != nil {
			visit(tree, h.learn)
		}
	}
	return h
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
