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
)

// TestOtherProcessBuilds is not a test: it is another process of the test below.
func TestOtherProcessBuilds(t *testing.T) {
	data := os.Getenv("OPWELD_TEST_REQUEST")
	if data == "" {
		t.Skip("run by TestManyProcessesOneCompile")
	}
	var req Request
	require.NoError(t, json.Unmarshal([]byte(data), &req))
	_, err := runUnit(context.Background(), &req, unit(moduleText), func(string) {})
	require.NoError(t, err)
}

func TestManyProcessesOneCompile(t *testing.T) {
	req := request(t)
	req.CC = wrapper(t, req.CC)
	data, err := json.Marshal(req)
	require.NoError(t, err)
	var running []*exec.Cmd
	for range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOtherProcessBuilds$")
		cmd.Env = append(os.Environ(), "OPWELD_TEST_REQUEST="+string(data))
		require.NoError(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		require.NoError(t, cmd.Wait())
	}
	require.Equal(t, "compile\n", mustRead(t, req.CC+".count"))
	_, err = storeOf(req).Lookup(req.Index)
	require.NoError(t, err)
	locks, err := os.ReadDir(filepath.Join(req.Root, "v2", "lock"))
	require.NoError(t, err)
	require.Empty(t, locks)
}

func TestBusyLockIsBuiltAroundAfterTheLimit(t *testing.T) {
	req := request(t)
	j, err := newJob(context.Background(), req, unit(moduleText), func(string) {})
	require.NoError(t, err)
	j.close()
	unlock, err := j.store.Lock(context.Background(), j.key, time.Minute, nil)
	require.NoError(t, err)
	defer unlock()
	req.LockSeconds = 0.01
	var stages []string
	r, err := runUnit(context.Background(), req, unit(moduleText), func(s string) { stages = append(stages, s) })
	require.NoError(t, err)
	require.True(t, r.Kept)
	require.Equal(t, []string{StageWait, StageCompile, StagePublish}, stages)
}

func TestCancelWhileWaitingAndWhileCompiling(t *testing.T) {
	for _, at := range []string{StageWait, StageCompile} {
		req := request(t)
		u := unit(moduleText)
		if at == StageWait {
			j, err := newJob(context.Background(), req, u, func(string) {})
			require.NoError(t, err)
			j.close()
			unlock, err := j.store.Lock(context.Background(), j.key, time.Minute, nil)
			require.NoError(t, err)
			defer unlock()
		}
		ctx, cancel := context.WithCancel(context.Background())
		_, err := runUnit(ctx, req, u, func(stage string) {
			if stage == at {
				cancel()
			}
		})
		require.Equal(t, KindCancelled, classify(err).Kind, at)
		left, _ := os.ReadDir(filepath.Join(req.Root, "v2", "tmp"))
		require.Empty(t, left, at)
		require.NoDirExists(t, filepath.Join(req.Root, "v2", "entry"))
	}
}

func TestRootThatCannotBeWritten(t *testing.T) {
	req := request(t)
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	req.Root = filepath.Join(file, "root")
	r := mustRun(t, req, unit(moduleText))
	require.False(t, r.Kept)
	require.True(t, strings.HasPrefix(r.Module, req.Private))
	req.Private = filepath.Join(file, "private")
	_, err := runUnit(context.Background(), req, unit(moduleText), func(string) {})
	require.Equal(t, KindCache, classify(err).Kind)
	require.EqualError(t, classify(err), file+"/private: not a directory (something that is no folder stands in its way)")
	require.Equal(t, file+"/private", classify(err).Folder)
	require.Equal(t, "not a directory", classify(err).Reason)
}

func TestCompilerThatIsMissing(t *testing.T) {
	for _, c := range []struct {
		change  func(r *Request, u *gen.Unit)
		message string
	}{
		{func(r *Request, u *gen.Unit) { r.CC = "" }, "no C compiler is found: install gcc or clang, or set config.cc or CC"},
		{func(r *Request, u *gen.Unit) { u.Lang = gen.CXX }, "no C++ compiler is found: install gcc or clang, or set config.cxx or CXX"},
		{func(r *Request, u *gen.Unit) { u.Build.Compiler = "nvcc-none" },
			`the compiler "nvcc-none", which an op asks for, is not found: install it or change what c_compiler returns`},
		{func(r *Request, u *gen.Unit) { r.CC = "/nowhere/gcc" },
			"/nowhere/gcc cannot be run: fork/exec /nowhere/gcc: no such file or directory"},
	} {
		req, u := request(t), unit(moduleText)
		c.change(req, u)
		_, err := runUnit(context.Background(), req, u, func(string) {})
		require.EqualError(t, classify(err), c.message)
		require.Equal(t, KindNoCompiler, classify(err).Kind)
	}
}

func TestOtherRefusals(t *testing.T) {
	u := unit(moduleText)
	u.Build.HeaderDirs = []string{"include"}
	_, err := runUnit(context.Background(), request(t), u, func(string) {})
	require.EqualError(t, err, `the folder "include" of c_header_dirs or c_lib_dirs is relative: give an absolute path`)
	require.Equal(t, KindProgram, classify(err).Kind)
	_, err = runUnit(context.Background(), request(t), unit("int x;\n"), func(string) {})
	require.ErrorContains(t, err, " ended as if all were well, and what it left is not what it should be: the module has no PyInit_ function")
	require.Equal(t, KindTool, classify(err).Kind)
	_, err = Run(context.Background(), &Request{Program: "{"}, nil)
	require.Equal(t, KindProgram, classify(err).Kind)
}

func TestCxxUnit(t *testing.T) {
	req := request(t)
	req.CXX = compilerOf(t, "g++")
	u := unit("#include <vector>\nextern \"C\" __attribute__((visibility(\"default\"))) void *PyInit_m() { std::vector<int> v(3); return v.data(); }\n")
	u.Lang = gen.CXX
	mustRun(t, req, u)
	require.True(t, mustRun(t, req, u).Hit)
}

func TestCompilers(t *testing.T) {
	gcc := compilerOf(t, "gcc")
	found := Compilers(context.Background(), []string{gcc, "/nowhere/cc"}, t.TempDir())
	require.Equal(t, "gcc", found[0].Family)
	require.Empty(t, found[0].Error)
	require.NotEmpty(t, found[0].Target)
	require.Contains(t, found[1].Error, "/nowhere/cc cannot be run")
}
