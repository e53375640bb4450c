package expr

import (
	"fmt"

	"github.com/go-python/gpython/ast"
)

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
