package gen

import (
	"encoding/json"
	"strings"
)

// named is a field of an object of a tree, in the order in which they came.
type named struct {
	name  string
	value any
}

// reader builds the tree of a text of JSON that is right. It refuses what it is not sure of, without a word; a decoder of JSON, which
// takes ten times as long, then reads the text, and says what is wrong.
type reader struct {
	text string
	at   int
}

// quick gives the tree of a text, as parse does.
func quick(data []byte) (any, bool) {
	r := &reader{text: string(data)}
	v, ok := r.value()
	if !ok {
		return nil, false
	}
	r.next()
	return v, r.at == len(r.text)
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

func (r *reader) value() (any, bool) {
	switch b := r.next(); {
	case b == '{':
		return r.object()
	case b == '[':
		return r.list()
	case b == '"':
		return r.str()
	case b >= '0' && b <= '9':
		return r.number()
	case strings.HasPrefix(r.text[r.at:], "true"):
		r.at += len("true")
		return true, true
	case strings.HasPrefix(r.text[r.at:], "false"):
		r.at += len("false")
		return false, true
	}
	return nil, false
}

// number reads one that is whole and not below 0: Program has no others.
func (r *reader) number() (any, bool) {
	from := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	digits := r.text[from:r.at]
	return json.Number(digits), (digits[0] != '0' || len(digits) == 1) && !strings.ContainsRune(".eE", rune(r.next()))
}

// str reads a string; of one with escapes JSON's decoder says what it is.
func (r *reader) str() (s string, ok bool) {
	from, plain := r.at, true
	for r.at++; r.at < len(r.text); r.at++ {
		switch b := r.text[r.at]; {
		case b == '"':
			r.at++
			if plain {
				return r.text[from+1 : r.at-1], true
			}
			return s, json.Unmarshal([]byte(r.text[from:r.at]), &s) == nil
		case b == '\\':
			plain = false
			r.at++
		case b < ' ' || b >= 0x80: // an encoding that is wrong is mended
			plain = false
		}
	}
	return "", false
}

func (r *reader) list() (any, bool) {
	all := []any{}
	r.at++
	for !r.takes(']') {
		if len(all) > 0 && !r.takes(',') {
			return nil, false
		}
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		all = append(all, v)
	}
	return all, true
}

func (r *reader) object() (any, bool) {
	all := make([]named, 0, 6)
	r.at++
	for !r.takes('}') {
		if len(all) > 0 && !r.takes(',') || r.next() != '"' {
			return nil, false
		}
		name, ok := r.str()
		if !ok || !r.takes(':') {
			return nil, false
		}
		for i := range all {
			if all[i].name == name {
				return nil, false
			}
		}
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		all = append(all, named{name, v})
	}
	return all, true
}
