package build

import (
	"slices"
	"strconv"

	"opweld/gen/async"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// readsName is the name under which it is remembered what compiles by a compiler read.
func readsName(q *cc.Query, cpu string) string {
	return cache.Key([]string{"opweld-reads " + strconv.Itoa(cache.Format), cache.Line("tool", queryName(q, cpu))})
}

// recalled reads what is remembered beside the caller. What it gives waits for that.
func recalled(store *cache.Store, name string) func() map[string]cache.File {
	var known map[string]cache.File
	if store == nil {
		return func() map[string]cache.File { return nil }
	}
	wait := async.Go(func() error {
		known = store.Recall(name)
		return nil
	})
	return func() map[string]cache.File {
		_ = wait()
		return known
	}
}

// remember keeps what a compile read that is not the user's own, which changes less often. Where it cannot be kept, it is read
// again.
func (j *job) remember(c *compiled) {
	own := func(f cache.File) bool { return userHeader(f.Path, j.compile, &c.Reads) }
	_ = j.store.Remember(j.reads, j.known(), slices.DeleteFunc(slices.Clone(c.read), own))
}
