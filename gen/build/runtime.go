package build

import (
	"context"
	"os"
	"path/filepath"

	"opweld/gen"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// part is an object that is linked into a module, and what its own compile depended on.
type part struct {
	data    []byte
	files   []cache.File
	absent  []cache.Absent
	settled bool
}

// runtimeJob is the compile of what every unit is linked with: C, by the unit's own driver, with the configured flags and
// none of the ops' wishes, so that it is the same for all units.
func (j *job) runtimeJob() *job {
	r := &job{req: j.req, unit: &gen.Unit{Text: j.unit.Runtime, Lang: gen.C, Kept: true}, progress: func(string) {},
		store: j.store, keep: j.store != nil, tools: j.tools}
	r.compile = &cc.Job{Tool: j.compile.Tool, Text: j.unit.Runtime, Object: true, Flags: j.req.CFlags,
		System: j.req.IncludeDirs, Env: j.req.Env}
	r.lines = r.keyLines()
	r.key = cache.Key(r.lines)
	return r
}

// prepare puts what the unit is linked with into the private folder.
func (j *job) prepare(ctx context.Context, dir string) (err error) {
	if j.runtime == nil {
		return nil
	}
	if j.object == nil {
		if j.object, err = j.runtime.part(ctx, dir); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, cc.Object), j.object.data, 0o666)
}

// part gives the kept object, or compiles it in dir and keeps it. Two processes that find none compile it both: that
// costs less than a lock.
func (j *job) part(ctx context.Context, dir string) (*part, error) {
	if j.keep {
		if e, err := j.store.Get(j.key); err == nil {
			if data, err := os.ReadFile(j.store.Path(e.Module)); err == nil && cache.Digest(data) == e.SHA256 {
				return &part{data: data, files: e.Files, absent: e.Absent, settled: true}, nil
			}
		}
	}
	c, settled, err := j.run(ctx, dir)
	if err != nil {
		return nil, err
	}
	p := &part{data: c.module}
	if !j.keep {
		return p, nil
	}
	if e, err := j.publish(c, settled); err == nil { // else what it depends on is not known: the module is not kept either
		p.files, p.absent, p.settled = e.Files, e.Absent, true
	}
	return p, nil
}

// join adds what the object depends on to its module's entry, and tells whether it is known.
func (p *part) join(e *cache.Entry) bool {
	seen := map[string]bool{}
	for _, f := range e.Files {
		seen[f.Path] = true
	}
	for _, f := range p.files {
		if !seen[f.Path] {
			e.Files = append(e.Files, f)
		}
	}
	for _, a := range p.absent {
		if !covered(e.Absent, a) {
			e.Absent = append(e.Absent, a)
		}
	}
	return p.settled
}

// covered tells whether the places of a are among have, as they were.
func covered(have []cache.Absent, a cache.Absent) bool {
	for _, h := range have {
		if h.Folder != a.Folder || h.MtimeNs != a.MtimeNs || h.Inode != a.Inode {
			continue
		}
		paths := map[string]bool{}
		for _, p := range h.Paths {
			paths[p] = true
		}
		for _, p := range a.Paths {
			if !paths[p] {
				return false
			}
		}
		return true
	}
	return false
}
