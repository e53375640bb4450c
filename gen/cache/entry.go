package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is what was built under a key, and what must hold for it to be used.
type Entry struct {
	Key      string          `json:"key"`
	Module   string          `json:"module"` // relative to the store's folder, as Source
	Size     int64           `json:"size"`
	SHA256   string          `json:"sha256"`
	Source   string          `json:"source"`
	Text     string          `json:"text"`  // sha256 of the source, which is read by people only
	Tools    []File          `json:"tools"` // the compiler's programs: gone, or the same
	Found    []Found         `json:"found"`
	CPU      string          `json:"cpu"` // the processor that the module is for; empty: any of its kind
	Files    []File          `json:"files"`
	Absent   []Absent        `json:"absent"`
	KeyLines []string        `json:"key_lines"`
	Argv     []string        `json:"argv"`
	Warnings json.RawMessage `json:"warnings"`
}

// index is the body of a file under index/.
type index struct {
	Key  string          `json:"key"`
	Lint json.RawMessage `json:"lint,omitempty"` // what was found in the Program's C, and by which lint
}

// Key hashes labelled lines; see Line.
func Key(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n") + "\n"))
	return hex.EncodeToString(sum[:])
}

// Line makes one labelled line of a key. Backslashes and newlines are escaped, so that two different lists of lines
// never are one text.
func Line(label string, values ...string) string {
	line := label
	for _, v := range values {
		line += " " + v
	}
	return escaped.Replace(line)
}

var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`)

// Lookup finds what an index stands for, checks all of it, and gives the entry. The error is a *Miss.
func (s *Store) Lookup(name string) (*Entry, error) {
	if !isName(name) {
		return nil, missf("%q is no name of an index", name)
	}
	var ix index
	if err := s.read(sharded("index", name), &ix); err != nil {
		return nil, err
	}
	return s.Get(ix.Key)
}

// Get reads the entry of a key and checks all of it. The error is a *Miss.
func (s *Store) Get(key string) (*Entry, error) {
	if !isName(key) {
		return nil, missf("%q is no key", key)
	}
	e := &Entry{}
	if err := s.read(sharded("entry", key), e); err != nil {
		return nil, err
	}
	if err := s.verify(key, e); err != nil {
		return nil, err
	}
	return e, nil
}

// verify checks everything that an entry depends on, the cheap things first.
func (s *Store) verify(key string, e *Entry) error {
	if err := s.whole(e, key); err != nil {
		return err
	}
	for _, a := range e.Absent {
		if err := a.Check(); err != nil {
			return err
		}
	}
	for _, f := range e.Files {
		if err := f.Check(); err != nil {
			return err
		}
	}
	for _, f := range e.Tools {
		if err := f.checkTool(); err != nil {
			return err
		}
	}
	for _, f := range e.Found {
		if err := f.Check(s.machine.Search); err != nil {
			return err
		}
	}
	data, err := s.contents(e.Module)
	if err != nil {
		return err
	}
	if int64(len(data)) != e.Size || Digest(data) != e.SHA256 {
		return missf("the module of %s is damaged", key)
	}
	return nil
}

// whole looks at an entry's own fields.
func (s *Store) whole(e *Entry, key string) error {
	if e.Key != key {
		return missf("the entry of %s is another's", key)
	}
	for _, rel := range []string{e.Module, e.Source} {
		if !e.local(rel) {
			return missf("%q is not a path of %s", rel, key)
		}
	}
	if len(e.Files) == 0 {
		return missf("the entry of %s names no files", key)
	}
	if e.Absent == nil || e.Tools == nil || e.Found == nil {
		return missf("the entry of %s does not say all that it depends on", key)
	}
	if e.CPU != "" && e.CPU != s.machine.CPU {
		return missf("the module of %s is for another processor", key)
	}
	return nil
}

// local tells whether rel is a path of this entry's own module or source, so that no entry leads out of the store.
func (e *Entry) local(rel string) bool {
	return strings.HasPrefix(rel, filepath.Join("module", e.Key[:2], e.Key)+"-") && !strings.Contains(rel, "..")
}

// Publish stores a module and its source as key's build and returns the entry with its
// paths filled in: module and source, then entry, so that whoever finds an entry finds all of it. The module's name
// holds a digest of what it depends on: two builds of one key that read different headers do not overwrite each
// other's module. The indices come to stand for it last. draft is the module, where it is written already.
func (s *Store) Publish(e Entry, module, source []byte, draft *Draft, pointers ...Pointer) (*Entry, error) {
	defer draft.Drop()
	if !isName(e.Key) {
		return nil, fmt.Errorf("publish: %q is no key", e.Key)
	}
	base := sharded("module", e.Key) + "-" + dependencies(&e)
	e.Module, e.Source, e.Size = base+".so", base+".c", int64(len(module))
	e.SHA256 = Digest(module)
	if e.Text == "" {
		e.Text = Digest(source)
	}
	e.Absent, e.Tools, e.Found = some(e.Absent), some(e.Tools), some(e.Found)
	if len(e.Warnings) == 0 {
		e.Warnings = json.RawMessage("[]")
	}
	entry, err := sealed(sharded("entry", e.Key), &e)
	if err != nil {
		return nil, fmt.Errorf("publish the entry: %w", err)
	}
	files := []content{{rel: e.Source, data: source, mode: 0o666}, entry}
	if old, err := s.contents(e.Module); err != nil || !bytes.Equal(old, module) { // else other processes have it mapped
		files = append([]content{{rel: e.Module, data: module, mode: 0o777, sync: true, made: draft}}, files...)
	}
	for _, p := range pointers {
		index, err := s.pointing(p, e.Key)
		if err != nil {
			return nil, err
		}
		files = append(files, index...)
	}
	if err := s.publishAll(files...); err != nil {
		return nil, fmt.Errorf("publish the module: %w", err)
	}
	return &e, nil
}

// some is a list that JSON writes as one, empty or not.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Pointer is an index that is to stand for a module, with what the lint found in its Program.
type Pointer struct {
	Name string
	Lint []byte
}

// Point makes indices stand for a key. It writes nothing where they do so already.
func (s *Store) Point(key string, pointers ...Pointer) error {
	var files []content
	for _, p := range pointers {
		index, err := s.pointing(p, key)
		if err != nil {
			return err
		}
		files = append(files, index...)
	}
	if err := s.publishAll(files...); err != nil {
		return fmt.Errorf("publish the index: %w", err)
	}
	return nil
}

// pointing is what must be written that an index stands for a key: nothing where it does so already.
func (s *Store) pointing(p Pointer, key string) ([]content, error) {
	if !isName(p.Name) {
		return nil, fmt.Errorf("publish the index: %q is not a name of 64 hexadecimal digits", p.Name)
	}
	var old index
	rel := sharded("index", p.Name)
	if s.read(rel, &old) == nil && old.Key == key && bytes.Equal(old.Lint, p.Lint) {
		return nil, nil
	}
	c, err := sealed(rel, index{key, p.Lint})
	return []content{c}, err
}

// dependencies is a digest of the contents that a build read, whatever their times.
func dependencies(e *Entry) string {
	lines := make([]string, len(e.Files))
	for i, f := range e.Files {
		lines[i] = Line("file", f.Path, f.SHA256)
	}
	slices.Sort(lines)
	return Key(lines)[:16]
}

// WriteLog keeps the whole output of a failed compile, and the text beside it, and says where.
func (s *Store) WriteLog(key, output, text string) (string, error) {
	if !isName(key) {
		return "", fmt.Errorf("log: %q is no key", key)
	}
	rel := filepath.Join("log", key+".txt")
	err := errors.Join(s.publish(rel, []byte(output), 0o666), s.publish(filepath.Join("log", key+".c"), []byte(text), 0o666))
	if err != nil {
		return "", fmt.Errorf("log: %w", err)
	}
	return s.Path(rel), nil
}

// Digest is the sha256 of data, in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
