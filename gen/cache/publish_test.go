package cache

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	lines := []string{"opweld-key 2"}
	self, err := Stamp(os.Args[0])
	require.NoError(t, err)
	_, err = s.Publish(Entry{Key: Key(lines), KeyLines: lines, Files: []File{self}}, []byte("module"), []byte("source"))
	require.NoError(t, err)
	require.NoError(t, s.Point(Key(nil), Key(lines)))
}

var callRE = regexp.MustCompile(`(\w+)\((.*)$`)

// What is published is on the disk before its name is there: the system calls of a process that publishes, in their
// order, as SQLite's and cmd/go's authors test it. Every file comes by rename, after an fsync that no write follows.
func TestPublishOrder(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not on this machine")
	}
	root, out := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	cmd := exec.Command(strace, "-f", "-y", "-o", out, "-e", "trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,openat",
		os.Args[0], "-test.run=^TestOtherProcessPublishes$")
	cmd.Env = append(os.Environ(), "OPWELD_TEST_PUBLISH_ROOT="+root)
	said, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(said), "ptrace") {
		t.Skipf("processes may not be traced here: %s", said)
	}
	require.NoError(t, err, "%s", said)
	trace, err := os.Open(out)
	require.NoError(t, err)
	defer trace.Close()
	synced, published := map[string]bool{}, []string{}
	draftRE := regexp.MustCompile(regexp.QuoteMeta(root) + `/v2/tmp/file-\d+`)
	for lines := bufio.NewScanner(trace); lines.Scan(); {
		call := callRE.FindStringSubmatch(lines.Text())
		if call == nil || !strings.Contains(call[2], root) {
			continue
		}
		draft := draftRE.FindString(call[2])
		switch {
		case strings.Contains(call[1], "write"):
			require.NotEmpty(t, draft, "written in place: %s", call[0])
			synced[draft] = false
		case strings.Contains(call[1], "sync"):
			synced[draft] = true
		case strings.HasPrefix(call[1], "rename"):
			require.True(t, synced[draft], "named before it is on the disk: %s", call[0])
			kind := strings.SplitN(strings.SplitN(call[2], draft, 2)[1], "/v2/", 2)[1]
			published = append(published, strings.SplitN(kind, "/", 2)[0])
		}
	}
	require.Equal(t, []string{"module", "module", "entry", "index"}, published)
}
