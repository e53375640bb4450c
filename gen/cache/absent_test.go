package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// group gives the places as folder -> paths.
func group(p *Places) map[string][]string {
	found := map[string][]string{}
	for _, a := range p.Group() {
		found[a.Folder] = a.Paths
	}
	return found
}

func TestIncludePlaces(t *testing.T) {
	d := t.TempDir()
	a, b, c := filepath.Join(d, "a"), filepath.Join(d, "b"), filepath.Join(d, "b", "c")
	write(t, filepath.Join(c, "sub", "x.h"), "")
	write(t, filepath.Join(a, "sub", "other.h"), "")
	p := NewPlaces(time.Now())
	p.Include([]string{filepath.Join(c, "sub", "x.h")}, []string{a, filepath.Join(d, "none"), b, c})
	require.Equal(t, map[string][]string{
		filepath.Join(a, "sub"): {"x.h"},  // sub/x.h, there is a folder sub
		a:                       {"c"},    // c/sub/x.h, as found under b: nothing of it is there
		d:                       {"none"}, // a search folder that does not exist
		b:                       {"sub"},  // sub/x.h, as found under b/c
	}, group(p))
}

func TestLinkPlaces(t *testing.T) {
	d := t.TempDir()
	early, late := filepath.Join(d, "early"), filepath.Join(d, "late")
	require.NoError(t, os.MkdirAll(early, 0o777))
	archive := filepath.Join(late, "libfoo.a")
	write(t, archive, "")
	p := NewPlaces(time.Now())
	p.Link([]string{archive, "/lib/crti.o"}, []string{early, late})
	require.Equal(t, map[string][]string{early: {"libfoo.a", "libfoo.so"}, late: {"libfoo.so"}}, group(p))
}

func TestPlaceThatFillsDuringTheBuildIsSeen(t *testing.T) {
	d := t.TempDir()
	start := time.Now()
	early, late := filepath.Join(d, "early", "x.h"), filepath.Join(d, "late", "x.h")
	write(t, late, "")
	write(t, early, "")
	require.NoError(t, os.WriteFile(early, []byte("appeared after the compiler had looked"), 0o666))
	p := NewPlaces(start)
	p.Include([]string{late}, []string{filepath.Dir(early), filepath.Dir(late)})
	require.True(t, p.Appeared)
}

func TestFreshFolderHasNoTime(t *testing.T) {
	d := t.TempDir()
	p := NewPlaces(time.Now())
	p.Add(filepath.Join(d, "x.h"))
	require.Zero(t, p.Group()[0].MtimeNs)
	require.NoError(t, os.Chtimes(d, old, old))
	p = NewPlaces(time.Now().Add(time.Minute))
	p.Add(filepath.Join(d, "x.h"))
	require.Equal(t, old.UnixNano(), p.Group()[0].MtimeNs)
}

func TestFolderThatAppearsAfterTheLookIsSeen(t *testing.T) {
	d := t.TempDir()
	place := filepath.Join(d, "later", "sub", "x.h")
	p := NewPlaces(time.Now().Add(-time.Minute))
	p.Add(place)
	write(t, place, "")
	for _, a := range p.Group() {
		require.Error(t, a.Check())
	}
}
