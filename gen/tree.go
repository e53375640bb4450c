package gen

import (
	"encoding/json"
	"fmt"
	"strings"

	"opweld/gen/pattern"
)

// named is a field of an object of a tree, in the order in which they came.
type named struct {
	name  string
	value any
}

// reader builds the tree of a text of JSON: of []named, []any, string, json.Number, bool and nil. A decoder of JSON takes ten times as
// long, and lets a key stand twice.
type reader struct {
	text  string
	at    int
	depth int // of the list or object that is read
	err   error
}

// deepest is how many lists and objects may stand one within another: that of encoding/json. A Program has some ten; each takes stack,
// of which Go ends the process when there is too much.
const deepest = 10_000

// parse gives the tree of a text.
func parse(data []byte) (any, error) {
	r := &reader{text: string(data)}
	v := r.value()
	if r.next(); r.err == nil && r.at < len(r.text) {
		r.err = fmt.Errorf("something follows the program at byte %d", r.at)
	}
	return v, r.err
}

// fail keeps the first error; what is read later has no meaning.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// expected says that something else stands where the reader is.
func (r *reader) expected(what string) {
	if r.at >= len(r.text) {
		r.fail(fmt.Errorf("program ends too early, after %d bytes", len(r.text)))
		return
	}
	r.fail(fmt.Errorf("program is not JSON: expected %s, got %.1q at byte %d", what, r.text[r.at:], r.at))
}

// next gives the next byte that is no blank, and stays before it; 0: there is none.
func (r *reader) next() byte {
	for ; r.at < len(r.text); r.at++ {
		switch b := r.text[r.at]; b {
		case ' ', '\t', '\n', '\r':
		default:
			return b
		}
	}
	return 0
}

// takes goes over the next byte, if it is this one.
func (r *reader) takes(b byte) bool {
	if r.next() != b {
		return false
	}
	r.at++
	return true
}

// more tells whether another of several follows, up to the byte that ends them; first: there is none yet.
func (r *reader) more(end byte, first bool) bool {
	if r.err != nil || r.takes(end) {
		return false
	}
	if !first && !r.takes(',') {
		r.expected(fmt.Sprintf("a comma or %q", end))
	}
	return r.err == nil
}

// spelt are the values that are words.
var spelt = []struct {
	text  string
	value any
}{{"true", true}, {"false", false}, {"null", nil}}

func (r *reader) value() any {
	switch b := r.next(); {
	case b == '{' || b == '[':
		return r.nested(b)
	case b == '"':
		return r.str()
	case b == '-' || b >= '0' && b <= '9':
		return r.number()
	}
	for _, w := range spelt {
		if strings.HasPrefix(r.text[r.at:], w.text) {
			r.at += len(w.text)
			return w.value
		}
		if strings.HasPrefix(w.text, r.text[r.at:]) { // nothing of it is missing but its end
			r.at = len(r.text)
		}
	}
	r.expected("a value")
	return nil
}

// nested reads what begins with a bracket.
func (r *reader) nested(bracket byte) (v any) {
	if r.depth++; r.depth > deepest {
		r.fail(fmt.Errorf("program is nested deeper than %d lists and objects at byte %d", deepest, r.at))
		return nil
	}
	if bracket == '{' {
		v = r.object()
	} else {
		v = r.list()
	}
	r.depth--
	return v
}

// numberRE is a number of JSON: Program has whole ones alone, and none below 0.
var numberRE = pattern.New(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)

// number reads one. What follows it is looked at by whoever reads on.
func (r *reader) number() json.Number {
	from := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	digits := r.text[from:r.at]
	if whole := len(digits) > 0 && (digits[0] != '0' || len(digits) == 1); !whole || strings.ContainsRune(".eE", rune(r.next())) {
		r.at = from
		if digits = numberRE.FindString(r.text[from:]); digits == "" {
			r.expected("a number")
		}
		r.at += len(digits)
	}
	return json.Number(digits)
}

// str reads a string; of one with escapes JSON's decoder says what it is.
func (r *reader) str() (s string) {
	from, plain := r.at, true
	for r.at++; r.at < len(r.text); r.at++ {
		switch b := r.text[r.at]; {
		case b == '"':
			r.at++
			if plain {
				return r.text[from+1 : r.at-1]
			}
			if err := json.Unmarshal([]byte(r.text[from:r.at]), &s); err != nil {
				r.fail(fmt.Errorf("program is not JSON: %w in the string at byte %d", err, from))
			}
			return s
		case b == '\\':
			plain = false
			r.at++
		case b < ' ' || b >= 0x80: // an encoding that is wrong is mended
			plain = false
		}
	}
	r.at = len(r.text)
	r.expected("the end of a string")
	return ""
}

func (r *reader) list() []any {
	all := []any{}
	for r.at++; r.more(']', len(all) == 0); {
		all = append(all, r.value())
	}
	return all
}

func (r *reader) object() []named {
	all := make([]named, 0, 6)
	for r.at++; r.more('}', len(all) == 0); {
		if r.next() != '"' {
			r.expected("a field's name")
			break
		}
		name := r.str()
		for i := range all {
			if all[i].name == name {
				r.fail(fmt.Errorf("field %q stands twice", name))
			}
		}
		if !r.takes(':') {
			r.expected("a colon")
		}
		all = append(all, named{name, r.value()})
	}
	return all
}
