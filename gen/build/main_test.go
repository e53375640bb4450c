package build

import (
	"os"
	"syscall"
	"testing"
)

// TestMain runs the tests under a mask by which nobody else may write what they make: only such a folder can be a cache.
func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	os.Exit(m.Run())
}
