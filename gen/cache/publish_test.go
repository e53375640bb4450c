package cache

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An open descriptor on the old file keeps the old bytes: a module that is mapped is never written over.
func TestPublishReplacesInsteadOfWritingInPlace(t *testing.T) {
	s := open(t, t.TempDir())
	rel := filepath.Join("module", "ab", "m.so")
	require.NoError(t, s.publish(rel, []byte("the old bytes, which are longer"), 0o777))
	old, err := os.Open(s.Path(rel))
	require.NoError(t, err)
	defer old.Close()
	require.NoError(t, s.publish(rel, []byte("the new bytes"), 0o777))
	kept, err := io.ReadAll(old)
	require.NoError(t, err)
	require.Equal(t, "the old bytes, which are longer", string(kept))
	now, err := os.ReadFile(s.Path(rel))
	require.NoError(t, err)
	require.Equal(t, "the new bytes", string(now))
}

func TestPublishReplacesWhateverLiesThere(t *testing.T) {
	s := open(t, t.TempDir())
	rel := filepath.Join("entry", "ab", "name")
	write(t, s.Path(filepath.Join(rel, "inside")), "a folder of that name")
	require.NoError(t, s.publish(rel, []byte("good"), 0o666))
	data, err := s.contents(rel)
	require.NoError(t, err)
	require.Equal(t, "good", string(data))
}

// TestOtherProcessPublishes is not a test: it is the process that TestPublishOrder looks into.
func TestOtherProcessPublishes(t *testing.T) {
	root := os.Getenv("OPWELD_TEST_PUBLISH_ROOT")
	if root == "" {
		t.Skip("run by TestPublishOrder")
	}
	s := open(t, root)
	_, remove, err := s.Private()
	require.NoError(t, err)
	defer remove()
	lines := []string{"opweld-key 2"}
	self, err := Stamp(os.Args[0])
	require.NoError(t, err)
	_, err = s.Publish(Entry{Key: Key(lines), KeyLines: lines, Files: []File{self}}, []byte("module"), []byte("source"), nil)
	require.NoError(t, err)
	require.NoError(t, s.Point(Key(lines), Pointer{Name: Key(nil)}))
}

var callRE = regexp.MustCompile(`(\w+)\((.*)$`)

// calls are the system calls of a kind, with the files they are for, by which a process publishes under root.
func calls(t *testing.T, kinds, root string) [][]string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not on this machine")
	}
	out := filepath.Join(t.TempDir(), "calls")
	cmd := exec.Command(strace, "-f", "-y", "-o", out, "-e", "trace="+kinds, os.Args[0], "-test.run=^TestOtherProcessPublishes$")
	cmd.Env = append(os.Environ(), "OPWELD_TEST_PUBLISH_ROOT="+root)
	said, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(said), "ptrace") {
		t.Skipf("processes may not be traced here: %s", said)
	}
	require.NoError(t, err, "%s", said)
	trace, err := os.ReadFile(out)
	require.NoError(t, err)
	var found [][]string
	for line := range strings.Lines(string(trace)) {
		if call := callRE.FindStringSubmatch(strings.TrimSpace(line)); call != nil && strings.Contains(call[2], root) {
			found = append(found, call)
		}
	}
	return found
}

// What is mapped is on the disk before its name is there: the system calls of a process that publishes, in their order, as
// SQLite's and cmd/go's authors test it. Every file comes by rename; a module after an fsync that no write follows.
func TestPublishOrder(t *testing.T) {
	root := t.TempDir()
	synced, published := map[string]bool{}, []string{}
	draftRE := regexp.MustCompile(regexp.QuoteMeta(root) + `/v2/tmp/file-\w+`)
	for _, call := range calls(t, "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,openat", root) {
		draft := draftRE.FindString(call[2])
		switch {
		case strings.Contains(call[1], "write"):
			require.NotEmpty(t, draft, "written in place: %s", call[0])
			synced[draft] = false
		case strings.Contains(call[1], "sync"):
			synced[draft] = true
		case strings.HasPrefix(call[1], "rename") && !strings.Contains(call[2], "/tmp/"+fresh):
			kind := strings.SplitN(strings.SplitN(call[2], draft, 2)[1], "/v2/", 2)[1]
			require.Equal(t, strings.Contains(kind, ".so"), synced[draft], "named before it is on the disk: %s", call[0])
			published = append(published, strings.SplitN(kind, "/", 2)[0])
		}
	}
	require.Equal(t, []string{"module", "module", "entry", "index"}, published)
}

// What is made in tmp/ is locked before it has a name by which who tidies takes it for a dead build's.
func TestDraftsAreLockedBeforeTheyAreNamed(t *testing.T) {
	root := t.TempDir()
	freshRE := regexp.MustCompile(regexp.QuoteMeta(root) + `/v2/tmp/` + fresh + `(?:file|build)-\w+`)
	locked, kinds := map[string]bool{}, []string{}
	for _, call := range calls(t, "flock,rename,renameat,renameat2,openat,mkdir,mkdirat", root) {
		made := freshRE.FindString(call[2])
		switch {
		case call[1] == "openat" && strings.Contains(call[2], "O_CREAT"), strings.HasPrefix(call[1], "mkdir") && strings.Contains(call[2], "/v2/tmp/"):
			require.NotEmpty(t, made, "there before it is locked: %s", call[0])
		case call[1] == "flock":
			locked[made] = true
		case strings.HasPrefix(call[1], "rename") && made != "":
			require.True(t, locked[made], "named before it is locked: %s", call[0])
			kinds = append(kinds, strings.SplitN(filepath.Base(made), "-", 3)[1])
		}
	}
	require.Equal(t, []string{"build", "file", "file", "file", "file"}, kinds)
}

// What has no name yet is left alone, since nobody can tell whose it is, until no build can be about to name it.
func TestTidyLeavesWhatIsNotNamedYet(t *testing.T) {
	s := open(t, t.TempDir())
	made := []string{"tmp/" + fresh + "build-x/opweld.c", "tmp/" + fresh + "file-x"}
	for _, rel := range made {
		write(t, s.Path(rel), "")
	}
	s.Tidy(time.Now())
	for _, rel := range made {
		require.FileExists(t, s.Path(rel))
	}
	s.Tidy(time.Now().Add(stale + time.Hour))
	left, err := os.ReadDir(s.Path("tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A draft is used once: what somebody clears away before it has a name is written again; one that nobody publishes goes.
func TestDraftsAreUsedOnceOrDropped(t *testing.T) {
	s := open(t, t.TempDir())
	left := func() (found []string) {
		found, err := filepath.Glob(s.Path(filepath.Join("tmp", "file-*")))
		require.NoError(t, err)
		return found
	}
	draft := s.Draft([]byte("module"), 0o777)
	_, err := draft.wait()
	require.NoError(t, err)
	require.Len(t, left(), 1)
	require.NoError(t, os.RemoveAll(s.Path("tmp")))
	lines := []string{"opweld-key 2"}
	_, err = s.Publish(Entry{Key: Key(lines), KeyLines: lines}, []byte("module"), []byte("source"), draft)
	require.NoError(t, err)
	modules, err := filepath.Glob(s.Path(filepath.Join("module", "*", "*.so")))
	require.NoError(t, err)
	require.Len(t, modules, 1)
	data, err := os.ReadFile(modules[0])
	require.NoError(t, err)
	require.Equal(t, "module", string(data))
	info, err := os.Stat(modules[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o777)&^(umask()|others), info.Mode().Perm())
	draft.Drop()
	require.Empty(t, left())

	other := s.Draft([]byte("other"), 0o777)
	_, err = other.wait()
	require.NoError(t, err)
	require.Len(t, left(), 1)
	other.Drop()
	other.Drop()
	require.Empty(t, left())
	held, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, fd := range held {
		if to, err := os.Readlink(fd); err == nil {
			require.NotContains(t, to, s.Path(filepath.Join("tmp", "file-")), "a draft is held open")
		}
	}
	(*Draft)(nil).Drop()
}
