package cache

import (
	"encoding/json"
	"path/filepath"
)

// tool is the body of a file under tools/: something that was asked of programs, with the files that it holds for.
type tool struct {
	Tool  json.RawMessage `json:"tool"`
	Files []File          `json:"files"`
}

// Tool reads what was kept under a name into v, and the files that it holds for, if these have not changed. The error
// is a *Miss.
func (s *Store) Tool(name string, v any) ([]File, error) {
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
	for _, f := range t.Files {
		if err := f.Check(); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(t.Tool, v); err != nil {
		return nil, missf("tools/%s: %v", name, err)
	}
	return t.Files, nil
}

// KeepTool keeps v under a name for as long as files do not change.
func (s *Store) KeepTool(name string, v any, files []File) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(filepath.Join("tools", name), tool{Tool: raw, Files: files})
}
