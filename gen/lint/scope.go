package lint

import (
	"slices"
	"strings"

	"opweld/gen/ccode"
)

// local is a variable of the function: a name that a declaration brings, or that the fragment is given.
type local struct {
	name        string
	declaration *ccode.Node // nil: the fragment is given it

	typ     string // without const and the like: "int", "npy_intp"
	stars   int    // pointers
	array   bool   // declared with []
	given   int    // which of the fragment's variables; -1: none
	pointed bool   // it stands for *name: what an entry function is given to fill
	hidden  bool   // its address is taken, or a lambda or a macro names it
	outlast bool   // static
	size    bool   // it has the size of an array, and no other value
	outer   bool   // py_<name>, the object that a slot holds: who owns that is its type's to say
}

// object tells whether a reference may lie in it.
func (l *local) object() bool {
	return l.stars == 1 && (strings.HasPrefix(l.typ, "Py") && (strings.HasSuffix(l.typ, "Object") || l.typ == "PyArray_Descr"))
}

// scopes finds which variable each name means.
type scopes struct {
	locals []*local
	uses   map[*ccode.Node]int // of identifiers and of `*name`; -1 is never in it
	open   []map[string]int
	slots  bool // the text stands in the glue, which has declared py_<name>
}

func (s *scopes) add(l *local) int {
	s.locals = append(s.locals, l)
	s.open[len(s.open)-1][l.name] = len(s.locals) - 1
	return len(s.locals) - 1
}

func (s *scopes) find(name string) (int, bool) {
	for i := len(s.open) - 1; i >= 0; i-- {
		if at, ok := s.open[i][name]; ok {
			return at, true
		}
	}
	return 0, false
}

// outer takes up what the glue has declared round the text.
func (s *scopes) outer(name string) int {
	s.locals = append(s.locals, &local{name: name, typ: "PyObject", stars: 1, given: -1, outer: true})
	s.open[0][name] = len(s.locals) - 1
	return len(s.locals) - 1
}

// given takes up what the fragment, or the function, is given.
func (s *scopes) given(f *Fragment, function *ccode.Node) {
	s.open = append(s.open, map[string]int{})
	s.slots = function == nil
	if function == nil {
		for i, v := range f.Variables {
			l := &local{name: v.Name, given: i}
			if v.Array {
				l.typ, l.stars = "PyArrayObject", 1
			}
			s.add(l)
		}
		return
	}
	entry := f.Entry != "" && functionName(function) == f.Entry
	for at, l := range parametersOf(function) {
		if entry && at < len(f.Variables) {
			l.given = at
			if f.Variables[at].Output && l.stars > 0 {
				pointed := *l
				pointed.name, pointed.pointed, pointed.stars = "*"+l.name, true, l.stars-1
				s.add(&pointed)
				l.given = -1
			}
		}
		s.add(l)
	}
}

// parametersOf reads the parameters of a function.
func parametersOf(function *ccode.Node) []*local {
	var found []*local
	list := declaratorOf(function.Child("declarator"), "function_declarator").Child("parameters")
	if list == nil {
		return nil
	}
	for _, p := range list.Kids {
		if p.Kind == "parameter_declaration" {
			found = append(found, declared(p, p.Child("declarator")))
		}
	}
	return found
}

func functionName(function *ccode.Node) string {
	if d := declaratorOf(function.Child("declarator"), "function_declarator").Child("declarator"); d != nil {
		return d.Text
	}
	return ""
}

// declaratorOf looks for a kind of declarator inside another.
func declaratorOf(n *ccode.Node, kind string) *ccode.Node {
	for n != nil && n.Kind != kind {
		inside := n.Child("declarator")
		if inside == nil && len(n.Kids) > 0 && (n.Kind == "parenthesized_declarator" || n.Kind == "reference_declarator") {
			inside = n.Kids[len(n.Kids)-1]
		}
		n = inside
	}
	return n
}

// declared reads a declarator of a declaration.
func declared(declaration, d *ccode.Node) *local {
	l := &local{declaration: declaration, given: -1}
	if t := declaration.Child("type"); t != nil {
		l.typ = strings.TrimSpace(strings.TrimPrefix(t.Text, "struct "))
	}
	for _, kid := range declaration.Kids {
		l.outlast = l.outlast || kid.Kind == "storage_class_specifier" && kid.Text == "static"
	}
	for d != nil {
		switch d.Kind {
		case "identifier":
			l.name = d.Text
		case "pointer_declarator":
			l.stars++
		case "array_declarator":
			l.array = true
		case "reference_declarator", "function_declarator":
			l.hidden = true
		}
		next := d.Child("declarator")
		if next == nil && len(d.Kids) > 0 && d.Kind != "identifier" {
			next = d.Kids[len(d.Kids)-1]
		}
		d = next
	}
	return l
}

// scoped are what opens a scope.
var scoped = []string{"compound_statement", "for_statement", "for_range_loop", "lambda_expression", "if_statement", "while_statement"}

// resolve goes through the text.
func (s *scopes) resolve(n *ccode.Node) {
	switch n.Kind {
	case "declaration":
		s.declaration(n)
		return
	case "identifier":
		at, ok := s.find(n.Text)
		if !ok && s.slots && strings.HasPrefix(n.Text, "py_") {
			at, ok = s.outer(n.Text), true
		}
		if ok {
			s.uses[n] = at
		}
		return
	case "lambda_expression":
		s.hide(n)
	case "preproc_def", "preproc_function_def":
		return
	case "pointer_expression", "subscript_expression":
		s.pointed(n)
	}
	if slices.Contains(scoped, n.Kind) {
		s.open = append(s.open, map[string]int{})
		defer func() { s.open = s.open[:len(s.open)-1] }()
	}
	if n.Kind == "for_range_loop" {
		if d := n.Child("declarator"); d != nil {
			l := declared(n, d)
			l.hidden = true
			s.add(l)
		}
	}
	for _, kid := range n.Kids {
		s.resolve(kid)
	}
}

// pointed takes `*z` and `z[0]` for the place that z points to, and hides what `&x` is of, but for functions that are known
// to fill it.
func (s *scopes) pointed(n *ccode.Node) {
	inside := bare(n.Child("argument"))
	if inside == nil || inside.Kind != "identifier" {
		return
	}
	if operator := n.Child("operator"); operator != nil && operator.Text == "&" {
		if at, ok := s.find(inside.Text); ok {
			called := n.Parent != nil && n.Parent.Kind == "argument_list"
			s.locals[at].hidden = s.locals[at].hidden || !called || !s.locals[at].object()
		}
		return
	}
	if at, ok := s.find("*" + inside.Text); ok && (n.Kind == "pointer_expression" || strings.HasSuffix(n.Text, "[0]")) {
		s.uses[n] = at
	}
}

// hide marks every variable that a text names.
func (s *scopes) hide(n *ccode.Node) {
	visit(n, func(kid *ccode.Node) bool {
		if at, ok := s.find(kid.Text); ok && kid.Kind == "identifier" {
			s.locals[at].hidden = true
		}
		return true
	})
}

func (s *scopes) declaration(n *ccode.Node) {
	for _, kid := range n.Kids {
		if kid.Field != "declarator" {
			s.resolve(kid)
			continue
		}
		name := declaratorOf(kid, "identifier")
		if kid.Kind == "init_declarator" {
			if value := kid.Child("value"); value != nil {
				s.resolve(value)
			}
			if sizes := declaratorOf(kid, "array_declarator"); sizes != nil {
				s.extent(sizes)
			}
		}
		if name != nil {
			s.uses[name] = s.add(declared(n, kid))
		}
	}
}

func (s *scopes) extent(n *ccode.Node) {
	if size := n.Child("size"); size != nil {
		s.resolve(size)
	}
}

// bare takes parentheses and casts off.
func bare(n *ccode.Node) *ccode.Node {
	for n != nil {
		switch {
		case n.Kind == "parenthesized_expression" && len(n.Kids) > 0, n.Kind == "condition_clause" && len(n.Kids) == 1:
			n = n.Kids[0]
		case n.Kind == "cast_expression":
			n = n.Child("value")
		case n.Kind == "call_expression" && casting(n.Child("function")) && len(n.Child("arguments").Kids) == 1:
			n = n.Child("arguments").Kids[0]
		default:
			return n
		}
	}
	return n
}

// casting tells whether what is called is one of C++'s casts.
func casting(n *ccode.Node) bool {
	return n != nil && n.Kind == "template_function" && strings.Contains(n.Text, "_cast<")
}
