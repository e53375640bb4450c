package expr

import "github.com/go-python/gpython/ast"

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
