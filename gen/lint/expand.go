package lint

import (
	"sort"
	"strings"

	"opweld/gen/pattern"
)

// expansion is a text with its macros of one word written out, and where each byte came from.
type expansion struct {
	text string
	from []origin // ascending
}

// origin says that what stands from one place on stood at another. A word that replaces another stands where that stood.
type origin struct {
	at, was int
	fixed   bool
}

var (
	defining   = pattern.New(`^[ \t]*#[ \t]*(define|undef)[ \t]+([A-Za-z_]\w*)(\([^)]*\))?[ \t]*(.*?)[ \t\r]*$`)
	wording    = pattern.New(`//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\b[A-Za-z_]\w*\b(?:\s*\(\s*\w+\s*\))?`)
	calling    = pattern.New(`^(\w+)\s*\(\s*(\w+)\s*\)$`)
	directives = pattern.New(`^[ \t]*#`)
)

// widths are the macros for formats that stand between strings.
var widths = map[string]string{"NPY_INTP_FMT": `"ld"`, "NPY_UINTP_FMT": `"lu"`, "NPY_INT64_FMT": `"ld"`, "NPY_UINT64_FMT": `"lu"`,
	"PRId64": `"ld"`, "PRIu64": `"lu"`, "PRIdPTR": `"ld"`, "PY_FORMAT_SIZE_T": `"z"`}

// expand writes out the macros that a text defines for one word, such as INPUT_0 and FAIL, and APPLY_SPECIFIC; others are not
// known.
func expand(text, fail string) *expansion {
	e := &expansion{}
	macros := map[string]string{"FAIL": fail}
	for name, text := range widths {
		macros[name] = text
	}
	if fail == "" {
		delete(macros, "FAIL")
	}
	var out strings.Builder
	was := 0
	copied := func(piece string) {
		e.from = append(e.from, origin{out.Len(), was, false})
		out.WriteString(piece)
		was += len(piece)
	}
	for line := range strings.SplitAfterSeq(text, "\n") {
		if !speaks(line, macros) {
			copied(line)
			continue
		}
		if m := defining.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && !strings.HasSuffix(m[4], "\\") && m[3] == "" {
			if m[1] == "undef" {
				delete(macros, m[2])
			} else {
				macros[m[2]] = m[4]
			}
			copied(blanked(line))
			continue
		}
		if directives.MatchString(line) {
			copied(line)
			continue
		}
		last := 0
		for _, at := range wording.FindAllStringIndex(line, -1) {
			word := line[at[0]:at[1]]
			instead, replaced := replacement(word, macros)
			if !replaced {
				continue
			}
			copied(line[last:at[0]])
			e.from = append(e.from, origin{out.Len(), was, true})
			out.WriteString(instead)
			was += len(word)
			last = at[1]
		}
		copied(line[last:])
	}
	e.text = out.String()
	return e
}

// speaks tells whether a line may have a macro, or define one.
func speaks(line string, macros map[string]string) bool {
	if strings.Contains(line, "#") || strings.Contains(line, "APPLY_SPECIFIC") {
		return true
	}
	for name := range macros {
		if strings.Contains(line, name) {
			return true
		}
	}
	return false
}

// replacement is what a word becomes.
func replacement(word string, macros map[string]string) (string, bool) {
	if m := calling.FindStringSubmatch(word); m != nil {
		if m[1] == "APPLY_SPECIFIC" {
			return m[2] + "_apply", true
		}
		first, known := macros[m[1]]
		second, other := macros[m[2]]
		if !known && !other {
			return "", false
		}
		if !known {
			first = m[1]
		}
		if !other {
			second = m[2]
		}
		return first + "(" + second + ")", true
	}
	instead, known := macros[word]
	for range 4 { // a macro of a macro's
		again, more := macros[instead]
		if !more || again == instead {
			break
		}
		instead = again
	}
	return instead, known
}

func blanked(line string) string {
	return strings.Repeat(" ", len(strings.TrimSuffix(line, "\n"))) + line[len(strings.TrimSuffix(line, "\n")):]
}

// original is where a byte of the expanded text stood.
func (e *expansion) original(at int) int {
	i := sort.Search(len(e.from), func(i int) bool { return e.from[i].at > at }) - 1
	if i < 0 {
		return at
	}
	if e.from[i].fixed {
		return e.from[i].was
	}
	return e.from[i].was + at - e.from[i].at
}

// offsetOf is where a line begins, which is counted from 1.
func offsetOf(text string, line int) int {
	at := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	return at
}
