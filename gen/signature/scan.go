package signature

import (
	"fmt"
	"strings"
	"unicode"

	"opweld/gen/pattern"
)

type kind int

const (
	word kind = iota
	number
	sign
	end
)

// token is a piece of the text.
type token struct {
	kind   kind
	text   string
	line   int
	column int
}

func (t token) fail(format string, args ...any) *Error {
	return &Error{fmt.Sprintf(format, args...), t.line, t.column}
}

// is tells whether the token is this sign or word.
func (t token) is(text string) bool { return t.kind != end && t.text == text }

// shown is what a message calls the token.
func (t token) shown() string {
	if t.kind == end {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

var (
	wordRE   = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*`)
	numberRE = pattern.New(`^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`)
	signs    = strings.Fields("-> // + - * % ( ) [ ] , : = |")
)

// scan cuts a text into tokens, the last of kind end.
func scan(text string) ([]token, error) {
	var found []token
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	for i, line := range lines {
		column := 1
		for line != "" {
			first := []rune(line)[0]
			if unicode.IsSpace(first) {
				line, column = line[len(string(first)):], column+1
				continue
			}
			if first == '#' {
				break
			}
			t := next(line, found)
			t.line, t.column = i+1, column
			if t.text == "" {
				t.text = string(first)
				return nil, t.fail("%s", stray(first))
			}
			found = append(found, t)
			line, column = line[len(t.text):], column+len(t.text)
		}
	}
	return append(found, token{end, "", len(lines), len([]rune(lines[len(lines)-1])) + 1}), nil
}

// next is the token that a text begins with; one without text: there is none. A minus belongs to a number after "=".
func next(text string, before []token) token {
	if found := wordRE.FindString(text); found != "" {
		return token{kind: word, text: found}
	}
	value := len(before) > 0 && before[len(before)-1].is("=")
	if found := numberRE.FindString(text); found != "" && (value || !strings.HasPrefix(found, "-")) {
		return token{kind: number, text: found}
	}
	for _, s := range signs {
		if strings.HasPrefix(text, s) {
			return token{kind: sign, text: s}
		}
	}
	return token{}
}

func stray(c rune) string {
	switch {
	case c == '/':
		return "sizes are whole: write // for /"
	case c == '{' || c == '}':
		return fmt.Sprintf("%q has no place in a signature: sizes stand in [ ]", c)
	case c == ';':
		return "';' has no place in a signature: a bound is said by `where T: float` at the end"
	case c == '>' || c == '→' || c == '⟶':
		return fmt.Sprintf("%q has no place in a signature: write -> before the outputs", c)
	case c == '.':
		return "'.' has no place in a signature: a dtype is its name alone, and an axis has a size, n"
	case unicode.IsLetter(c):
		return fmt.Sprintf("%q is no letter of a name in C: a to z, A to Z, digits and _ are", c)
	}
	return fmt.Sprintf("%q has no place in a signature", c)
}
