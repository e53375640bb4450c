package expr

import (
	"slices"

	"github.com/go-python/gpython/ast"
)

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
