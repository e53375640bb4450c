package build

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"opweld/gen"
	"opweld/gen/cache"
)

// moduleText is a unit that links like a rendered module, without Python's headers.
const moduleText = `#include <stddef.h>
#include <math.h>
__attribute__((visibility("default"))) void *PyInit_opweld_module(void) { return NULL; }
#line 1 "Twice.c_code"
double twice(double x) {
	return 2 * exp(x);
}
`

// compilerOf skips the test where there is no such compiler.
func compilerOf(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on this machine", name)
	}
	return path
}

// request is a request with fresh folders.
func request(t *testing.T) *Request {
	t.Helper()
	root := t.TempDir()
	t.Cleanup(func() { Finish(time.Minute) }) // nothing is written any more
	return &Request{Index: cache.Digest([]byte(t.Name())), Root: root, Private: t.TempDir(), CC: compilerOf(t, "gcc"),
		CXX: "", CFlags: []string{"-O2", "-Wall"}, Python: "3.x .so", NumPy: "2.x /np", Env: map[string]string{}, LockSeconds: 30}
}

// unit wraps a text.
func unit(text string) *gen.Unit {
	return &gen.Unit{Text: text, Lang: gen.C, Versions: []string{"Twice (1,)"}, Kept: true}
}

// mustRun runs below rendering and wants a module.
func mustRun(t *testing.T, req *Request, u *gen.Unit) *Result {
	t.Helper()
	r, err := runUnit(context.Background(), req, u, func(string) {})
	require.NoError(t, err)
	require.FileExists(t, r.Module)
	return r
}

func TestRunBuildsThenHits(t *testing.T) {
	req := request(t)
	var stages []string
	first, err := runUnit(context.Background(), req, unit(moduleText), func(s string) { stages = append(stages, s) })
	require.NoError(t, err)
	require.False(t, first.Hit)
	require.True(t, first.Kept)
	require.Equal(t, []string{StageCompile, StagePublish}, stages)
	require.Equal(t, moduleText, mustRead(t, first.Source))

	second := mustRun(t, req, unit(moduleText))
	require.True(t, second.Hit)
	require.Equal(t, first.Module, second.Module)
	entry, err := storeOf(req).Lookup(req.Index)
	require.NoError(t, err)
	require.Equal(t, first.Key, entry.Key)
	left, err := os.ReadDir(filepath.Join(req.Root, "v2", "tmp"))
	require.NoError(t, err)
	require.Empty(t, left, "private folders are removed")
}

func TestTwoBuildsAreByteIdentical(t *testing.T) {
	for _, flags := range [][]string{{"-O3"}, {"-O1", "-g"}} {
		a, b := request(t), request(t)
		a.CFlags, b.CFlags = flags, flags
		one, two := mustRun(t, a, unit(moduleText)), mustRun(t, b, unit(moduleText))
		require.NotEqual(t, one.Module, two.Module)
		require.Equal(t, mustRead(t, one.Module), mustRead(t, two.Module), "%v", flags)
	}
}

func TestUnitWithoutVersionGoesToThePrivateFolder(t *testing.T) {
	req := request(t)
	u := unit(moduleText)
	u.Kept = false
	r := mustRun(t, req, u)
	require.False(t, r.Kept)
	require.True(t, strings.HasPrefix(r.Module, req.Private))
	require.NoDirExists(t, filepath.Join(req.Root, "v2", "entry"))
}

func TestErrorHasTheJSONOfTheBorder(t *testing.T) {
	req := request(t)
	_, err := runUnit(context.Background(), req, unit(strings.Replace(moduleText, "2 * exp(x)", "2 * exp(y)", 1)), func(string) {})
	e := classify(err)
	require.Equal(t, KindCompile, e.Kind)
	require.Equal(t, "Twice", e.Op)
	data, err := json.Marshal(e)
	require.NoError(t, err)
	for _, field := range []string{"kind", "message", "op", "file", "line", "diagnostics", "log"} {
		require.Contains(t, string(data), `"`+field+`":`)
	}
	t.Log(e.Message)
	require.FileExists(t, e.Log)
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
