package cache

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"opweld/gen/async"
)

// old is a time that no check takes for fresh.
var old = time.Now().Add(-time.Hour)

// world is a store with one entry over a header and a search path.
type world struct {
	store         *Store
	header        string
	early, late   string
	index, key    string
	module, entry string
}

// write makes a file that was last written an hour ago.
func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	require.NoError(t, os.Chtimes(path, old, old))
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{store: open(t, filepath.Join(dir, "root")), early: filepath.Join(dir, "early"), late: filepath.Join(dir, "late")}
	w.header = filepath.Join(w.late, "sub", "x.h")
	write(t, w.header, "#define X 1\n")
	require.NoError(t, os.MkdirAll(w.early, 0o777))
	lines := []string{"opweld-key 2", Line("text", "t")}
	w.key, w.index = Key(lines), Key([]string{"index"})
	f, err := Stamp(w.header)
	require.NoError(t, err)
	p := NewPlaces(time.Now())
	p.Include([]string{w.header}, []string{w.early, w.late})
	e, err := w.store.Publish(Entry{Key: w.key, Files: []File{f}, Absent: p.Group(), KeyLines: lines, Argv: []string{"cc"}},
		[]byte("module"), []byte("source"), nil)
	require.NoError(t, err)
	require.NoError(t, w.store.Point(w.key, Pointer{Name: w.index}))
	w.module, w.entry = w.store.Path(e.Module), w.store.Path(sharded("entry", w.key))
	return w
}

// reason looks up the entry and gives why it is a miss; empty: a hit.
func (w *world) reason(t *testing.T) string {
	t.Helper()
	e, err := w.store.Lookup(w.index)
	if err == nil {
		require.Equal(t, w.key, e.Key)
		return ""
	}
	require.True(t, IsMiss(err), "%v", err)
	return err.Error()
}

func TestPublishedEntryIsFound(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.reason(t))
	left, err := os.ReadDir(w.store.Path("tmp"))
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file stays")
}

func TestChangesAreMisses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, w *world)
		reason string // part of it; empty: still a hit
	}{
		{"header edited, same size and time", func(t *testing.T, w *world) { write(t, w.header, "#define X 2\n") }, "x.h has changed"},
		{"header edited, same size", func(t *testing.T, w *world) {
			require.NoError(t, os.WriteFile(w.header, []byte("#define X 2\n"), 0o666))
		}, "x.h has changed"},
		{"header longer", func(t *testing.T, w *world) { write(t, w.header, "#define X 100\n") }, "x.h has changed"},
		{"header gone", func(t *testing.T, w *world) { require.NoError(t, os.Remove(w.header)) }, "x.h cannot be read"},
		{"header touched", func(t *testing.T, w *world) {
			require.NoError(t, os.Chtimes(w.header, time.Now(), time.Now()))
		}, ""},
		{"header replaced by an equal one", func(t *testing.T, w *world) {
			require.NoError(t, os.Rename(w.header, w.header+"~"))
			write(t, w.header, "#define X 1\n")
		}, ""},
		{"header appears earlier", func(t *testing.T, w *world) {
			write(t, filepath.Join(w.early, "sub", "x.h"), "")
		}, "has appeared and comes first on the search path"},
		{"another file appears earlier", func(t *testing.T, w *world) { write(t, filepath.Join(w.early, "y.h"), "") }, ""},
		{"earlier folder gone", func(t *testing.T, w *world) { require.NoError(t, os.Remove(w.early)) }, ""},
		{"module cut", func(t *testing.T, w *world) { require.NoError(t, os.WriteFile(w.module, []byte("modu"), 0o777)) }, "is damaged"},
		{"module other", func(t *testing.T, w *world) { require.NoError(t, os.WriteFile(w.module, []byte("MODULE"), 0o777)) }, "is damaged"},
		{"module gone", func(t *testing.T, w *world) { require.NoError(t, os.Remove(w.module)) }, "no module/"},
		{"store gone", func(t *testing.T, w *world) { require.NoError(t, os.RemoveAll(w.store.dir)) }, "no index/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.change(t, w)
			if c.reason == "" {
				require.Empty(t, w.reason(t))
			} else {
				require.Contains(t, w.reason(t), c.reason)
			}
		})
	}
}

func TestDamageAtEveryOffsetIsAMiss(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{w.entry, w.store.Path(sharded("index", w.index)), w.module} {
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		for i := range whole {
			flipped := append([]byte{}, whole...)
			flipped[i] ^= 1 << (i % 8)
			require.NoError(t, os.WriteFile(path, flipped, 0o666))
			require.NotEmpty(t, w.reason(t), "%s, byte %d", path, i)
			require.NoError(t, os.WriteFile(path, whole[:i], 0o666))
			require.NotEmpty(t, w.reason(t), "%s, cut to %d", path, i)
		}
		require.NoError(t, os.WriteFile(path, whole, 0o666))
		require.Empty(t, w.reason(t))
	}
}

func TestSwappedEntriesAreAMiss(t *testing.T) {
	w := newWorld(t)
	other := Key([]string{"other"})
	data, err := os.ReadFile(w.entry)
	require.NoError(t, err)
	write(t, w.store.Path(sharded("entry", other)), string(data))
	_, err = w.store.Get(other)
	require.EqualError(t, err, "not in the cache: "+sharded("entry", other)+" is another's: it says it is "+sharded("entry", w.key))
}

func TestEntryMayNotLeadOutOfTheStore(t *testing.T) {
	w := newWorld(t)
	e, err := w.store.Get(w.key)
	require.NoError(t, err)
	e.Module = "module/" + w.key[:2] + "/" + w.key + "-/../../../../../evil.so"
	require.NoError(t, w.store.write(sharded("entry", w.key), e))
	require.Contains(t, w.reason(t), "is not a path of")
}

func TestStrangeNamesAreMisses(t *testing.T) {
	s := open(t, t.TempDir())
	for _, name := range []string{"", "..", strings.Repeat("g", 64), strings.Repeat("a", 63)} {
		_, err := s.Lookup(name)
		require.True(t, IsMiss(err), "%q: %v", name, err)
	}
}

func TestFreshFileIsHashedAtEachCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.h")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o666))
	f, err := Stamp(path)
	require.NoError(t, err)
	require.Zero(t, f.MtimeNs, "a second write within the clock's tick would not show")
	require.NoError(t, f.Check())
	require.False(t, Settled(path, time.Now()))
	require.True(t, Settled(path, time.Now().Add(time.Minute)))
}

func TestATimeThatWasSetBackIsNoRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.h")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o666))
	require.NoError(t, os.Chtimes(path, old, old))
	require.False(t, Settled(path, time.Now()), "written now, whatever its time of modification says")
}

func TestRepublishLeavesTheMappedModuleAlone(t *testing.T) {
	w := newWorld(t)
	before, err := os.Stat(w.module)
	require.NoError(t, err)
	e, err := w.store.Get(w.key)
	require.NoError(t, err)
	_, err = w.store.Publish(*e, []byte("module"), []byte("source"), nil)
	require.NoError(t, err)
	after, err := os.Stat(w.module)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
}

func TestLineKeepsListsApart(t *testing.T) {
	require.Equal(t, `argv a\nargv b`, Line("argv", "a\nargv b"))
	require.Equal(t, `argv a\\n`, Line("argv", `a\n`))
	require.NotEqual(t, Key([]string{Line("a", "b\nc")}), Key([]string{"a b", "c"}))
}

func TestToolIsKeptWhileItsFilesAre(t *testing.T) {
	w := newWorld(t)
	time.Sleep(2 * tick) // until its times tell
	f, err := Stamp(w.header)
	require.NoError(t, err)
	name := Key([]string{"gcc"})
	require.NoError(t, w.store.KeepTool(name, map[string]string{"family": "gcc"}, &Basis{Files: []File{f}}))
	var got map[string]string
	basis, err := w.store.Tool(name, &got)
	require.NoError(t, err)
	require.Equal(t, []File{f}, basis.Files)
	require.Equal(t, "gcc", got["family"])
	later := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(w.header, later, later))
	time.Sleep(2 * tick)
	basis, err = w.store.Tool(name, &got)
	require.NoError(t, err)
	require.Equal(t, later.UnixNano(), basis.Files[0].MtimeNs, "of other times, the same file")
	stored, err := os.ReadFile(w.store.Path("tools/" + name))
	require.NoError(t, err)
	require.Contains(t, string(stored), strconv.FormatInt(later.UnixNano(), 10), "which are known from now on")
	write(t, w.header, "another compiler")
	_, err = w.store.Tool(name, &got)
	require.True(t, IsMiss(err))
}

func TestTidyRemovesWhatNobodyHolds(t *testing.T) {
	s := open(t, t.TempDir())
	running, remove, err := s.Private()
	require.NoError(t, err)
	unlock, err := s.Lock(t.Context(), lockKey, 0, nil)
	require.NoError(t, err)
	write(t, s.Path("tmp/build-dead/opweld.c"), "")
	write(t, s.Path("tmp/file-dead"), "")
	write(t, s.Path("lock/dead"), "")
	write(t, s.Path("tmp/other/mine"), "")
	require.NoError(t, syscall.Mkfifo(s.Path("tmp/file-fifo"), 0o666))
	s.Tidy(time.Now())
	for _, gone := range []string{"tmp/build-dead", "tmp/file-dead", "lock/dead"} {
		require.NoFileExists(t, s.Path(gone))
		require.NoDirExists(t, s.Path(gone))
	}
	require.DirExists(t, running)
	require.FileExists(t, s.Path("lock/"+lockKey))
	require.FileExists(t, s.Path("tmp/other/mine"))
	unlock()
	remove()
	require.NoDirExists(t, running)
}

// Files that are on their way, and folders that were just made, are never taken for a dead build's.
func TestTidyBesidePublishing(t *testing.T) {
	s := open(t, t.TempDir())
	stop := make(chan struct{})
	tidying := async.Go(func() error {
		for {
			select {
			case <-stop:
				return nil
			default:
				s.Tidy(time.Now())
			}
		}
	})
	for range 40 {
		require.NoError(t, s.publish("log/x", []byte("text"), 0o666))
		dir, remove, err := s.Private()
		require.NoError(t, err)
		write(t, filepath.Join(dir, "opweld.c"), "")
		remove()
	}
	close(stop)
	require.NoError(t, tidying())
}

// Each of what a check compares without reading is enough to make it read.
func TestEachOfAFilesMarksIsCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.h")
	write(t, path, "one")
	now, err := stat(path)
	require.NoError(t, err)
	same := File{Path: path, Size: now.size, MtimeNs: now.mtime, CtimeNs: now.ctime, Inode: now.inode, SHA256: Digest([]byte("two"))}
	require.NoError(t, same.Check(), "nothing tells that it was written")
	for name, change := range map[string]func(f *File){
		"size":  func(f *File) { f.Size++ },
		"mtime": func(f *File) { f.MtimeNs++ },
		"ctime": func(f *File) { f.CtimeNs++ },
		"inode": func(f *File) { f.Inode++ },
	} {
		f := same
		change(&f)
		require.ErrorContains(t, f.Check(), "has changed", name)
	}
	folder := Absent{Folder: filepath.Dir(path), Paths: []string{"x.h"}}
	in, err := stat(folder.Folder)
	require.NoError(t, err)
	folder.MtimeNs, folder.CtimeNs, folder.Inode = in.mtime, in.ctime, in.inode
	require.NoError(t, folder.Check())
	for name, change := range map[string]func(a *Absent){
		"mtime": func(a *Absent) { a.MtimeNs++ },
		"ctime": func(a *Absent) { a.CtimeNs++ },
		"inode": func(a *Absent) { a.Inode++ },
	} {
		a := folder
		change(&a)
		require.ErrorContains(t, a.Check(), "has appeared", name)
	}
}

func TestProgramsOnPath(t *testing.T) {
	dir := t.TempDir()
	place := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		write(t, path, "")
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	late, plain := place("late/as", 0o755), place("plain/as", 0o644)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder", "as"), 0o755))
	search := strings.Join([]string{"", "relative", filepath.Join(dir, "never"), filepath.Dir(plain), filepath.Join(dir, "folder"), filepath.Dir(late)}, ":")
	require.NoError(t, Found{"as", late}.Check(search))
	require.NoError(t, Found{"as", late}.Check("/nowhere"))
	require.NoError(t, Found{"as", late}.Check(""))
	first := place("early/as", 0o755)
	require.EqualError(t, Found{"as", late}.Check(filepath.Dir(first)+":"+search), "not in the cache: "+first+" comes before "+late+" on PATH")
}

func TestProgramsThatAreGoneHold(t *testing.T) {
	w := newWorld(t)
	e, err := w.store.Get(w.key)
	require.NoError(t, err)
	tool, err := Stamp(w.header)
	require.NoError(t, err)
	tool.Path += ".gone"
	e.Tools = []File{tool}
	require.NoError(t, w.store.write(sharded("entry", w.key), e))
	require.Empty(t, w.reason(t))
	write(t, tool.Path, "another")
	require.Contains(t, w.reason(t), "x.h.gone has changed")
}

// A file that was stamped is not read again while it looks the same; one that was written to is, whatever its times say.
func TestStampRemembersWhatLooksTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.h")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, old, old))
	time.Sleep(2 * tick) // settled
	first, err := Stamp(path)
	require.NoError(t, err)
	require.NotZero(t, first.MtimeNs)
	known, ok := stamped.Load(path)
	require.True(t, ok)
	require.Equal(t, first, known)
	stamped.Store(path, File{Path: path, Size: first.Size, MtimeNs: first.MtimeNs, CtimeNs: first.CtimeNs, Inode: first.Inode, SHA256: "kept"})
	again, err := Stamp(path)
	require.NoError(t, err)
	require.Equal(t, "kept", again.SHA256, "it was read again")
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o600))
	require.NoError(t, os.Chtimes(path, old, old)) // size and times as they were
	second, err := Stamp(path)
	require.NoError(t, err)
	require.Equal(t, Digest([]byte("two")), second.SHA256)
}
