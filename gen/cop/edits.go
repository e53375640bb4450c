package cop

import (
	"sort"
	"strings"

	"opweld/gen/ccode"
)

// edits are changes to a text at places of the text as it was; what is put in at one place stays in its order.
type edits []edit

type edit struct {
	start, end int
	text       string
}

func (e *edits) insert(at int, text string) { *e = append(*e, edit{at, at, text}) }

func (e *edits) replace(s ccode.Span, text string) { *e = append(*e, edit{s.Start, s.End, text}) }

func (e edits) apply(text string) string {
	sort.SliceStable(e, func(i, j int) bool { return e[i].start < e[j].start })
	var out strings.Builder
	at := 0
	for _, one := range e {
		out.WriteString(text[at:one.start])
		out.WriteString(one.text)
		at = one.end
	}
	return out.String() + text[at:]
}
