package lint

import (
	"slices"

	"opweld/gen/ccode"
	"opweld/npyapi"
)

// wide are the types of sizes; narrower are those that do not hold them.
var (
	wide     = []string{"npy_intp", "Py_ssize_t", "size_t", "ptrdiff_t", "intptr_t"}
	narrower = []string{"int", "unsigned", "unsigned int", "short", "int32_t", "npy_int", "npy_int32", "uint32_t", "npy_uint32"}
)

// typeOf is the C type of an expression, where it is plain: "int", "npy_intp", "double", "char *"; empty: not known.
func (r *run) typeOf(n *ccode.Node) string {
	if n.Kind == "cast_expression" {
		return n.Child("type").Text
	}
	if n.Kind == "parenthesized_expression" && len(n.Kids) == 1 {
		return r.typeOf(n.Kids[0])
	}
	switch n.Kind {
	case "identifier":
		if at, known := r.uses[n]; known {
			return r.locals[at].text()
		}
	case "call_expression":
		if f, known := npyapi.Lookup(n.Child("function").Text); known {
			return f.Result
		}
	case "subscript_expression":
		return pointedTo(r.typeOf(n.Child("argument")))
	case "binary_expression":
		return r.joint(n)
	case "string_literal", "concatenated_string":
		return "char *"
	}
	return ""
}

// joint is the type of what arithmetic gives.
func (r *run) joint(n *ccode.Node) string {
	how := n.Child("operator").Text
	if how != "+" && how != "-" && how != "*" && how != "/" {
		return ""
	}
	left, right := r.typeOf(n.Child("left")), r.typeOf(n.Child("right"))
	if slices.Contains(wide, left) {
		return left
	}
	if slices.Contains(wide, right) {
		return right
	}
	if left == right {
		return left
	}
	return ""
}

// pointed is the type of what an argument points to.
func (r *run) pointed(n *ccode.Node) string {
	inside := bare(n)
	if operator := inside.Child("operator"); inside.Kind == "pointer_expression" && operator.Text == "&" && inside == n {
		return r.typeOf(inside.Child("argument"))
	}
	return pointedTo(r.typeOf(n))
}

func pointedTo(typ string) string {
	if len(typ) > 2 && typ[len(typ)-2:] == " *" {
		return typ[:len(typ)-2]
	}
	return ""
}

// text is a variable's type as C writes it.
func (l *local) text() string {
	stars := l.stars
	if l.array {
		stars++
	}
	switch stars {
	case 0:
		return l.typ
	case 1:
		return l.typ + " *"
	}
	return ""
}

// narrow finds sizes that are kept in, or compared with, what is too small for them.
func (r *run) narrow(body *ccode.Node) {
	r.sizes(body)
	visit(body, func(n *ccode.Node) bool {
		switch n.Kind {
		case "init_declarator":
			if at, known := r.uses[declaratorOf(n, "identifier")]; known {
				r.fits(at, n, n.Child("value"), "is given")
			}
		case "assignment_expression":
			if at, known := r.uses[n.Child("left")]; known && n.Child("operator").Text == "=" {
				r.fits(at, n, n.Child("right"), "is given")
			}
		case "for_statement":
			r.counter(n.Child("condition"))
		case "call_expression":
			r.lengths(n)
		}
		return true
	})
}

// sizes finds the variables that are given the size of an array, and nothing else.
func (r *run) sizes(body *ccode.Node) {
	visit(body, func(n *ccode.Node) bool {
		switch n.Kind {
		case "init_declarator":
			if at, known := r.uses[declaratorOf(n, "identifier")]; known && !r.locals[at].array {
				r.locals[at].size = r.size(n.Child("value"))
			}
		case "assignment_expression":
			r.varies(n.Child("left"))
		case "update_expression":
			r.varies(n.Child("argument"))
		}
		return true
	})
}

func (r *run) varies(n *ccode.Node) {
	if at, known := r.uses[n]; known {
		r.locals[at].size = false
	}
}

func (r *run) fits(at int, n, v *ccode.Node, how string) {
	l := r.locals[at]
	if l.hidden || l.stars > 0 || l.array || v == nil || !slices.Contains(narrower, l.typ) || !slices.Contains(wide, r.typeOf(v)) {
		return
	}
	r.unit.report(Narrow, n.Start, nil, "`%s` is an %s and %s `%s`, an %s: it overflows beyond 2**31", l.name, l.typ, how, told(v), r.typeOf(v)).mends(r.widened(l)...)
}

// counter looks at the condition of a for: a counter that is too small never comes to the end.
func (r *run) counter(n *ccode.Node) {
	if n == nil || n.Kind != "binary_expression" {
		return
	}
	r.beyond(n)
	if at, known := r.uses[n.Child("left")]; known && slices.Contains([]string{"<", "<=", "!="}, n.Child("operator").Text) {
		r.fits(at, n, n.Child("right"), "counts up to")
	}
}

// lengths looks at the sizes that a new array is made with.
func (r *run) lengths(n *ccode.Node) {
	f, known := npyapi.Lookup(n.Child("function").Text)
	if !known || len(f.Sizes) == 0 {
		return
	}
	for _, i := range f.Sizes {
		if args := n.Child("arguments").Kids; i < len(args) {
			if typ := r.pointed(args[i]); slices.Contains(narrower, typ) || typ == "long" {
				r.unit.report(Narrow, args[i].Start, nil, "%s reads sizes as npy_intp, and `%s` has %ss", f.Name, told(args[i]), typ).
					mends(r.widenedOf(args[i])...)
			}
		}
	}
}
