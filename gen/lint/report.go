package lint

import (
	"fmt"
	"regexp"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/pattern"
)

// report notes a finding once; at is a place in the expanded text. It gives what it has noted, nil where it was noted before.
func (u *unit) report(rule Rule, at int, path []Step, format string, args ...any) *Finding {
	f := Finding{Rule: rule.ID, Severity: rule.Severity, Mend: rule.Mend, Message: u.shown(fmt.Sprintf(format, args...)), Path: append([]Step{}, path...)}
	f.Op, f.Hook = u.Op, u.Hook
	f.File, f.Line, f.Column, f.Source = u.place(at)
	f.At = u.lineOf(at)
	id := fmt.Sprintf("%s %s %d %d %s", f.Rule, f.File, f.Line, f.Column, f.Message)
	if len(path) > 0 { // two calls of one text are two
		id += fmt.Sprintf(" %s %d", path[0].File, path[0].Line)
	}
	if u.seen[id] {
		return nil
	}
	u.seen[id] = true
	u.found = append(u.found, f)
	return &u.found[len(u.found)-1]
}

// first tells whether a rule has not yet found anything at a place, of what comes from another.
func (u *unit) first(rule Rule, n, from *ccode.Node) bool {
	id := fmt.Sprintf("%s@%d", rule.ID, n.Start)
	if from != nil {
		id += fmt.Sprintf("<%d", from.Start)
	}
	known := u.seen[id]
	u.seen[id] = true
	return !known
}

// place is where a byte of the expanded text stands for the user.
func (u *unit) place(at int) (file string, line, column int, source string) {
	was := min(u.expanded.original(min(max(at, 0), len(u.expanded.text))), len(u.Text))
	start := strings.LastIndexByte(u.Text[:was], '\n') + 1
	source, _, _ = strings.Cut(u.Text[start:], "\n")
	file, line = ccode.Located(u.Text, strings.Count(u.Text[:was], "\n")+1, u.Name)
	return file, line, was - start + 1, source
}

// lineOf is the line of the text that the user wrote, whatever #line says.
func (u *unit) lineOf(at int) int {
	was := min(u.expanded.original(min(max(at, 0), len(u.expanded.text))), len(u.Text))
	return strings.Count(u.Text[:was], "\n") + 1
}

// step is a place as a part of a path.
func (u *unit) step(n *ccode.Node, text string) Step {
	file, line, _, source := u.place(n.Start)
	return Step{file, line, u.lineOf(n.Start), source, u.shown(text)}
}

// shown calls variables as a person does.
func (u *unit) shown(text string) string {
	for i := len(u.Variables) - 1; i >= 0; i-- {
		if v := u.Variables[i]; v.Shown != "" && v.Shown != v.Name {
			text = regexp.MustCompile(`\b`+regexp.QuoteMeta(v.Name)+`\b`).ReplaceAllLiteralString(text, v.Shown)
		}
	}
	return text
}

// told is an expression, in one line and not too long.
func told(n *ccode.Node) string {
	text := n.Text
	if strings.ContainsAny(text, "\n\t") || strings.Contains(text, "  ") {
		text = strings.Join(strings.Fields(text), " ")
	}
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "..."
	}
	return text
}

// allowed is a comment that keeps findings back: opweld-lint: off RULE, REASON.
var allowed = pattern.New(`opweld-lint:\s*off\s+([\w-]+(?:\s*,\s*[\w-]+)*)\s*[:(–-]+\s*(\S[^\n]*)`)

// suppress leaves out what a comment with a reason says of the line, or of the one below.
func (u *unit) suppress() {
	if !strings.Contains(u.Text, "opweld-lint") {
		return
	}
	lines := strings.Split(u.Text, "\n")
	kept := u.found[:0]
	for _, f := range u.found {
		if !u.excused(f, lines) {
			kept = append(kept, f)
		}
	}
	u.found = kept
}

func (u *unit) excused(f Finding, lines []string) bool {
	for i, line := range lines {
		m := allowed.FindStringSubmatch(line)
		if m == nil || strings.Trim(m[2], " */") == "" || !strings.Contains(" "+strings.ReplaceAll(m[1], ",", " ")+" ", " "+f.Rule+" ") {
			continue
		}
		for _, at := range []int{i + 1, i + 2} {
			if file, number := ccode.Located(u.Text, min(at, len(lines)), u.Name); file == f.File && number == f.Line {
				return true
			}
		}
	}
	return false
}
