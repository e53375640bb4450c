package kernel

import (
	"fmt"
	"slices"

	"github.com/go-python/gpython/ast"
)

// value is what a part of the text gives: an argument below zero (^index), an instruction from zero on.
type value int

// lowering walks gpython's tree in the order of the text, and the tokens with it, which know where things stand.
type lowering struct {
	tokens  []token
	at      int
	args    []string
	fixed   bool             // no name becomes an argument any more
	known   map[string]value // arguments, and names that were assigned
	body    []Instruction
	seen    map[string]value // equal instructions are one
	failure *Error           // the first; then the walk only unwinds
}

// lower gives the instructions of a tree.
func lower(tree *ast.Module, lines [][]token, args []string) (*Expression, error) {
	l := &lowering{tokens: slices.Concat(lines...), known: map[string]value{}, seen: map[string]value{}}
	if args != nil {
		l.take(args)
	}
	results := l.statements(tree.Body)
	if l.failure != nil {
		return nil, l.failure
	}
	return l.expression(results), nil
}

func (l *lowering) take(args []string) {
	l.args, l.fixed = args, true
	for i, arg := range args {
		l.known[arg] = value(^i)
	}
}

// fail notes an error; the value it gives is never used.
func (l *lowering) fail(t token, format string, args ...any) value {
	if l.failure == nil {
		l.failure = t.fail(format, args...)
	}
	return 0
}

// --- tokens

// peek gives the next token; past the end, one that stands after the last.
func (l *lowering) peek() token {
	if l.at < len(l.tokens) {
		return l.tokens[l.at]
	}
	last := l.tokens[len(l.tokens)-1]
	return token{kind: sign, line: last.line, column: last.end, end: last.end}
}

// first passes the brackets that open before a value, and gives the token after them.
func (l *lowering) first() token {
	for l.peek().is("(") {
		l.at++
	}
	t := l.peek()
	l.at++
	return t
}

// pass takes the next token, after the brackets that close before it; it is this one, or scanner and gpython disagree.
func (l *lowering) pass(text string) token {
	for l.peek().is(")") || l.peek().is(",") && l.at+1 < len(l.tokens) && l.tokens[l.at+1].is(")") {
		l.at++
	}
	t := l.peek()
	if l.failure == nil && !t.is(text) {
		panic(fmt.Sprintf("gpython reads %q where the text has %q (line %d, column %d)", text, t.text, t.line, t.column))
	}
	l.at++
	return t
}

// --- statements

func (l *lowering) statements(body []ast.Stmt) []value {
	for i, statement := range body {
		last := i == len(body)-1
		if i > 0 {
			l.endStatement()
		}
		start := l.peek()
		switch s := statement.(type) {
		case *ast.Assign:
			l.assign(s)
			if last {
				l.fail(start, "the last line gives no value: add a line with the value")
			}
		case *ast.ExprStmt:
			if last {
				return l.results(s.Value, len(body) == 1)
			}
			l.fail(start, "the value of this line is not used: assign it to a name")
		default:
			l.fail(start, "this statement is not part of an expression")
		}
		if l.failure != nil {
			return nil
		}
	}
	return nil
}

// endStatement passes what may stand between two statements: brackets that close, a comma that made a tuple, a semicolon.
func (l *lowering) endStatement() {
	for l.peek().is(")") || l.peek().is(",") || l.peek().is(";") {
		l.at++
	}
}

// assign reads "a = b = value": the targets stand first, and hold the value after it was computed.
func (l *lowering) assign(s *ast.Assign) {
	var targets []string
	for _, target := range s.Targets {
		start := l.peek()
		found, ok := target.(*ast.Name)
		if !ok {
			l.fail(start, "only a name can be assigned to")
			return
		}
		if t := l.first(); modules[t.text] {
			l.fail(t, "%q is the prefix of functions here: take another name", t.text)
		}
		l.pass("=")
		targets = append(targets, string(found.Id))
	}
	made := l.expr(s.Value)
	for _, target := range targets {
		l.known[target] = made
	}
}

// results reads the last line: a value, a tuple of them, or, where it is the only line, a lambda.
func (l *lowering) results(e ast.Expr, only bool) []value {
	if f, ok := e.(*ast.Lambda); ok && only {
		l.lambda()
		e = f.Body
	}
	tuple, ok := e.(*ast.Tuple)
	if !ok {
		return []value{l.expr(e)}
	}
	if len(tuple.Elts) == 0 {
		l.fail(l.peek(), "the expression has no value")
	}
	var found []value
	for i, part := range tuple.Elts {
		if i > 0 {
			l.pass(",")
		}
		found = append(found, l.expr(part))
	}
	return found
}

// lambda reads "lambda x, y:", whose names are the arguments.
func (l *lowering) lambda() {
	start := l.first()
	names := []string{}
	for t := l.peek(); !t.is(":"); t = l.peek() {
		switch {
		case t.kind == name && slices.Contains(names, t.text):
			l.fail(t, "argument %q occurs twice", t.text)
		case t.kind == name && modules[t.text]:
			l.fail(t, "%q is the prefix of functions here: take another name", t.text)
		case t.kind == name:
			names = append(names, t.text)
		case !t.is(","):
			l.fail(t, "a lambda's arguments are names alone here, without defaults and stars")
		}
		if l.failure != nil {
			return
		}
		l.at++
	}
	l.pass(":")
	if l.fixed && !slices.Equal(names, l.args) {
		l.fail(start, "the lambda's arguments are %v, and args gives %v", names, l.args)
		return
	}
	l.take(names)
}

// --- expressions

var binary = map[ast.OperatorNumber]string{
	ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Modulo: "%", ast.Pow: "**", ast.LShift: "<<",
	ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.FloorDiv: "//",
}

var unary = map[ast.UnaryOpNumber]string{ast.Invert: "~", ast.Not: "not", ast.UAdd: "+", ast.USub: "-"}

var comparison = map[ast.CmpOp]string{
	ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}

// expr gives the value of a part of the tree, after the tokens before it have been passed.
func (l *lowering) expr(e ast.Expr) value {
	if l.failure != nil {
		return 0
	}
	start := l.peek()
	switch e := e.(type) {
	case *ast.Name:
		return l.name(l.first())
	case *ast.Num:
		return l.number(l.first())
	case *ast.NameConstant:
		t := l.first()
		return l.constant(t, "bool", t.text)
	case *ast.UnaryOp:
		for l.peek().is("(") {
			l.at++
		}
		t := l.pass(unary[e.Op])
		return l.emit(t, t.text, l.expr(e.Operand))
	case *ast.BinOp:
		left := l.expr(e.Left)
		t := l.pass(binary[e.Op])
		return l.emit(t, t.text, left, l.expr(e.Right))
	case *ast.BoolOp:
		return l.logic(e)
	case *ast.Compare:
		return l.compare(e)
	case *ast.IfExp:
		body := l.expr(e.Body)
		t := l.pass("if")
		test := l.expr(e.Test)
		l.pass("else")
		return l.emit(t, "if", test, body, l.expr(e.Orelse))
	case *ast.Call:
		return l.call(e)
	case *ast.Attribute:
		return l.attribute(e)
	case *ast.Tuple:
		return l.fail(start, "a tuple is no value here: only the last line may be one, for several results")
	case *ast.Lambda:
		for l.peek().is("(") {
			l.at++
		}
		return l.fail(l.peek(), "a lambda may only be the whole expression")
	}
	return l.fail(start, "this is not part of an expression")
}

func (l *lowering) logic(e *ast.BoolOp) value {
	word := "and"
	if e.Op == ast.Or {
		word = "or"
	}
	made := l.expr(e.Values[0])
	for _, part := range e.Values[1:] {
		t := l.pass(word)
		made = l.emit(t, word, made, l.expr(part))
	}
	return made
}

// compare reads a < b < c as (a < b) and (b < c), with b computed once.
func (l *lowering) compare(e *ast.Compare) value {
	left := l.expr(e.Left)
	var made value
	for i, op := range e.Ops {
		t := l.pass(comparison[op])
		right := l.expr(e.Comparators[i])
		one := l.emit(t, t.text, left, right)
		if i == 0 {
			made = one
		} else {
			made = l.emit(t, "and", made, one)
		}
		left = right
	}
	return made
}

// name is the value of a name: an argument, what was assigned, a constant; or a new argument.
func (l *lowering) name(t token) value {
	if found, ok := l.known[t.text]; ok {
		return found
	}
	if number, ok := constants[t.text]; ok {
		return l.constant(t, "float", number)
	}
	if modules[t.text] {
		return l.fail(t, "%q is the prefix of functions, as in %s.sin(x), and no value", t.text, t.text)
	}
	if known, ok := functions[t.text]; ok {
		return l.fail(t, "%q is a function of %s: write %s(...)", t.text, arguments(known), t.text)
	}
	if l.fixed {
		candidates := map[string]bool{}
		for candidate := range l.known {
			candidates[candidate] = true
		}
		return l.fail(t, "%q is neither an argument nor a constant%s", t.text, also(nearest(t.text, candidates)))
	}
	l.args = append(l.args, t.text)
	made := value(^(len(l.args) - 1))
	l.known[t.text] = made
	return made
}

// attribute reads np.pi; nothing else has attributes.
func (l *lowering) attribute(e *ast.Attribute) value {
	if t, prefix := l.prefix(e); prefix {
		if number, ok := constants[t.text]; ok {
			return l.constant(t, "float", number)
		}
		if known, ok := functions[t.text]; ok {
			return l.fail(t, "%q is a function of %s: write %s(...)", t.text, arguments(known), t.text)
		}
		candidates := map[string]bool{}
		for candidate := range constants {
			candidates[candidate] = true
		}
		return l.fail(t, "no constant %q%s", t.text, also(nearest(t.text, candidates)))
	}
	l.expr(e.Value)
	dot := l.pass(".")
	if _, ok := functions[string(e.Attr)]; ok {
		return l.fail(dot, "values have no attributes here: write %s(...)", e.Attr)
	}
	return l.fail(dot, "values have no attributes here, so no %q", e.Attr)
}

// prefix passes "np." where it stands before a name, and gives that name.
func (l *lowering) prefix(e *ast.Attribute) (token, bool) {
	module, ok := e.Value.(*ast.Name)
	if _, shadowed := l.known[moduleName(module)]; !ok || shadowed || !modules[string(module.Id)] {
		return token{}, false
	}
	l.first()
	l.pass(".")
	t := l.peek()
	l.at++
	return t, true
}

func moduleName(e *ast.Name) string {
	if e == nil {
		return ""
	}
	return string(e.Id)
}

// --- calls

func (l *lowering) call(e *ast.Call) value {
	t, known := l.callee(e.Func)
	if l.failure != nil {
		return 0
	}
	if n := len(e.Args); n < known.least || known.most > 0 && n > known.most {
		return l.fail(t, "%q takes %s, got %d", t.text, arguments(known), n)
	}
	l.pass("(")
	var args []value
	for i, arg := range e.Args {
		if i > 0 {
			l.pass(",")
		}
		args = append(args, l.expr(arg))
	}
	if known.most > 0 {
		return l.emit(t, known.op, args...)
	}
	made := args[0]
	for _, arg := range args[1:] {
		made = l.emit(t, known.op, made, arg)
	}
	return made
}

// callee finds the function that a call names.
func (l *lowering) callee(e ast.Expr) (token, function) {
	start := l.peek()
	var t token
	prefixed := false
	switch e := e.(type) {
	case *ast.Name:
		t = l.first()
		if _, ok := l.known[t.text]; ok {
			l.fail(t, "%q is a value here and cannot be called", t.text)
			return t, function{}
		}
	case *ast.Attribute:
		if t, prefixed = l.prefix(e); !prefixed {
			l.attribute(e)
			return start, function{}
		}
	default:
		l.fail(start, "only functions can be called, by their names")
		return start, function{}
	}
	known, ok := functions[t.text]
	if ok && !(prefixed && builtin[t.text]) {
		return t, known
	}
	l.unknown(t)
	return t, known
}

// unknown says that there is no such function.
func (l *lowering) unknown(t token) {
	candidates := map[string]bool{}
	for candidate := range functions {
		candidates[candidate] = true
	}
	_, constant := constants[t.text]
	switch why, refused := refusedFunctions[t.text]; {
	case refused:
		l.fail(t, "%q is no function of an expression: %s", t.text, why)
	case builtin[t.text]:
		l.fail(t, "NumPy's %q is another function: write %s(...) without the prefix", t.text, t.text)
	case constant:
		l.fail(t, "%q is a constant and cannot be called", t.text)
	default:
		l.fail(t, "no function '%s'%s", t.text, also(nearest(t.text, candidates)))
	}
}

// arguments says how many arguments a function takes.
func arguments(f function) string {
	switch {
	case f.most == 0:
		return fmt.Sprintf("%d or more arguments", f.least)
	case f.most == 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", f.most)
}
