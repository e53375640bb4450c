// Package cc makes one run of a C or C++ compiler: who the compiler is, its arguments, the run itself in a process group of its
// own, what it read, and its diagnostics mapped back to the lines that users wrote. It knows nothing of Program, of
// keys and of the cache.
package cc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"opweld/gen/async"
	"opweld/gen/pattern"
)

// The names that every build uses inside its private folder. They are constant because a compiler writes the base name
// of its source into the object.
const (
	SourceC   = "opweld.c"
	SourceCXX = "opweld.cc"
	Output    = "opweld.so"
	depfile   = "opweld.d"
	exports   = "opweld.map"
)

// exported is the linker's list of what others may see: namespace std makes its templates visible whatever the flags say.
const exported = "{ global: PyInit_*; local: *; };\n"

// Job is one translation unit and what it is compiled with.
type Job struct {
	Tool    *Tool
	Text    string
	CXX     bool
	Parts   bool     // the text has two parts, OPW_PART 1 and 2, which are compiled at the same time
	Objects []Object // to link with
	Prefix  string   // path of a header that comes first and is compiled ahead; not part of Argv: the result is the same
	Flags   []string // configured flags: optimisation, warnings, debug
	March   string   // the level of processors that it is for: "x86-64-v3"; "baseline", or nothing: all of their kind
	Fast    bool     // floating point may be reordered, contracted, and divided by products
	System  []string // folders of Python's and NumPy's headers, in order
	Headers []string // folders of the ops' headers
	LibDirs []string // folders of the ops' libraries, for the linker and for the loader
	Libs    []string // names of libraries
	Args    []string // further arguments
	NoArgs  []string // arguments to leave out, by exact match
	Env     map[string]string
	Process Process
	Bounds  Bounds
}

// Object is a file that every build of its kind is linked with, under a name that does not change.
type Object struct {
	Name string
	Data []byte
}

// Reads holds the paths that a compile read and where it looked for them.
type Reads struct {
	Headers []string // every header, as the compiler spells it
	Libs    []string // every object, archive and library that the linker read
	Others  []string // what inline assembly includes, what told the driver what to do, and programs that it ran and had not named
	AsmSeen bool     // whether the files that inline assembly reads are known
	Quote   []string // where #include "x" looks before Search, apart from the includer's own folder
	Search  []string // where #include <x> looks, in order
	Missing []string // search folders that do not exist
	LibDirs []string // where -lx looks, in order
}

// Compiled is a finished module and what the compiler said about it.
type Compiled struct {
	Path     string // of the module
	Warnings []Diagnostic
	Reads    Reads
}

// Compile writes the job's text into dir, a private folder, and compiles and links it there. A refusal by the compiler is
// an *Error; where the text had no chance, a *Trouble says why.
func Compile(ctx context.Context, job *Job, dir string) (*Compiled, error) {
	if err := job.prepare(dir); err != nil {
		return nil, err
	}
	var extra []string
	if job.Prefix != "" {
		extra = []string{"-include", job.Prefix}
	}
	async.Go(ready)
	out, second, err := job.run(ctx, dir, extra)
	if err != nil {
		return nil, err
	}
	diagnostics := parse(out.stderr, job.Tool)
	for _, d := range parse(second, job.Tool) {
		if !slices.ContainsFunc(diagnostics, func(have Diagnostic) bool { return reflect.DeepEqual(have, d) }) {
			diagnostics = append(diagnostics, d)
		}
	}
	if len(diagnostics) > 0 {
		newTextMap(job.Source(), job.Text).place(diagnostics)
	}
	module := filepath.Join(dir, Output)
	if info, err := os.Stat(module); out.code != 0 || out.signal != "" || err != nil || info.Size() == 0 {
		if t := job.blame(out, diagnostics, dir); t != nil {
			return nil, t
		}
		diagnostics = withUnclosed(diagnostics, job.Text)
		hinted(diagnostics, job.CXX)
		return nil, &Error{Diagnostics: diagnostics, Argv: job.Argv(), Output: out.stderr}
	}
	reads, err := readsOf(dir, job.Source(), job, out)
	if err != nil {
		return nil, err
	}
	return &Compiled{Path: module, Warnings: diagnostics, Reads: *reads}, nil
}

// ready compiles, while a compiler runs, the expressions by which what it says is read.
func ready() error {
	pattern.Ready(fromRE, placedRE, undefRE, bareRE, driverRE, linkerRE, linkLineRE, configuredRE)
	return nil
}

// prepare writes what a compile reads from its folder, and removes what an earlier one wrote there.
func (j *Job) prepare(dir string) error {
	if err := os.Remove(filepath.Join(dir, Output)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("prepare the folder: %w", err)
	}
	files := map[string][]byte{j.Source(): []byte(j.Text), exports: []byte(exported)}
	for _, o := range j.Objects {
		files[o.Name] = o.Data
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// Error is a refusal by the compiler or the linker.
type Error struct {
	Diagnostics []Diagnostic // at least one of severity "error"
	Argv        []string
	Output      string // all that the compiler wrote, up to a limit
}

// Error gives the first error's one line.
func (e *Error) Error() string {
	for _, d := range e.Diagnostics {
		if d.Severity == "error" {
			return d.Message
		}
	}
	return "the compiler refused the text and said nothing"
}

// Report is everything about the refusal, for a log: what was said, the arguments, the whole output.
func (e *Error) Report() string {
	var b strings.Builder
	for _, d := range e.Diagnostics {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s %s\n", d.File, d.Line, d.Column, d.Severity, d.Message, d.Option)
	}
	fmt.Fprintf(&b, "\narguments: %q\n\nall that the compiler wrote:\n%s", e.Argv, e.Output)
	return b.String()
}

// Source is the name of the job's text in its private folder.
func (j *Job) Source() string {
	if j.CXX {
		return SourceCXX
	}
	return SourceC
}
