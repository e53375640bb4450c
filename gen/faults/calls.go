package faults

import (
	"fmt"
	"slices"
	"strings"

	"opweld/npyapi"
)

// way is how a call is forced.
type way struct {
	kind  Kind
	value string // what it returns then; no constant, of which compilers warn where a truth is asked
	after bool   // it is called all the same, for it takes references over, and what it gave is given back
}

// addresses are functions of which any result may be an error, where that is an address.
var addresses = []string{"PyCapsule_GetName", "PyCapsule_GetContext", "PyCapsule_GetDestructor", "PyLong_AsVoidPtr"}

// never are those whose result of NULL is no failure, and one that gives a struct.
var never = []string{"PyException_GetTraceback", "PyException_GetContext", "PyException_GetCause", "PyComplex_AsCComplex"}

// how says how a function is forced; false: it cannot fail.
func how(name string) (way, bool) {
	f, known := npyapi.Lookup(name)
	if !known {
		f, known = npyapi.Library(name)
	}
	if name == "realloc" {
		f, known = npyapi.Function{Fails: npyapi.Null, Silent: true}, true
	}
	if !known || slices.Contains(never, name) {
		return way{}, false
	}
	w := way{kind: Call, value: "0", after: len(f.Steals) > 0 || strings.HasPrefix(name, "Py_BuildValue")}
	switch f.Fails {
	case npyapi.Null:
		if f.Silent && f.Returns == npyapi.Nothing {
			w.kind = Memory
		}
	case npyapi.Negative:
		w.value = "opw_minus_one()"
	case npyapi.Asks:
		if !slices.Contains(addresses, name) {
			w.value = "opw_minus_one()"
		}
	case npyapi.Never, npyapi.Always:
		return way{}, false
	}
	return w, true
}

// calls finds the calls among tokens.
func (m *marker) calls(tokens []token) {
	for i := 0; i+1 < len(tokens); i++ {
		if tokens[i+1].text != "(" || i > 0 && declares(tokens, i-1) {
			continue
		}
		last, closed := closing(tokens, i+1)
		if w, ok := how(tokens[i].text); ok && closed && !m.excused(tokens[i].start) {
			m.call(tokens[i], tokens[last].end, w)
		}
	}
}

// excused tells whether the line says that what it calls cannot fail there.
func (m *marker) excused(at int) bool {
	line, _, _ := strings.Cut(m.text[at:], "\n")
	return strings.Contains(line, "opweld-check: off")
}

// declares tells whether a name behind the token at i is no call: a member, or a function that is declared.
func declares(tokens []token, i int) bool {
	before := tokens[i].text
	if before == "." || before == "->" {
		return true
	}
	if before == "*" && i > 0 { // of a type, or a product
		return strings.HasPrefix(tokens[i-1].text, "Py") || slices.Contains(types, tokens[i-1].text)
	}
	return wordOf(before) && !slices.Contains(statements, before)
}

// statements are words that a call may stand behind.
var statements = []string{"return", "else", "do", "case", "throw", "and", "or", "not", "co_return"}

// types are C's own words for those that a function's result may point to.
var types = []string{"void", "char", "int", "long", "short", "float", "double", "unsigned", "signed", "const"}

func wordOf(text string) bool {
	return text != "" && (text[0] == '_' || text[0]|' ' >= 'a' && text[0]|' ' <= 'z')
}

// call notes a call from its name to its closing bracket.
func (m *marker) call(name token, end int, w way) {
	m.found = append(m.found, &place{
		Place: Place{Kind: w.kind, Name: name.text},
		start: name.start,
		write: func(number int) []edit {
			head, tail := fmt.Sprintf("(opw_forced(%d) ? %s : ", number, w.value), ")"
			switch {
			case w.kind == Memory:
				head = fmt.Sprintf("(opw_denied(%d) ? 0 : ", number)
			case w.after && w.value == "0":
				head = fmt.Sprintf("opw_undone(%d, ", number)
			case w.after:
				head = fmt.Sprintf("opw_unsaid(%d, ", number)
			}
			return []edit{{name.start, 2, head}, {end, 0, tail}}
		},
	})
}
