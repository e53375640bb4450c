package cache

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Absent is a list of places in one folder where a build looked and found nothing: were there something, it would have
// read that instead. In JSON: [folder, mtime_ns, ctime_ns, inode, [relative path, …]].
type Absent struct {
	Folder  string
	MtimeNs int64 // 0: the times say nothing, look for each path
	CtimeNs int64
	Inode   uint64
	Paths   []string
}

// MarshalJSON writes the list form.
func (a Absent) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{a.Folder, a.MtimeNs, a.CtimeNs, a.Inode, a.Paths})
}

// UnmarshalJSON reads the list form.
func (a *Absent) UnmarshalJSON(data []byte) error {
	return fields(data, &a.Folder, &a.MtimeNs, &a.CtimeNs, &a.Inode, &a.Paths)
}

// Check looks whether the places are still empty.
func (a Absent) Check() error {
	now, err := stat(a.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return missf("%s cannot be looked into", a.Folder)
	}
	if now.mtime == a.MtimeNs && now.ctime == a.CtimeNs && now.inode == a.Inode {
		return nil
	}
	for _, rel := range a.Paths {
		path := filepath.Join(a.Folder, rel)
		if _, err := os.Stat(path); err == nil {
			return missf("%s has appeared and comes first on the search path", path)
		} else if !gone(err) {
			return missf("%s cannot be looked at", path)
		}
	}
	return nil
}

// Places collects places that must stay empty.
type Places struct {
	Appeared bool // something came into one of them since the build began

	since   time.Time
	empty   map[string]bool
	missing map[string]bool // folders, of which many places share each
}

// NewPlaces is for a build that began at a moment.
func NewPlaces(since time.Time) *Places {
	return &Places{since: since, empty: map[string]bool{}, missing: map[string]bool{}}
}

// Add notes a path if there is nothing at it.
func (p *Places) Add(path string) {
	path = filepath.Clean(path)
	if _, seen := p.empty[path]; seen {
		return
	}
	if p.empty[path] = p.lacks(filepath.Dir(path)); p.empty[path] {
		return
	}
	now, err := stat(path)
	p.empty[path] = gone(err)
	if err == nil && now.changedSince(p.since) && !isDir(path) {
		p.Appeared = true
	}
}

// lacks tells whether there is no such folder. It is looked at once: one that comes later changes the folder above it.
func (p *Places) lacks(folder string) bool {
	missing, seen := p.missing[folder]
	if !seen {
		info, err := os.Stat(folder)
		missing = folder != "/" && (gone(err) || err == nil && !info.IsDir())
		p.missing[folder] = missing
	}
	return missing
}

// gone tells whether an error says that nothing is there.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// Include adds where each header would have been found before it was: for a header under a search folder, the same
// remainder under each earlier one.
func (p *Places) Include(headers, search []string) {
	for _, h := range headers {
		for k, dir := range search {
			rest, ok := strings.CutPrefix(h, strings.TrimSuffix(dir, "/")+"/")
			if !ok {
				continue
			}
			for _, earlier := range search[:k] {
				p.Add(filepath.Join(earlier, rest))
			}
		}
	}
}

// Link adds where each library would have been found before it was: as a shared library or an archive in an earlier
// folder, and as a shared library beside an archive; and so for what every program is linked with, such as crti.o.
func (p *Places) Link(libs, search []string) {
	for _, lib := range libs {
		dir, base := filepath.Dir(lib), filepath.Base(lib)
		stem, _, ok := strings.Cut(base, ".")
		if k := folderOf(dir, search); strings.HasSuffix(base, ".o") {
			for _, earlier := range search[:max(k, 0)] {
				p.Add(filepath.Join(earlier, base))
			}
		}
		if !ok || !strings.HasPrefix(base, "lib") {
			continue
		}
		if strings.HasSuffix(base, ".a") {
			p.Add(filepath.Join(dir, stem+".so"))
		}
		k := folderOf(dir, search)
		for _, earlier := range search[:max(k, 0)] {
			p.Add(filepath.Join(earlier, stem+".so"))
			p.Add(filepath.Join(earlier, stem+".a"))
		}
	}
}

// folderOf is the place of a folder in a search path; -1: it is not there.
func folderOf(dir string, search []string) int {
	return slices.IndexFunc(search, func(s string) bool { return filepath.Clean(s) == filepath.Clean(dir) })
}

// Group gives the places that are empty by the nearest folder that exists, in order. Of a path below a folder that
// does not exist only that folder is kept: while it is not there, nothing below it is. A folder that has changed since
// the build began gets no mtime.
func (p *Places) Group() []Absent {
	byFolder := map[string][]string{}
	for path, absent := range p.empty {
		if !absent {
			continue
		}
		folder := filepath.Dir(path)
		for p.lacks(folder) {
			path, folder = folder, filepath.Dir(folder)
		}
		byFolder[folder] = append(byFolder[folder], filepath.Base(path))
	}
	groups := []Absent{}
	for folder, paths := range byFolder {
		slices.Sort(paths)
		a := Absent{Folder: folder, Paths: slices.Compact(paths)}
		if now, err := stat(folder); err == nil {
			a.Inode, a.CtimeNs = now.inode, now.ctime
			if !now.changedSince(p.since) {
				a.MtimeNs = now.mtime
			}
		}
		groups = append(groups, a)
	}
	slices.SortFunc(groups, func(a, b Absent) int { return strings.Compare(a.Folder, b.Folder) })
	return groups
}

// isDir tells whether path is a folder; the root always is.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return path == "/" || err == nil && info.IsDir()
}
