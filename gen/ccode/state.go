package ccode

import (
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"

	"opweld/gen/pattern"
)

// KeepsState tells whether a text may define an object that outlives a call and can change: a global variable, a static
// one inside a function, method or lambda, a static data member, a variable template, one for each thread. Applies that
// share such a text would share the object. Where that cannot be read with certainty the answer is yes: a grammar does
// not expand macros, and sees neither files that a text includes nor what C++ classes hold. The texts before it, in the
// same unit, may define macros that it uses.
func (f *Fragment) KeepsState(before ...string) bool {
	text := suffixing.ReplaceAllString(spliced(f.Text), "${1}_apply")
	if f.Body && includes.MatchString(text) || mentionsAny(text, lastingMacros(append(before, text))) {
		return true
	}
	if !f.Body {
		return readsState(text+"\n", f.CXX)
	}
	if !lasting.MatchString(text) {
		return false
	}
	if text != f.Text || strings.Contains(text, "??/") { // as the compiler will see it
		return readsState(bodyHead+text+bodyTail, f.CXX)
	}
	root := f.root()
	return root == nil || holdsState(root, f.source, f.CXX)
}

var (
	// suffixing finds the macro by which .c files make names of their own; a grammar cannot see through it.
	suffixing = pattern.New(`\bAPPLY_SPECIFIC\s*\(\s*(\w+)\s*\)`)
	// lasting finds the words that give an object inside a function static storage, and the headers' macros for them;
	// trigraphs may hide one.
	lasting  = pattern.New(`\b(static|thread_local|_Thread_local|__thread|NPY_TLS|Py_LOCAL)\b|\?\?/`)
	includes = pattern.New(`(?m)^[ \t]*#[ \t]*include\b`)
	splice   = pattern.New(`\\[ \t\r]*\n`)
	macro    = pattern.New(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$`)
)

// spliced joins the lines that backslashes continue, as a compiler does before it looks for words.
func spliced(text string) string { return splice.ReplaceAllString(text, "") }

// lastingMacros finds the macros whose text, or that of a macro in it, gives an object static storage.
func lastingMacros(texts []string) []string {
	var found []string
	all := macro.FindAllStringSubmatch(spliced(strings.Join(texts, "\n")), -1)
	for grown := true; grown; {
		grown = false
		for _, m := range all {
			if !slices.Contains(found, m[1]) && (lasting.MatchString(m[2]) || mentionsAny(m[2], found)) {
				found, grown = append(found, m[1]), true
			}
		}
	}
	return found
}

// mentionsAny tells whether a text uses one of these words, other than where a macro of that name is defined.
func mentionsAny(text string, words []string) bool {
	if len(words) == 0 {
		return false
	}
	text = macro.ReplaceAllString(text, "$2")
	return slices.ContainsFunc(word.FindAllString(text, -1), func(w string) bool { return slices.Contains(words, w) })
}

// readsState parses a text and looks at what it defines.
func readsState(text string, cxx bool) bool {
	source := []byte(text)
	tree, err := parse(source, cxx)
	if err != nil {
		return true
	}
	defer tree.Close()
	return holdsState(tree.RootNode(), source, cxx)
}

func holdsState(root *sitter.Node, source []byte, cxx bool) bool {
	s := &stateReader{source: source, cxx: cxx}
	return root.HasError() || s.items(root)
}

// stateReader looks for objects that last.
type stateReader struct {
	source []byte
	cxx    bool
}

func (s *stateReader) text(n *sitter.Node) string { return n.Utf8Text(s.source) }

// each tells whether something holds for a named child that is no condition or name of an #if.
func (s *stateReader) each(n *sitter.Node, holds func(*sitter.Node) bool) bool {
	for i := uint(0); i < n.ChildCount(); i++ {
		child, field := n.Child(i), n.FieldNameForChild(uint32(i))
		conditional := strings.HasPrefix(n.Kind(), "preproc_") && (field == "condition" || field == "name")
		if child.IsNamed() && !conditional && holds(child) {
			return true
		}
	}
	return false
}

// items looks at what stands at file scope or in a namespace; what is none of the known kinds may be a macro that defines
// anything.
func (s *stateReader) items(n *sitter.Node) bool { return s.each(n, s.item) }

func (s *stateReader) item(n *sitter.Node) bool {
	switch n.Kind() {
	case "declaration":
		return s.defines(n, true) || s.inside(n)
	case "function_definition":
		return !s.isFunction(n) || s.inside(n)
	case "template_declaration", "namespace_definition", "declaration_list", "preproc_if", "preproc_ifdef", "preproc_elif",
		"preproc_elifdef", "preproc_else", "template_parameter_list":
		return s.items(n)
	case "linkage_specification":
		body := n.ChildByFieldName("body")
		if body != nil && body.Kind() == "declaration" { // as with extern before it
			return s.initialised(body) || s.inside(body)
		}
		return s.items(n)
	case "preproc_include":
		return !isHeader(s.text(n))
	case "expression_statement":
		return n.NamedChildCount() > 0 && !strings.Contains(s.text(n), "tatic_assert")
	case "union_specifier": // one without a name, in a namespace without a name, is an object
		return n.ChildByFieldName("name") == nil || s.inside(n)
	case "type_definition", "struct_specifier", "class_specifier", "enum_specifier":
		return s.inside(n)
	case "comment", "preproc_def", "preproc_function_def", "preproc_call", "preproc_arg", "using_declaration",
		"alias_declaration", "namespace_alias_definition", "namespace_identifier", "nested_namespace_specifier",
		"static_assert_declaration", "concept_definition", "requires_clause", "attribute_declaration", "string_literal",
		"type_parameter_declaration", "optional_type_parameter_declaration", "variadic_type_parameter_declaration",
		"template_template_parameter_declaration", "parameter_declaration", "optional_parameter_declaration",
		"variadic_parameter_declaration", "identifier":
		return false
	}
	return true
}

// inside looks into functions, classes and initialisers, where an object lasts only if a word says so.
func (s *stateReader) inside(n *sitter.Node) bool {
	return s.each(n, func(child *sitter.Node) bool {
		switch child.Kind() {
		case "declaration", "field_declaration":
			if s.defines(child, false) {
				return true
			}
		case "preproc_include":
			return true
		}
		return s.inside(child)
	})
}

// isFunction tells a definition of a function from a macro before braces.
func (s *stateReader) isFunction(n *sitter.Node) bool {
	for d := n.ChildByFieldName("declarator"); d != nil; d = declared(d) {
		switch d.Kind() {
		case "function_declarator", "operator_cast":
			return true
		}
	}
	return false
}

// declared descends one declarator towards the name.
func declared(n *sitter.Node) *sitter.Node {
	if d := n.ChildByFieldName("declarator"); d != nil {
		return d
	}
	for i := uint(0); i < n.NamedChildCount(); i++ {
		if c := n.NamedChild(i); strings.HasSuffix(c.Kind(), "declarator") || strings.HasSuffix(c.Kind(), "identifier") {
			return c
		}
	}
	return nil
}

// isHeader tells an include that declares from one that may stand for code.
func isHeader(directive string) bool {
	path := strings.TrimSpace(directive)
	path = strings.TrimSpace(path[strings.Index(path, "include")+len("include"):])
	switch {
	case strings.HasPrefix(path, "<"):
		return true
	case strings.HasPrefix(path, `"`):
		path = strings.Trim(path, `"`)
		return strings.HasSuffix(path, ".h") || strings.HasSuffix(path, ".hpp") || strings.HasSuffix(path, ".hh")
	}
	return false
}
