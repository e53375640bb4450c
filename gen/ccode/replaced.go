package ccode

import (
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"

	"opweld/npyapi"
)

// Replaced tells which of some variables a text that runs inside a function may give another value: assigns, counts up,
// hands over by address or by reference, or releases, as by Py_XDECREF(V), which is how the idiom of replacing begins. A
// use that cannot be read with certainty, such as by a macro of the user's, counts; so does every use in a text that the
// grammar does not follow. helpers gives the user's own functions that take copies; it is asked only where one is called.
func (f *Fragment) Replaced(names []string, helpers func() map[string]bool) map[string]bool {
	found := map[string]bool{}
	used := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(f.code, name) })
	if len(used) == 0 {
		return found
	}
	root := f.root()
	if root == nil || root.HasError() {
		for _, name := range used {
			found[name] = true
		}
		return found
	}
	u := &uses{source: f.source, names: used, cxx: f.CXX, helpers: helpers, found: found}
	u.visit(root)
	return found
}

// uses walks a text for the uses of variables.
type uses struct {
	source  []byte
	names   []string
	cxx     bool
	helpers func() map[string]bool
	found   map[string]bool
}

func (u *uses) visit(n *sitter.Node) {
	if n.ChildCount() > 0 {
		for i := uint(0); i < n.ChildCount(); i++ {
			u.visit(n.Child(i))
		}
		return
	}
	text := n.Utf8Text(u.source)
	switch n.Kind() {
	case "identifier":
		if slices.Contains(u.names, text) && !u.reads(n) {
			u.found[text] = true
		}
	case "comment", "field_identifier", "string_content":
	case "type_identifier": // of `T r(V);`, which looks like a prototype, among others
		u.found[text] = u.found[text] || slices.Contains(u.names, text)
	default: // a macro's text, among others
		for _, name := range u.names {
			if strings.Contains(text, name) {
				u.found[name] = true
			}
		}
	}
}

// reads tells whether an expression is one whose value alone is taken.
func (u *uses) reads(n *sitter.Node) bool {
	in := n.Parent()
	if in == nil {
		return false
	}
	switch in.Kind() {
	case "parenthesized_expression", "conditional_expression", "comma_expression", "subscript_expression":
		return u.reads(in) // as a place, it is what n is
	case "field_expression":
		return strings.Contains(in.Utf8Text(u.source)[n.EndByte()-in.StartByte():], "->") || u.reads(in)
	case "binary_expression", "unary_expression", "sizeof_expression", "expression_statement", "if_statement", "while_statement",
		"do_statement", "for_statement", "switch_statement", "condition_clause", "return_statement",
		"subscript_argument_list":
		return true
	case "initializer_list":
		return !u.cxx
	case "pointer_expression":
		return strings.HasPrefix(in.Utf8Text(u.source), "*")
	case "cast_expression": // no place of its own, but a reference that may be given away
		return !strings.Contains(in.ChildByFieldName("type").Utf8Text(u.source), "&") && !u.stolen(in)
	case "assignment_expression":
		return !same(in.ChildByFieldName("left"), n)
	case "init_declarator":
		return !u.cxx || !strings.Contains(in.ChildByFieldName("declarator").Utf8Text(u.source), "&")
	case "argument_list":
		return in.Parent() != nil && in.Parent().Kind() == "call_expression" && !u.stolen(n) && u.byValue(in.Parent().ChildByFieldName("function"))
	}
	return false
}

// same tells whether two nodes are one.
func same(a, b *sitter.Node) bool { return a != nil && b != nil && a.Id() == b.Id() }

// releases are the functions and macros of CPython that give an argument's reference up, or the argument another value.
var releases = []string{"Py_DECREF", "Py_XDECREF", "Py_CLEAR", "Py_SETREF", "Py_XSETREF"}

// numeric are functions of C that everybody has and that take values.
var numeric = []string{"abs", "ceil", "cos", "exp", "fabs", "floor", "fmod", "log", "memcmp", "memcpy", "memmove", "pow",
	"printf", "sin", "sqrt", "strcmp", "strlen", "tan"}

// byValue tells whether what is called is known to leave its arguments as they are. An unknown name may be a macro.
func (u *uses) byValue(called *sitter.Node) bool {
	if called == nil {
		return false
	}
	name := called.Utf8Text(u.source)
	if called.Kind() == "template_function" {
		cast := strings.HasPrefix(name, "static_cast<") || strings.HasPrefix(name, "reinterpret_cast<")
		return cast && !strings.Contains(name, "&")
	}
	if _, known := npyapi.Lookup(name); known || slices.Contains(numeric, name) {
		return !slices.Contains(releases, name)
	}
	return called.Kind() == "identifier" && u.helpers()[name]
}

// stolen tells whether an expression is an argument whose reference the function takes: it is no longer the variable's.
func (u *uses) stolen(n *sitter.Node) bool {
	arguments := n.Parent()
	if arguments == nil || arguments.Kind() != "argument_list" || arguments.Parent() == nil {
		return false
	}
	called := arguments.Parent().ChildByFieldName("function")
	if called == nil {
		return false
	}
	f, _ := npyapi.Lookup(called.Utf8Text(u.source))
	return slices.ContainsFunc(f.Steals, func(position int) bool { return same(arguments.NamedChild(uint(position)), n) })
}
