package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// settle waits until what was written is no longer fresh.
func settle() { time.Sleep(2 * tick) }

func TestWhatWasReadIsBelievedWhileItLooksTheSame(t *testing.T) {
	dir := t.TempDir()
	s, name := open(t, filepath.Join(dir, "root")), Key([]string{"reads"})
	one, two := filepath.Join(dir, "one.h"), filepath.Join(dir, "two.h")
	write(t, one, "1")
	write(t, two, "2")
	settle()
	require.Empty(t, s.Recall(name))

	first, err := Stamp(one)
	require.NoError(t, err)
	forged := first
	forged.SHA256 = Digest([]byte("forged")) // to see that the file is not read
	require.NoError(t, s.Remember(name, nil, []File{forged}))
	stamped.Delete(one) // as in the next process
	known := s.Recall(name)
	require.Equal(t, map[string]File{one: forged}, known)
	found, err := Stamp(one)
	require.NoError(t, err)
	require.Equal(t, forged, found)

	later := old.Add(time.Minute)
	require.NoError(t, os.Chtimes(one, later, later))
	settle()
	found, err = Stamp(one)
	require.NoError(t, err)
	require.Equal(t, first.SHA256, found.SHA256)

	second, err := Stamp(two)
	require.NoError(t, err)
	require.NoError(t, s.Remember(name, known, []File{found, second}))
	require.Equal(t, map[string]File{one: found, two: second}, s.Recall(name))
	require.NoError(t, s.Remember(name, s.Recall(name), []File{second})) // nothing of it is new
	require.Len(t, s.Recall(name), 2)
}

func TestWhatIsFreshOrDamagedIsNotRemembered(t *testing.T) {
	dir := t.TempDir()
	s, name := open(t, filepath.Join(dir, "root")), Key([]string{"reads"})
	path := filepath.Join(dir, "fresh.h")
	require.NoError(t, os.WriteFile(path, []byte("1"), 0o666))
	fresh, err := Stamp(path)
	require.NoError(t, err)
	require.Zero(t, fresh.MtimeNs)
	require.NoError(t, s.Remember(name, nil, []File{fresh}))
	require.NoFileExists(t, s.Path(filepath.Join("tools", name)))

	settle()
	known, err := Stamp(path)
	require.NoError(t, err)
	require.NoError(t, s.Remember(name, nil, []File{known}))
	require.NoError(t, os.WriteFile(s.Path(filepath.Join("tools", name)), []byte("{}"), 0o666))
	stamped.Delete(path)
	require.Empty(t, s.Recall(name))
}
