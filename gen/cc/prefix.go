package cc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// prefixName is a header that is compiled ahead, in its private folder.
const prefixName = "prefix.hh"

// Plain tells whether a job asks for nothing that changes how a header that comes first is read: such jobs can share a
// precompiled one. Only gcc's form is known; debug information would tell where a text was read.
func (j *Job) Plain() bool {
	debug := slices.ContainsFunc(j.Flags, func(f string) bool { return len(f) > 1 && f[:2] == "-g" })
	return j.Tool.Family == "gcc" && !debug && len(j.Headers)+len(j.Args)+len(j.NoArgs) == 0
}

// Precompile compiles a header as the job would read it, in dir, an empty private folder. The paths that it read come
// with it: a compile that uses it does not name them.
func (j *Job) Precompile(ctx context.Context, text, dir string) (compiled []byte, reads *Reads, err error) {
	if err := os.WriteFile(filepath.Join(dir, prefixName), []byte(text), 0o666); err != nil {
		return nil, nil, fmt.Errorf("write the header: %w", err)
	}
	output, lang := prefixName+".gch", "c-header"
	if j.CXX {
		lang = "c++-header"
	}
	argv := append(j.front(), "-x", lang, prefixName, "-o", output)
	out, err := run(ctx, command{argv: argv, dir: dir, env: environ(j.Env, j.Process, dir), bounds: j.Bounds})
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
