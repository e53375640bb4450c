package ccode

import (
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"

	"opweld/gen/pattern"
)

// qualifiers are the words before a declaration's type, or after a pointer's star.
type qualifiers struct{ fixed, constexpr, static, extern, changing bool }

// qualified reads the words that are children of a node.
func (s *stateReader) qualified(n *sitter.Node) (q qualifiers) {
	for i := uint(0); i < n.NamedChildCount(); i++ {
		c := n.NamedChild(i)
		if c.Kind() != "storage_class_specifier" && c.Kind() != "type_qualifier" {
			continue
		}
		switch s.text(c) {
		case "static", "thread_local", "_Thread_local", "__thread":
			q.static = true
		case "extern":
			q.extern = true
		case "const", "__const", "__const__":
			q.fixed = true
		case "constexpr":
			q.fixed, q.constexpr = true, true
		case "volatile", "_Atomic", "__volatile__":
			q.changing = true
		}
	}
	return q
}

// defines tells whether a declaration defines an object that lasts and may change; global says whether it lasts without a
// word that says so.
func (s *stateReader) defines(n *sitter.Node, global bool) bool {
	q := s.qualified(n)
	base := n.ChildByFieldName("type")
	if base != nil && base.Kind() == "macro_type_specifier" {
		return true // a macro that may say static
	}
	if !q.static && (!global || q.extern && !s.initialised(n)) {
		return false
	}
	if q.extern && !s.initialised(n) {
		return false
	}
	cursor := n.Walk()
	defer cursor.Close()
	declarators := n.ChildrenByFieldName("declarator", cursor)
	for i := range declarators {
		if !s.isPrototype(&declarators[i], base) && !s.isFixed(&declarators[i], base, q) {
			return true
		}
	}
	return len(declarators) == 0 && (base == nil || base.ChildByFieldName("body") == nil || base.Kind() == "union_specifier")
}

// initialised tells whether a declaration gives a value.
func (s *stateReader) initialised(n *sitter.Node) bool {
	return s.each(n, func(c *sitter.Node) bool { return c.Kind() == "init_declarator" })
}

// plain are types that hold nothing but a number, whatever a text defines.
var plain = pattern.New(`^(?:(?:std::)?(?:u?int(?:_fast|_least)?(?:8|16|32|64)_t|u?int(?:max|ptr)_t|s?size_t|ptrdiff_t|wchar_t|char(?:8|16|32)_t)|Py_(?:ssize|hash|uhash)_t|npy_\w+|dtype_\w+|DTYPE_\w+)$`)

func (s *stateReader) isNumber(base *sitter.Node) bool {
	switch base.Kind() {
	case "primitive_type", "sized_type_specifier", "enum_specifier":
		return true
	}
	return plain.MatchString(s.text(base))
}

// isPrototype tells a function's declaration from an object. In C++ `T x(y);` may define one: it is a function where a
// parameter cannot be a value.
func (s *stateReader) isPrototype(d, base *sitter.Node) bool {
	for d.Kind() == "pointer_declarator" || d.Kind() == "reference_declarator" {
		if d = declared(d); d == nil {
			return false
		}
	}
	if d.Kind() != "function_declarator" {
		return false
	}
	if inner := d.ChildByFieldName("declarator"); inner == nil || inner.Kind() == "parenthesized_declarator" {
		return false
	}
	parameters := d.ChildByFieldName("parameters")
	if !s.cxx || parameters == nil || parameters.NamedChildCount() == 0 || base != nil && s.text(base) == "void" {
		return true
	}
	return s.each(parameters, func(p *sitter.Node) bool {
		t := p.ChildByFieldName("type")
		return t == nil || p.ChildByFieldName("declarator") != nil || s.isNumber(t) || strings.HasPrefix(s.text(p), "const ")
	})
}

// isFixed tells whether an object, and all that it points to, cannot change.
func (s *stateReader) isFixed(d, base *sitter.Node, q qualifiers) bool {
	if q.changing || !q.fixed && !isFunctionPointer(d) {
		return false
	}
	number := base != nil && s.isNumber(base)
	if q.constexpr {
		return number || !strings.Contains(string(s.source), "mutable")
	}
	if s.cxx && !number && !isFunctionPointer(d) {
		return false // a class may hold anything
	}
	return s.pointsToFixed(d) && !s.holds(d, "compound_literal_expression")
}

// pointsToFixed tells whether each pointer between the type and the name is const.
func (s *stateReader) pointsToFixed(d *sitter.Node) bool {
	for ; d != nil; d = declared(d) {
		if d.Kind() != "pointer_declarator" {
			continue
		}
		if q := s.qualified(d); !q.fixed || q.changing {
			return false
		}
	}
	return true
}

// isFunctionPointer tells whether what is pointed to is a function, which cannot change.
func isFunctionPointer(d *sitter.Node) bool {
	for ; d != nil; d = declared(d) {
		switch d.Kind() {
		case "pointer_declarator", "reference_declarator", "array_declarator":
			return false
		case "function_declarator":
			inner := d.ChildByFieldName("declarator")
			return inner != nil && inner.Kind() == "parenthesized_declarator"
		}
	}
	return false
}

// holds tells whether a node of a kind stands somewhere in it.
func (s *stateReader) holds(n *sitter.Node, kind string) bool {
	return n.Kind() == kind || s.each(n, func(c *sitter.Node) bool { return s.holds(c, kind) })
}
