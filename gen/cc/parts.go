package cc

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"opweld/gen/async"
)

// The objects of a text that is compiled in two parts, and the list of headers of the second, which are among the first's.
const (
	part       = "part" // and its number, and .o
	secondDeps = "part2.d"
)

// partArgv lists the arguments that compile one part, 1 or 2. They stand at different places of one text, so that
// messages name the same lines.
func (j *Job) partArgv(n int) []string {
	argv := j.front()
	if n == 2 {
		argv[slices.Index(argv, depfile)] = secondDeps
	}
	number := strconv.Itoa(n)
	argv = append(argv, j.assembled(n)...)
	return slices.Concat(argv, j.silent(), []string{"-DOPW_PART=" + number, "-c"}, j.text(), []string{"-o", part + number + ".o"},
		j.without(j.Args))
}

// assembled asks the assembler which files it reads: .incbin and .include, which no compiler knows of.
func (j *Job) assembled(n int) []string {
	if j.Tool.Family != "gcc" {
		return nil
	}
	return []string{"-Wa,--MD," + asDeps(n)}
}

// asDeps is the assembler's list of a part.
func asDeps(n int) string { return part + strconv.Itoa(n) + ".as.d" }

// asmSeen tells whether the files that inline assembly reads can become known: clang assembles by itself, and with -flto
// only the linker's own compile does.
func (j *Job) asmSeen() bool {
	lto := func(f string) bool { return strings.HasPrefix(f, "-flto") }
	return j.Tool.Family == "gcc" && !slices.ContainsFunc(j.Flags, lto) && !slices.ContainsFunc(j.Args, lto)
}

// silent keeps a driver from remarks about arguments that a step has no use for.
func (j *Job) silent() []string {
	if j.Tool.Family == "clang" {
		return []string{"-Qunused-arguments"}
	}
	return nil
}

// run starts the driver: once, or for two parts at once and then for the link. What it gives is as one run would have
// said it; the second part's stream comes apart, for it names no path that the first does not.
func (j *Job) run(ctx context.Context, dir string, extra []string) (out *outcome, second string, err error) {
	start := func(argv, more []string) (*outcome, error) {
		return run(ctx, command{argv: append(argv, more...), dir: dir, env: environ(j.Env, j.Process, dir), bounds: j.Bounds})
	}
	mapped := "-ffile-prefix-map=" + dir + "=."
	if !j.Parts {
		out, err = start(j.Argv(), append([]string{mapped}, extra...))
		return out, "", err
	}
	var loops *outcome
	ended := async.Go(func() (err error) {
		loops, err = start(j.partArgv(2), []string{mapped})
		return err
	})
	out, err = start(j.partArgv(1), append([]string{mapped}, extra...))
	if err = cmp.Or(err, ended()); err != nil || out.code != 0 {
		return out, "", err
	}
	if loops.code != 0 {
		return loops, "", nil
	}
	link, err := start(append(j.linkArgv(part+"1.o", part+"2.o"), j.silent()...), nil)
	if err != nil {
		return nil, "", err
	}
	return &outcome{stdout: out.stdout + "\n" + link.stdout, stderr: out.stderr + "\n" + link.stderr, code: link.code, signal: link.signal,
		cut: out.cut || link.cut}, loops.stderr, nil
}
