package cc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// toolOf identifies a compiler; the test is skipped where there is none.
func toolOf(t *testing.T, name string, flags ...string) *Tool {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on this machine", name)
	}
	tool, err := Identify(context.Background(), &Query{Driver: path, Flags: Selecting(flags)})
	require.NoError(t, err)
	return tool
}

// compile compiles a text in a fresh folder.
func compile(t *testing.T, job *Job) (*Compiled, error) {
	t.Helper()
	return Compile(context.Background(), job, t.TempDir())
}

func TestIdentifyGcc(t *testing.T) {
	tool := toolOf(t, "gcc")
	require.Equal(t, "gcc", tool.Family)
	require.NotZero(t, tool.Major)
	require.NotEmpty(t, tool.Target)
	require.Equal(t, tool.Driver, tool.Programs[0])
	require.Greater(t, len(tool.Programs), 3, "cc1, as, ld and their like: %v", tool.Programs)
	for _, p := range tool.Programs {
		require.FileExists(t, p)
	}
}

func TestIdentifyWhatCannotRun(t *testing.T) {
	none := filepath.Join(t.TempDir(), "gcc")
	_, err := Identify(context.Background(), &Query{Driver: none})
	require.ErrorIs(t, err, ErrStart)
	require.ErrorContains(t, err, none+" cannot be run: ")
	require.NoError(t, os.WriteFile(none, []byte("#!/bin/sh\necho broken >&2\nexit 3\n"), 0o777))
	_, err = Identify(context.Background(), &Query{Driver: none})
	require.EqualError(t, err, none+" cannot be run: --version gives status 3: broken")
	_, err = Identify(context.Background(), &Query{Driver: "gcc"})
	require.EqualError(t, err, `"gcc" cannot be run: an absolute path is needed`)
}

func TestFamilies(t *testing.T) {
	for text, want := range map[string]struct {
		family string
		major  int
	}{
		"gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.":        {"gcc", 12},
		"Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu":                                        {"clang", 14},
		"x86_64-conda-linux-gnu-cc (conda-forge gcc 13.3.0-1) 13.3.0\nCopyright Free Software Foundation": {"gcc", 13},
		"gcc (crosstool-NG 1.25.0) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.":             {"gcc", 12},
		"tcc version 0.9.27 (x86_64 Linux)":                                                               {"other", 0},
	} {
		require.Equal(t, want.family, family(text), text)
		require.Equal(t, want.major, major(firstLine(text)), text)
	}
}

func TestArgv(t *testing.T) {
	job := &Job{Tool: &Tool{Driver: "/usr/bin/cc", Family: "other"}, Flags: []string{"-O3", "-Wall"}, System: []string{"/py", "/np"},
		Headers: []string{"/h"}, LibDirs: []string{"/l"}, Libs: []string{"m"}, Args: []string{"-DA", "-DB"},
		NoArgs: []string{"-O3", "-DB", "-fwrapv", "-shared"}}
	require.Equal(t, "/usr/bin/cc -std=gnu17 -fPIC -v -MD -MF opweld.d -fno-math-errno -ffp-contract=off -fvisibility=hidden "+
		"-Werror=implicit-function-declaration -Werror=int-conversion -Werror=incompatible-pointer-types -Wall -I/h -isystem /py -isystem /np -shared -Xlinker -t -Xlinker --version-script=opweld.map -o opweld.so opweld.c -DA "+
		"-L/l -Xlinker -rpath -Xlinker /l -lm", strings.Join(job.Argv(), " "))
	job.CXX = true
	require.Contains(t, job.Argv(), "-std=gnu++17")
	require.Contains(t, job.Argv(), "opweld.cc")
	require.NotContains(t, job.Argv(), "-Werror=implicit-function-declaration")
	require.NotContains(t, job.Argv(), "-fno-tree-sink")
	job.Tool = &Tool{Driver: "/usr/bin/gcc", Family: "gcc"}
	require.Subset(t, job.Argv(), structuralGCC)
	require.NotContains(t, job.Argv(), fast[0])
	job.Fast = true
	require.Subset(t, job.Argv(), slices.Concat(fast, fastGCC))
	require.Greater(t, slices.Index(job.Argv(), fast[4]), slices.Index(job.Argv(), structural[2]), "the later one holds")
	job.Tool = &Tool{Driver: "/usr/bin/clang", Family: "clang"}
	require.Subset(t, job.Argv(), fast)
	require.NotContains(t, job.Argv(), fastGCC[0])
}

// What a processor has beyond its kind is asked of compilers that are known to take it, unless they are told for which one
// to compile.
func TestLevel(t *testing.T) {
	gcc := Tool{Family: "gcc", Major: 11, Target: "x86_64-linux-gnu"}
	old, newer, clang, arm, other := gcc, gcc, gcc, gcc, gcc
	old.Major, newer.Major, clang.Family, arm.Target, other.Family = 10, 12, "clang", "aarch64-linux-gnu", "other"
	clang.Major = 12
	for _, c := range []struct {
		job  Job
		want string
	}{
		{Job{Tool: &gcc}, ""},
		{Job{Tool: &gcc, March: "baseline"}, ""},
		{Job{Tool: &gcc, March: "x86-64-v2"}, "-march=x86-64-v2"},
		{Job{Tool: &gcc, March: "x86-64-v3"}, "-march=x86-64-v3"},
		{Job{Tool: &gcc, March: "x86-64-v4"}, "-march=x86-64-v4"},
		{Job{Tool: &old, March: "x86-64-v2"}, ""},
		{Job{Tool: &old, March: "x86-64-v4"}, "-mavx2"},
		{Job{Tool: &clang, March: "x86-64-v3"}, "-march=x86-64-v3"},
		{Job{Tool: &newer, March: "x86-64-v2"}, "-march=x86-64-v2"},
		{Job{Tool: &newer, March: "x86-64-v3"}, "-march=x86-64-v3 -mmove-max=256 -mstore-max=256"},
		{Job{Tool: &newer, March: "x86-64-v4"}, "-march=x86-64-v4 -mmove-max=512 -mstore-max=512"},
		{Job{Tool: &arm, March: "x86-64-v3"}, ""},
		{Job{Tool: &other, March: "x86-64-v3"}, ""},
		{Job{Tool: &gcc, March: "x86-64-v3", Flags: []string{"-O2", "-march=core2"}}, ""},
		{Job{Tool: &gcc, March: "x86-64-v3", Args: []string{"-march=native"}}, ""},
		{Job{Tool: &gcc, March: "x86-64-v3", Flags: []string{"-mtune=native"}}, "-march=x86-64-v3"},
		{Job{Tool: &gcc, March: "x86-64-v3", NoArgs: []string{"-mavx2"}}, ""},
		{Job{Tool: &gcc, March: "x86-64-v4", NoArgs: []string{"-march=x86-64-v3"}}, ""},
	} {
		for _, argv := range [][]string{c.job.Argv(), c.job.partArgv(1), c.job.partArgv(2)} {
			said := slices.DeleteFunc(argv, func(arg string) bool {
				return !strings.HasPrefix(arg, "-mavx") && !strings.HasPrefix(arg, "-march=x") && !strings.HasPrefix(arg, "-mmove") && !strings.HasPrefix(arg, "-mstore")
			})
			require.Equal(t, c.want, strings.Join(said, " "), "%+v", c.job)
		}
	}
	for _, name := range []string{"gcc", "clang"} {
		t.Run(name, func(t *testing.T) {
			tool := toolOf(t, name)
			if !tool.x86() {
				t.Skip("it is for another processor")
			}
			_, err := compile(t, &Job{Tool: tool, Text: "typedef int __attribute__((vector_size(32))) v; v f(v a, v b) { return a + b; }\n", March: "x86-64-v3",
				Flags: []string{"-Wall", "-Wextra", "-Werror"}})
			require.NoError(t, err)
		})
	}
}

func TestCompileTellsWhatItRead(t *testing.T) {
	for _, name := range []string{"gcc", "clang"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "with blank é")
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "late"), 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "late", "x.h"), []byte("#define X 1\n"), 0o666))
			job := &Job{Tool: toolOf(t, name), Text: "#include <x.h>\n#include <math.h>\nint x = X; double e(double v) { return exp(v); }\n",
				Headers: []string{filepath.Join(dir, "early"), filepath.Join(dir, "late")}, LibDirs: []string{dir}, Libs: []string{"m"}}
			c, err := compile(t, job)
			require.NoError(t, err)
			require.Empty(t, c.Warnings)
			require.Contains(t, c.Reads.Headers, filepath.Join(dir, "late", "x.h"))
			early, listed := Headers(filepath.Dir(c.Path))
			require.True(t, listed)
			require.ElementsMatch(t, c.Reads.Headers, early)
			require.Contains(t, c.Reads.Missing, filepath.Join(dir, "early"))
			require.Equal(t, filepath.Join(dir, "late"), c.Reads.Search[0])
			require.Contains(t, strings.Join(c.Reads.Libs, " "), "/libm")
			require.Equal(t, dir, c.Reads.LibDirs[0])
		})
	}
}

// What a compiler has listed so far is known before it ends: nothing at first, and nothing of the private folder.
func TestHeadersAreKnownEarly(t *testing.T) {
	dir := t.TempDir()
	for list, want := range map[string][]string{
		"": nil, "opweld.o: opweld.c /a.h": nil,
		"opweld.o: opweld.c /a.h \\\n /b\\ c.h \\\n " + dir + "/p.h /x.gch\n": {"/a.h", "/b c.h"},
	} {
		_, listed := Headers(filepath.Join(dir, "none"))
		require.False(t, listed)
		require.NoError(t, os.WriteFile(filepath.Join(dir, depfile), []byte(list), 0o666))
		found, listed := Headers(dir)
		require.Equal(t, want, found)
		require.Equal(t, want != nil, listed)
	}
}

func TestSearchVariablesReachTheCompiler(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.h"), []byte("int x;\n"), 0o666))
	t.Setenv("CPATH", dir) // of this process: not passed on
	job := &Job{Tool: toolOf(t, "gcc"), Text: "#include <x.h>\n"}
	_, err := compile(t, job)
	require.ErrorContains(t, err, "x.h: No such file or directory")
	job.Env = map[string]string{"CPATH": dir, "LD_PRELOAD": "/nothing"}
	c, err := compile(t, job)
	require.NoError(t, err)
	require.Contains(t, c.Reads.Headers, filepath.Join(dir, "x.h"))
}

func TestCancelKillsTheWholeGroup(t *testing.T) {
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	driver := filepath.Join(dir, "cc")
	script := fmt.Sprintf("#!/bin/sh\nsleep 60 &\necho $$ $! > %s.part; mv %s.part %s\nwait\n", pids, pids, pids)
	require.NoError(t, os.WriteFile(driver, []byte(script), 0o777))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(pids); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := Compile(ctx, &Job{Tool: &Tool{Driver: driver}}, t.TempDir())
	require.ErrorIs(t, err, context.Canceled)
	data, err := os.ReadFile(pids)
	require.NoError(t, err)
	for _, word := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(word)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return gone(pid) }, 10*time.Second, time.Millisecond, "pid %d lives on", pid)
	}
}

// gone tells whether a process has ended; one that nobody has waited for yet has ended too.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestOutputIsCapped(t *testing.T) {
	c := &capped{limit: 5}
	for _, part := range []string{"abc", "def", "ghi"} {
		n, err := c.Write([]byte(part))
		require.NoError(t, err)
		require.Equal(t, 3, n)
	}
	require.Equal(t, "abcde", c.String())
	require.True(t, c.cut)
}

func TestPrerequisites(t *testing.T) {
	require.Equal(t, []string{"opweld.c", "/a b/x.h", "/c#/$y.h", `/d\e.h`},
		prerequisites("opweld.so: opweld.c /a\\ b/x.h \\\n /c\\#/$$y.h /d\\e.h\n\n/a\\ b/x.h:\n"))
}

func TestTraced(t *testing.T) {
	dir := t.TempDir()
	lib := filepath.Join(dir, "lib x.a")
	require.NoError(t, os.WriteFile(lib, nil, 0o666))
	for _, line := range []string{lib, "(" + lib + ")member.o", lib + "(member.o)"} {
		require.Equal(t, []string{lib}, traced(line+"\n/nowhere/libz.so\nopweld.o\n", "/private"), line)
	}
	require.Empty(t, traced(lib, dir), "the private folder is left out")
}

func TestWhatYieldsIsNice(t *testing.T) {
	for _, yields := range []bool{false, true} {
		// a child that is started later, as a compiler is by its driver
		out, err := run(context.Background(), command{argv: []string{"/bin/sh", "-c", "sleep 0.3; sh -c nice"}, dir: t.TempDir(), yields: yields})
		require.NoError(t, err)
		want := niceness()
		if yields {
			want = max(want, yielding)
		}
		require.Equal(t, strconv.Itoa(want), strings.TrimSpace(out.stdout))
	}
}
