package cache

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var lockKey = strings.Repeat("ab", 32)

// TestOtherProcessHoldsLock is not a test: it is the other process of the tests below.
func TestOtherProcessHoldsLock(t *testing.T) {
	root := os.Getenv("OPWELD_TEST_LOCK_ROOT")
	if root == "" {
		t.Skip("run by the tests of the lock")
	}
	unlock, err := open(t, root).Lock(context.Background(), lockKey, time.Minute, nil)
	require.NoError(t, err)
	os.Stdout.WriteString("\nlocked\n")
	bufio.NewReader(os.Stdin).ReadString('\n')
	unlock()
}

// holder starts a process that holds the lock until its stdin ends.
func holder(t *testing.T, root string) (release func(), kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestOtherProcessHoldsLock$")
	cmd.Env = append(os.Environ(), "OPWELD_TEST_LOCK_ROOT="+root)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "locked"; {
	}
	return func() { in.Close() }, func() { cmd.Process.Kill() }
}

func TestLockWaitsForAnotherProcess(t *testing.T) {
	root := t.TempDir()
	release, _ := holder(t, root)
	unlock, err := open(t, root).Lock(context.Background(), lockKey, time.Minute, release)
	require.NoError(t, err)
	unlock()
	require.NoFileExists(t, open(t, root).Path("lock/"+lockKey))
}

func TestLockOfAKilledProcessIsFree(t *testing.T) {
	root := t.TempDir()
	_, kill := holder(t, root)
	unlock, err := open(t, root).Lock(context.Background(), lockKey, time.Minute, kill)
	require.NoError(t, err)
	unlock()
}

func TestLockGivesUp(t *testing.T) {
	root := t.TempDir()
	holder(t, root)
	_, err := open(t, root).Lock(context.Background(), lockKey, 10*time.Millisecond, nil)
	require.ErrorIs(t, err, ErrBusy)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = open(t, root).Lock(ctx, lockKey, time.Minute, cancel)
	require.ErrorIs(t, err, context.Canceled)
}

func TestLockTellsThreadsApart(t *testing.T) {
	s := open(t, t.TempDir())
	unlock, err := s.Lock(context.Background(), lockKey, 0, nil)
	require.NoError(t, err)
	_, err = s.Lock(context.Background(), lockKey, 0, nil)
	require.ErrorIs(t, err, ErrBusy)
	unlock()
	unlock, err = s.Lock(context.Background(), lockKey, 0, nil)
	require.NoError(t, err)
	unlock()
}

// Whoever had the lock removes its file before letting go: one that was opened before that locks nothing any more.
func TestLockOfARemovedFileIsNone(t *testing.T) {
	for name, between := range map[string]func(path string){
		"removed":  func(path string) { require.NoError(t, os.Remove(path)) },
		"replaced": func(path string) { require.NoError(t, os.Rename(path, path+"~")); write(t, path, "") },
	} {
		path := filepath.Join(t.TempDir(), "lock")
		write(t, path, "")
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		between(path)
		_, err = lockOpened(f, path)
		require.ErrorIs(t, err, syscall.EWOULDBLOCK, name)
		require.ErrorIs(t, f.Close(), os.ErrClosed, "not left open")
	}
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	require.NoError(t, err)
	f, err = lockOpened(f, path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
