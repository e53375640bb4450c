package refcount

import (
	"regexp"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// suffixing finds the macro by which .c files make names of their own; a grammar cannot see through it.
var suffixing = regexp.MustCompile(`\bAPPLY_SPECIFIC\s*\(\s*(\w+)\s*\)`)

// KeepsState tells whether a text at file scope defines an object with static storage that is not const: a global
// variable, or a static one inside a function. Applies that share such a text would share the object. A text that cannot
// be read with certainty counts as one that does.
func KeepsState(text string, cxx bool) bool {
	source := []byte(suffixing.ReplaceAllString(text, "${1}_apply"))
	tree, err := parse(source, cxx)
	if err != nil {
		return true
	}
	defer tree.Close()
	root := tree.RootNode()
	return root.HasError() || keepsState(root, source, true)
}

// lasting finds the words that give an object inside a function static storage.
var lasting = regexp.MustCompile(`\b(static|thread_local|_Thread_local|__thread)\b`)

// CodeKeepsState tells the same of a text that stands inside a function.
func CodeKeepsState(text string, cxx bool) bool {
	return lasting.MatchString(text) && KeepsState("void opw_(void) {\n"+text+"\n}", cxx)
}

// keepsState walks down to declarations; global says whether a declaration without `static` has static storage.
func keepsState(n *sitter.Node, source []byte, global bool) bool {
	switch n.Kind() {
	case "declaration":
		return definesState(n, source, global)
	case "function_definition":
		body := n.ChildByFieldName("body")
		return body != nil && keepsState(body, source, false)
	case "type_definition", "template_declaration", "preproc_def", "preproc_function_def", "preproc_include":
		return false
	}
	for i := uint(0); i < n.NamedChildCount(); i++ {
		if keepsState(n.NamedChild(i), source, global) {
			return true
		}
	}
	return false
}

// definesState looks at one declaration.
func definesState(n *sitter.Node, source []byte, static bool) bool {
	r := &declReader{source: source}
	for i := uint(0); i < n.NamedChildCount(); i++ {
		if word := n.NamedChild(i); word.Kind() == "storage_class_specifier" {
			switch word.Utf8Text(source) {
			case "static", "thread_local", "_Thread_local", "__thread":
				static = true
			case "extern":
				return false
			}
		}
	}
	if !static {
		return false
	}
	r.variables(n)
	for _, d := range r.found {
		if !d.Const {
			return true
		}
	}
	return r.err != nil
}
