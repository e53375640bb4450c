package lint

import (
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/pattern"
)

// op says what happens at a block.
type op int

const (
	opJoin    op = iota // nothing: ways meet, or part without a test that is known
	opEval              // an expression or a declaration
	opTest              // a condition: true leads to the first, false to the second
	opEnd               // the end of the text
	opFail              // fail
	opReturn            // return
	opRelease           // the lock is released
	opTake              // the lock is taken again
	opForget            // what cannot be followed: anything may have happened
)

// block is a node of the control-flow graph.
type block struct {
	id   int
	op   op
	n    *ccode.Node
	next []*block

	before int    // how many blocks lead here
	needs  *needs // nil: nobody comes here
}

// builder makes the graph from the end to the beginning: a statement is built in front of what follows it.
type builder struct {
	text   string // with its macros for braces
	fail   string
	label  string
	count  int
	labels map[string]*block
	leave  map[string]string // of macros, where their calls lead
	breaks []*block
	loops  []*block // where continue leads
}

func (b *builder) block(op op, n *ccode.Node, next ...*block) *block {
	b.count++
	return &block{id: b.count, op: op, n: n, next: next}
}

// list builds statements, the last first.
func (b *builder) list(kids []*ccode.Node, next *block) *block {
	for i := len(kids) - 1; i >= 0; i-- {
		next = b.statement(kids[i], next)
	}
	return next
}

func (b *builder) statement(n *ccode.Node, next *block) *block {
	if n == nil {
		return next
	}
	switch n.Kind {
	case "compound_statement":
		return b.compound(n, next)
	case "expression_statement":
		return b.expression(n, next)
	case "declaration":
		return b.block(opEval, n, next)
	case "if_statement":
		return b.block(opTest, n.Child("condition"), b.statement(n.Child("consequence"), next), b.statement(n.Child("alternative"), next))
	case "else_clause", "attributed_statement", "linkage_specification":
		return b.list(n.Kids, next)
	case "while_statement", "for_statement", "do_statement", "for_range_loop":
		return b.loop(n, next)
	case "switch_statement":
		return b.switched(n, next)
	case "labeled_statement":
		at := b.labelled(n.Child("label").Text)
		at.n, at.next = n, []*block{b.list(n.Kids[1:], next)}
		return at
	case "goto_statement", "break_statement", "continue_statement":
		return b.jump(n, next)
	case "return_statement":
		return b.block(opReturn, n)
	case "throw_statement":
		return b.block(opJoin, n)
	}
	return b.rare(n, next)
}

// rare are statements that few fragments have.
func (b *builder) rare(n *ccode.Node, next *block) *block {
	switch n.Kind {
	case "preproc_if", "preproc_ifdef":
		return b.block(opJoin, n, b.list(plain(n), next), b.statement(n.Child("alternative"), next))
	case "preproc_elif", "preproc_elifdef":
		return b.block(opJoin, n, b.list(plain(n), next), b.statement(n.Child("alternative"), next))
	case "preproc_else":
		return b.list(plain(n), next)
	case "try_statement":
		after := []*block{b.statement(n.Child("body"), next)}
		for _, kid := range n.Kids {
			if kid.Kind == "catch_clause" {
				after = append(after, b.block(opForget, kid, b.statement(kid.Child("body"), next)))
			}
		}
		return b.block(opJoin, n, after...)
	case "preproc_def", "preproc_function_def", "preproc_call", "preproc_include", "type_definition", "struct_specifier",
		"class_specifier", "enum_specifier", "union_specifier", "function_definition", "using_declaration", "alias_declaration",
		"static_assert_declaration", "template_declaration", "asm_statement", "namespace_alias_definition":
		return next
	}
	if strings.HasSuffix(n.Kind, "_expression") || n.Kind == "identifier" {
		return b.block(opEval, n, next)
	}
	return b.block(opForget, n, next)
}

// plain are the statements of a branch of #if.
func plain(n *ccode.Node) []*ccode.Node {
	var found []*ccode.Node
	for _, kid := range n.Kids {
		if kid.Field == "" {
			found = append(found, kid)
		}
	}
	return found
}

func (b *builder) compound(n *ccode.Node, next *block) *block {
	if b.fail != "" && n.Text == b.fail {
		return b.block(opFail, n)
	}
	if strings.HasPrefix(b.from(n), "Py_BEGIN_ALLOW_THREADS") {
		return b.block(opRelease, n, b.list(n.Kids, b.block(opTake, n, next)))
	}
	return b.list(n.Kids, next)
}

// expression is one with a semicolon; NumPy's macros for the lock look like an empty one.
func (b *builder) expression(n *ccode.Node, next *block) *block {
	switch at := b.from(n); {
	case strings.HasPrefix(at, "NPY_BEGIN_THREADS_DEF"):
		return next
	case strings.HasPrefix(at, "NPY_BEGIN_THREADS"), strings.HasPrefix(at, "NPY_BEGIN_ALLOW_THREADS"):
		return b.block(opRelease, n, next)
	case strings.HasPrefix(at, "NPY_END_THREADS"), strings.HasPrefix(at, "NPY_END_ALLOW_THREADS"):
		return b.block(opTake, n, next)
	case len(n.Kids) == 0:
		return next
	}
	if label := b.leaving(n.Kids[0]); label != "" {
		next = b.labelled(label)
	}
	return b.block(opEval, n.Kids[0], next)
}

// leavingRE is a macro with arguments that ends where a label stands, as fail does in short forms.
var leavingRE = pattern.New(`(?m)^#define (\w+)\([^)\n]*\) do \{ [^\n]*\bgoto (\w+); \} while \(0\)$`)

// leaving is the label that the call of such a macro leads to; empty: it is none.
func (b *builder) leaving(call *ccode.Node) string {
	if call.Kind != "call_expression" {
		return ""
	}
	if b.leave == nil {
		b.leave = map[string]string{}
		if strings.Contains(b.text, "#define") {
			for _, m := range leavingRE.FindAllStringSubmatch(b.text, -1) {
				b.leave[m[1]] = m[2]
			}
		}
	}
	return b.leave[call.Child("function").Text]
}

func (b *builder) loop(n *ccode.Node, next *block) *block {
	head := b.block(opJoin, n)
	again := head
	if update := n.Child("update"); update != nil {
		again = b.block(opEval, update, head)
	}
	test := b.block(opJoin, n)
	if n.Kind == "do_statement" {
		again = test
	}
	b.breaks, b.loops = append(b.breaks, next), append(b.loops, again)
	body := b.statement(n.Child("body"), again)
	b.breaks, b.loops = b.breaks[:len(b.breaks)-1], b.loops[:len(b.loops)-1]
	condition := n.Child("condition")
	switch {
	case n.Kind == "for_range_loop":
		test.next = []*block{body, next}
	case condition == nil:
		test.next = []*block{body}
	default:
		test.op, test.n, test.next = opTest, condition, []*block{body, next}
	}
	head.next = []*block{test}
	if n.Kind == "do_statement" {
		head.next = []*block{body}
		test.next[0] = head
	}
	return b.initial(n.Child("initializer"), head)
}

func (b *builder) initial(n *ccode.Node, next *block) *block {
	if n == nil {
		return next
	}
	return b.block(opEval, n, next)
}

func (b *builder) switched(n *ccode.Node, next *block) *block {
	body := n.Child("body")
	var ways []*block
	after, always := next, false
	b.breaks = append(b.breaks, next)
	for i := len(body.Kids) - 1; i >= 0; i-- {
		kid := body.Kids[i]
		if kid.Kind != "case_statement" {
			after = b.statement(kid, after)
			continue
		}
		always = always || kid.Child("value") == nil
		after = b.list(plain(kid), after)
		ways = append(ways, after)
	}
	b.breaks = b.breaks[:len(b.breaks)-1]
	if !always {
		ways = append(ways, next)
	}
	return b.block(opEval, n.Child("condition"), b.block(opJoin, n, ways...))
}

func (b *builder) jump(n *ccode.Node, next *block) *block {
	to := func(list []*block) *block {
		if len(list) == 0 {
			return next // forbidden, and said so elsewhere
		}
		return list[len(list)-1]
	}
	switch n.Kind {
	case "break_statement":
		return to(b.breaks)
	case "continue_statement":
		return to(b.loops)
	}
	name := n.Child("label").Text
	if name == b.label && name != "" {
		return b.block(opFail, n)
	}
	return b.labelled(name)
}

// labelled is where a label leads, which may stand further down or up.
func (b *builder) labelled(name string) *block {
	if b.labels[name] == nil {
		b.labels[name] = b.block(opJoin, nil)
	}
	return b.labels[name]
}

// from is the text from a node on, with the macros that the grammar saw as braces.
func (b *builder) from(n *ccode.Node) string { return b.text[min(max(n.Start, 0), len(b.text)):] }
