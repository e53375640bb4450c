package cache

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain runs the tests under a mask by which nobody else may write what they make: only such a folder can be a cache.
func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	os.Exit(m.Run())
}

// open is the store under a root.
func open(t *testing.T, root string) *Store {
	t.Helper()
	s, err := Open(root, nil, Machine{})
	require.NoError(t, err)
	return s
}
