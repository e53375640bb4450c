package cc

import (
	"fmt"
	"strings"
)

// shownText is how much of a long line is shown; lines of expanded fragments can be very long.
const shownText = 160

// Map turns the #line names of diagnostics into the user's files and lines. A name without a source keeps its name.
func Map(ds []Diagnostic, sources map[string]Source) []Diagnostic {
	mapped := make([]Diagnostic, len(ds))
	for i, d := range ds {
		if s, ok := sources[d.After]; ok {
			d.After += fmt.Sprintf(", %s:%d", s.File, s.Line)
		}
		if s, ok := sources[d.File]; ok {
			d.File, d.Exact = s.File, s.Exact
			if s.Exact {
				d.Line += s.Line - 1
			} else {
				d.Line = s.Line
			}
		} else if !isFragment(d.File) && d.File != "" {
			d.Exact = true
		}
		mapped[i] = d
	}
	return mapped
}

// Message tells a person what the compiler refused, in at most 12 lines: who, where, the compiler's one line, the
// line of the text with a caret, how much more there is, and where the whole output lies.
func Message(ds []Diagnostic, log string) string {
	first, others := First(ds), -1
	for _, d := range ds {
		if d.Severity == "error" { // warnings of a text that does not compile are mostly the errors' doing
			others++
		}
	}
	lines := []string{first.heading(), "  " + cut(first.Message, 4*shownText)}
	lines = append(lines, first.excerpt()...)
	if first.Hint != "" {
		lines = append(lines, "  "+first.Hint)
	}
	switch {
	case others == 1:
		lines = append(lines, "and 1 further error")
	case others > 1:
		lines = append(lines, fmt.Sprintf("and %d further errors", others))
	}
	if log != "" {
		lines = append(lines, "the whole output: "+log)
	}
	return strings.Join(lines, "\n")
}

// First is the error that Message speaks of.
func First(ds []Diagnostic) Diagnostic {
	for _, d := range ds {
		if d.Severity == "error" {
			return d
		}
	}
	return Diagnostic{}
}

// heading says whose text it is and where it lies.
func (d Diagnostic) heading() string {
	who := d.Op
	if d.Hook != "" {
		who += "." + d.Hook
	}
	switch {
	case d.Op == "" && d.File == "":
		return "the module does not build:"
	case d.Op == "" && d.After != "":
		return fmt.Sprintf("the glue does not compile after %s: is a brace or a comment left open there? (%s:%d)", d.After, d.File, d.Line)
	case d.Op == "":
		return fmt.Sprintf("the glue does not compile: %s:%d", d.File, d.Line)
	case d.FragmentLine != 0 && strings.HasPrefix(d.File, "/") && d.Text == "" && d.Exact:
		return fmt.Sprintf("%s does not compile: %s:%d (included by line %d of the fragment)", who, d.File, d.Line, d.FragmentLine)
	case d.Exact:
		return fmt.Sprintf("%s does not compile: %s:%d:%d", who, d.File, d.Line, d.Column)
	case d.File == who:
		return fmt.Sprintf("%s does not compile: line %d of the fragment", who, d.FragmentLine)
	}
	return fmt.Sprintf("%s does not compile: %s:%d (line %d of the fragment)", who, d.File, d.Line, d.FragmentLine)
}

// excerpt is the line of the text with a caret below it. Tabs become one blank, so that the caret stands right
// whatever shows them.
func (d Diagnostic) excerpt() []string {
	text := strings.TrimRight(strings.ReplaceAll(d.Text, "\t", " "), " \r")
	if text == "" {
		return nil
	}
	column := min(max(d.Column-1, 0), len(text))
	lead := text[:column]
	if start := column - shownText/2; start > 0 && len(text) > shownText {
		text, lead = "…"+strings.ToValidUTF8(text[start:], ""), "…"+strings.ToValidUTF8(lead[start:], "")
	}
	number := fmt.Sprintf("  %4d | ", max(d.FragmentLine, d.numberOfGlue()))
	lines := []string{number + cut(text, shownText)}
	if d.Column > 0 {
		blank := strings.Repeat(" ", len([]rune(lead)))
		lines = append(lines, strings.Repeat(" ", len(number)-2)+"| "+blank+"^")
	}
	return lines
}

// numberOfGlue is the line's number where it is not a fragment's.
func (d Diagnostic) numberOfGlue() int {
	if d.Op == "" {
		return d.Line
	}
	return 0
}

// cut shortens s to about n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
