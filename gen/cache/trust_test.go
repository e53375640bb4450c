package cache

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhoseFilesAreRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, w *world, place string) string // gives what the miss names
	}{
		{"writable root", func(t *testing.T, w *world, place string) string { return chmod(t, filepath.Dir(w.store.dir), 0o777) }},
		{"sticky root", func(t *testing.T, w *world, place string) string {
			return chmod(t, filepath.Dir(w.store.dir), 0o777|os.ModeSticky)
		}},
		{"writable folder above", func(t *testing.T, w *world, place string) string {
			return chmod(t, filepath.Dir(filepath.Dir(w.store.dir)), 0o775)
		}},
		{"writable store", func(t *testing.T, w *world, place string) string { return chmod(t, w.store.dir, 0o775) }},
		{"writable kind", func(t *testing.T, w *world, place string) string {
			return chmod(t, filepath.Dir(filepath.Dir(place)), 0o757)
		}},
		{"writable shard", func(t *testing.T, w *world, place string) string { return chmod(t, filepath.Dir(place), 0o770) }},
		{"writable file", func(t *testing.T, w *world, place string) string { return chmod(t, place, 0o664) }},
		{"FIFO", func(t *testing.T, w *world, place string) string {
			require.NoError(t, os.Remove(place))
			require.NoError(t, syscall.Mkfifo(place, 0o600))
			return place
		}},
		{"link", func(t *testing.T, w *world, place string) string {
			require.NoError(t, os.Rename(place, place+"~"))
			require.NoError(t, os.Symlink(place+"~", place))
			return place
		}},
		{"folder", func(t *testing.T, w *world, place string) string {
			require.NoError(t, os.Remove(place))
			require.NoError(t, os.Mkdir(place, 0o755))
			return place
		}},
	} {
		for _, kind := range []string{"index", "entry", "module"} {
			w := newWorld(t)
			named := c.change(t, w, w.store.place(t, w.index, kind))
			s, err := Open(filepath.Dir(w.store.dir), nil, Machine{})
			if err == nil {
				_, err = s.Lookup(w.index)
			}
			require.True(t, IsMiss(err), "%s of %s: %v", c.name, kind, err)
			require.ErrorContains(t, err, named, c.name)
		}
	}
	w := newWorld(t)
	chmod(t, filepath.Dir(filepath.Dir(w.store.dir)), 0o777|os.ModeSticky)
	_, err := Open(filepath.Dir(w.store.dir), nil, Machine{})
	require.NoError(t, err, "above the root a sticky folder will do")
}

func chmod(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func TestFilesOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const stranger = 4711
	for _, below := range []string{"../..", "..", ".", "index", "index/*", "index/*/*", "entry", "entry/*/*", "module/*/*.so"} {
		w := newWorld(t)
		found, err := filepath.Glob(filepath.Join(w.store.dir, below))
		require.NoError(t, err)
		require.NoError(t, os.Chown(found[0], stranger, stranger))
		look := func(owners Owners) error {
			s, err := Open(filepath.Dir(w.store.dir), owners, Machine{})
			if err == nil {
				_, err = s.Lookup(w.index)
			}
			return err
		}
		require.ErrorContains(t, look(nil), found[0]+" belongs to uid 4711")
		require.NoError(t, look(Owners{stranger}))
		require.Error(t, look(Owners{stranger + 1}))
	}
}

// Where something of somebody else's is left in a cache that is ours again, nothing is published there.
func TestNothingIsPublishedIntoAFolderOfOthers(t *testing.T) {
	w := newWorld(t)
	chmod(t, filepath.Dir(w.entry), 0o777)
	err := w.store.Point(w.key, Pointer{Name: w.index})
	require.NoError(t, err)
	e := Entry{Key: w.key}
	_, err = w.store.Publish(e, []byte("module"), []byte("source"), nil)
	require.ErrorContains(t, err, filepath.Dir(w.entry)+" can be written by others (mode 0777)")
	require.True(t, IsMiss(err))
}
