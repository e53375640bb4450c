package gen

import (
	"encoding/json"
	"errors"
	"fmt"
)

// parse builds a tree of map, slice, string, json.Number, bool and nil out of JSON, and refuses a key that stands twice. It takes what
// encoding/json takes, whose decoder, token by token, needs five times as long.
func parse(data []byte) (any, error) {
	r := &reader{data: data, names: map[string]string{}}
	v, err := r.value(0)
	if err == nil && (r.next() != 0 || r.at < len(data)) {
		err = fmt.Errorf("something follows the program at byte %d", r.at)
	}
	if errors.Is(err, errSyntax) {
		if r.at >= len(data) {
			return nil, fmt.Errorf("program ends too early, after %d bytes", len(data))
		}
		return nil, fmt.Errorf("program is not JSON: %q does not belong there, at byte %d", data[r.at], r.at)
	}
	return v, err
}

// errSyntax says that what stands at the place that is read does not belong there, or that the text ends there.
var errSyntax = errors.New("syntax")

// deepest is how many lists and objects may lie one in the other.
const deepest = 1000

// reader reads JSON from a place on.
type reader struct {
	data  []byte
	at    int
	names map[string]string // keys, each once
}

// next gives the character behind blanks; 0: the end.
func (r *reader) next() byte {
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// skip goes past a character, if that is what comes.
func (r *reader) skip(c byte) bool {
	if r.next() != c {
		return false
	}
	r.at++
	return true
}

func (r *reader) value(depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("program holds more than %d lists and objects one in the other", deepest)
	}
	switch c := r.next(); {
	case c == '{':
		return r.object(depth + 1)
	case c == '[':
		return r.list(depth + 1)
	case c == '"':
		return r.text()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	case r.word("true"):
		return true, nil
	case r.word("false"):
		return false, nil
	case r.word("null"):
		return nil, nil
	}
	return nil, errSyntax
}

// word goes past a word, if that is what comes.
func (r *reader) word(w string) bool {
	end := r.at + len(w)
	if end > len(r.data) || string(r.data[r.at:end]) != w {
		return false
	}
	r.at = end
	return true
}

func (r *reader) object(depth int) (any, error) {
	obj := map[string]any{}
	r.at++
	for first := true; !r.skip('}'); first = false {
		if !first && !r.skip(',') || r.next() != '"' {
			return nil, errSyntax
		}
		key, err := r.text()
		if err != nil {
			return nil, err
		}
		if _, twice := obj[key]; twice {
			return nil, fmt.Errorf("field %q stands twice", key)
		}
		if _, known := r.names[key]; !known {
			r.names[key] = key
		}
		if !r.skip(':') {
			return nil, errSyntax
		}
		if obj[r.names[key]], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	return obj, nil
}

func (r *reader) list(depth int) (any, error) {
	list := []any{}
	r.at++
	for first := true; !r.skip(']'); first = false {
		if !first && !r.skip(',') {
			return nil, errSyntax
		}
		v, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// text reads a string; one that is more than plain ASCII encoding/json does.
func (r *reader) text() (string, error) {
	begin, plain := r.at, true
	for r.at++; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == '"':
			r.at++
			if plain {
				return string(r.data[begin+1 : r.at-1]), nil
			}
			var s string
			if err := json.Unmarshal(r.data[begin:r.at], &s); err != nil {
				r.at = begin
				return "", errSyntax
			}
			return s, nil
		case c == '\\':
			plain = false
			r.at++
		case c < ' ':
			return "", errSyntax
		case c >= 0x80:
			plain = false
		}
	}
	r.at = len(r.data)
	return "", errSyntax
}

// number reads one of -12, 0.5, 1e-9.
func (r *reader) number() (any, error) {
	begin := r.at
	r.only("-")
	if r.only("0") == 0 && r.digits() == 0 || r.only(".") > 0 && r.digits() == 0 {
		return nil, errSyntax
	}
	if r.only("eE") > 0 {
		if r.only("+-"); r.digits() == 0 {
			return nil, errSyntax
		}
	}
	return json.Number(r.data[begin:r.at]), nil
}

// only goes past one of some characters, and tells how many it has passed.
func (r *reader) only(some string) int {
	for i := range len(some) {
		if r.at < len(r.data) && r.data[r.at] == some[i] {
			r.at++
			return 1
		}
	}
	return 0
}

func (r *reader) digits() int {
	begin := r.at
	for r.only("0123456789") > 0 {
	}
	return r.at - begin
}
