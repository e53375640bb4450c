package build

import (
	"cmp"
	"slices"
	"time"

	"opweld/gen/async"
	"opweld/gen/cache"
	"opweld/gen/cc"
)

// headers is what is known of the headers of a compile before it is over.
type headers struct {
	files   map[string]cache.File // those that are listed
	settled bool                  // none of them was changed since the compile began
}

const lookEvery = 3 * time.Millisecond

// ahead looks at the headers of a compile in dir while the assembler and the linker work. The compiler proper lists them when
// it has read them, so what they hold then is what it read. What ahead gives is to be called when the compile is over; nil:
// nothing was listed.
func ahead(dir string, start time.Time) (over func() *headers) {
	stop := make(chan struct{})
	var seen *headers
	ended := async.Go(func() error {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-stop:
				return nil
			case <-look.C:
			}
			if listed, ok := cc.Headers(dir); ok {
				seen = headersOf(listed, start)
				return nil
			}
		}
	})
	return func() *headers {
		close(stop)
		_ = ended()
		return seen
	}
}

// headersOf looks at headers; nil: one cannot be read, which is met again.
func headersOf(paths []string, start time.Time) *headers {
	files, settled, err := stampsSince(paths, start)
	if err != nil {
		return nil
	}
	h := &headers{make(map[string]cache.File, len(files)), settled}
	for _, f := range files {
		h.files[f.Path] = f
	}
	return h
}

// look notes what a compile read, and tells whether nothing of that was changed since it began. What was seen of the system's
// headers is believed, but not where of two parts one may still have read when those of the other were looked at. The user's own
// are looked at once more: if he has written one meanwhile, it is compiled again.
func (j *job) look(c *compiled, seen *headers) (settled bool) {
	placed := async.Go(func() error {
		c.places = placesOf(j.compile, &c.Reads, c.start)
		return nil
	})
	if seen == nil || j.compile.Parts {
		seen = &headers{settled: true}
	}
	for path := range seen.files {
		if userHeader(path, j.compile, &c.Reads) {
			delete(seen.files, path)
		}
	}
	var unseen []string
	paths := slices.Concat(c.Reads.Headers, c.Reads.Libs, c.Reads.Others)
	for _, path := range paths {
		if _, known := seen.files[path]; !known {
			unseen = append(unseen, path)
		}
	}
	files, settled, err := stampsSince(unseen, c.start)
	settled = settled && seen.settled
	c.read, c.unread = make([]cache.File, 0, len(paths)), cmp.Or(err, placed())
	for _, path := range paths {
		f, known := seen.files[path]
		if !known && len(files) > 0 { // those of unseen, in their order
			f, files = files[0], files[1:]
		}
		c.read = append(c.read, f)
	}
	for _, program := range j.compile.Tool.Programs {
		settled = settled && cache.Settled(program, c.start)
	}
	return settled && c.unread == nil
}
