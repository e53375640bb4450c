package ccode

import (
	"regexp"
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Body is a fragment that stands in a function of its own, under names that the function has: what it does to these.
type Body struct {
	*Fragment
	root  *sitter.Node
	names []string
}

// Span is a piece of a text, in bytes, and the line that it begins in, from 1.
type Span struct {
	Start, End, Line int
}

// Subscript is `name[index]`.
type Subscript struct {
	Name  string
	Index Span
}

// Use is a name where something is done with it that counts.
type Use struct {
	Name string
	Span
	Text string // the statement's line
}

// ReadBody takes a body up. It is nil where the grammar cannot follow the text; bad is the line where it stops.
func ReadBody(text string, cxx bool, names []string) (body *Body, bad int) {
	f := Read(text, Place{Body: true, CXX: cxx})
	root := f.root()
	if root == nil || len(f.code) != len(text) {
		f.Close()
		return nil, 1
	}
	if root.HasError() {
		bad = 1
		if at := firstError(root); at != nil {
			bad = int(at.StartPosition().Row)
		}
		f.Close()
		return nil, max(bad, 1)
	}
	return &Body{f, root, names}, 0
}

func (b *Body) span(n *sitter.Node) Span {
	return Span{int(n.StartByte()) - len(bodyHead), int(n.EndByte()) - len(bodyHead), int(n.StartPosition().Row)}
}

func (b *Body) use(name string, n *sitter.Node) Use {
	line := strings.TrimSpace(strings.Split(b.Text, "\n")[n.StartPosition().Row-1])
	return Use{name, b.span(n), line}
}

// walk visits every node, and those inside of it where visit says so.
func walk(n *sitter.Node, visit func(*sitter.Node) bool) {
	if !visit(n) {
		return
	}
	for i := uint(0); i < n.NamedChildCount(); i++ {
		walk(n.NamedChild(i), visit)
	}
}

// Returns lists the `return;` of the body, semicolon and all, and the returns that give something back. Functions inside are left out.
func (b *Body) Returns() (plain []Span, valued []Use) {
	walk(b.root, func(n *sitter.Node) bool {
		if n.Kind() == "return_statement" {
			if n.NamedChildCount() > 0 {
				valued = append(valued, b.use("return", n))
			} else {
				plain = append(plain, b.span(n))
			}
		}
		return n.Parent() == nil || !inner(n.Kind(), n.Parent().Kind())
	})
	return plain, valued
}

// named tells whether a node is one of the names, as a value.
func (b *Body) named(n *sitter.Node, names []string) (string, bool) {
	if n == nil || n.Kind() != "identifier" {
		return "", false
	}
	text := n.Utf8Text(b.source)
	return text, slices.Contains(names, text)
}

// Declared lists the declarations, and macros, that hide one of the names.
func (b *Body) Declared() (found []Use) {
	walk(b.root, func(n *sitter.Node) bool {
		at := n
		switch n.Kind() {
		case "identifier":
			if declares(n) {
				break
			}
			return true
		case "preproc_def", "preproc_function_def":
			at = n.ChildByFieldName("name")
		default:
			return true
		}
		if name, known := b.named(at, b.names); known {
			found = append(found, b.use(name, at))
		}
		return true
	})
	return found
}

// declares tells whether an identifier is the name that a declaration brings.
func declares(n *sitter.Node) bool {
	for {
		in := n.Parent()
		if in == nil {
			return false
		}
		switch in.Kind() {
		case "init_declarator", "array_declarator", "function_declarator":
			if !same(in.ChildByFieldName("declarator"), n) {
				return false
			}
		case "pointer_declarator", "parenthesized_declarator", "reference_declarator":
		case "declaration", "parameter_declaration", "for_range_loop":
			return true
		default:
			return false
		}
		n = in
	}
}

// Assigned lists where one of the names is given another value.
func (b *Body) Assigned(names []string) (found []Use) {
	walk(b.root, func(n *sitter.Node) bool {
		field := map[string]string{"assignment_expression": "left", "update_expression": "argument"}[n.Kind()]
		if field != "" {
			if name, known := b.named(n.ChildByFieldName(field), names); known {
				found = append(found, b.use(name, n))
			}
		}
		return true
	})
	return found
}

// Redirected lists where one of the names, a pointer, is made to point elsewhere; moving it by its own value is no such thing.
func (b *Body) Redirected(names []string) (found []Use) {
	walk(b.root, func(n *sitter.Node) bool {
		if n.Kind() != "assignment_expression" || n.ChildByFieldName("operator").Utf8Text(b.source) != "=" {
			return true
		}
		name, known := b.named(n.ChildByFieldName("left"), names)
		if !known {
			return true
		}
		moved := false
		walk(n.ChildByFieldName("right"), func(in *sitter.Node) bool {
			_, own := b.named(in, []string{name})
			moved = moved || own
			return !moved
		})
		if !moved {
			found = append(found, b.use(name, n))
		}
		return true
	})
	return found
}

// Subscripts lists where the arrays among the names are indexed, and where they are used in a way that hides their indices.
func (b *Body) Subscripts(arrays []string) (seen []Subscript, hidden []Use) {
	walk(b.root, func(n *sitter.Node) bool {
		if n.Kind() == "preproc_arg" { // what a macro of the body stands for
			for _, name := range arrays {
				if occurs(name).MatchString(n.Utf8Text(b.source)) {
					hidden = append(hidden, b.use(name, n))
				}
			}
		}
		name, known := b.named(n, arrays)
		if !known || declares(n) {
			return true
		}
		in := n.Parent()
		if addressed(in) {
			hidden = append(hidden, b.use(name, n))
		}
		switch {
		case in.Kind() == "subscript_expression" && same(in.ChildByFieldName("argument"), n):
			index := in.ChildByFieldName("index")
			if index == nil { // C++ has a list of them
				index = in.NamedChild(1).NamedChild(0)
			}
			seen = append(seen, Subscript{name, b.span(index)})
		case in.Kind() == "call_expression" && same(in.ChildByFieldName("function"), n):
		case in.Kind() == "sizeof_expression" || in.Kind() == "parenthesized_expression" && in.Parent().Kind() == "sizeof_expression":
		default:
			hidden = append(hidden, b.use(name, n))
		}
		return true
	})
	return seen, hidden
}

// addressed tells whether an element, which is `x[i]` or `x(i, j)`, is made a pointer.
func addressed(n *sitter.Node) bool {
	for n.Kind() == "subscript_expression" || n.Kind() == "call_expression" {
		n = n.Parent()
		for n.Kind() == "parenthesized_expression" {
			n = n.Parent()
		}
		if n.Kind() == "pointer_expression" && n.Child(0).Kind() == "&" {
			return true
		}
	}
	return false
}

func occurs(name string) *regexp.Regexp {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
}

// Listed finds the first of the arrays whose index, or one of it, is a list of several, and the line; empty: there is none. It
// reads text, for the grammar of C knows no such index.
func Listed(text string, arrays []string) (name string, line int) {
	code := blank(text)
	for _, name := range arrays {
		for _, at := range regexp.MustCompile(`(?:^|[^.>\w])`+regexp.QuoteMeta(name)+`\s*\[`).FindAllStringIndex(code, -1) {
			if separated(code[at[1]:]) {
				return name, strings.Count(code[:at[1]], "\n") + 1
			}
		}
	}
	return "", 0
}

// separated tells whether a comma stands between here and the bracket that closes, in no other.
func separated(code string) bool {
	depth := 1
	for _, c := range code {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 1 {
				return true
			}
		}
		if depth == 0 {
			break
		}
	}
	return false
}

// Calls lists the calls of a function by its name: of each the first argument as it is written, and how many there are.
func (b *Body) Calls(function string) (found []Call) {
	walk(b.root, func(n *sitter.Node) bool {
		if n.Kind() != "call_expression" {
			return true
		}
		if name, known := b.named(n.ChildByFieldName("function"), []string{function}); known {
			arguments := n.ChildByFieldName("arguments")
			call := Call{Use: b.use(name, n)}
			for i := uint(0); i < arguments.NamedChildCount(); i++ {
				if argument := arguments.NamedChild(i); argument.Kind() != "comment" {
					if call.Arguments++; call.Arguments == 1 {
						call.First = argument.Utf8Text(b.source)
					}
				}
			}
			found = append(found, call)
		}
		return true
	})
	return found
}

// Call is a call of a function.
type Call struct {
	Use
	First     string
	Arguments int
}

// Unbalanced finds the first bracket that closes nothing, or the last that is never closed: the bracket and its line; empty: none.
func Unbalanced(text string) (bracket string, line int) {
	type open struct {
		bracket rune
		line    int
	}
	var stack []open
	line = 1
	for _, c := range blank(text) {
		switch c {
		case '\n':
			line++
		case '{', '(', '[':
			stack = append(stack, open{c, line})
		case '}', ')', ']':
			if len(stack) == 0 || closing[stack[len(stack)-1].bracket] != c {
				return string(c), line
			}
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return "", 0
	}
	last := stack[len(stack)-1]
	return string(last.bracket), last.line
}

var closing = map[rune]rune{'{': '}', '(': ')', '[': ']'}
