package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"opweld/gen"
	"opweld/gen/async"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// job is one build: what is compiled, with what, and under which key.
type job struct {
	req      *Request
	unit     *gen.Unit
	text     string // sha256 of the unit's
	progress func(stage string)
	store    *cache.Store // nil: nothing can be kept
	keep     bool
	compile  *cc.Job
	basis    *cache.Basis // of the compiler
	named    []cache.File // that arguments name
	lines    []string
	key      string
	prefix   *prefix                           // the precompiled header in use; nil: none
	blind    bool                              // the compile began before it was known who the compiler is
	release  func()                            // gives up the lock of a compiler that is new here; nil: not held
	linted   func() (json.RawMessage, float64) // waits for what the lint finds
	reads    string                            // under which name that is remembered
	known    func() map[string]cache.File      // waits for what earlier compiles by the compiler have read
	early    *early                            // the compile that was begun before the key was known; nil: none
}

// newJob chooses and identifies the compiler and makes the key.
func newJob(ctx context.Context, req *Request, unit *gen.Unit, progress func(string)) (*job, error) {
	j := &job{req: req, unit: unit, text: cache.Digest([]byte(unit.Text)), progress: progress, store: storeOf(req)}
	j.keep = unit.Kept && j.store != nil && req.Index != ""
	driver, err := driverOf(req, unit)
	if err != nil {
		return nil, err
	}
	if err := checkDirs(unit); err != nil {
		return nil, err
	}
	flags := req.CFlags
	if unit.Lang == gen.CXX {
		flags = req.CXXFlags
	}
	b := unit.Build
	j.compile = &cc.Job{Text: unit.Text, CXX: unit.Lang == gen.CXX, Parts: unit.Parts, Flags: flags, March: levelOf(req, unit), Fast: req.FastMath, System: req.IncludeDirs,
		Headers: b.HeaderDirs, LibDirs: b.LibDirs, Libs: b.Libraries, Args: b.CompileArgs, NoArgs: b.NoCompileArgs, Env: req.Env,
		Process: req.Process, Bounds: req.Bounds}
	paths, err := cc.Named(slices.Concat(flags, b.CompileArgs))
	if err != nil {
		return nil, &gen.Error{Stage: "check", Msg: err.Error()}
	}
	if j.named, err = stamps(paths); err != nil {
		return nil, newError(KindProgram, fmt.Errorf("a file that an argument of the compiler names: %w", err), "")
	}
	if j.compile.Objects, err = objectsOf(req, unit); err != nil {
		return nil, err
	}
	q := &cc.Query{Driver: driver, CXX: j.compile.CXX, Flags: cc.Selecting(slices.Concat(flags, b.CompileArgs)), Env: req.Env, Process: req.Process,
		Bounds: req.Bounds}
	j.known = recalled(j.store, readsName(q, req.CPU))
	tool, basis, err := identify(ctx, q, req.CPU, j.store, j)
	if err != nil {
		j.close()
		return nil, err
	}
	if j.early == nil {
		j.compile.Tool = tool
	}
	j.keep = j.keep && (req.CPU != "" || !tool.Native) // not known for whom it would be kept
	j.basis = basis
	j.reads = readsName(q, req.CPU)
	j.lines = j.keyLines()
	j.key = cache.Key(j.lines)
	return j, nil
}

// storeOf opens the cache; nil: there is none, or it is not to be trusted, which Python has said.
func storeOf(req *Request) *cache.Store {
	if req.Root == "" {
		return nil
	}
	store, err := cache.Open(req.Root, req.Owners, cache.Machine{Search: req.Process.Value("PATH"), CPU: req.CPU})
	if err != nil {
		return nil
	}
	return store
}

// keyLines lists everything that is known before the compile and can change its result.
func (j *job) keyLines() []string {
	lines := []string{"opweld-key " + strconv.Itoa(cache.Format), cache.Line("text", j.text),
		cache.Line("lang", string(j.unit.Lang))}
	for _, arg := range j.compile.Argv() {
		lines = append(lines, cache.Line("argv", arg))
	}
	for _, f := range j.basis.Files {
		lines = append(lines, cache.Line("tool", f.Path, f.SHA256))
	}
	for _, f := range j.named {
		lines = append(lines, cache.Line("file", f.Path, f.SHA256))
	}
	lines = append(lines, cache.Line("target", j.compile.Tool.Target), cache.Line("resolved", j.compile.Tool.Resolved))
	if j.compile.Tool.Native { // what is for one processor has a place of its own beside what is for another
		lines = append(lines, cache.Line("cpu", j.req.CPU))
	}
	lines = append(lines, envLines(j.req.Env)...)
	lines = append(lines, cache.Line("python", j.req.Python), cache.Line("numpy", j.req.NumPy))
	for _, o := range j.compile.Objects {
		lines = append(lines, cache.Line("object", o.Name, cache.Digest(o.Data)))
	}
	for _, v := range j.unit.Versions {
		lines = append(lines, cache.Line("version", v))
	}
	return lines
}

// driverOf is the compiler for a unit: the ops' own wish, a name or a path, or the configured one of its lane.
func driverOf(req *Request, unit *gen.Unit) (string, error) {
	lang, driver, setting := "C", req.CC, "config.cc or CC"
	if unit.Lang == gen.CXX {
		lang, driver, setting = "C++", req.CXX, "config.cxx or CXX"
	}
	if wish := unit.Build.Compiler; wish != "" {
		path, err := lookPath(wish, req.Process.Value("PATH"))
		if err != nil {
			return "", newError(KindNoCompiler, fmt.Errorf("the compiler %q, which an op asks for, is not found: install it or change what c_compiler returns", wish), "")
		}
		return path, nil
	}
	if driver == "" {
		return "", newError(KindNoCompiler, fmt.Errorf("no %s compiler is found: install gcc or clang, or set %s", lang, setting), "")
	}
	return driver, nil
}

// lookPath finds a program by name, on the caller's path, or by path.
func lookPath(name, path string) (string, error) {
	if !strings.Contains(name, "/") {
		if found := cc.Which(name, path); found != "" {
			return found, nil
		}
		return "", exec.ErrNotFound
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(found)
}

// checkDirs refuses relative folders: the compiler runs in a private folder, where they would mean something else.
func checkDirs(unit *gen.Unit) error {
	for _, dir := range slices.Concat(unit.Build.HeaderDirs, unit.Build.LibDirs) {
		if !filepath.IsAbs(dir) {
			return &gen.Error{Stage: "check", Msg: fmt.Sprintf("the folder %q of c_header_dirs or c_lib_dirs is relative: give an absolute path", dir)}
		}
	}
	return nil
}

// levelOf is the level of processors that a unit is compiled for. AVX-512 computes under masks: what a choice does not choose would
// not be computed, and the status word not tell of it.
func levelOf(req *Request, unit *gen.Unit) string {
	if unit.Chooses && req.March == "x86-64-v4" {
		return "x86-64-v3"
	}
	return req.March
}

// objectsOf reads what a module is linked with: the runtime, if the request names it, and the parts of the vector library that
// the unit calls, as they are for the level of processors.
func objectsOf(req *Request, unit *gen.Unit) ([]cc.Object, error) {
	var objects []cc.Object
	read := func(name, path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return newError(KindInternal, fmt.Errorf("opweld's own part of every module cannot be read, install opweld again: %w", err), "")
		}
		objects = append(objects, cc.Object{Name: name, Data: data})
		return nil
	}
	if req.Runtime != "" {
		if err := read("runtime.o", req.Runtime); err != nil {
			return nil, err
		}
	}
	level := "baseline"
	if req.March >= "x86-64-v3" { // those below have nothing that the functions could use
		level = req.March
	}
	for _, part := range unit.Vector {
		if err := read("vector-"+part+".o", filepath.Join(req.Vector, level, part+".o")); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// hit is the kept module of the job's key; nil: there is none that holds.
func (j *job) hit() *Result {
	e, err := j.store.Get(j.key)
	if err != nil {
		return nil
	}
	var warnings []cc.Diagnostic
	if json.Unmarshal(e.Warnings, &warnings) != nil {
		return nil
	}
	_ = j.point() // the module is good, even if the short way to it cannot be kept
	return j.result(e, warnings, true)
}

// result describes a kept module.
func (j *job) result(e *cache.Entry, warnings []cc.Diagnostic, hit bool) *Result {
	return &Result{Module: j.store.Path(e.Module), Source: j.store.Path(e.Source), Key: j.key, Kept: true, Hit: hit,
		Warnings: mapped(warnings, j.req.Sources)}
}

// compiled is a finished compile in its private folder.
type compiled struct {
	*cc.Compiled
	module  []byte
	draft   *cache.Draft  // of the module; nil: it is not to be kept
	read    []cache.File  // what it was made from
	places  *cache.Places // that must stay empty
	unread  error         // why these are not known
	start   time.Time
	seconds float64
}

// errSwept says that the private folder was removed under the compiler's feet: somebody clears the cache.
var errSwept = errors.New("the folder of the build was removed while the compiler ran")

// swept tells a file that has gone from other failures.
func swept(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errSwept
	}
	return err
}

// isSwept tells whether a compile failed because its text was taken away; that it could not be written is another matter.
func (j *job) isSwept(dir string, err error) bool {
	if errno, ok := cc.Errno(err); ok && errno != syscall.ENOENT {
		return false
	}
	var trouble *cc.Trouble
	if errors.As(err, &trouble) && trouble.Kind == cc.FolderFails {
		return false
	}
	_, gone := os.Stat(filepath.Join(dir, j.compile.Source()))
	return errors.Is(gone, fs.ErrNotExist)
}

// attempts is how often a text is compiled when headers change meanwhile.
const attempts = 3

// run compiles the job in dir. settled tells, of what is to be kept, whether what was read is known to be what lies there now. It
// needs no key.
func (j *job) run(ctx context.Context, dir string, keep bool) (c *compiled, settled bool, err error) {
	begin := time.Now()
	defer j.usePrefix(ctx)()
	for range attempts {
		c = &compiled{start: time.Now()}
		over := func() *headers { return nil }
		if keep {
			over = ahead(dir, c.start)
		}
		c.Compiled, err = j.compileIn(ctx, dir)
		seen := over()
		if err != nil {
			if ctx.Err() == nil && j.isSwept(dir, err) {
				err = errSwept
			}
			return nil, false, err
		}
		taken := async.Go(func() error { return j.take(c, dir, keep) })
		settled = keep && j.look(c, seen)
		if err = taken(); err != nil || settled || !keep {
			break
		}
		c.draft.Drop()
	}
	c.seconds = time.Since(begin).Seconds()
	return c, settled, err
}

// take reads the module, makes sure that it is one, and begins to put on the disk what is to be kept.
func (j *job) take(c *compiled, dir string, keep bool) (err error) {
	if c.module, err = os.ReadFile(c.Path); err != nil {
		return swept(err)
	}
	if err := checkModule(c.module); err != nil {
		return j.compile.Unfit(dir, err)
	}
	if keep {
		c.draft = j.store.Draft(c.module, 0o777)
	}
	return nil
}

// failed gives a compile's error its form, and keeps the compiler's whole output where there is a place for it.
func (j *job) failed(err error) error {
	var refusal *cc.Error
	var trouble *cc.Trouble
	switch {
	case errors.As(err, &refusal):
		return refused(refusal, j.req.Sources, j.log(refusal.Report()))
	case errors.As(err, &trouble) && trouble.Kind != cc.FolderFails && trouble.Output != "":
		e := troubled(trouble)
		e.Diagnostics = cc.Map(trouble.Diagnostics, j.req.Sources)
		first := cc.First(e.Diagnostics)
		e.Op, e.File, e.Line, e.Log = first.Op, first.File, first.Line, j.log(trouble.Report())
		return e
	}
	return err
}

// log keeps all that was said in a failed compile, and says where; empty: there is no place.
func (j *job) log(whole string) string {
	if j.store != nil {
		if log, err := j.store.WriteLog(j.key, whole, j.unit.Text); err == nil {
			return log
		}
	}
	if path := filepath.Join(j.req.Private, j.key+".txt"); j.req.Private != "" {
		if os.WriteFile(path, []byte(whole), 0o666) == nil {
			return path
		}
	}
	return ""
}
