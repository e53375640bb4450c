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
	Calls   string // of a pointer to a function: its types, without const, as "double (double, void *)"
	Cast    string // of such: the type as it is written, "double (*)(double, const void *)"
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
	if calls, name := pointedFunction(n, source); name != nil {
		cast := string(source[n.StartByte():name.StartByte()]) + string(source[name.EndByte():n.EndByte()])
		return Parameter{Name: name.Utf8Text(source), Pointer: 1, Calls: calls, Cast: cast}
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

// pointedFunction reads a parameter that is a pointer to a function: its types, and where its name stands; nil: it is none.
func pointedFunction(n *sitter.Node, source []byte) (calls string, name *sitter.Node) {
	d := n.ChildByFieldName("declarator")
	stars := ""
	for d != nil && d.Kind() == "pointer_declarator" {
		stars += "*"
		d = d.ChildByFieldName("declarator")
	}
	if d == nil || d.Kind() != "function_declarator" || d.ChildByFieldName("declarator").Kind() != "parenthesized_declarator" {
		return "", nil
	}
	inner := d.ChildByFieldName("declarator").NamedChild(0)
	if inner == nil || inner.Kind() != "pointer_declarator" || inner.ChildByFieldName("declarator").Kind() != "identifier" {
		return "", nil
	}
	var types []string
	parameters := d.ChildByFieldName("parameters")
	for i := uint(0); i < parameters.NamedChildCount(); i++ {
		types = append(types, parameter(parameters.NamedChild(i), source).types())
	}
	if len(types) == 1 && types[0] == "void" {
		types = nil
	}
	result := strings.TrimSpace(typeOf(n, source) + " " + stars)
	return fmt.Sprintf("%s (%s)", result, strings.Join(types, ", ")), inner.ChildByFieldName("declarator")
}

// types is a parameter without its name and const.
func (p Parameter) types() string {
	if p.Calls != "" {
		return p.Calls
	}
	return strings.TrimSpace(p.Type + " " + strings.Repeat("*", p.Pointer))
}

// Signature is the prototype's types, without names and const, as SciPy writes them: "double (double, void *)".
func (p *Prototype) Signature() string {
	var types []string
	for _, one := range p.Parameters {
		types = append(types, one.types())
	}
	return fmt.Sprintf("%s (%s)", p.Result, strings.Join(types, ", "))
}
