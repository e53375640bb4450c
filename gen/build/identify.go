package build

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"opweld/gen"
	"opweld/gen/async"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// newcomer is told of a compiler that is new here.
type newcomer interface {
	// alone waits until no other process looks at the same compiler; false: it need not be tried again.
	alone(ctx context.Context, name string) bool
	// begin is told who the compiler is before its files are hashed, which takes about as long as a small compile; true: it
	// compiles meanwhile.
	begin(ctx context.Context, tool *cc.Tool) bool
}

// identify gives the identity of a job's compiler, and what it holds for, from the cache while that does hold. guest may
// be nil.
func identify(ctx context.Context, q *cc.Query, cpu string, store *cache.Store, guest newcomer) (*cc.Tool, *cache.Basis, error) {
	name := queryName(q, cpu)
	for first := true; store != nil; first = false {
		tool := &cc.Tool{}
		if basis, err := store.Tool(name, tool); err == nil {
			return tool, basis, nil
		}
		if !first || guest == nil || !guest.alone(ctx, name) {
			break
		}
	}
	tool, err := cc.Identify(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	side := readers()
	if guest != nil && guest.begin(ctx, tool) {
		side = max(1, side-1) // a processor is the compile's, which is what is waited for
	}
	files, _, err := stampsBy(side, tool.Programs, time.Time{})
	if err != nil {
		return nil, nil, cc.Unreadable(q.Driver, err)
	}
	basis := basisOf(tool, files)
	if store != nil {
		_ = store.KeepTool(name, tool, basis) // not kept: asked again next time
	}
	return tool, basis, nil
}

// queryName is the name under which a compiler's identity is kept. What arguments such as -march=native mean depends on
// the processor, which need not be this one's next time.
func queryName(q *cc.Query, cpu string) string {
	lines := []string{"opweld-tool " + strconv.Itoa(cache.Format), cache.Line("driver", q.Driver), cache.Line("cxx", strconv.FormatBool(q.CXX)),
		cache.Line("cpu", cpu)}
	for _, f := range q.Flags {
		lines = append(lines, cache.Line("flag", f))
	}
	return cache.Key(append(lines, envLines(q.Env)...))
}

// envLines lists the environment's variables, sorted.
func envLines(env map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, cache.Line("env", name+"="+env[name]))
	}
	return lines
}

// basisOf is what a compiler's identity holds for.
func basisOf(tool *cc.Tool, files []cache.File) *cache.Basis {
	places := cache.NewPlaces(time.Now())
	for _, path := range tool.Early {
		places.Add(path)
	}
	basis := &cache.Basis{Files: files, Absent: places.Group(), Found: []cache.Found{}}
	for _, f := range tool.Found {
		basis.Found = append(basis.Found, cache.Found{Name: f[0], Path: f[1]})
	}
	return basis
}

// alone takes the lock of a compiler, which is held until the job has the lock of its key: of many processes that build
// the same with a compiler that is new to all, one compiles.
func (j *job) alone(ctx context.Context, name string) bool {
	if !j.keep {
		return false
	}
	unlock, err := j.store.Lock(ctx, name, j.patience(), func() { j.progress(StageWait) })
	if err == nil {
		j.release = unlock
	}
	return err == nil
}

// begin starts to compile while the compiler is hashed for the key.
func (j *job) begin(ctx context.Context, tool *cc.Tool) bool {
	if j.release == nil || j.unit.Lang != gen.C { // the precompiled head of C++ has a key of its own, which is not known yet
		return false
	}
	j.compile.Tool = tool
	j.blind = true
	return j.start(ctx) == nil // where nothing can be written, it is said when the key is known
}

// stamps looks at files and hashes them, as many at a time as there are processors: each that is read takes a thread. The
// error is that of the first that cannot be read.
func stamps(paths []string) ([]cache.File, error) {
	files, _, err := stampsSince(paths, time.Time{})
	return files, err
}

// stampsSince is stamps, and tells whether nothing of them was changed since a moment.
func stampsSince(paths []string, since time.Time) (files []cache.File, settled bool, err error) {
	return stampsBy(readers(), paths, since)
}

// stampsBy is stampsSince with so many files at a time.
func stampsBy(side int, paths []string, since time.Time) (files []cache.File, settled bool, err error) {
	files, errs := make([]cache.File, len(paths)), make([]error, len(paths))
	var moved atomic.Bool
	panicked := eachOf(side, len(paths), func(i int) error {
		var still bool
		if files[i], still, errs[i] = cache.StampSince(paths[i], since); !still {
			moved.Store(true)
		}
		return nil
	})
	return files, !moved.Load(), cmp.Or(panicked, cmp.Or(errs...))
}

// eachOf does something of n files, so many side by side, until one is an error.
func eachOf(side, n int, do func(i int) error) error {
	var next atomic.Int64
	return async.Each(side, func(int) error {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxReaders is how many files are looked at side by side.
const maxReaders = 4

func readers() int { return min(runtime.GOMAXPROCS(0), maxReaders) }

// early is a compile in a private folder that was begun before its key was known.
type early struct {
	dir     string
	cancel  context.CancelFunc
	remove  func()
	wait    func() error // until the compile has ended
	c       *compiled
	settled bool
}

// start begins the compile of a unit that is to be kept.
func (j *job) start(ctx context.Context) error {
	j.store.Tidy(time.Now())
	dir, remove, err := j.store.Private()
	if err != nil {
		return err
	}
	j.progress(StageCompile)
	inner, cancel := context.WithCancel(ctx)
	e := &early{dir: dir, cancel: cancel, remove: sync.OnceFunc(remove)}
	j.early = e
	e.wait = async.Go(func() (err error) {
		e.c, e.settled, err = j.run(inner, dir, true)
		return err
	})
	return nil
}

// let gives up the compiler's lock.
func (j *job) let() {
	if j.release != nil {
		j.release()
		j.release = nil
	}
}

// close ends what the job has begun.
func (j *job) close() {
	j.let()
	j.early.drop()
}

// drop ends a compile that nobody wants any more, and removes its folder.
func (e *early) drop() {
	if e == nil {
		return
	}
	e.cancel()
	_ = e.wait()
	if e.c != nil {
		e.c.draft.Drop()
	}
	e.remove()
}
