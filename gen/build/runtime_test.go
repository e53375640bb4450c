package build

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"opweld/gen/cache"
)

// runtimeText stands for the runtime: it holds the init function, and asks the unit for its data.
const runtimeText = `extern const int opw_the_answer;
__attribute__((visibility("default"))) const int *PyInit_opweld_module(void) { return &opw_the_answer; }
`

// withRuntime compiles a runtime and names it in a request.
func withRuntime(t *testing.T, text string) *Request {
	t.Helper()
	req := request(t)
	source := filepath.Join(t.TempDir(), "runtime.c")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o666))
	req.Runtime = source[:len(source)-1] + "o"
	out, err := exec.Command(req.CC, "-fPIC", "-c", "-o", req.Runtime, source).CombinedOutput()
	require.NoError(t, err, string(out))
	return req
}

func TestRuntimeIsLinkedWithTheUnit(t *testing.T) {
	req := withRuntime(t, runtimeText)
	first := mustRun(t, req, unit("const int opw_the_answer = 1;"))
	f, err := elf.Open(first.Module)
	require.NoError(t, err)
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	require.Contains(t, names, "PyInit_opweld_module")

	other := withRuntime(t, "int more;\n"+runtimeText)
	require.NotEqual(t, first.Key, mustRun(t, other, unit("const int opw_the_answer = 1;")).Key, "another runtime, another key")
	again := withRuntime(t, runtimeText)
	again.Index = cache.Digest([]byte("again"))
	require.Equal(t, mustRead(t, first.Module), mustRead(t, mustRun(t, again, unit("const int opw_the_answer = 1;")).Module))
}

func TestMissingRuntime(t *testing.T) {
	req := request(t)
	req.Runtime = "/nowhere/runtime.o"
	_, err := runUnit(t.Context(), req, unit(moduleText), func(string) {})
	require.EqualError(t, err, "opweld's own part of every module cannot be read, install opweld again: "+
		"open /nowhere/runtime.o: no such file or directory")
}

// A process that has loaded the engine goes on while opweld is replaced: its text must not meet the new runtime.
func TestRuntimeOfAnotherOpweldIsNotLinked(t *testing.T) {
	req := withRuntime(t, `extern __attribute__((visibility("hidden"))) const int opw_unit_0123456789ab;
__attribute__((visibility("default"))) const int *PyInit_opweld_module(void) { return &opw_unit_0123456789ab; }
`)
	_, err := runUnit(t.Context(), req, unit("const int opw_unit_ba9876543210 = 1;"), func(string) {})
	require.EqualError(t, err, "opweld was replaced on disk after this process had loaded it: start Python anew")
}
