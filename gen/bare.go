package gen

import (
	"slices"
	"strings"

	"opweld/gen/pattern"
)

// What a unit of the engine's alone calls is told from its text: whatever is not known to be the engine's, or C's own, may be libc's.

// bare tells whether loops and helpers call nothing of libc's. Those that fold are not looked at.
func (v *View) bare() bool {
	if slices.ContainsFunc(v.Helpers, asksLibc) {
		return false
	}
	for _, l := range v.Table {
		if l.Fold != nil || slices.ContainsFunc(l.Lines, LineView.asksLibc) {
			return false
		}
		if l.Staged != nil && slices.ContainsFunc(l.Staged.Written, PieceView.asksLibc) {
			return false
		}
	}
	return true
}

// asksLibc tells whether a user's code is among what a piece does, or something that may be libc's.
func (p PieceView) asksLibc() bool {
	return slices.ContainsFunc(p.Held, asksLibc) || slices.ContainsFunc(p.Lines, LineView.asksLibc)
}

func (l LineView) asksLibc() bool { return l.Code != nil || asksLibc(l.Text) }

// wordRE finds what is called, and what may be a macro's name.
var wordRE = pattern.New(`\b(\w+)\(|\b[A-Z][A-Z0-9_]+\b`)

// asksLibc tells whether a text of the engine's has a name that may be libc's.
func asksLibc(text string) bool {
	for _, m := range wordRE.FindAllStringSubmatch(text, -1) {
		ours := func(prefix string) bool { return strings.HasPrefix(m[0], prefix) }
		if !slices.ContainsFunc([]string{"opw_", "OPW_", "npy_", "__builtin_"}, ours) && !slices.Contains(ownWords, m[1]) {
			return true
		}
	}
	return false
}

// ownWords are those before a parenthesis that every unit knows.
var ownWords = []string{"if", "for", "while", "switch", "return", "sizeof", "memcpy"}
