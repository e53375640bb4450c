package build

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"opweld/gen"
	"opweld/gen/cache"
)

// scene is a request of which one thing is changed.
type scene struct {
	t    *testing.T
	req  *Request
	unit *gen.Unit
	dir  string
}

// key is the key of the scene as it is now.
func (s *scene) key() string {
	s.t.Helper()
	j, err := newJob(context.Background(), s.req, s.unit, func(string) {})
	require.NoError(s.t, err)
	j.close()
	return j.key
}

// file writes a file of the scene and gives its path.
func (s *scene) file(name, text string) string {
	path := filepath.Join(s.dir, name)
	write(s.t, path, text)
	require.NoError(s.t, os.Chmod(path, 0o755))
	return path
}

// program writes a program that does what another does.
func (s *scene) program(name, of string) string {
	return s.file(name, "#!/bin/sh\n# "+name+"\nexec "+of+" \"$@\"\n")
}

// flags sets the configured flags.
func (s *scene) flags(flags ...string) { s.req.CFlags = append([]string{"-O2"}, flags...) }

// flag is a change of the flags alone.
func flag(flags ...string) func(s *scene) { return func(s *scene) { s.flags(flags...) } }

// env is a change of one variable that reaches the compiler.
func env(name, value string) func(s *scene) {
	return func(s *scene) { s.req.Env = map[string]string{name: value} }
}

// named is an argument that names a file, whose content changes; the file's path stands for %.
func named(flags ...string) [2]func(s *scene) {
	with := func(text string) func(s *scene) {
		return func(s *scene) {
			path := s.file("named", text)
			var now []string
			for _, f := range flags {
				now = append(now, strings.ReplaceAll(f, "%", path))
			}
			s.flags(now...)
		}
	}
	return [2]func(s *scene){with("# a"), with("# b")}
}

// change is one that comes after nothing.
func change(change func(s *scene)) [2]func(s *scene) {
	return [2]func(s *scene){func(*scene) {}, change}
}

// pathOf puts a folder of the scene before what PATH holds.
func (s *scene) pathOf(dir string) {
	s.req.Process = map[string]string{"PATH": filepath.Join(s.dir, dir) + ":" + os.Getenv("PATH"), "HOME": "/"}
}

// inner is a response file that a response file names, with one argument.
func inner(arg string) func(s *scene) {
	return func(s *scene) {
		inner := s.file("inner", arg)
		s.flags("@" + s.file("outer", "-DX \"@"+inner+"\"\n"))
	}
}

// fake is a driver that answers one question with a text of a file beside it, of which nothing else tells.
func fake(question, stream, text string) func(s *scene) {
	return func(s *scene) {
		real := compilerOf(s.t, "gcc")
		answer := filepath.Join(s.dir, "answer")
		require.NoError(s.t, os.WriteFile(answer, []byte(text+"\n"), 0o666))
		s.req.CC = s.file("cc", "#!/bin/sh\nfor a in \"$@\"; do [ \"$a\" = '"+question+"' ] && { cat '"+answer+"' >&"+stream+"; exit; }; done\nexec "+real+" \"$@\"\n")
		require.NoError(s.t, os.RemoveAll(filepath.Join(s.req.Root, "v2", "tools")))
	}
}

// specs is a driver's file that adds an argument of the linker's.
func specs(flag, argument string) func(s *scene) {
	return func(s *scene) { s.flags(flag + s.file("specs", "*link:\n+ "+argument+"\n\n")) }
}

// linker is a program named ld.<name> in a folder of the driver's, with a remark.
func linker(remark string) func(s *scene) {
	return func(s *scene) {
		s.file("b/ld.gold", "#!/bin/sh\n# "+remark+"\nexec ld \"$@\"\n")
		s.flags("-B"+filepath.Join(s.dir, "b"), "-fuse-ld=gold")
	}
}

var changes = map[string][2]func(s *scene){
	"text":                       change(func(s *scene) { s.unit.Text += " " }),
	"language":                   {func(s *scene) { s.req.CXX, s.req.CXXFlags = s.req.CC, s.req.CFlags }, func(s *scene) { s.unit.Lang = gen.CXX }},
	"parts":                      change(func(s *scene) { s.unit.Parts = true }),
	"version":                    change(func(s *scene) { s.unit.Versions = []string{"Twice (2,)"} }),
	"python":                     change(func(s *scene) { s.req.Python = "3.y" }),
	"numpy":                      change(func(s *scene) { s.req.NumPy = "1.x" }),
	"runtime":                    {func(s *scene) { s.req.Runtime = s.file("r.o", "a") }, func(s *scene) { s.req.Runtime = s.file("r.o", "b") }},
	"Python's headers":           change(func(s *scene) { s.req.IncludeDirs = []string{"/nowhere"} }),
	"header folder":              change(func(s *scene) { s.unit.Build.HeaderDirs = []string{"/nowhere"} }),
	"library folder":             change(func(s *scene) { s.unit.Build.LibDirs = []string{"/nowhere"} }),
	"library":                    change(func(s *scene) { s.unit.Build.Libraries = []string{"m"} }),
	"op's argument":              change(func(s *scene) { s.unit.Build.CompileArgs = []string{"-DA"} }),
	"op's argument left out":     change(func(s *scene) { s.unit.Build.NoCompileArgs = []string{"-O2"} }),
	"op's own compiler":          change(func(s *scene) { s.unit.Build.Compiler = s.program("mine", s.req.CC) }),
	"level":                      change(flag("-O3")),
	"flags' order":               {flag("-Wall", "-O2"), flag("-O2", "-Wall")},
	"flags joined":               {flag("-Wall", "-DA"), flag("-Wall\nargv -DA")},
	"architecture":               change(flag("-march=haswell")),
	"tuning":                     change(flag("-mtune=haswell")),
	"march":                      change(func(s *scene) { s.req.March = "x86-64-v3" }),
	"fast maths":                 change(func(s *scene) { s.req.FastMath = true }),
	"whose native":               {func(s *scene) { flag("-march=native")(s); s.req.CPU = "one" }, func(s *scene) { s.req.CPU = "another" }},
	"seed":                       {flag("-frandom-seed=1"), flag("-frandom-seed=2")},
	"macro":                      {flag("-DA=1"), flag("-DA=2")},
	"sysroot":                    change(flag("--sysroot=/nowhere")),
	"isysroot":                   change(flag("-isysroot", "/nowhere")),
	"idirafter":                  change(flag("-idirafter", "/nowhere")),
	"iquote":                     change(flag("-iquote", "/nowhere")),
	"B":                          change(flag("-B/nowhere/")),
	"lto":                        change(flag("-flto")),
	"sanitizer":                  change(flag("-fsanitize=undefined")),
	"CPATH":                      change(env("CPATH", "/nowhere")),
	"C_INCLUDE_PATH":             change(env("C_INCLUDE_PATH", "/nowhere")),
	"CPLUS_INCLUDE_PATH":         change(env("CPLUS_INCLUDE_PATH", "/nowhere")),
	"LIBRARY_PATH":               change(env("LIBRARY_PATH", "/nowhere")),
	"COMPILER_PATH":              change(env("COMPILER_PATH", "/nowhere")),
	"LD_LIBRARY_PATH":            change(env("LD_LIBRARY_PATH", "/nowhere")),
	"SOURCE_DATE_EPOCH":          {env("SOURCE_DATE_EPOCH", "1"), env("SOURCE_DATE_EPOCH", "2")},
	"driver":                     change(func(s *scene) { s.req.CC = s.program("gcc", s.req.CC) }),
	"driver's text":              {func(s *scene) { s.program("cc", compilerOf(s.t, "gcc")); s.req.CC = s.dir + "/cc" }, func(s *scene) { s.file("cc", mustRead(s.t, s.req.CC)+"# \n") }},
	"target":                     {fake("-dumpmachine", "1", "x86_64-one"), fake("-dumpmachine", "1", "x86_64-two")},
	"what native means":          {fake("-###", "2", " cc1 -march=haswell"), fake("-###", "2", " cc1 -march=znver4")},
	"assembler first on PATH":    {func(s *scene) { s.pathOf("p") }, func(s *scene) { s.program("p/as", "/usr/bin/as"); s.pathOf("p") }},
	"linker first on PATH":       {func(s *scene) { s.pathOf("p") }, func(s *scene) { s.program("p/ld", "/usr/bin/ld"); s.pathOf("p") }},
	"assembler on PATH":          {func(s *scene) { s.program("p/as", "/usr/bin/as"); s.pathOf("p") }, func(s *scene) { s.file("p/as", "#!/bin/sh\n# another\nexec /usr/bin/as \"$@\"\n") }},
	"assembler in a -B folder":   {func(s *scene) { s.program("b/as", "/usr/bin/as"); s.flags("-B" + s.dir + "/b") }, func(s *scene) { s.file("b/as", "#!/bin/sh\n# another\nexec /usr/bin/as \"$@\"\n") }},
	"assembler comes into it":    {func(s *scene) { s.file("b/x", ""); s.flags("-B" + s.dir + "/b") }, func(s *scene) { s.program("b/as", "/usr/bin/as") }},
	"linker by COMPILER_PATH":    {func(s *scene) { s.file("b/x", ""); env("COMPILER_PATH", s.dir+"/b")(s) }, func(s *scene) { s.program("b/ld", "/usr/bin/ld") }},
	"linker by -fuse-ld":         {linker("one"), linker("two")},
	"another linker":             change(flag("-fuse-ld=gold")),
	"response file":              {func(s *scene) { s.flags("@" + s.file("f", "-DA")) }, func(s *scene) { s.flags("@" + s.file("f", "-DB")) }},
	"response file in another":   {inner("-DA"), inner("-DB")},
	"linker's response file":     named("-Wl,@%"),
	"include":                    named("-include", "%"),
	"imacros":                    named("-imacros", "%"),
	"profile":                    named("-fprofile-use=%"),
	"auto profile":               named("-fauto-profile=%"),
	"specs":                      {specs("-specs=", "-z now"), specs("-specs=", "-z lazy")},
	"specs by two dashes":        {specs("--specs=", "-z now"), specs("--specs=", "-z lazy")},
	"plugin's argument":          named("-fplugin-arg-p-file=%"),
	"version script":             named("-Wl,--version-script=%"),
	"version script apart":       named("-Wl,--version-script,%"),
	"version script by Xlinker":  named("-Xlinker", "--version-script=%"),
	"version script by Xlinkers": named("-Xlinker", "--version-script", "-Xlinker", "%"),
	"linker script":              named("-T", "%"),
	"linker script by Wl":        named("-Wl,-T,%"),
	"dynamic list":               named("-Wl,--dynamic-list=%"),
	"retained symbols":           named("-Wl,--retain-symbols-file=%"),
	"assembler's file":           named("-Wa,%"),
	"object among the flags":     named("%"),
	"ignorelist":                 named("-fsanitize-ignorelist=%"),
	"paths of a list":            named("-fplugin-arg-p-files=/nowhere:%"),
}

var noChanges = map[string][2]func(s *scene){
	"nothing":                change(func(s *scene) {}),
	"private folder":         change(func(s *scene) { s.req.Private = s.t.TempDir() }),
	"root":                   change(func(s *scene) { s.req.Root = s.t.TempDir() }),
	"index":                  change(func(s *scene) { s.req.Index = cache.Digest(nil) }),
	"spare index":            change(func(s *scene) { s.req.Spare = cache.Digest(nil) }),
	"owners":                 change(func(s *scene) { s.req.Owners = cache.Owners{17} }),
	"patience":               change(func(s *scene) { s.req.LockSeconds = 1 }),
	"C++ compiler":           change(func(s *scene) { s.req.CXX = "/usr/bin/other" }),
	"C++ flags":              change(func(s *scene) { s.req.CXXFlags = []string{"-O0"} }),
	"processor":              change(func(s *scene) { s.req.CPU = "another" }),
	"folder first on PATH":   change(func(s *scene) { s.file("p/nothing", ""); s.pathOf("p") }),
	"programs first on PATH": change(func(s *scene) { s.program("p/awk", "/bin/true"); s.pathOf("p") }),
	"folder that is not":     change(func(s *scene) { s.pathOf("never") }),
	"PATH turned round":      change(func(s *scene) { s.req.Process = map[string]string{"PATH": os.Getenv("PATH") + ":/nowhere:relative:"} }),
	"as that cannot be run": change(func(s *scene) {
		s.file("p/as", "")
		require.NoError(s.t, os.Chmod(s.dir+"/p/as", 0o644))
		s.pathOf("p")
	}),
	"HOME":                    change(func(s *scene) { s.req.Process = map[string]string{"PATH": os.Getenv("PATH"), "HOME": s.dir} }),
	"driver touched":          {func(s *scene) { s.req.CC = s.program("cc", s.req.CC) }, func(s *scene) { require.NoError(s.t, os.Chtimes(s.req.CC, old, old)) }},
	"driver copied back":      {func(s *scene) { s.req.CC = s.program("cc", s.req.CC) }, func(s *scene) { text := mustRead(s.t, s.req.CC); os.Remove(s.req.CC); s.file("cc", text) }},
	"named file touched":      {func(s *scene) { s.flags("-include", s.file("x.h", "")) }, func(s *scene) { s.file("x.h", "") }},
	"file that a macro names": {func(s *scene) { s.flags("-DFILE=" + s.file("data", "1")) }, func(s *scene) { s.file("data", "2") }},
	"file beside one named":   {func(s *scene) { s.flags("-include", s.file("x.h", "")) }, func(s *scene) { s.file("y.h", "") }},
	"LD_RUN_PATH":             setenv("LD_RUN_PATH", "/nowhere"),
	"GCC_COMPARE_DEBUG":       setenv("GCC_COMPARE_DEBUG", "-gtoggle"),
	"CCC_OVERRIDE_OPTIONS":    setenv("CCC_OVERRIDE_OPTIONS", "+-O0"),
	"COLLECT_GCC_OPTIONS":     setenv("COLLECT_GCC_OPTIONS", "'-O0'"),
	"DEPENDENCIES_OUTPUT":     setenv("DEPENDENCIES_OUTPUT", "/tmp/none"),
	"SUNPRO_DEPENDENCIES":     setenv("SUNPRO_DEPENDENCIES", "/tmp/none"),
	"LDEMULATION":             setenv("LDEMULATION", "elf_i386"),
	"LANG":                    setenv("LC_ALL", "de_DE.UTF-8"),
	"an environment unasked":  setenv("SOURCE_DATE_EPOCH", "1"), // only the request's environment reaches a compiler
}

// setenv changes the environment of the whole process.
func setenv(name, value string) [2]func(s *scene) {
	return change(func(s *scene) { s.t.Setenv(name, value) })
}

// TestKey makes every change alone: what can change the result changes the key, what cannot does not.
func TestKey(t *testing.T) {
	root := t.TempDir() // the compiler is asked once
	keys := func(t *testing.T, c [2]func(s *scene)) (before, after string) {
		s := &scene{t, request(t), unit(moduleText), t.TempDir()}
		s.req.Root = root
		c[0](s)
		before = s.key()
		c[1](s)
		return before, s.key()
	}
	require.GreaterOrEqual(t, len(changes), 40)
	require.GreaterOrEqual(t, len(noChanges), 20)
	seen := map[string]string{}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			before, after := keys(t, c)
			require.NotEqual(t, before, after)
			require.Empty(t, seen[after], "the key of %s", seen[after])
			seen[after] = name
		})
	}
	for name, c := range noChanges {
		t.Run(name, func(t *testing.T) {
			before, after := keys(t, c)
			require.Equal(t, before, after)
		})
	}
}
