package expr

import (
	"errors"
	"strings"

	"github.com/go-python/gpython/ast"
	"github.com/go-python/gpython/parser"
	"github.com/go-python/gpython/py"
)

// parse gives gpython's tree. What gpython reads is written anew from the tokens, a row for each logical line and a
// blank after each token: it then meets no comment, no continued line and no character of which its columns are wrong.
func parse(lines [][]token) (*ast.Module, error) {
	var text strings.Builder
	for _, line := range lines {
		for _, t := range line {
			text.WriteString(t.text)
			text.WriteByte(' ')
		}
		text.WriteByte('\n')
	}
	tree, err := parser.ParseString(text.String(), py.ExecMode)
	if err != nil {
		return nil, misread(lines, err)
	}
	return tree.(*ast.Module), nil
}

// misread turns gpython's error, which says where it stopped reading, into one of the text's.
func misread(lines [][]token, err error) *Error {
	var exception *py.Exception
	if !errors.As(err, &exception) {
		return lines[0][0].fail("%v", err)
	}
	row, column := place(exception)
	if strings.Contains(exception.Error(), "can't assign") { // found where the line was read already
		return misassigned(lines)
	}
	if row < 1 || row > len(lines) {
		row, column = len(lines), -1
	}
	line := lines[row-1]
	end := 0
	for i, t := range line {
		if end += len(t.text); column >= 0 && column <= end {
			var before token
			if i > 0 {
				before = line[i-1]
			}
			return unexpected(t, before, line[:i])
		}
		end++
	}
	last := line[len(line)-1]
	after := token{line: last.line, column: last.end}
	if endsValue(last) && hasWord(line, "if") && !hasWord(line, "else") {
		return after.fail("a condition has two values: write a if c else b")
	}
	return after.fail("the expression is not complete: something must follow %q", last.text)
}

// place reads line and column out of gpython's exception; the column is the end of the last token read.
func place(exception *py.Exception) (row, column int) {
	if n, ok := exception.Dict["lineno"].(py.Int); ok {
		row = int(n)
	}
	if n, ok := exception.Dict["offset"].(py.Int); ok {
		column = int(n)
	}
	return row, column
}

func hasWord(line []token, word string) bool {
	for _, t := range line {
		if t.is(word) {
			return true
		}
	}
	return false
}

// unexpected says why a token cannot stand where it stands.
func unexpected(t, before token, earlier []token) *Error {
	switch {
	case t.is("="):
		return t.fail("'=' assigns, and stands after a name at the beginning of a line: to compare write '=='")
	case endsValue(before) && beginsValue(t):
		return t.fail("an operator is missing between %q and %q", before.text, t.text)
	case t.is(")") && hasWord(earlier, "if") && !hasWord(earlier, "else"):
		return t.fail("a condition has two values: write a if c else b")
	case t.is(":") && before.kind == name:
		return t.fail("annotations (Python 3.6) are not read here: write %s = ...", before.text)
	case t.is("/") && hasWord(earlier, "lambda") && !hasWord(earlier, ":"):
		return t.fail("'/' among a lambda's arguments (Python 3.8) is not read here: leave it out")
	}
	return t.fail("%q cannot stand here", t.text)
}

// misassigned finds the assignment whose target is no name.
func misassigned(lines [][]token) *Error {
	for _, line := range lines {
		from, depth := 0, 0
		for i, t := range line {
			switch {
			case t.is("("):
				depth++
			case t.is(")"):
				depth--
			case t.is("=") && depth == 0:
				if i != from+1 || line[from].kind != name || keywords[line[from].text] {
					return line[from].fail("only a name can be assigned to")
				}
				from = i + 1
			case t.is(";"):
				from = i + 1
			}
		}
	}
	return lines[0][0].fail("only a name can be assigned to")
}
