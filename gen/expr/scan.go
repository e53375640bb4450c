package expr

import (
	"fmt"
	"strings"
	"unicode"

	"opweld/gen/pattern"
)

type kind int

const (
	name kind = iota
	number
	sign // operators, brackets, punctuation
)

// token is a piece of the text; end is the column after its last character.
type token struct {
	kind   kind
	text   string
	line   int
	column int
	end    int
}

func (t token) fail(format string, args ...any) *Error {
	return &Error{fmt.Sprintf(format, args...), t.line, t.column}
}

// is tells whether the token is this sign or keyword.
func (t token) is(text string) bool { return t.text == text }

// signs are what Python, or a person coming from another language, writes; the longest that fits is taken.
var signs = strings.Fields("**= //= <<= >>= ... ** // << >> <= >= == != <> := -> && || += -= *= /= %= &= |= ^= @= " +
	"+ - * / % @ & | ^ ~ < > = ( ) [ ] { } , : ; . !")

// maxNesting is how deep brackets may lie in one another, as in CPython.
const maxNesting = 200

// scanner cuts a text into logical lines of tokens.
type scanner struct {
	rows  [][]rune
	row   int
	at    int
	open  []token // brackets
	line  []token
	lines [][]token
}

// scan gives the tokens, a list for each logical line that has any.
func scan(text string) ([][]token, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	s := &scanner{}
	for _, row := range strings.Split(text, "\n") {
		s.rows = append(s.rows, []rune(row))
	}
	for s.row = range s.rows {
		if err := s.scanRow(); err != nil {
			return nil, err
		}
	}
	if len(s.open) > 0 {
		bracket := s.open[len(s.open)-1]
		return nil, bracket.fail("%q is never closed", bracket.text)
	}
	s.endLine()
	if len(s.lines) == 0 {
		return nil, &Error{"the expression is empty", 1, 1}
	}
	return s.lines, nil
}

func (s *scanner) endLine() {
	if len(s.line) > 0 {
		s.lines = append(s.lines, s.line)
		s.line = nil
	}
}

// scanRow reads one row of the text; the logical line goes on after it where a bracket is open or a backslash ends it.
func (s *scanner) scanRow() error {
	row := s.rows[s.row]
	for s.at = 0; s.at < len(row); {
		switch c := row[s.at]; {
		case c == ' ' || c == '\t' || c == '\f':
			s.at++
		case c == '#':
			s.at = len(row)
		case c == '\\':
			if s.at != len(row)-1 {
				return s.here(1).fail("a backslash may only end a line")
			}
			if s.row == len(s.rows)-1 {
				return s.here(1).fail("nothing follows the backslash")
			}
			return nil
		default:
			next, err := s.next(row)
			if err != nil {
				return err
			}
			if err := s.bracket(next); err != nil {
				return err
			}
			s.line = append(s.line, next)
			s.at = next.end - 1
		}
	}
	if len(s.open) == 0 {
		s.endLine()
	}
	return nil
}

// here is a token of so many characters at the scanner's place.
func (s *scanner) here(length int) token {
	text := string(s.rows[s.row][s.at : s.at+length])
	return token{sign, text, s.row + 1, s.at + 1, s.at + length + 1}
}

func (s *scanner) next(row []rune) (token, error) {
	c := row[s.at]
	switch {
	case isQuote(c):
		return token{}, refuseString(s.here(1), "")
	case isDigit(c) || c == '.' && s.at+1 < len(row) && isDigit(row[s.at+1]):
		return s.number(row)
	case startsName(c):
		end := s.at
		for end < len(row) && continuesName(row[end]) {
			end++
		}
		t := s.here(end - s.at)
		t.kind = name
		if end < len(row) && isQuote(row[end]) {
			return token{}, refuseString(t, strings.ToLower(t.text))
		}
		return t, nil
	}
	rest := string(row[s.at:min(s.at+3, len(row))])
	for _, text := range signs {
		if strings.HasPrefix(rest, text) {
			return s.here(len(text)), nil
		}
	}
	if unicode.IsGraphic(c) && !unicode.IsSpace(c) {
		return token{}, s.here(1).fail("%q is no character of an expression", c)
	}
	return token{}, s.here(1).fail("U+%04X is no character of an expression", c)
}

var (
	validNumber = pattern.New(
		`^(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[jJ]?)$`)
	leadingZero = pattern.New(`^0[0-9]*[1-9][0-9]*$`)
	exponent    = pattern.New(`^[0-9._]+[eE]$`)
)

// number reads all that hangs together, so that what is no number is shown whole.
func (s *scanner) number(row []rune) (token, error) {
	end := s.at
	for end < len(row) && (continuesName(row[end]) || row[end] == '.' ||
		(row[end] == '+' || row[end] == '-') && exponent.MatchString(string(row[s.at:end]))) {
		end++
	}
	t := s.here(end - s.at)
	t.kind = number
	plain := strings.ReplaceAll(t.text, "_", "")
	switch {
	case leadingZero.MatchString(t.text):
		return t, t.fail("%s begins with a zero: write %s, or 0o%s for an octal number",
			t.text, strings.TrimLeft(t.text, "0"), strings.TrimLeft(t.text, "0"))
	case validNumber.MatchString(t.text):
		return t, nil
	case validNumber.MatchString(plain) && !leadingZero.MatchString(plain):
		return t, t.fail("underscores in numbers (Python 3.6) are not read here: write %s", plain)
	}
	return t, t.fail("%q is no number", t.text)
}

// bracket keeps account of what is open.
func (s *scanner) bracket(t token) error {
	if t.kind != sign {
		return nil
	}
	switch t.text {
	case "(", "[", "{":
		if len(s.open) == maxNesting {
			return t.fail("brackets are nested more than %d deep", maxNesting)
		}
		s.open = append(s.open, t)
	case ")", "]", "}":
		if len(s.open) == 0 {
			return t.fail("%q closes nothing", t.text)
		}
		last := s.open[len(s.open)-1]
		if want := map[string]string{"(": ")", "[": "]", "{": "}"}[last.text]; want != t.text {
			return t.fail("%q cannot close the %q of line %d, column %d", t.text, last.text, last.line, last.column)
		}
		s.open = s.open[:len(s.open)-1]
	}
	return nil
}

func isQuote(c rune) bool { return c == '\'' || c == '"' }

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

func startsName(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c) }

func continuesName(c rune) bool {
	return startsName(c) || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)
}
