package build

import (
	"context"
	"errors"
	"sync"
	"time"

	"opweld/gen"
	"opweld/gen/async"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// prefix is the head of every unit, compiled ahead: it halves the time of a small one. It changes no byte of what comes
// out, so it is part of no key. In C++ it is made beside the first compile that finds none, which takes longer; in C, where
// it saves less and would make the first build of all slower, after the second build of a process, which will build more.
type prefix struct {
	path   string
	files  []cache.File
	absent []cache.Absent
}

// join adds what the precompiled header depends on to a module's entry: the compile that used it does not tell.
func (p *prefix) join(e *cache.Entry) {
	if p == nil {
		return
	}
	e.Files = append(e.Files, p.files...)
	e.Absent = append(e.Absent, p.absent...)
}

// usePrefix finds the precompiled header for the job, or, in C++, begins to make it; the function that it returns waits
// until that is done.
func (j *job) usePrefix(ctx context.Context) (wait func()) {
	if j.blind || !j.keep {
		return func() {}
	}
	key, text, ok := j.head()
	if !ok {
		return func() {}
	}
	if path, kept, err := j.store.Prefix(key); err == nil {
		j.prefix = &prefix{path, kept.Files, kept.Absent}
		j.compile.Prefix = path
		return func() {}
	}
	if !j.compile.CXX {
		return func() {}
	}
	made := async.Go(func() error { return j.makePrefix(ctx, key, text) })
	return func() { _ = made() } // not made: the next compile tries again
}

// builds counts, by the prefix's key, the C units that this process has built without one, and knows of those that are
// being made.
var builds = struct {
	sync.Mutex
	of   map[string]int
	made []func() error
}{of: map[string]int{}}

// foresee makes the precompiled header of C for the builds that will follow a second one. Nobody waits for it.
func (j *job) foresee() {
	if j.compile.CXX || j.prefix != nil {
		return
	}
	key, text, ok := j.head()
	if !ok {
		return
	}
	builds.Lock()
	defer builds.Unlock()
	if builds.of[key]++; builds.of[key] == 2 { // not made: this process does without
		builds.made = append(builds.made, async.Go(func() error { return j.makePrefix(context.Background(), key, text) }))
	}
}

// head gives the job's header and its key, which names everything that decides what the compiler makes of it; false: a
// header that is compiled ahead is not for this job.
func (j *job) head() (key, text string, ok bool) {
	if !j.compile.Plain() {
		return "", "", false
	}
	text, err := gen.Prelude()
	if err != nil {
		return "", "", false
	}
	plain := job{req: j.req, unit: &gen.Unit{Text: text, Lang: j.unit.Lang}, basis: j.basis, named: j.named}
	plain.compile = &cc.Job{Tool: j.compile.Tool, CXX: j.compile.CXX, Flags: j.compile.Flags, System: j.compile.System}
	return cache.Key(append(plain.keyLines(), "prefix")), text, true
}

// prefixRoom is how many bytes must be free for a precompiled header of some 10 to 40 million to be made: it is there to
// save time, modules must be kept.
const prefixRoom = 512 << 20

var errNoRoom = errors.New("the cache has little room left")

// makePrefix compiles the header in a private folder and keeps it.
func (j *job) makePrefix(ctx context.Context, key, text string) error {
	if j.store.Free() < prefixRoom {
		return errNoRoom
	}
	dir, remove, err := j.store.Private()
	if err != nil {
		return err
	}
	defer remove()
	start := time.Now()
	compiled, reads, err := j.compile.Precompile(ctx, text, dir)
	if err != nil {
		return err
	}
	places := placesOf(&cc.Job{Tool: j.compile.Tool, Text: text, System: j.compile.System}, reads, start)
	files, err := stamps(reads.Headers)
	if err != nil {
		return err
	}
	for _, path := range reads.Headers {
		if !cache.Settled(path, start) {
			return errUnsettled
		}
	}
	if places.Appeared {
		return errUnsettled
	}
	return j.store.KeepPrefix(key, cache.Prefix{Files: append(files, j.named...), Absent: places.Group()}, []byte(text), compiled)
}

// compileIn compiles the job; where a precompiled header was used and the compiler refused, once more without it, so
// that no fault of the header is taken for one of the text.
func (j *job) compileIn(ctx context.Context, dir string) (*cc.Compiled, error) {
	c, err := cc.Compile(ctx, j.compile, dir)
	var refusal *cc.Error
	var trouble *cc.Trouble
	died := errors.As(err, &trouble) && trouble.Kind == cc.ToolDied
	if j.prefix == nil || !died && !errors.As(err, &refusal) {
		return c, err
	}
	j.prefix, j.compile.Prefix = nil, ""
	return cc.Compile(ctx, j.compile, dir)
}
