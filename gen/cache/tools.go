package cache

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// tool is the body of a file under tools/: something that was asked of programs, with the files that it holds for.
type tool struct {
	Tool json.RawMessage `json:"tool"`
	Basis
}

// Basis is what an answer of programs holds for.
type Basis struct {
	Files  []File   `json:"files"`
	Absent []Absent `json:"absent"`
	Found  []Found  `json:"found"`
}

// Found is a program that another looks for on PATH by its name, and where it is. In JSON: [name, path].
type Found struct {
	Name, Path string
}

// MarshalJSON writes the list form.
func (f Found) MarshalJSON() ([]byte, error) { return json.Marshal([]string{f.Name, f.Path}) }

// UnmarshalJSON reads the list form.
func (f *Found) UnmarshalJSON(data []byte) error { return fields(data, &f.Name, &f.Path) }

// Check looks for the program on a PATH: another that comes first there would be run instead. None is as good: then
// nothing can be built.
func (f Found) Check(search string) error {
	for _, dir := range filepath.SplitList(search) {
		path := filepath.Join(dir, f.Name)
		if info, err := os.Stat(path); !filepath.IsAbs(dir) || err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if path != f.Path {
			return missf("%s comes before %s on PATH", path, f.Path)
		}
		return nil
	}
	return nil
}

// check is whether all of it holds. renewed: some files had to be read, and are now known by other times.
func (b *Basis) check(search string) (renewed bool, err error) {
	for i, f := range b.Files {
		if b.Files[i], err = f.again(); err != nil {
			return false, err
		}
		renewed = renewed || b.Files[i] != f
	}
	for _, a := range b.Absent {
		if err := a.Check(); err != nil {
			return false, err
		}
	}
	for _, f := range b.Found {
		if err := f.Check(search); err != nil {
			return false, err
		}
	}
	return renewed, nil
}

// Tool reads what was kept under a name into v, and what it holds for, if that does hold. The error is a *Miss.
func (s *Store) Tool(name string, v any) (*Basis, error) {
	if !isName(name) {
		return nil, missf("%q is no name of a tool", name)
	}
	var t tool
	if err := s.read(filepath.Join("tools", name), &t); err != nil {
		return nil, err
	}
	if len(t.Files) == 0 {
		return nil, missf("tools/%s names no files", name)
	}
	renewed, err := t.check(s.machine.Search)
	if err != nil {
		return nil, err
	}
	if renewed { // where it cannot be kept, the files are read each time
		_ = s.write(filepath.Join("tools", name), t)
	}
	if err := json.Unmarshal(t.Tool, v); err != nil {
		return nil, missf("tools/%s: %v", name, err)
	}
	return &t.Basis, nil
}

// KeepTool keeps v under a name for as long as what it holds for does.
func (s *Store) KeepTool(name string, v any, basis *Basis) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(filepath.Join("tools", name), tool{Tool: raw, Basis: *basis})
}
