package cc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// script writes an executable shell script.
func script(t *testing.T, path, body string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o777))
}

// troubled compiles and gives the trouble that must come of it; none of the compiler's account of itself is in its text.
func troubled(t *testing.T, job *Job, dir string) *Trouble {
	t.Helper()
	_, err := Compile(t.Context(), job, dir)
	var trouble *Trouble
	require.ErrorAs(t, err, &trouble)
	for _, noise := range []string{"Configured with", "COLLECT_", "bug report", "\n"} {
		require.NotContains(t, err.Error(), noise)
	}
	require.NotContains(t, err.Error(), "werror")
	return trouble
}

const (
	reinstall = "it may be damaged: install it again, or choose another compiler by config.cc or config.cxx"
	missing   = "install it again, or choose another compiler by config.cc or config.cxx"
	again     = "the machine may be short of memory, or somebody ended it: try again"
	perhaps   = "choose another compiler by config.cc or config.cxx if that is not of the text"
)

func TestProgramsOfGccThatDieAreNamed(t *testing.T) {
	tool := toolOf(t, "gcc")
	for body, want := range map[string]string{
		"kill -9 $$":                           "was ended by a signal (killed); " + again,
		"kill -TERM $$":                        "was ended by a signal (terminated); " + again,
		"kill -SEGV $$":                        "crashed (segmentation fault); " + reinstall,
		"kill -BUS $$":                         "crashed (bus error); " + reinstall,
		"kill -ABRT $$":                        "crashed (aborted); " + reinstall,
		"kill -ILL $$":                         "crashed (illegal instruction); " + reinstall,
		"exit 1":                               "ended with status 1 and said nothing; " + reinstall,
		"echo oops, broken >&2; exit 3":        "and said: oops, broken; " + perhaps,
		"echo 'as: out of memory' >&2; exit 1": "ran out of memory; free some, or raise the limit (config.compile_memory, ulimit -v)",
	} {
		for _, name := range []string{"cc1", "as", "collect2", "ld"} {
			broken := t.TempDir()
			script(t, filepath.Join(broken, name), body)
			job := &Job{Tool: tool, Text: "int x;\n", Env: map[string]string{"COMPILER_PATH": broken}}
			trouble := troubled(t, job, t.TempDir())
			require.Equal(t, name, trouble.Program, body)
			require.Contains(t, trouble.Error(), name+", which "+tool.Driver+" runs, ", body)
			require.True(t, strings.HasSuffix(trouble.Error(), want), "%s: %s: %s", name, body, trouble)
			require.Contains(t, trouble.Report(), "Configured with", "the log has it all")
		}
	}
}

func TestProgramsOfGccThatAreCutOrMissing(t *testing.T) {
	tool := toolOf(t, "gcc")
	for _, name := range []string{"cc1", "as", "collect2", "ld"} {
		broken := t.TempDir()
		path := filepath.Join(broken, name)
		require.NoError(t, os.WriteFile(path, []byte("\x7fELF cut short"), 0o777))
		job := &Job{Tool: tool, Text: "int x;\n", Env: map[string]string{"COMPILER_PATH": broken}}
		trouble := troubled(t, job, t.TempDir())
		require.Equal(t, name, trouble.Program)
		how := `cannot be started \(exec format error\); ` + missing + "$"
		if name == "ld" {
			how = "ended with status " // collect2 has a shell try
		}
		require.Regexp(t, "^(.*/)?"+name+", which "+tool.Driver+" runs, "+how, trouble.Error())
	}
	job := &Job{Tool: tool, Text: "int x;\n", Env: map[string]string{"GCC_EXEC_PREFIX": "/nowhere/"}, Process: Process{"PATH": "/nowhere"}}
	require.EqualError(t, troubled(t, job, t.TempDir()),
		"cc1, which "+tool.Driver+" runs, cannot be started (no such file or directory); "+missing)
}

func TestProgramsOfGccThatLie(t *testing.T) {
	tool := toolOf(t, "gcc")
	for name, body := range map[string]string{"ld": "exit 0", "collect2": "exit 0"} {
		broken := t.TempDir()
		script(t, filepath.Join(broken, name), body)
		trouble := troubled(t, &Job{Tool: tool, Text: "int x;\n", Env: map[string]string{"COMPILER_PATH": broken}}, t.TempDir())
		require.ErrorContains(t, trouble, "ended as if all were well, and wrote no module and said nothing; "+reinstall)
	}
	broken := t.TempDir() // an assembler that writes half of an object
	script(t, filepath.Join(broken, "as"), `/usr/bin/as "$@" || exit; while [ "$1" != -o ]; do shift; done; truncate -s 300 "$2"`)
	for _, parts := range []bool{false, true} {
		job := &Job{Tool: tool, Text: "int x;\n", Parts: parts, Env: map[string]string{"COMPILER_PATH": broken}}
		require.ErrorContains(t, troubled(t, job, t.TempDir()), "cannot read what was written for it just before (")
	}
}

func TestDriversThatDie(t *testing.T) {
	for body, want := range map[string]string{
		"kill -9 $$":    "was ended by a signal (killed); " + again,
		"kill -SEGV $$": "crashed (segmentation fault); " + reinstall,
		"kill -XCPU $$": "was ended by a signal (cpu time limit exceeded); raise the limit of processor time (ulimit -t)",
		"exit 1":        "ended with status 1 and said nothing; " + reinstall,
		"exit 0":        "ended as if all were well, and wrote no module and said nothing; " + reinstall,
		"echo 'Internal Error: licence' >&2; exit 7": "ended with status 7 and said: Internal Error: licence; " + perhaps,
	} {
		driver := filepath.Join(t.TempDir(), "cc")
		script(t, driver, body)
		require.EqualError(t, troubled(t, &Job{Tool: &Tool{Driver: driver}}, t.TempDir()), driver+" "+want)
	}
}

func TestACompilerThatCrashesOverALineNamesIt(t *testing.T) {
	driver := filepath.Join(t.TempDir(), "gcc")
	script(t, driver, `echo "T.c_code:2:7: internal compiler error: in expand_expr, at expr.cc:9876" >&2; exit 4`)
	trouble := troubled(t, &Job{Tool: &Tool{Driver: driver}, Text: "#line 1 \"T.c_code\"\n\nint x = 1;\n"}, t.TempDir())
	require.Equal(t, ToolDied, trouble.Kind)
	require.Equal(t, "T", First(trouble.Diagnostics).Op)
	require.ErrorContains(t, trouble, "crashed (internal compiler error: in expand_expr, at expr.cc:9876); write that line in another way")
}

// What programs say where nothing more can be written, as they were seen on file systems that were full.
var fullSpeech = map[string]string{
	"opweld.c:280:1: error: expected ';' at end of input\nopweld.c:280:1: fatal error: error closing /b/cc.s: No space left on device":  "no space left on device (free some space there)",
	"opweld.c:401:1: fatal error: error writing to /b/cc.s: Disk quota exceeded":                                                        "disk quota exceeded (the user's quota is used up, free some of it)",
	"/b/cc.s: Assembler messages:\n/b/cc.s: Fatal error: can't write 3887 bytes to section .text of /b/cc.o: 'No space left on device'": "no space left on device (free some space there)",
	"/usr/bin/ld: final link failed: No space left on device\ncollect2: error: ld returned 1 exit status":                               "no space left on device (free some space there)",
	"/usr/bin/ld: final link failed: File too large\ncollect2: error: ld returned 1 exit status":                                        "file too large (the limit of a file's size is reached, raise it (ulimit -f))",
	"gcc: internal compiler error: File size limit exceeded signal terminated program as":                                               "file too large (the limit of a file's size is reached, raise it (ulimit -f))",
	"error: unable to open output file '/b/x.o': 'Read-only file system'":                                                               "read-only file system (choose a folder that can be written)",
	"opweld.c:1:10: fatal error: Python.h: Input/output error":                                                                          "input/output error (its disk or file system fails, choose another folder)",
	"/usr/bin/ld: cannot find /b/cc.o: Too many open files":                                                                             "too many open files (close some, or raise the limit (ulimit -n))",
}

func TestWhatAFullFolderMakesProgramsSay(t *testing.T) {
	driver := filepath.Join(t.TempDir(), "gcc")
	for speech, want := range fullSpeech {
		script(t, driver, "cat >&2 <<'END'\n"+speech+"\nEND\nexit 1")
		dir := t.TempDir()
		trouble := troubled(t, &Job{Tool: &Tool{Driver: driver}, Text: "int x;\n"}, dir)
		require.Equal(t, FolderFails, trouble.Kind)
		require.EqualError(t, trouble, dir+": "+want, speech)
	}
}

func TestWhatATextMakesTheCompilerSayIsARefusal(t *testing.T) {
	tool := toolOf(t, "gcc")
	for _, text := range []string{"#error No space left on device\n", "#error out of memory\n",
		"_Static_assert(0, \"cc1: out of memory allocating 1 bytes: File too large\");\n", "#error Killed signal terminated program cc1\n"} {
		_, err := compile(t, &Job{Tool: tool, Text: "#line 1 \"T.c_code\"\n" + text})
		var refusal *Error
		require.ErrorAs(t, err, &refusal, text)
	}
}

func TestADeathInAFolderThatCannotBeWrittenIsTheFolders(t *testing.T) {
	driver := filepath.Join(t.TempDir(), "gcc")
	script(t, driver, "ulimit -f 0; kill -BUS $$")
	job := &Job{Tool: &Tool{Driver: driver}, Text: "int x;\n"}
	require.Equal(t, ToolDied, troubled(t, job, t.TempDir()).Kind)
	script(t, driver, `rm -r "$PWD"; kill -BUS $$`)
	require.Equal(t, ToolDied, troubled(t, job, t.TempDir()).Kind, "a folder that was removed is its remover's business")
}
