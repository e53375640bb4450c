package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"opweld/gen/cache"
	"opweld/gen/cc"
	"opweld/gen/pattern"
)

var (
	quotedRE = pattern.New(`(?m)^[ \t]*#[ \t]*include(?:_next)?[ \t]*"([^"\n]+)"`)
	asmRE    = pattern.New(`\.(incbin|include)\b`)
	askedRE  = pattern.New(`__has_include(?:_next)?\s*\(\s*(?:"([^"\n]+)"|<([^>\n]+)>)`)
)

// placesOf collects where a compile that began at start looked for its headers and libraries before it found them.
func placesOf(job *cc.Job, r *cc.Reads, start time.Time) *cache.Places {
	p := cache.NewPlaces(start)
	for _, dir := range r.Missing {
		p.Add(dir)
	}
	search := slices.Concat(r.Quote, r.Search)
	p.Include(r.Headers, search)
	p.Link(r.Libs, r.LibDirs)
	for path, text := range users(job, r) {
		asked(p, path, text, search)
	}
	return p
}

// users gives the text of a job, under no name, and those of the headers that are not the system's.
func users(job *cc.Job, r *cc.Reads) map[string]string {
	texts := map[string]string{"": job.Text}
	for _, h := range r.Headers {
		if !underAny(h, job.System) && userHeader(h, job, r) {
			if data, err := os.ReadFile(h); err == nil {
				texts[h] = string(data)
			}
		}
	}
	return texts
}

// assemblesUnseen tells whether a text has the assembler read files that nobody names: such a module is not kept.
func assemblesUnseen(job *cc.Job, r *cc.Reads) bool {
	if r.AsmSeen {
		return false
	}
	for _, text := range users(job, r) {
		if asmRE.MatchString(text) {
			return true
		}
	}
	return false
}

// userHeader tells a header that an op brought from those of the system. #include "x.h" looks beside its includer
// first, and only in users' folders is it likely that something appears there.
func userHeader(path string, job *cc.Job, r *cc.Reads) bool {
	if underAny(path, job.Headers) || underAny(path, r.Quote) {
		return true
	}
	return !strings.HasPrefix(path, "/usr/") && !strings.Contains(path, "/gcc/") && !strings.Contains(path, "/clang/")
}

// asked adds what a text asks for by name: "x.h" beside itself, and whatever it tests with __has_include.
func asked(p *cache.Places, path, text string, search []string) {
	if path != "" {
		for _, m := range quotedRE.FindAllStringSubmatch(text, -1) {
			p.Add(filepath.Join(filepath.Dir(path), m[1]))
		}
	}
	for _, m := range askedRE.FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		if path != "" && m[1] != "" {
			p.Add(filepath.Join(filepath.Dir(path), name))
		}
		for _, dir := range search {
			p.Add(filepath.Join(dir, name))
		}
	}
}

// underAny tells whether path lies below one of the folders.
func underAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return strings.HasPrefix(path, strings.TrimSuffix(d, "/")+"/") })
}
