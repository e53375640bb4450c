package lint

import (
	"cmp"
	"slices"
	"strings"

	"opweld/gen/ccode"
)

// Mended is a text after what could be mended in it with certainty.
type Mended struct {
	Op    string `json:"op"`
	Hook  string `json:"hook"`
	Old   string `json:"old"`
	New   string `json:"new"`
	Fixed []int  `json:"fixed"` // which of the findings in the old text are gone, by place
}

// edit replaces a piece of a text.
type edit struct {
	start, end int
	text       string
}

// chain is how many things may have to be mended before a finding is gone and nothing new has come.
const chain = 4

// Mend changes a text so that what Check finds in it is gone, where there is one way to do that. Each change is looked at again: it
// stays if its finding is gone and no other has come.
func Mend(f *Fragment) *Mended {
	m := &mender{*f}
	before := m.check(f.Text)
	text, found := f.Text, before
	for again := true; again; {
		again = false
		for i := range found {
			if changed, after, ok := m.without(text, found, i); ok {
				text, found, again = changed, after, true
				break
			}
		}
	}
	return &Mended{f.Op, f.Hook, f.Text, text, gone(before, found)}
}

// mender looks at versions of a text.
type mender struct{ f Fragment }

func (m *mender) check(text string) []Finding {
	f := m.f
	f.Text = text
	return look(&f, true)
}

// without gives the text without a finding, and what is found then: nothing that was not found before.
func (m *mender) without(text string, found []Finding, which int) (string, []Finding, bool) {
	allowed := tally(found)
	allowed[found[which].same()]--
	return m.either(text, &found[which], allowed, chain)
}

// either tries the ways in which a finding may be mended.
func (m *mender) either(text string, f *Finding, allowed map[string]int, depth int) (string, []Finding, bool) {
	for _, way := range f.ways {
		if result, after, ok := m.cleared(edited(text, way), allowed, depth-1); ok {
			return result, after, true
		}
	}
	return "", nil, false
}

// cleared mends what a change has brought, as far as that can be.
func (m *mender) cleared(text string, allowed map[string]int, depth int) (string, []Finding, bool) {
	found, seen := m.check(text), map[string]int{}
	for i := range found {
		key := found[i].same()
		if seen[key]++; seen[key] <= allowed[key] {
			continue
		}
		if depth == 0 {
			return "", nil, false
		}
		return m.either(text, &found[i], allowed, depth)
	}
	return text, found, true
}

// same is what a finding has in common with itself after the text round it was changed.
func (f *Finding) same() string { return f.Rule + " " + f.Message }

func tally(found []Finding) map[string]int {
	counts := map[string]int{}
	for i := range found {
		counts[found[i].same()]++
	}
	return counts
}

// gone are the findings that are not left.
func gone(before, left []Finding) []int {
	counts, fixed := tally(left), []int{}
	for i := len(before) - 1; i >= 0; i-- {
		if counts[before[i].same()]--; counts[before[i].same()] < 0 {
			fixed = append(fixed, i)
		}
	}
	slices.Sort(fixed)
	return fixed
}

func edited(text string, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(b.start, a.start) })
	for _, e := range edits {
		text = text[:e.start] + e.text + text[e.end:]
	}
	return text
}

// mends notes the ways in which a finding may be mended, the best first.
func (f *Finding) mends(ways ...[]edit) {
	if f == nil {
		return
	}
	for _, way := range ways {
		if len(way) > 0 {
			f.ways = append(f.ways, way)
		}
	}
}

// span is where a node stands in the text as the user wrote it.
func (u *unit) span(n *ccode.Node) (start, end int) {
	return u.expanded.original(n.Start), u.expanded.original(n.End)
}

// line is the line that a byte of the user's text stands in: where it begins and ends, and its blanks.
func (u *unit) line(at int) (start, end int, indent string) {
	start = strings.LastIndexByte(u.Text[:at], '\n') + 1
	end = len(u.Text)
	if next := strings.IndexByte(u.Text[at:], '\n'); next >= 0 {
		end = at + next
	}
	line := u.Text[start:end]
	return start, end, line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// statementOf is the statement that a node stands in.
func statementOf(n *ccode.Node) *ccode.Node {
	for ; n != nil; n = n.Parent {
		switch n.Kind {
		case "expression_statement", "declaration", "return_statement":
			return n
		}
	}
	return nil
}

// listed tells whether a statement is one of several, and not all that an if or a loop does.
func listed(n *ccode.Node) bool {
	return n.Parent != nil && slices.Contains([]string{"compound_statement", "case_statement", "translation_unit"}, n.Parent.Kind)
}

// before puts a statement before another.
func (u *unit) before(n *ccode.Node, text string) []edit {
	if n == nil || n.Parent == nil || n.Parent.Kind == "labeled_statement" {
		return nil
	}
	start, end := u.span(n)
	line, _, indent := u.line(start)
	switch {
	case !listed(n):
		return []edit{{start, start, "{ " + text + " "}, {end, end, " }"}}
	case strings.TrimSpace(u.Text[line:start]) == "":
		return []edit{{line, line, indent + text + "\n"}}
	}
	return []edit{{start, start, text + " "}}
}

// behind puts a statement behind another, in a line of its own where nothing but a comment follows.
func (u *unit) behind(n *ccode.Node, text string) []edit {
	if n == nil || !listed(n) {
		return nil
	}
	start, end := u.span(n)
	_, _, indent := u.line(start)
	_, stop, _ := u.line(end)
	if rest := strings.TrimSpace(ccode.Blank(u.Text[end:stop])); rest == "" {
		return []edit{{stop, stop, "\n" + indent + text}}
	}
	return []edit{{end, end, " " + text}}
}

// without takes a statement out, with its line where it stands there alone.
func (u *unit) without(n *ccode.Node) []edit {
	if n == nil || !listed(n) {
		return nil
	}
	start, end := u.span(n)
	line, stop, _ := u.line(start)
	if strings.TrimSpace(u.Text[line:start]) == "" && strings.TrimSpace(u.Text[end:stop]) == "" && stop < len(u.Text) {
		return []edit{{line, stop + 1, ""}}
	}
	return []edit{{start, end, ""}}
}

// instead writes something else for a node.
func (u *unit) instead(n *ccode.Node, text string) []edit {
	start, end := u.span(n)
	return []edit{{start, end, text}}
}
