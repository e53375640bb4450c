package gen

import (
	"fmt"
	"strings"
	"unicode"
)

// How a user's words get into C that is not theirs. A label, which stands in comments, in strings, in #line names and in
// what the compiler prints of them, is made of such characters alone that it may stand in each as it is; any other word,
// the name of a function or a variable, goes through cString or comment. What is neither is the user's C.

// inLabels are the characters of ASCII that a label may hold beside letters and digits. Without / it cannot end a comment,
// and without ? no trigraph begins; : and / are what parts a place in a diagnostic.
const inLabels = " _.,+-=~()[]{}<>|&^!@*'"

// labelMax is how many bytes of a user's name a label may have.
const labelMax = 1000

// labelFault says what keeps a text from being a label; empty: nothing.
func labelFault(label string) string {
	switch {
	case label == "":
		return "a label may not be empty"
	case len(label) > labelMax:
		return fmt.Sprintf("a label of %d bytes: expected at most %d", len(label), labelMax)
	case strings.HasPrefix(label, " ") || strings.HasPrefix(label, ".") || strings.HasPrefix(label, "<") || strings.HasSuffix(label, " "):
		return fmt.Sprintf("label %q begins or ends with what a #line name may not: expected a letter, a digit or _", label)
	}
	for _, r := range label {
		if !fitsLabel(r) {
			return fmt.Sprintf("label %q holds %q, which cannot stand in #line names, comments and strings alike", label, r)
		}
	}
	return ""
}

func fitsLabel(r rune) bool {
	if r < unicode.MaxASCII {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(inLabels, r)
	}
	return !unicode.In(r, unicode.C, unicode.Z) && r != unicode.ReplacementChar
}

// cString writes any text as a C string literal in ASCII.
func cString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '?':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// comment makes any text fit for a C comment of one line.
func comment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\\' || unicode.In(r, unicode.C, unicode.Z) { // what continues a line, breaks it or turns it round
			return ' '
		}
		return r
	}, s)
	return strings.ReplaceAll(strings.ReplaceAll(s, "/*", "/ *"), "*/", "* /") // in this order: /*/ holds both
}
