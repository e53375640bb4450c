package ccode

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is a comment, a literal and a word, written as patterns: the scanners must find the same, which are quicker.
var (
	ignoredPattern = regexp.MustCompile(`(?s)//(?:[^\n\\]|\\.)*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`)
	wordPattern    = regexp.MustCompile(`\b[A-Za-z_]\w*\b`)
)

func TestScannersFindWhatThePatternsFind(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"/", "*", "//", "/*", "*/", `"`, "'", "\\", "\n", "a", "_b2", "1", "1x", " ", "é", "#"}
	for range 20000 {
		var b strings.Builder
		for range random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		var want [][2]int
		for _, at := range ignoredPattern.FindAllStringIndex(text, -1) {
			want = append(want, [2]int{at[0], at[1]})
		}
		require.Equal(t, want, ignored(text), "%q", text)
		starts := []int{}
		for _, at := range wordPattern.FindAllStringIndex(text, -1) {
			starts = append(starts, at[0])
		}
		require.Equal(t, starts, append([]int{}, slices.Sorted(maps.Keys(maps.Collect(words(text))))...), "%q", text)
	}
}
