// Package signature reads what the short form says of a function on arrays: its arguments and results, their dtypes and sizes.
//
//	smooth(x: T[n], a: T = 0.5) -> y: T[n] where T: float
//
// A scanner cuts the text, so that every fault has its column; the parser gives what is written; what is bound by what is checked
// after it. The package knows the names of dtypes and the words that C keeps for itself, and writes no C.
package signature

import "fmt"

// Signature is what a text says.
type Signature struct {
	Name    string     `json:"name"` // before the parenthesis; empty: the text gives none
	Inputs  []Argument `json:"inputs"`
	Outputs []Argument `json:"outputs"`
	Types   []Bound    `json:"types"` // type variables, in the order in which inputs bring them
	Sizes   []Size     `json:"sizes"` // in the order in which they can be computed
}

// Argument is an input or an output.
type Argument struct {
	Name    string  `json:"name"`  // empty: an output that is what a function returns
	Dtype   string  `json:"dtype"` // a dtype, or a type variable
	Dims    []*Dim  `json:"dims"`
	Inout   bool    `json:"inout"`
	Strided bool    `json:"strided"`
	Work    bool    `json:"work"`  // an output that is memory for the body alone
	Value   *string `json:"value"` // an input's default, what an output's elements begin with; as it is written

	at, dtypeAt token
}

// Bound is a type variable and what it may be, the first that fits being taken.
type Bound struct {
	Name   string   `json:"name"`
	Dtypes []string `json:"dtypes"`
}

// Size is a name of sizes and the input that binds it: that axis of the input's shape, less Less; or the input's value, where Axis
// is -1.
type Size struct {
	Name  string `json:"name"`
	Input int    `json:"input"`
	Axis  int    `json:"axis"`
	Less  int64  `json:"less"`
}

// Dim is a size as it is written: a name, a number, or an operation.
type Dim struct {
	Op     string `json:"op"` // "name", "number", or one of + - * // % min max
	Name   string `json:"name,omitempty"`
	Number int64  `json:"number,omitempty"`
	Args   []*Dim `json:"args,omitempty"`

	at token
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

// maxText bounds the text: whatever is longer is not meant to be one signature.
const maxText = 1 << 14

// Parse reads a text. An error is an *Error.
func Parse(text string) (*Signature, error) {
	if len(text) > maxText {
		return nil, &Error{fmt.Sprintf("the text has %d bytes; a signature has at most %d", len(text), maxText), 1, 1}
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	s, err := p.signature()
	if err != nil {
		return nil, err
	}
	return s, s.bind(p.bounds)
}

// Variable tells whether an argument's dtype is a type variable.
func (s *Signature) Variable(dtype string) bool {
	_, known := dtypes[dtype]
	return !known
}

// Names are all names that a body must not declare: arguments and sizes.
func (s *Signature) Names() []string {
	var names []string
	for _, list := range [][]Argument{s.Inputs, s.Outputs} {
		for _, a := range list {
			names = append(names, a.Name)
		}
	}
	for _, size := range s.Sizes {
		if size.Axis >= 0 {
			names = append(names, size.Name)
		}
	}
	return names
}

// Place is where the argument stands in the text: line and column, from 1.
func (a *Argument) Place() (line, column int) { return a.at.line, a.at.column }
