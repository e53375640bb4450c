package build

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"opweld/gen/lint"
)

func TestAFragmentIsLookedAtOnceInAProcess(t *testing.T) {
	l := looked{found: map[[sha256.Size]byte][]lint.Finding{}}
	times := 0
	look := func(f *lint.Fragment) []lint.Finding {
		times++
		return []lint.Finding{{Op: f.Op, Message: f.Text}}
	}
	check := func(f lint.Fragment, want int) {
		t.Helper()
		found, err := l.check(&f, look)
		if err != nil || len(found) != 1 || found[0].Op != f.Op || found[0].Message != f.Text || times != want {
			t.Errorf("%+v: found %+v, %v, having looked %d times, want %d", f, found, err, times, want)
		}
	}
	f := lint.Fragment{Op: "one", Text: "x = y;", Support: []string{"int z;"}, Variables: []lint.Variable{{Name: "x"}}}
	check(f, 1)
	check(f, 1)
	other := f
	other.Support = []string{"int z, w;"} // what stands before it may say otherwise what it does
	check(other, 2)
	other.Op = "other"
	check(other, 3)
	other.Variables = []lint.Variable{{Name: "x", Output: true}}
	check(other, 4)
	check(f, 4)
	for i := range mostLooked {
		check(lint.Fragment{Text: fmt.Sprint(i)}, 5+i)
	}
	if len(l.found) > mostLooked {
		t.Errorf("%d fragments are known, %d at most", len(l.found), mostLooked)
	}
}
