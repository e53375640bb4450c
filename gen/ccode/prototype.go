package ccode

import (
	"fmt"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Prototype is a function as a header declares it.
type Prototype struct {
	Name       string
	Result     string // the type that it returns, without qualifiers
	Parameters []Parameter
}

// Parameter is one of its parameters.
type Parameter struct {
	Name    string // empty: it has none
	Type    string // without qualifiers and stars
	Pointer int    // how many stars; an array counts as one
	Const   bool   // what is pointed to cannot be written
}

// ReadPrototype reads "int f(const double *x, long n)", with or without a semicolon. The error says what it is instead.
func ReadPrototype(text string) (*Prototype, error) {
	source := []byte(strings.TrimRight(blank(text), " \t\r\n;") + ";\n")
	tree, err := parse(source, false)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	root := tree.RootNode()
	if root.HasError() || root.NamedChildCount() != 1 || root.NamedChild(0).Kind() != "declaration" {
		return nil, fmt.Errorf("expected one function's declaration, as `int f(const double *x, long n)`")
	}
	declaration := root.NamedChild(0)
	declarator := declaration.ChildByFieldName("declarator")
	result := typeOf(declaration, source)
	for declarator != nil && declarator.Kind() == "pointer_declarator" {
		result += " *"
		declarator = declarator.ChildByFieldName("declarator")
	}
	if declarator == nil || declarator.Kind() != "function_declarator" || declarator.ChildByFieldName("declarator").Kind() != "identifier" {
		return nil, fmt.Errorf("expected one function's declaration, as `int f(const double *x, long n)`")
	}
	p := &Prototype{Name: declarator.ChildByFieldName("declarator").Utf8Text(source), Result: result, Parameters: []Parameter{}}
	parameters := declarator.ChildByFieldName("parameters")
	for i := uint(0); i < parameters.NamedChildCount(); i++ {
		n := parameters.NamedChild(i)
		if n.Kind() == "variadic_parameter" {
			return nil, fmt.Errorf("%s takes any number of arguments, which no signature says", p.Name)
		}
		one := parameter(n, source)
		if one.Type == "void" && one.Pointer == 0 && parameters.NamedChildCount() == 1 {
			break
		}
		p.Parameters = append(p.Parameters, one)
	}
	return p, nil
}

// typeOf joins the words of a declaration's type, without qualifiers.
func typeOf(n *sitter.Node, source []byte) string {
	var words []string
	for i := uint(0); i < n.NamedChildCount(); i++ {
		switch child := n.NamedChild(i); child.Kind() {
		case "primitive_type", "type_identifier", "sized_type_specifier":
			words = append(words, strings.Fields(child.Utf8Text(source))...)
		}
	}
	return strings.Join(words, " ")
}

func parameter(n *sitter.Node, source []byte) Parameter {
	p := Parameter{Type: typeOf(n, source)}
	for i := uint(0); i < n.NamedChildCount(); i++ {
		if child := n.NamedChild(i); child.Kind() == "type_qualifier" && child.Utf8Text(source) == "const" {
			p.Const = true
		}
	}
	for d := n.ChildByFieldName("declarator"); d != nil; d = d.ChildByFieldName("declarator") {
		switch d.Kind() {
		case "pointer_declarator", "abstract_pointer_declarator", "array_declarator", "abstract_array_declarator":
			p.Pointer++
		case "identifier":
			p.Name = d.Utf8Text(source)
		default:
			p.Pointer = 2 // a function, or what nobody can pass
		}
	}
	return p
}
