package expr

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
