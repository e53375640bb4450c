// Package expr reads the text of an elementwise expression, "x*y + sin(x)", and gives it as a list of instructions
// without dtypes: which dtype each has is decided in Python, where NumPy's rules are at hand.
//
// A scanner cuts the text into tokens, so that every column is exact whatever characters stand before it, and refuses
// what no expression may hold. gpython parses what is left by Python 3.4's grammar; lowering walks its tree and the
// tokens side by side. The package computes nothing: constants go out as they were written.
package expr

import "fmt"

// Expression is what a text means. Values are numbered: the arguments first, then what each instruction makes.
type Expression struct {
	Args    []string      `json:"args"`
	Body    []Instruction `json:"body"`
	Results []int         `json:"results"`
}

// Instruction makes one value: of others (Op and Args), or of a literal (Op "constant", Kind and Value). An Op that is a
// sign or a word of Python's (+, <, and, if, abs …) has Python's meaning where all its arguments are constants; any
// other is a function of NumPy's.
type Instruction struct {
	Op     string `json:"op"`
	Args   []int  `json:"args"`
	Kind   string `json:"kind,omitempty"`  // bool, int, float, imaginary
	Value  string `json:"value,omitempty"` // as Python reads it
	Line   int    `json:"line"`            // where the sign, name or literal stands, from 1
	Column int    `json:"column"`          // in characters, from 1
}

// Error says what is wrong with a text, and where: line and column count from 1, columns in characters.
type Error struct {
	Message string
	Line    int
	Column  int
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// maxText bounds the text: whatever is longer is not meant to be one expression, and its tree would be as deep.
const maxText = 1 << 16

// Parse reads a text. Its arguments are args, in that order; where args is nil they are the lambda's, or else the free
// names by first appearance. An error is an *Error.
func Parse(text string, args []string) (*Expression, error) {
	if len(text) > maxText {
		return nil, &Error{fmt.Sprintf("the text has %d bytes; an expression has at most %d", len(text), maxText), 1, 1}
	}
	lines, err := scan(text)
	if err != nil {
		return nil, err
	}
	if err := refuse(lines); err != nil {
		return nil, err
	}
	tree, err := parse(lines)
	if err != nil {
		return nil, err
	}
	return lower(tree, lines, args)
}
