// Package build leads from a Program to the path of a module: rendering, then the cache, then the compiler. It reports
// its progress and can be cancelled. It loads nothing into Python and writes nowhere but the cache folder and the
// caller's private folder.
package build

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"opweld/gen"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// Stages are what progress is told, in this order; some are left out.
const (
	StageRender  = "render"
	StageWait    = "wait" // for another process that builds the same
	StageCompile = "compile"
	StagePublish = "publish"
)

// Request is what Python asks for; docs/engine.md describes its fields.
type Request struct {
	Program     string               `json:"program"`
	Fuse        bool                 `json:"fuse"`    // steps that walk the same elements become one
	Account     bool                 `json:"account"` // what texts take and give up is counted
	Faults      bool                 `json:"faults"`  // every place that can fail asks whether it is to
	Sources     map[string]cc.Source `json:"sources"`
	Lines       map[string]Written   `json:"lines"` // of fragments, for a debugger; none: marks have the fragments' names
	Index       string               `json:"index"`
	Spare       string               `json:"spare"`
	Root        string               `json:"root"`
	Owners      cache.Owners         `json:"owners"`
	Private     string               `json:"private"`
	CC          string               `json:"cc"`
	CXX         string               `json:"cxx"`
	CFlags      []string             `json:"cflags"`
	CXXFlags    []string             `json:"cxxflags"`
	March       string               `json:"march"`
	FastMath    bool                 `json:"fastmath"` // floating point may be reordered, contracted, and divided by products
	IncludeDirs []string             `json:"include_dirs"`
	Runtime     string               `json:"runtime"`
	Vector      string               `json:"vector"` // the folder of the vector library
	Python      string               `json:"python"`
	NumPy       string               `json:"numpy"`
	Env         map[string]string    `json:"env"`
	Process     cc.Process           `json:"process"`
	CPU         string               `json:"cpu"`
	LockSeconds float64              `json:"lock_seconds"`
	Bounds      cc.Bounds            `json:"bounds"`
	decoded     []*gen.Program       // what Program says, once it was rendered
}

// Result is a module that can be imported.
type Result struct {
	Module   string          `json:"module"`
	Source   string          `json:"source"`
	Text     string          `json:"text"` // sha256 of the source
	Key      string          `json:"key"`
	Kept     bool            `json:"kept"`   // another process can use it too
	Unkept   string          `json:"unkept"` // what in the cache is somebody else's, where that is why it is not kept
	Hit      bool            `json:"hit"`    // no compiler was run
	Warnings []cc.Diagnostic `json:"warnings"`
	Lint     json.RawMessage `json:"lint"` // what was found in the C before it ran; null: it could not be looked at
	Seconds  Seconds         `json:"seconds"`
}

// Seconds is where the time went.
type Seconds struct {
	Render  float64 `json:"render"`
	Compile float64 `json:"compile"`
	Lint    float64 `json:"lint"` // beside the compiler
	Total   float64 `json:"total"`
}

// Run builds req's Program, or finds that it is built. progress, if not nil, is called from this goroutine at the
// start of each stage. An error that it returns is an *Error.
func Run(ctx context.Context, req *Request, progress func(stage string)) (*Result, error) {
	if progress == nil {
		progress = func(string) {}
	}
	start := time.Now()
	progress(StageRender)
	unit, err := render(req)
	var fragments *gen.FragmentError
	if errors.As(err, &fragments) {
		return nil, breached(fragments, req.Sources)
	}
	if err != nil {
		return nil, classify(err)
	}
	rendered := time.Since(start)
	result, err := runUnit(ctx, req, unit, progress)
	if err != nil {
		return nil, classify(err)
	}
	result.Seconds.Render = rendered.Seconds()
	result.Seconds.Total = time.Since(start).Seconds()
	return result, nil
}

// patience is how long the job waits for others that build the same.
func (j *job) patience() time.Duration {
	return time.Duration(j.req.LockSeconds * float64(time.Second))
}

// runUnit does all of Run that follows rendering.
func runUnit(ctx context.Context, req *Request, unit *gen.Unit, progress func(stage string)) (r *Result, err error) {
	j, err := newJob(ctx, req, unit, progress)
	if err != nil {
		return nil, err
	}
	defer j.close()
	j.linted = lintOf(req)
	defer func() {
		if r != nil {
			r.Text = j.text
			r.Lint, r.Seconds.Lint = j.linted()
		}
	}()
	if !j.keep {
		return j.buildPrivate(ctx)
	}
	if r := j.hit(); r != nil {
		return r, nil
	}
	unlock, err := j.store.Lock(ctx, j.key, j.patience(), func() { progress(StageWait) })
	j.let()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil { // else: build all the same, the lock only saves work
		defer unlock()
		if r := j.hit(); r != nil {
			return r, nil
		}
	}
	return j.buildKept(ctx)
}
