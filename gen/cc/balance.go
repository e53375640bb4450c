package cc

import (
	"strconv"
	"strings"

	"opweld/gen/pattern"
)

// region is what stands between two #line marks: a fragment, or a part of one.
type region struct {
	name  string
	start int // the number of its first line
	text  string
}

var (
	tokenRE       = pattern.New(`(?s)//(?:[^\n\\]|\\.)*|/\*.*?\*/|/\*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[{}]`)
	conditionalRE = pattern.New(`(?m)^[ \t]*#[ \t]*(?:if|el|endif|define)`)
)

// unclosed finds the first fragment that leaves a brace or a comment open, or closes a brace that it has not opened: what
// the compiler says of it is of a later line, often of the glue's. Whoever asks knows that the text does not compile, and
// what is said of which name; what macros and conditions may complete is not judged.
func unclosed(text, first string) (d Diagnostic, found bool) {
	for _, r := range regions(text) {
		offset, message := r.open()
		if message == "" || isFragment(first) && first != r.name {
			continue
		}
		before := r.text[:offset]
		line := strings.Count(before, "\n")
		d = Diagnostic{Severity: "error", File: r.name, Line: r.start + line, FragmentLine: r.start + line,
			Column: offset - strings.LastIndexByte(before, '\n'), Message: message, Text: strings.Split(r.text, "\n")[line]}
		d.Op, d.Hook = fragment(r.name)
		return d, true
	}
	return Diagnostic{}, false
}

// glue ends the name of what is written round a short form, whose braces stand in several pieces.
const glue = "/glue"

// regions splits a text at its #line marks, and keeps the fragments that are users'.
func regions(text string) []region {
	var found []region
	var lines []string
	at := region{}
	end := func() {
		if isFragment(at.name) && !strings.HasSuffix(at.name, glue) {
			at.text = strings.Join(lines, "\n")
			found = append(found, at)
		}
		lines = nil
	}
	for _, line := range strings.Split(text, "\n") {
		if name, number, ok := marked(line); ok {
			end()
			at = region{name: name, start: number}
			continue
		}
		lines = append(lines, line)
	}
	end()
	return found
}

// marked reads a #line mark.
func marked(line string) (name string, number int, ok bool) {
	m := lineRE.FindStringSubmatch(line)
	if m == nil {
		return "", 0, false
	}
	number, _ = strconv.Atoi(m[1])
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[2]), number, true
}

// open finds what a fragment leaves open, and where; no message: nothing.
func (r region) open() (offset int, message string) {
	var braces []int
	conditional := conditionalRE.MatchString(r.text)
	for _, at := range tokenRE.FindAllStringIndex(r.text, -1) {
		switch token := r.text[at[0]:at[1]]; {
		case token == "/*":
			return at[0], "this comment is never closed"
		case conditional:
		case token == "{":
			braces = append(braces, at[0])
		case token == "}" && len(braces) == 0:
			return at[0], "this } closes no brace of the fragment"
		case token == "}":
			braces = braces[:len(braces)-1]
		}
	}
	if len(braces) > 0 {
		return braces[len(braces)-1], "this { is never closed"
	}
	return 0, ""
}

// withUnclosed puts what a fragment leaves open in the place of what the compiler says of its consequences.
func withUnclosed(ds []Diagnostic, text string) []Diagnostic {
	first := First(ds)
	if first.Severity == "" || first.File == "" {
		return ds
	}
	if d, found := unclosed(text, first.File); found {
		return []Diagnostic{d}
	}
	return ds
}
