package cc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgumentsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	loop, script, specs := filepath.Join(dir, "loop"), file("script", "SECTIONS {}\nINCLUDE other\n"), file("specs", "%include <other>\n")
	file("loop", "@"+loop)
	noFile := `"x" is no absolute path of a file, and the compiler runs in a folder of its own`
	for _, c := range []struct{ args, message string }{
		{"-wrapper gdb,--args", `the argument "-wrapper" cannot be used: what it runs may do anything`},
		{"-MMD", `the argument "-MMD" cannot be used: ` + depsOurs},
		{"-MF/tmp/x", `the argument "-MF/tmp/x" cannot be used: ` + depsOurs},
		{"-Wp,-MD,/tmp/x", `the argument "-MD" cannot be used: ` + depsOurs},
		{"-Wa,--MD,/tmp/x", `the argument "--MD" cannot be used: ` + depsOurs},
		{"-Xpreprocessor -M", `the argument "-M" cannot be used: ` + depsOurs},
		{"-fmodules-ts", `the argument "-fmodules-ts" cannot be used: modules that it finds are in no list of files`},
		{"-fprofile-use", `the argument "-fprofile-use" cannot be used: it looks for its profile in the folder of the build: name the file, -fprofile-use=/a/file.gcda`},
		{"-fprofile-use=x", `the argument "-fprofile-use=x" cannot be used: ` + noFile},
		{"-fprofile-use=" + dir, `the argument "-fprofile-use=` + dir + `" cannot be used: ` + dir + ` is no regular file`},
		{"-fprofile-use=/no/x", `the argument "-fprofile-use=/no/x" cannot be used: there is no file /no/x`},
		{"-fplugin=x", `the argument "-fplugin=x" cannot be used: ` + noFile},
		{"--specs=x", `the argument "--specs=x" cannot be used: ` + noFile},
		{"-specs=" + specs, `the argument "-specs=` + specs + `" cannot be used: ` + specs + ` includes further files, which are in no list: put them into it`},
		{"-include x", `the argument "-include x" cannot be used: ` + noFile},
		{"-includex", `the argument "-includex" cannot be used: ` + noFile},
		{"-Wl,--version-script=x", `the argument "--version-script=x" cannot be used: ` + noFile},
		{"-Wl,--version-script,x", `the argument "--version-script x" cannot be used: ` + noFile},
		{"-Xlinker -T -Xlinker x", `the argument "-T x" cannot be used: ` + noFile},
		{"-T " + script, `the argument "-T ` + script + `" cannot be used: ` + script + ` includes further files, which are in no list: put them into it`},
		{"-include", `the argument "-include" cannot be used: "" is no absolute path of a file, and the compiler runs in a folder of its own`},
		{"@x", `the argument "@x" cannot be used: "x" is no absolute path`},
		{"@/no/x", `the argument "@/no/x" cannot be used: there is no file /no/x`},
		{"@" + file("inner", "-O2 '-wrapper' x"), `the argument "-wrapper" cannot be used: what it runs may do anything`},
	} {
		_, err := Named(strings.Split(c.args, " "))
		require.EqualError(t, err, c.message, c.args)
		require.ErrorIs(t, err, ErrFlag)
	}
	_, err := Named([]string{"@" + loop})
	require.ErrorContains(t, err, "it names itself")
}

func TestFilesThatArgumentsName(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b c")
	require.NoError(t, os.WriteFile(a, nil, 0o666))
	require.NoError(t, os.WriteFile(b, nil, 0o666))
	nested := filepath.Join(dir, "nested")
	require.NoError(t, os.WriteFile(nested, []byte(`-DX=1 "-include" '`+b+`' @`+a+"\n"), 0o666))
	for args, want := range map[string][]string{
		"-O2|-Wall|-I/usr/include|-L/usr/lib|-lm|-Wl,-rpath,/usr/lib|--sysroot=/": nil,
		"-DF=" + a + "|-U" + a:                {},
		"-include|" + b:                       {b},
		"-include" + a:                        {a},
		"-include-pch|" + a:                   {a},
		"-Wl,-T," + a:                         {a},
		"-Ttext=0x1000|-Wl,-Ttext,0":          nil,
		"-T" + a:                              {a},
		"--config|" + a:                       {a},
		"--config=" + a:                       {a},
		"-fplugin=" + a + "|-fplugin-arg-a-b": {a},
		"@" + nested:                          {nested, a, b},
		"-Wl,@" + a:                           {a},
		"-Wa,-I," + a:                         {a},
		a + "|" + a:                           {a},
		"-fx=" + a + ":" + nested:             {a, nested},
		"-Wl,--plugin-opt=" + a:               {a},
	} {
		found, err := Named(strings.Split(args, "|"))
		require.NoError(t, err, args)
		require.ElementsMatch(t, want, found, args)
	}
}

func TestSelectingArguments(t *testing.T) {
	args := []string{"-O2", "-march=native", "-DA", "-B", "/b", "-B/c", "-Wall", "-fuse-ld=gold", "--sysroot=/s", "-isysroot", "/i",
		"-target", "arm", "@/f", "-fopenmp", "-flto=2", "-specs=/s", "-fplugin=/p", "--config", "/g"}
	require.Equal(t, []string{"-march=native", "-B", "/b", "-B/c", "-fuse-ld=gold", "--sysroot=/s", "-isysroot", "/i", "-target", "arm",
		"@/f", "-flto=2", "-specs=/s", "-fplugin=/p", "--config", "/g"}, Selecting(args))
}

// Whatever of the environment gcc, clang, as and ld read is in a key, or does not reach them.
func TestEnvironmentOfTheCompiler(t *testing.T) {
	for _, name := range []string{"LD_RUN_PATH", "GCC_COMPARE_DEBUG", "CCC_OVERRIDE_OPTIONS", "COLLECT_GCC", "COLLECT_LTO_WRAPPER",
		"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "SOURCE_DATE_EPOCH", "CPATH", "LDEMULATION", "GNUTARGET", "LD_PRELOAD",
		"GCC_ROOT", "CLANG_CONFIG_FILE_USER_DIR", "LANG", "GCC_SPECS", "RC_DEBUG_OPTIONS", "MAKEFLAGS"} {
		t.Setenv(name, "/hostile")
	}
	found := environ(map[string]string{"CPATH": "/asked", "HOSTILE": "1"}, Process{"PATH": "/bin", "HOME": "/h", "LD_PRELOAD": "/x"}, "/tmp/x")
	require.Equal(t, []string{"CPATH=/asked", "HOME=/h", "LC_ALL=C", "PATH=/bin", "TMPDIR=/tmp/x"}, found)
}

func TestNativeIsTold(t *testing.T) {
	gcc := toolOf(t, "gcc")
	require.False(t, gcc.Native)
	require.Contains(t, gcc.Resolved, "cc1")
	for _, flags := range [][]string{{"-march=native"}, {"-mtune=native"}} {
		tool, err := Identify(context.Background(), &Query{Driver: gcc.Driver, Flags: flags})
		require.NoError(t, err)
		require.True(t, tool.Native, "%v: %s", flags, tool.Resolved)
		require.NotEqual(t, gcc.Resolved, tool.Resolved)
	}
	wrapper := filepath.Join(t.TempDir(), "cc") // of which no argument tells
	require.NoError(t, os.WriteFile(wrapper, []byte("#!/bin/sh\nexec "+gcc.Driver+" -march=native \"$@\"\n"), 0o777))
	tool, err := Identify(context.Background(), &Query{Driver: wrapper})
	require.NoError(t, err)
	if strings.HasPrefix(gcc.Target, "x86_64") {
		require.True(t, tool.Native, tool.Resolved)
	}
}

// The compiler of the other language is part of who a compiler is where the driver does not say that it runs that of this one.
// Where it says so, and runs the other, a module holds for that one.
func TestTheOtherLanguagesCompiler(t *testing.T) {
	said, err := exec.Command("gcc", "-print-prog-name=cc1plus").Output()
	require.NoError(t, err)
	other := strings.TrimSpace(string(said))
	if !executable(other) {
		t.Skip("there is no C++ here")
	}
	wrapper := func(text string) string {
		path := filepath.Join(t.TempDir(), "cc")
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o777))
		return path
	}
	liar := wrapper(`case "$*" in *-print*|*-###*) exec gcc "$@";; *) exec g++ "$@";; esac`)
	for _, c := range []struct {
		driver     string
		flags      []string
		part, read bool
	}{
		{"gcc", nil, false, false},
		{"g++", nil, true, false},
		{"gcc", []string{"-x", "c++"}, true, false},
		{wrapper(`exec g++ "$@"`), nil, true, false},
		{wrapper(`exec gcc "$@" 2>/dev/null`), nil, true, false},
		{liar, nil, false, true},
	} {
		tool := toolOf(t, c.driver, c.flags...)
		require.Equal(t, c.part, slices.Contains(tool.Programs, other), c)
		compiled, err := compile(t, &Job{Tool: tool, Flags: c.flags, Text: "int x;\n"})
		require.NoError(t, err)
		require.Equal(t, c.read, slices.Contains(compiled.Reads.Others, other), c)
	}
}

// g++ takes C for C++, and gcc C++ for what its name says: what a job is of decides.
func TestADriverOfTheOtherLanguageIsTold(t *testing.T) {
	for _, driver := range []string{"gcc", "g++", "clang", "clang++"} {
		if _, err := exec.LookPath(driver); err != nil {
			continue
		}
		for _, cxx := range []bool{false, true} {
			text := "#if OPW_PART + 0 != 2\nint x;\n#endif\n#ifdef __cplusplus\n#error C++\n#endif\n"
			if cxx {
				text = strings.Replace(text, "ifdef __c", "ifndef __c", 1)
			}
			for _, parts := range []bool{false, true} {
				_, err := compile(t, &Job{Tool: toolOf(t, driver), CXX: cxx, Parts: parts, Text: text})
				require.NoError(t, err, "%s, C++: %v, parts: %v", driver, cxx, parts)
			}
		}
	}
}

func TestInlineAssemblyTellsWhatItReads(t *testing.T) {
	for _, parts := range []bool{false, true} {
		dir := t.TempDir()
		blob := filepath.Join(dir, "blob")
		require.NoError(t, os.WriteFile(blob, []byte("bytes"), 0o666))
		job := &Job{Tool: toolOf(t, "gcc"), Parts: parts, Text: "#if OPW_PART + 0 != 1\n__asm__(\".section .rodata\\n.inc\" \"bin \\\"" + blob + "\\\"\\n.text\");\n#endif\nint x;\n"}
		if parts {
			job.Text = strings.Replace(job.Text, "int x;", "#if OPW_PART == 1\nint x;\n#endif", 1)
		}
		c, err := compile(t, job)
		require.NoError(t, err)
		require.Equal(t, []string{blob}, c.Reads.Others)
		require.True(t, c.Reads.AsmSeen)
		job.Args = []string{"-flto"}
		c, err = compile(t, job)
		require.NoError(t, err)
		require.False(t, c.Reads.AsmSeen)
	}
}
