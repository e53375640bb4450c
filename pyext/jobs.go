package pyext

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"opweld/gen/async"
	"opweld/gen/build"
)

// work is what a job does: it reports the stages it comes to, and gives up soon after ctx is done.
type work func(ctx context.Context, progress func(stage string)) (any, error)

// job is one piece of work that runs in a goroutine of its own until it is done or cancelled.
type job struct {
	cancel  context.CancelFunc
	started time.Time
	done    chan struct{} // closed once outcome is set

	mu    sync.Mutex
	stage string

	outcome any // an answer with state "done"
}

// heapGrowth is by how many hundredths memory grows before it is collected: a build of 1,000 nodes makes some 30 MB of which little is
// live at a time, and ends; collecting by Go's default takes a quarter of its time.
const heapGrowth = 800

// registry holds the jobs that were started and not yet waited for to their end. Callers choose the ids, so that an
// interrupt between the start and its return loses nothing.
type registry struct {
	mu   sync.Mutex
	jobs map[string]*job
}

type running struct {
	State   string  `json:"state"`
	Stage   string  `json:"stage"`
	Seconds float64 `json:"seconds"`
}

type finished struct {
	State  string       `json:"state"`
	Result any          `json:"result,omitempty"`
	Error  *build.Error `json:"error,omitempty"`
}

// start runs do under the id, which must be free.
func (r *registry) start(id string, do work) error {
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{cancel: cancel, started: time.Now(), done: make(chan struct{}), stage: "render"}

	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.jobs[id]; taken {
		cancel()
		return fmt.Errorf("a job %q is running already", id)
	}
	if r.jobs == nil {
		r.jobs = make(map[string]*job)
		debug.SetGCPercent(heapGrowth)
	}
	r.jobs[id] = j
	async.Go(func() error {
		j.run(ctx, do)
		return nil
	})
	return nil
}

// run does the work and keeps its outcome; a panic is an outcome too.
func (j *job) run(ctx context.Context, do work) {
	defer close(j.done)
	defer j.cancel()
	defer func() {
		if cause := recover(); cause != nil {
			j.outcome = finished{State: "done", Error: panicked(cause)}
		}
	}()
	result, err := do(ctx, j.progress)
	if err != nil {
		j.outcome = finished{State: "done", Error: describe(err)}
		return
	}
	j.outcome = finished{State: "done", Result: result}
}

func (j *job) progress(stage string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stage = stage
}

// wait gives the job's outcome, or after the time is over where the job is. An id is free once its outcome was given.
func (r *registry) wait(id string, atMost time.Duration) (any, error) {
	j, err := r.find(id)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-j.done:
		r.mu.Lock()
		delete(r.jobs, id)
		r.mu.Unlock()
		return j.outcome, nil
	case <-timer.C:
		j.mu.Lock()
		defer j.mu.Unlock()
		return running{"running", j.stage, time.Since(j.started).Seconds()}, nil
	}
}

// stop asks the job to give up. Its end is waited for as ever.
func (r *registry) stop(id string) error {
	j, err := r.find(id)
	if err != nil {
		return err
	}
	j.cancel()
	return nil
}

func (r *registry) find(id string) (*job, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j, ok := r.jobs[id]; ok {
		return j, nil
	}
	return nil, fmt.Errorf("no job %q", id)
}
