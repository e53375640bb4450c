package faults

import (
	"sort"
	"strconv"
	"strings"

	"opweld/gen/pattern"
)

var (
	wordOrSign = pattern.New(`[A-Za-z_]\w*|\.?\d[\w.]*|->|::|[^\s\w]`)
	directive  = pattern.New(`(?m)^[ \t]*#(?:[^\n\\]|\\(?s:.))*`)
	macro      = pattern.New(`^[ \t]*#[ \t]*define[ \t]+\w+(?:\([^)]*\))?`)
	lineMark   = pattern.New(`(?m)^[ \t]*#[ \t]*line[ \t]+(\d+)[ \t]+"([^"]*)".*$`)
)

// token is a word, a sign or a whole directive.
type token struct {
	start, end int
	text       string
}

// tokens lists those between two offsets. Where the text begins with a directive's own words, as a macro's body does, it has
// none.
func (m *marker) tokens(from, to int) []token {
	var found []token
	words := func(from, to int) {
		for _, at := range wordOrSign.FindAllStringIndex(m.code[from:to], -1) {
			found = append(found, token{from + at[0], from + at[1], m.code[from+at[0] : from+at[1]]})
		}
	}
	last := from
	for _, at := range directive.FindAllStringIndex(m.code[from:to], -1) {
		if from > 0 && at[0] == 0 && m.code[from-1] != '\n' {
			continue // in the middle of a line
		}
		words(last, from+at[0])
		found = append(found, token{from + at[0], from + at[1], m.code[from+at[0] : from+at[1]]})
		last = from + at[1]
	}
	words(last, to)
	return found
}

// closing is the index of the token that closes the bracket at i; of the last one, and false, where none does.
func closing(tokens []token, i int) (last int, ok bool) {
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return len(tokens) - 1, false
}

// lines knows which text an offset lies in, by the #line marks.
type lines struct {
	text   string
	starts []int // of each line
	marks  []mark
}

type mark struct {
	line int // of the whole, the one behind the mark, from 0
	at   string
	as   int // what that line is called
}

func newLines(text, file string) *lines {
	l := &lines{text: text, starts: []int{0}, marks: []mark{{0, file, 1}}}
	for i := range len(text) {
		if text[i] == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	for _, found := range lineMark.FindAllStringSubmatchIndex(text, -1) {
		as, _ := strconv.Atoi(text[found[2]:found[3]])
		l.marks = append(l.marks, mark{l.line(found[0]) + 1, text[found[4]:found[5]], as})
	}
	return l
}

// line is the number, from 0, of the line that an offset lies in.
func (l *lines) line(offset int) int {
	return sort.SearchInts(l.starts, offset+1) - 1
}

// place is the name of the text that an offset lies in, and its line there: the number, and what stands in it.
func (l *lines) place(offset int) (at string, line int, text string) {
	whole := l.line(offset)
	text, _, _ = strings.Cut(l.text[l.starts[whole]:], "\n")
	i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].line > whole }) - 1
	return l.marks[i].at, l.marks[i].as + whole - l.marks[i].line, text
}
