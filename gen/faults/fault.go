// Package faults numbers the places of a C text that can fail, and writes them so that a test build can force each: calls of
// CPython's and NumPy's C API and of the allocator that npyapi says can fail, and what `fail` stands for. A text is read by
// its words, not by a grammar: places in the bodies of macros are seen, and nothing has to be understood as a whole.
package faults

import (
	"cmp"
	"slices"
	"strings"

	"opweld/gen/ccode"
)

// FirstOfUnit is the number of a unit's first place: the runtime's are below. MostOfUnit is how many a unit may have.
const (
	FirstOfUnit = 4096
	MostOfUnit  = 12288
)

// Place is one place that can fail.
type Place struct {
	Number int    `json:"number"`
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`   // of what is called
	At     string `json:"at"`     // the name of the text, as #line marks give it
	Line   int    `json:"line"`   // of that text
	Text   string `json:"text"`   // of the line
	Branch bool   `json:"branch"` // of Fail: a condition leads there, by which the place is forced
}

// Kind says what a place does when it is forced.
type Kind string

const (
	// Call sets an exception and returns what says so.
	Call Kind = "call"
	// Memory gives none, and sets no exception.
	Memory Kind = "memory"
	// Fail is what `fail` stands for: the condition that leads there holds.
	Fail Kind = "fail"
)

// marker collects the places of a text.
type marker struct {
	text  string // as it is
	code  string // the same, comments and what stands between quotes blanked, byte for byte
	found []*place
}

// place is a Place, where it begins, and how it is written once it has a number.
type place struct {
	Place
	start int
	write func(number int) []edit
}

// edit is what is put in at an offset. Of several at one offset that of the lowest rank comes first.
type edit struct {
	at   int
	rank int
	text string
}

// Mark writes a text whose places can be forced, numbered from first in the order in which they stand. file is the name of
// the lines before the first #line.
func Mark(text string, first int, file string) (string, []Place) {
	m := &marker{text: text, code: ccode.Blank(text)}
	tokens := m.tokens(0, len(m.code))
	m.calls(tokens)
	for _, t := range tokens {
		if head := macro.FindString(t.text); head != "" {
			m.calls(m.tokens(t.start+len(head), t.end))
		}
	}
	m.fails(tokens)
	slices.SortStableFunc(m.found, func(a, b *place) int { return cmp.Compare(a.start, b.start) })
	lines := newLines(text, file)
	var places []Place
	var edits []edit
	for i, p := range m.found {
		p.Number = first + i
		p.At, p.Line, p.Text = lines.place(p.start)
		places = append(places, p.Place)
		edits = append(edits, p.write(p.Number)...)
	}
	return written(text, edits), places
}

// written puts edits into a text.
func written(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank)) })
	var out strings.Builder
	last := 0
	for _, e := range edits {
		out.WriteString(text[last:e.at])
		out.WriteString(e.text)
		last = e.at
	}
	out.WriteString(text[last:])
	return out.String()
}
