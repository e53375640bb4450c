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
	blocks, states := len(r.live), 0
	for b, seen := range r.seen {
		require.NotZero(t, b.before)
		states += len(seen)
	}
	require.Greater(t, blocks, 150)
	require.Less(t, states, 5*blocks)
}

// BenchmarkCheck is the lint of it.
func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		Check(longFragment())
	}
}
