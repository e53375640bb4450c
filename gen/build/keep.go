package build

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"opweld/gen/async"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// errNoPrivate says that a private folder is needed.
var errNoPrivate = errors.New("the module is for this process alone, and no private folder was given for it")

// buildPrivate builds into the caller's private folder.
func (j *job) buildPrivate(ctx context.Context) (*Result, error) {
	if j.req.Private == "" {
		return nil, newError(KindPrivate, errNoPrivate, "")
	}
	dir, err := os.MkdirTemp(j.req.Private, "build-")
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	j.progress(StageCompile)
	c, _, err := j.run(ctx, dir, false)
	if err != nil {
		os.RemoveAll(dir)
		return nil, j.failed(err)
	}
	return &Result{Module: c.Path, Source: filepath.Join(dir, j.compile.Source()), Key: j.key,
		Warnings: mapped(c.Warnings, j.req.Sources), Seconds: Seconds{Compile: c.seconds}}, nil
}

// buildKept builds in the store and publishes what comes out.
func (j *job) buildKept(ctx context.Context) (*Result, error) {
	if j.early == nil {
		if err := j.start(ctx); err != nil {
			return j.elsewhere(ctx, err)
		}
	}
	e := j.early
	if err := e.wait(); err != nil {
		return j.elsewhere(ctx, err)
	}
	async.Go(func() error { // nothing of its folder is wanted any more
		e.remove()
		return nil
	})
	c, settled := e.c, e.settled
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j.progress(StagePublish)
	entry, err := j.publish(c, settled)
	if err != nil {
		return j.handOver(c, err)
	}
	j.foresee()
	r := j.result(entry, c.Warnings, false)
	r.Seconds.Compile = c.seconds
	return r, nil
}

// elsewhere builds into the private folder where it was the store's folder that failed.
func (j *job) elsewhere(ctx context.Context, err error) (*Result, error) {
	if swept := errors.Is(err, errSwept); swept || j.req.Private != "" && classify(err).Kind == KindCache {
		return j.buildPrivate(ctx)
	}
	return nil, j.failed(err)
}

var errUnsettled = errors.New("files that the compiler reads are being changed")

// publish stores a compiled module and makes the index stand for it.
func (j *job) publish(c *compiled, settled bool) (*cache.Entry, error) {
	if c.unread != nil {
		return nil, c.unread
	}
	if !settled || assemblesUnseen(j.compile, &c.Reads) {
		return nil, errUnsettled
	}
	warnings, err := json.Marshal(append([]cc.Diagnostic{}, c.Warnings...))
	if err != nil {
		return nil, err
	}
	e := cache.Entry{Key: j.key, Text: j.text, Tools: j.basis.Files, Found: j.basis.Found, Files: slices.Concat(j.named, c.read),
		Absent: slices.Concat(j.basis.Absent, c.places.Group()), KeyLines: j.lines, Argv: j.compile.Argv(), Warnings: warnings}
	if j.compile.Tool.Native {
		e.CPU = j.req.CPU
	}
	j.prefix.join(&e)
	if c.places.Appeared {
		return nil, errUnsettled
	}
	entry, err := j.store.Publish(e, c.module, []byte(j.unit.Text), c.draft, j.pointers()...)
	if err == nil {
		j.remember(c)
	}
	return entry, err
}

// point makes the indices stand for the module.
func (j *job) point() error { return j.store.Point(j.key, j.pointers()...) }

// pointers are the index, and the spare one, which is looked up where there is no compiler.
func (j *job) pointers() []cache.Pointer {
	found, _ := j.linted()
	pointers := []cache.Pointer{{Name: j.req.Index, Lint: found}}
	if j.req.Spare != "" {
		pointers = append(pointers, cache.Pointer{Name: j.req.Spare, Lint: found})
	}
	return pointers
}

// handOver puts a good module that could not be published, for a reason, into the caller's private folder.
func (j *job) handOver(c *compiled, reason error) (*Result, error) {
	if j.req.Private == "" {
		if classify(reason).Kind == KindCache {
			return nil, reason
		}
		return nil, newError(KindPrivate, errNoPrivate, "")
	}
	dir, err := os.MkdirTemp(j.req.Private, "build-")
	if err != nil {
		return nil, err
	}
	r := &Result{Module: filepath.Join(dir, cc.Output), Source: filepath.Join(dir, j.compile.Source()), Key: j.key,
		Warnings: mapped(c.Warnings, j.req.Sources), Seconds: Seconds{Compile: c.seconds}}
	if cache.IsMiss(reason) {
		r.Unkept = reason.Error()
	}
	if err := errors.Join(os.WriteFile(r.Module, c.module, 0o777), os.WriteFile(r.Source, []byte(j.unit.Text), 0o666)); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return r, nil
}
