package cache

import "path/filepath"

// mostReads is how many files are remembered of one compiler.
const mostReads = 4096

// reads is the body of a file under tools/: what compiles by one compiler have read, as it was then.
type reads struct {
	Files []File `json:"files"`
}

// Recall gives what was remembered under a name, by path, and has Stamp know it: a file that is still as it was need not be
// read for its sum, as it need not for a hit.
func (s *Store) Recall(name string) map[string]File {
	var r reads
	if !isName(name) || s.read(filepath.Join("tools", name), &r) != nil {
		return nil
	}
	known := make(map[string]File, len(r.Files))
	for _, f := range r.Files {
		if f.MtimeNs == 0 {
			continue
		}
		known[f.Path] = f
		stamped.LoadOrStore(f.Path, f)
	}
	return known
}

// Remember adds files to what is known under a name. It writes nothing where all of them are known.
func (s *Store) Remember(name string, known map[string]File, files []File) error {
	var r reads
	told := make(map[string]bool, len(files))
	for _, f := range files {
		if f.MtimeNs != 0 {
			r.Files = append(r.Files, f)
			told[f.Path] = known[f.Path] == f
		}
	}
	fresh := false
	for _, same := range told {
		fresh = fresh || !same
	}
	if !fresh || !isName(name) {
		return nil
	}
	for path, f := range known {
		if _, twice := told[path]; !twice && len(r.Files) < mostReads {
			r.Files = append(r.Files, f)
		}
	}
	return s.write(filepath.Join("tools", name), r)
}
