package cc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"opweld/gen/pattern"
)

// prefixName is a header that is compiled ahead, in its private folder.
const prefixName = "prefix.hh"

// Ahead tells whether a head can be compiled ahead for a job, as the job would read it: only gcc's form is known, debug information
// would tell where a text was read, and what else an op asks for must be known to be the same for a head alone.
func (j *Job) Ahead() bool {
	debug := func(f string) bool { return len(f) > 1 && f[:2] == "-g" }
	return j.Tool.Family == "gcc" && !slices.ContainsFunc(slices.Concat(j.Flags, j.Args), debug) && !slices.ContainsFunc(j.Args, elsewise)
}

// Own tells whether a job's ops have wishes of their own, so that few others can share its head.
func (j *Job) Own() bool { return len(j.Headers)+len(j.reading())+len(j.NoArgs) > 0 }

// Head is the job that compiles the head of another ahead.
func (j *Job) Head() *Job {
	return &Job{Tool: j.Tool, CXX: j.CXX, Flags: j.Flags, March: j.March, Fast: j.Fast, System: j.System, Headers: j.Headers,
		Args: j.reading(), NoArgs: j.NoArgs}
}

// ofLinker are the arguments that a compile without a link has no use for, and ofText those that decide how a text is read or
// compiled, and nothing else.
var (
	ofLinker = pattern.New(`^-(l|L|Wl,|rdynamic$|s$|static-lib|no-pie$)`)
	ofText   = pattern.New(`^-([DUOm].|W([^lap]|[lap][^,])|w$|std=|pedantic|ansi$|pthread$|f(no-)?(permissive$|wrapv$|strict-|math-|fast-math$|` +
		`trapping-|signed-|unsafe-|finite-|associative-|reciprocal-|rounding-|unroll-|inline|exceptions$|rtti$|omit-frame|openmp$|openmp-simd$|` +
		`short-enums$|cx-|tree-))`)
)

// elsewise tells that it is not known what an argument does to a head.
func elsewise(arg string) bool { return !ofLinker.MatchString(arg) && !ofText.MatchString(arg) }

// reading lists the ops' arguments that a head is compiled with.
func (j *Job) reading() []string {
	return slices.DeleteFunc(j.without(j.Args), ofLinker.MatchString)
}

// Precompile compiles a header as the job would read it, in dir, an empty private folder. The paths that it read come
// with it: a compile that uses it does not name them. In C no build waits for a header, and it yields to all else: on a
// processor of one core calls right after a build took three times as long.
func (j *Job) Precompile(ctx context.Context, text, dir string) (compiled []byte, reads *Reads, err error) {
	if err := os.WriteFile(filepath.Join(dir, prefixName), []byte(text), 0o666); err != nil {
		return nil, nil, fmt.Errorf("write the header: %w", err)
	}
	output := prefixName + ".gch"
	argv := append(append(j.front(), "-x", j.lang()+"-header", prefixName, "-o", output), j.reading()...)
	out, err := run(ctx, command{argv: argv, dir: dir, env: environ(j.Env, j.Process, dir), bounds: j.Bounds, yields: !j.CXX})
	if err != nil {
		return nil, nil, err
	}
	if out.code != 0 {
		return nil, nil, &Error{Diagnostics: parse(out.stderr, j.Tool), Argv: argv, Output: out.stderr}
	}
	if reads, err = readsOf(dir, prefixName, j, out); err != nil {
		return nil, nil, err
	}
	compiled, err = os.ReadFile(filepath.Join(dir, output))
	return compiled, reads, err
}
