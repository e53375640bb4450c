package cache

import (
	"hash/crc32"
	"path/filepath"
	"syscall"
)

// Prefix is a precompiled header: what it was made from, and what must hold for it to be used.
type Prefix struct {
	Files  []File   `json:"files"`
	Absent []Absent `json:"absent"`
	Size   int64    `json:"size"`
	CRC    uint32   `json:"crc32c"` // of the compiled form: tens of megabytes, read at each use
	Text   string   `json:"text"`   // sha256 of the header: a compiler that does not like the compiled form reads it
}

// PrefixName is the base name of a precompiled header's text; its compiled form lies beside it, with .gch added.
const PrefixName = "opweld.hh"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Prefix finds the precompiled header of a key, and gives the path of its text. The error is a *Miss.
func (s *Store) Prefix(key string) (string, *Prefix, error) {
	if !isName(key) {
		return "", nil, missf("%q is no key", key)
	}
	dir, p := sharded("pch", key), &Prefix{}
	if err := s.read(filepath.Join(dir, "entry"), p); err != nil {
		return "", nil, err
	}
	if len(p.Files) == 0 {
		return "", nil, missf("the precompiled header of %s names no files", key)
	}
	for _, a := range p.Absent {
		if err := a.Check(); err != nil {
			return "", nil, err
		}
	}
	for _, f := range p.Files {
		if err := f.Check(); err != nil {
			return "", nil, err
		}
	}
	rel := filepath.Join(dir, PrefixName)
	compiled, err := s.contents(rel + ".gch")
	if err != nil {
		return "", nil, err
	}
	text, err := s.contents(rel)
	if err != nil {
		return "", nil, err
	}
	if int64(len(compiled)) != p.Size || crc32.Checksum(compiled, castagnoli) != p.CRC || Digest(text) != p.Text {
		return "", nil, missf("the precompiled header of %s is damaged", key)
	}
	return s.Path(rel), p, nil
}

// KeepPrefix keeps a precompiled header: text, compiled form, then the entry by which it is found.
func (s *Store) KeepPrefix(key string, p Prefix, text, compiled []byte) error {
	p.Size, p.CRC = int64(len(compiled)), crc32.Checksum(compiled, castagnoli)
	p.Text = Digest(text)
	p.Absent = some(p.Absent)
	dir := sharded("pch", key)
	if err := s.publish(filepath.Join(dir, PrefixName), text, 0o666); err != nil {
		return err
	}
	head := content{rel: filepath.Join(dir, PrefixName+".gch"), data: compiled, mode: 0o666, sync: true} // compilers map it
	if err := s.publishAll(head); err != nil {
		return err
	}
	return s.write(filepath.Join(dir, "entry"), p)
}

// Free is how many bytes this user can still write where the cache lies; 0: it is not known.
func (s *Store) Free() uint64 {
	var held syscall.Statfs_t
	if syscall.Statfs(s.Path("."), &held) != nil {
		return 0
	}
	return held.Bavail * uint64(held.Bsize)
}
