package cc

import (
	"slices"
	"strings"
)

// structural are the arguments that the glue and the meaning of array arithmetic need; the configured flags come after
// them and may undo the -f ones. Signed overflow wraps, as it does in NumPy and as CPython itself is compiled (without
// -fwrapv the compiler assumes it away in users' loops over integer arrays). errno of the math functions has no
// reader, and keeping it up forbids vector math. Products and sums are not contracted where the processor could: results are
// then NumPy's to the last bit. A call of an undeclared function is an error: it would compile to a
// module that cannot be imported, or cut a pointer to an int. So are pointers of other types, and numbers, for pointers,
// as they are in C++: what runs then reads memory that is not meant.
var (
	structural  = []string{"-fwrapv", "-fno-math-errno", "-ffp-contract=off", "-fvisibility=hidden"}
	structuralC = []string{"-Werror=implicit-function-declaration", "-Werror=int-conversion", "-Werror=incompatible-pointer-types"}
	// What a choice chooses from is computed before it: behind the branch, the status word would not tell of what is not chosen,
	// of which NumPy warns too, and a loop with a branch is not vectorised. Nor is one where parts of a choice were moved between
	// the branches of another: clip was ten times slower. A short loop that begins in the middle of what a processor decodes at
	// once takes up to a tenth longer. -fno-thread-jumps would save a tenth of compiling a chain, and makes vectors of folds of
	// choices; but choices among elements that lie apart become branches then, which take up to five times as long.
	structuralGCC = []string{"-fno-tree-sink", "-fno-tree-pre", "-falign-loops=32"}
	// What Job.Fast adds: all of -ffast-math but what takes NaN and infinities away, of which NumPy warns.
	fast = []string{"-fassociative-math", "-freciprocal-math", "-fno-signed-zeros", "-fno-trapping-math", "-ffp-contract=fast"}
	// gcc divides by what does not change in a loop by multiplying under this alone. The driver is not to see it: it would link
	// what changes how the whole process computes with subnormal numbers.
	fastGCC = []string{"-Wp,-funsafe-math-optimizations"}
)

// Argv lists the arguments, driver first; of a text in two parts those of each run, one after the other. It holds no path
// of the private folder, so it can be part of a key.
func (j *Job) Argv() []string {
	if j.Parts {
		return slices.Concat(j.partArgv(1), j.partArgv(2), j.linkArgv(part+"1.o", part+"2.o"))
	}
	return j.linkArgv(j.text()...)
}

// text names the text, and says of what language it is to a driver that would not know.
func (j *Job) text() []string {
	if !j.Tool.Told {
		return []string{j.Source()}
	}
	return []string{"-x", j.lang(), j.Source(), "-x", "none"}
}

// linkArgv lists the arguments that make a module of sources or objects.
func (j *Job) linkArgv(inputs ...string) []string {
	argv := append(j.front(), "-shared", "-Xlinker", "-t", "-Xlinker", "--version-script="+exports, "-o", Output)
	if slices.Contains(inputs, j.Source()) {
		argv = append(argv, j.assembled(1)...)
	}
	argv = append(argv, inputs...)
	for _, o := range j.Objects {
		argv = append(argv, o.Name)
	}
	argv = append(argv, j.without(j.Args)...)
	argv = pairs(argv, "-L", j.LibDirs)
	for _, d := range j.LibDirs {
		argv = append(argv, "-Xlinker", "-rpath", "-Xlinker", d)
	}
	return pairs(argv, "-l", j.Libs)
}

// front lists the arguments that decide how a text is read and compiled, driver first.
func (j *Job) front() []string {
	wanted := slices.Clone(structural)
	if !j.CXX {
		wanted = append(wanted, structuralC...)
	}
	if j.Tool.Family == "gcc" {
		wanted = append(wanted, structuralGCC...)
	}
	wanted = append(append(wanted, j.level()...), j.Flags...)
	if j.Fast {
		wanted = append(wanted, fast...)
		if j.Tool.Family == "gcc" {
			wanted = append(wanted, fastGCC...)
		}
	}
	argv := []string{j.Tool.Driver, j.standard(), "-fPIC", "-v", "-MD", "-MF", depfile}
	argv = append(argv, j.Tool.plain()...)
	argv = append(argv, j.without(wanted)...)
	argv = pairs(argv, "-I", j.Headers)
	for _, d := range j.System {
		argv = append(argv, "-isystem", d)
	}
	return argv
}

// level are the arguments for more than what every processor of a kind has, for a compiler that is known to take them; one that
// is told for which processor it compiles is told nothing else, nor where an op wants no such thing. Where gcc copies half of what
// a vector holds at a time, the vector's load waits for two stores.
func (j *Job) level() []string {
	told := func(arg string) bool { return strings.HasPrefix(arg, "-march=") }
	unwanted := func(arg string) bool { return told(arg) || arg == "-mavx2" }
	if !strings.HasPrefix(j.March, "x86-64-v") || !j.Tool.x86() || slices.ContainsFunc(slices.Concat(j.Flags, j.Args), told) ||
		slices.ContainsFunc(j.NoArgs, unwanted) {
		return nil
	}
	if t := j.Tool; t.Family == "gcc" && t.Major < 11 || t.Family == "clang" && t.Major < 12 || strings.HasPrefix(t.Target, "i") {
		return beforeLevels[j.March]
	}
	if j.Tool.Family == "gcc" && j.Tool.Major >= 12 && j.March >= "x86-64-v3" {
		bits := "256"
		if j.March >= "x86-64-v4" {
			bits = "512"
		}
		return []string{"-march=" + j.March, "-mmove-max=" + bits, "-mstore-max=" + bits}
	}
	return []string{"-march=" + j.March}
}

// beforeLevels is what compilers are told that do not know the levels by name, or make modules of 32 bits.
var beforeLevels = map[string][]string{"x86-64-v3": {"-mavx2"}, "x86-64-v4": {"-mavx2"}}

// lang is the language, as drivers call it.
func (j *Job) lang() string {
	if j.CXX {
		return "c++"
	}
	return "c"
}

// standard is the language's version: the oldest that every supported compiler has in full.
func (j *Job) standard() string {
	if j.CXX {
		return "-std=gnu++17"
	}
	return "-std=gnu17"
}

// without drops what the ops do not want.
func (j *Job) without(args []string) []string {
	var kept []string
	for _, a := range args {
		if !slices.Contains(j.NoArgs, a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// pairs appends prefix+value for each value.
func pairs(argv []string, prefix string, values []string) []string {
	for _, v := range values {
		argv = append(argv, prefix+v)
	}
	return argv
}
