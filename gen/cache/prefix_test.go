package cache

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPrecompiledHeaderIsWholeOrAMiss(t *testing.T) {
	w := newWorld(t)
	f, err := Stamp(w.header)
	require.NoError(t, err)
	text, compiled := []byte("#include <x.h>\n"), []byte("compiled form")
	require.NoError(t, w.store.KeepPrefix(w.key, Prefix{Files: []File{f}}, text, compiled))
	path, kept, err := w.store.Prefix(w.key)
	require.NoError(t, err)
	require.Equal(t, []File{f}, kept.Files)
	for _, name := range []string{path, path + ".gch"} { // a byte of either is another one; the size is the same
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		whole[3] ^= 1
		require.NoError(t, os.WriteFile(name, whole, 0o600))
		_, _, err = w.store.Prefix(w.key)
		require.ErrorContains(t, err, "is damaged")
		require.True(t, IsMiss(err))
		whole[3] ^= 1
		require.NoError(t, os.WriteFile(name, whole, 0o600))
		_, _, err = w.store.Prefix(w.key)
		require.NoError(t, err)
	}
	write(t, w.header, "#define X 2\n")
	_, _, err = w.store.Prefix(w.key)
	require.True(t, IsMiss(err), "a header that it includes has changed: %v", err)
}
