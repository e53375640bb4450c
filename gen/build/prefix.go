package build

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"opweld/gen"
	"opweld/gen/async"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// prefix is the head of every unit, compiled ahead: it halves the time of a small one. It changes no byte of what comes
// out, so it is part of no key. In C++ it is made beside the first compile that finds none; in C, where it saves less and
// would make the first build of all slower, and where ops ask for arguments or folders of their own, which others may not share,
// after the second such build of a process, which will build more. The build that begins it does not wait for it: a head takes
// longer than a small unit. Finish does.
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

// usePrefix finds the precompiled header for the job, or, in C++, begins to make it, or waits for it where this process is
// making it. The function that it returns is called when the job's compile is over: a header goes on being made, unless the
// job was cancelled.
func (j *job) usePrefix(ctx context.Context) (over func()) {
	over = func() {}
	if j.blind || !j.keep {
		return over
	}
	key, text, ok := j.head()
	if !ok || j.keptPrefix(key) || !j.beside() {
		return over
	}
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended, begun := heads.begin(key, func() error { return j.makePrefix(inner, key, text) })
	if begun {
		return func() {
			if ctx.Err() != nil {
				cancel()
				<-ended
			}
		}
	}
	cancel()
	select {
	case <-ended:
		j.keptPrefix(key) // else: not made, the next compile tries again
	case <-ctx.Done():
	}
	return over
}

// keptPrefix takes the precompiled header of a key into use; false: there is none that holds.
func (j *job) keptPrefix(key string) bool {
	path, kept, err := j.store.Prefix(key)
	if err != nil {
		return false
	}
	j.prefix = &prefix{path, kept.Files, kept.Absent}
	j.compile.Prefix = path
	return true
}

// making is what this process knows of precompiled headers, by key: those that it is making, and how many C units it has
// built without one.
type making struct {
	mu     sync.Mutex
	ended  map[string]chan struct{}
	builds map[string]int
}

var heads = making{ended: map[string]chan struct{}{}, builds: map[string]int{}}

// begin starts to make a header beside the caller, unless this process is making it already. ended is closed when it is
// made, or cannot be.
func (m *making) begin(key string, do func() error) (ended chan struct{}, begun bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ended, ok := m.ended[key]; ok {
		return ended, false
	}
	ended = make(chan struct{})
	m.ended[key] = ended
	async.Go(func() error {
		defer close(ended)
		defer m.forget(key)
		return do()
	})
	return ended, true
}

func (m *making) forget(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.ended, key)
}

// count notes a C unit that was built without its header, and gives how many that makes.
func (m *making) count(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.builds[key]++
	return m.builds[key]
}

// Finish waits until the precompiled headers that this process has begun are made, at most so long; true: they are.
func Finish(atMost time.Duration) bool {
	late := time.After(atMost)
	heads.mu.Lock()
	waiting := slices.Collect(maps.Values(heads.ended))
	heads.mu.Unlock()
	for _, ended := range waiting {
		select {
		case <-ended:
		case <-late:
			return false
		}
	}
	return true
}

// beside tells whether a head is made beside the first compile that finds none.
func (j *job) beside() bool { return j.compile.CXX && !j.compile.Own() }

// foresee makes the head that is not made beside a first compile, for the builds that will follow a second one.
func (j *job) foresee() {
	if j.beside() || j.prefix != nil {
		return
	}
	key, text, ok := j.head()
	if !ok || heads.count(key) != 2 { // not made then: this process does without
		return
	}
	heads.begin(key, func() error { return j.makePrefix(context.Background(), key, text) })
}

// head gives the job's header and its key, which names everything that decides what the compiler makes of it; false: a
// header that is compiled ahead is not for this job.
func (j *job) head() (key, text string, ok bool) {
	if !j.compile.Ahead() || j.unit.Light {
		return "", "", false
	}
	text, err := gen.Prelude()
	if err != nil {
		return "", "", false
	}
	plain := job{req: j.req, unit: &gen.Unit{Text: text, Lang: j.unit.Lang}, basis: j.basis, named: j.named}
	plain.compile = j.compile.Head()
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
	head := j.compile.Head()
	head.Text = text
	places := placesOf(head, reads, start)
	files, settled, err := stampsSince(reads.Headers, start)
	if err != nil {
		return err
	}
	if !settled || places.Appeared {
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
