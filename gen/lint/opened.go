package lint

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/pattern"
)

var (
	asking   = pattern.New(`^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(.*?)[ \t\r]*$`)
	plusplus = pattern.New(`^(?:__cplusplus|defined[ \t]*\(?[ \t]*__cplusplus[ \t]*\)?)$`)
	macro    = pattern.New(`^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\(([^)]*)\)`)
	spliced  = pattern.New(`\\[ \t\r]*\n`)
	pasted   = pattern.New(`[ \t]*##[ \t]*`)
	// functions are what a macro defines or declares: two words or more before a parenthesis, and it ends as they do.
	functions = pattern.New(`^(?:[A-Za-z_]\w*(?:\(\([\w, ]*\)\))?[\s*]+)+[A-Za-z_]\w*\s*\((?s:.*)[};]$`)
	statement = pattern.New(`^(?:case|do|else|for|goto|if|return|switch|typedef|while)\b`)
)

// opened is a text at file scope as the grammar follows it, in as many bytes but for a last line's end: of what asks for C++
// one branch, and of a macro that defines functions these, with the parameters for names, in place of each use. inside are
// such macros: what stands there cannot be mended like other text.
func opened(text string, cxx bool) (result string, inside [][2]int) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if !strings.Contains(text, "#") {
		return text, nil
	}
	o := &opening{code: []byte(text), seen: []byte(ccode.Blank(text))}
	o.branches(cxx)
	o.macros()
	return string(o.code), o.inside
}

// opening is a text, and what of it is no comment and no literal; both are blanked alike.
type opening struct {
	code, seen []byte
	inside     [][2]int
}

func (o *opening) blank(from, to int) {
	for _, text := range [][]byte{o.code, o.seen} {
		for i := from; i < to; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
}

// branches leaves out what is for the other language, and the lines that ask for it.
func (o *opening) branches(cxx bool) {
	type branch struct{ ours, left bool } // whether it asks for C++, and is left out
	var open []branch
	for at := 0; at < len(o.seen); {
		end := at + bytes.IndexByte(o.seen[at:], '\n') + 1
		out := slices.ContainsFunc(open, func(b branch) bool { return b.left })
		if m := asking.FindSubmatch(o.seen[at : end-1]); m != nil {
			word := string(m[1])
			switch last := len(open) - 1; {
			case strings.HasPrefix(word, "if"):
				ours := plusplus.Match(m[2])
				open = append(open, branch{ours, ours && cxx == (word == "ifndef")})
				out = out || ours
			case last < 0:
			case word == "endif":
				out = out || open[last].ours
				open = open[:last]
			case open[last].ours && word == "else":
				open[last].left = !open[last].left
				out = true
			}
		}
		if out {
			o.blank(at, end)
		}
		at = end
	}
}

// macros opens those that define functions, and leaves out where they are used.
func (o *opening) macros() {
	var names []string
	for at := 0; at < len(o.seen); {
		end := o.lineEnd(at)
		m := macro.FindSubmatchIndex(o.seen[at:end])
		if m == nil {
			at = end
			continue
		}
		body := spliced.ReplaceAllString(string(o.seen[at+m[1]:end]), "\n")
		body = strings.TrimSpace(pasted.ReplaceAllString(body, "__"))
		if functions.MatchString(body) && !statement.MatchString(body) || o.onlyUses(body, names) {
			names = append(names, string(o.seen[at+m[2]:at+m[3]]))
			o.open(at, at+m[1], end)
		}
		at = end
	}
	if len(names) == 0 {
		return
	}
	uses := regexp.MustCompile(`(?m)^[ \t]*(?:` + strings.Join(names, "|") + `)[ \t]*\([\w \t,]*\)[ \t]*;?[ \t]*$`)
	for _, at := range uses.FindAllIndex(o.seen, -1) {
		o.blank(at[0], at[1])
	}
}

// onlyUses tells whether a macro begins with the use of one that defines functions.
func (o *opening) onlyUses(body string, names []string) bool {
	name, _, called := strings.Cut(body, "(")
	return called && slices.Contains(names, strings.TrimSpace(name))
}

// open writes out a macro whose body begins at a place.
func (o *opening) open(at, body, end int) {
	o.inside = append(o.inside, [2]int{at, end})
	o.blank(at, body)
	for _, text := range [][]byte{o.code, o.seen} {
		piece := text[body:end]
		for _, m := range spliced.FindAllIndex(piece, -1) {
			piece[m[0]] = ' '
		}
		for _, m := range pasted.FindAllIndex(piece, -1) {
			copy(piece[m[0]:m[1]], strings.Repeat("_", m[1]-m[0]))
		}
	}
}

// lineEnd is where a line ends, with those that go on with it.
func (o *opening) lineEnd(at int) int {
	for {
		end := at + bytes.IndexByte(o.seen[at:], '\n') + 1
		if line := bytes.TrimRight(o.seen[at:end], " \t\r\n"); !bytes.HasSuffix(line, []byte(`\`)) || end == len(o.seen) {
			return end
		}
		at = end
	}
}

// touches tells whether a change of a text changes a macro that was opened.
func touches(way []edit, inside [][2]int) bool {
	return slices.ContainsFunc(way, func(e edit) bool {
		return slices.ContainsFunc(inside, func(m [2]int) bool { return e.start < m[1] && e.end >= m[0] })
	})
}
