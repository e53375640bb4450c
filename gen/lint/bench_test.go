package lint

import (
	_ "embed"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/long.c
var long string

// longFragment is one of 200 lines, which is right: every path is followed to its end.
func longFragment() *Fragment {
	return &Fragment{Name: "long.c", Text: long, Fail: fail, Label: "opw_fail", Variables: given()}
}

// States differ in what is still asked for, and in nothing else: a long fragment has few at each place.
func TestStatesAreFew(t *testing.T) {
	require.Empty(t, Check(longFragment()))
	u, tree, _ := read(longFragment())
	defer u.read.Close()
	r := newRun(u, tree, nil)
	r.follow()
	blocks := map[*block]bool{}
	var reach func(b *block)
	reach = func(b *block) {
		if b == nil || blocks[b] {
			return
		}
		blocks[b] = true
		require.NotZero(t, b.before)
		for _, next := range b.next {
			reach(next)
		}
	}
	reach(r.start)
	require.Greater(t, len(blocks), 150)
	require.Less(t, len(r.seen), 5*len(blocks))
}

// BenchmarkCheck is the lint of it.
func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		Check(longFragment())
	}
}
