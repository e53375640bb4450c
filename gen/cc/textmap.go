package cc

import (
	"strings"

	"opweld/gen/pattern"
)

// textMap finds the line of the rendered text that a diagnostic speaks of. Several kernels of one op share a #line
// name, so a place can stand for several lines.
type textMap struct {
	lines map[place][]string
	after map[place]string // the fragment before a line of the glue
}

type place struct {
	name string
	line int
}

var lineRE = pattern.New(`^\s*#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"`)

// newTextMap walks the text of a source file and its #line directives.
func newTextMap(source, text string) textMap {
	m := textMap{lines: map[place][]string{}, after: map[place]string{}}
	at, last := place{name: source, line: 1}, ""
	for _, line := range strings.Split(text, "\n") {
		if name, number, ok := marked(line); ok {
			at = place{name, number}
			continue
		}
		m.lines[at] = append(m.lines[at], line)
		if isFragment(at.name) {
			last = at.name
		} else {
			m.after[at] = last
		}
		at.line++
	}
	return m
}

// place sets the text of the diagnostics' lines. Among several candidates it takes the first that holds what the
// message quotes.
func (m textMap) place(ds []Diagnostic) {
	for i := range ds {
		d := &ds[i]
		at := place{d.File, d.Line}
		lines := m.lines[at]
		d.After = m.after[at]
		if len(lines) == 0 {
			continue
		}
		d.Text = lines[0]
		for _, line := range lines {
			if d.Column <= len(line)+1 && strings.Contains(line, quoted(d.Message)) {
				d.Text = line
				break
			}
		}
	}
}

var quotedRE = pattern.New(`'([A-Za-z_]\w*)'`)

// quoted is the first name that a message quotes; empty: none.
func quoted(message string) string {
	if m := quotedRE.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}
