package build

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"opweld/gen/cc"
)

// TestHeadersOfTheSystemAreRemembered and the libraries, and not what is the user's own.
func TestHeadersOfTheSystemAreRemembered(t *testing.T) {
	req := request(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mine.h"), "#define MINE 2\n")
	u := unit("#include \"mine.h\"\n" + moduleText)
	u.Build.HeaderDirs = []string{dir}
	mustRun(t, req, u)
	q := &cc.Query{Driver: req.CC, Flags: cc.Selecting(req.CFlags), Env: req.Env}
	known := storeOf(req).Recall(readsName(q, req.CPU))
	var headers, libraries, mine int
	for path := range known {
		switch {
		case strings.HasPrefix(path, dir):
			mine++
		case strings.HasSuffix(path, ".h"):
			headers++
		case strings.Contains(path, "libc.so"):
			libraries++
		}
	}
	require.Greater(t, headers, 5)
	require.Positive(t, libraries)
	require.Zero(t, mine)
}
