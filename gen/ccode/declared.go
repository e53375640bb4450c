package ccode

import (
	"fmt"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Declared is a variable that a declaration text declares.
type Declared struct {
	Name        string
	Initialised bool   // the text gives it a value
	Initialiser string // that value, as the text writes it: "= 3", "(3)" or "{3}"
	Array       bool
	Const       bool // it cannot change, so it has no state to keep
}

// Value is the initialiser as an expression that makes an object of the variable's type, or what a return of it takes.
func (d Declared) Value() string {
	if rest, ok := strings.CutPrefix(d.Initialiser, "="); ok {
		return strings.TrimSpace(rest)
	}
	return "decltype(" + d.Name + ")" + d.Initialiser
}

// Declarations lists the variables that the text of a c_declare declares, in order. Typedefs, tags, enumerators and
// prototypes have no state and are left out. A text that cannot be read with certainty (statements, #if, macros that
// stand for declarations) is an error: the caller must not guess.
func (f *Fragment) Declarations() ([]Declared, error) {
	root := f.root()
	if root == nil {
		return nil, fmt.Errorf("cannot tell which variables it declares: there is no grammar")
	}
	source := f.written()
	body := root.NamedChild(0).ChildByFieldName("body")
	if bad := firstError(root); bad != nil || body == nil {
		return nil, fmt.Errorf("cannot tell which variables it declares%s", near(bad, source))
	}
	r := &declReader{source: source, cxx: f.CXX}
	for i := uint(0); i < body.NamedChildCount(); i++ {
		r.item(body.NamedChild(i))
	}
	return r.found, r.err
}

// firstError finds the first place that the grammar did not understand.
func firstError(n *sitter.Node) *sitter.Node {
	if n == nil || n.IsError() || n.IsMissing() {
		return n
	}
	if !n.HasError() {
		return nil
	}
	for i := uint(0); i < n.ChildCount(); i++ {
		if bad := firstError(n.Child(i)); bad != nil {
			return bad
		}
	}
	return n
}

func near(n *sitter.Node, source []byte) string {
	if n == nil {
		return ""
	}
	row := n.StartPosition().Row // 0 is the head that stands before the text
	line, _, _ := strings.Cut(strings.TrimSpace(n.Utf8Text(source)), "\n")
	if line == "" { // something is missing there
		line = strings.TrimSpace(strings.Split(string(source), "\n")[row])
	}
	return fmt.Sprintf(" (line %d, near %q)", row, line)
}

// declReader walks the items of a function body.
type declReader struct {
	source []byte
	cxx    bool
	found  []Declared
	err    error
}

func (r *declReader) fail(n *sitter.Node, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s%s", what, near(n, r.source))
	}
}

func (r *declReader) item(n *sitter.Node) {
	switch n.Kind() {
	case "declaration":
		r.declaration(n)
	case "comment", "type_definition", "struct_specifier", "union_specifier", "enum_specifier", "class_specifier",
		"preproc_def", "preproc_function_def", "preproc_call", "alias_declaration", "using_declaration",
		"static_assert_declaration":
	case "expression_statement":
		if n.NamedChildCount() > 0 {
			r.fail(n, "holds a statement: declare here, set values in c_init or c_extract")
		}
	default:
		r.fail(n, "holds a "+strings.ReplaceAll(n.Kind(), "_", " ")+": write plain declarations")
	}
}

func (r *declReader) declaration(n *sitter.Node) {
	for i := uint(0); i < n.NamedChildCount(); i++ {
		if child := n.NamedChild(i); child.Kind() == "storage_class_specifier" {
			if word := child.Utf8Text(r.source); word != "auto" {
				r.fail(n, "declares with `"+word+"`, which has no place in a call's frame: leave the word out")
			}
		}
	}
	r.variables(n)
}

// variables reads the declarators of a declaration.
func (r *declReader) variables(n *sitter.Node) {
	isConst := false
	for i := uint(0); i < n.NamedChildCount(); i++ {
		if child := n.NamedChild(i); child.Kind() == "type_qualifier" {
			isConst = isConst || strings.HasPrefix(child.Utf8Text(r.source), "const")
		}
	}
	cursor := n.Walk()
	defer cursor.Close()
	for _, d := range n.ChildrenByFieldName("declarator", cursor) {
		r.declarator(&d, Declared{Const: isConst})
	}
}

// vexing tells what C++ reads as a prototype, and a person as a variable with arguments: T v(n);
func vexing(n *sitter.Node) bool {
	parameters := n.ChildByFieldName("parameters")
	for i := uint(0); parameters != nil && i < parameters.NamedChildCount(); i++ {
		p := parameters.NamedChild(i)
		if kind := p.ChildByFieldName("type"); p.ChildByFieldName("declarator") == nil && kind != nil && kind.Kind() == "type_identifier" {
			return true
		}
	}
	return false
}

// declarator descends to the name. A const pointer target does not make the pointer const; a const pointer does.
func (r *declReader) declarator(n *sitter.Node, d Declared) {
	switch n.Kind() {
	case "identifier":
		d.Name = n.Utf8Text(r.source)
		r.found = append(r.found, d)
		return
	case "init_declarator":
		d.Initialised = true
		if name := n.ChildByFieldName("declarator"); name != nil {
			d.Initialiser = strings.TrimSpace(string(r.source[name.EndByte():n.EndByte()]))
		}
	case "array_declarator":
		d.Array = true
	case "pointer_declarator":
		d.Const = false
		for i := uint(0); i < n.NamedChildCount(); i++ {
			if q := n.NamedChild(i); q.Kind() == "type_qualifier" && q.Utf8Text(r.source) == "const" {
				d.Const = true
			}
		}
	case "function_declarator":
		if inner := n.ChildByFieldName("declarator"); inner == nil || inner.Kind() != "parenthesized_declarator" {
			if r.cxx && vexing(n) {
				r.fail(n, "may be a function or a variable: give a variable's arguments in braces, name a function's")
			}
			return // a prototype
		}
	case "reference_declarator":
		r.fail(n, "declares a reference, which cannot be kept in a call's frame: declare a pointer")
		return
	}
	inner := n.ChildByFieldName("declarator")
	for i := uint(0); inner == nil && i < n.NamedChildCount(); i++ {
		if c := n.NamedChild(i); strings.HasSuffix(c.Kind(), "declarator") || c.Kind() == "identifier" {
			inner = c
		}
	}
	if inner == nil {
		r.fail(n, "cannot tell which variable it declares")
		return
	}
	r.declarator(inner, d)
}
