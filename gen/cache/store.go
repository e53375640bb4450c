// Package cache is a folder of finished modules, found by content: layout, reading, verifying, publishing, a lock for
// each key, and tidying. Readers take no lock. Damage and doubt are a miss with a reason, never an error. The format is
// docs/cache.md; python/opweld/compile/cache.py reads the same files.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Format is the version of the folder's layout and of its files.
const Format = 1

// magic opens every file of the cache.
const magic = "opweld-cache 1 "

// Store is one cache folder.
type Store struct {
	dir string // <root>/v1
}

// New is the store under root. Nothing is created before something is published.
func New(root string) *Store {
	return &Store{dir: filepath.Join(root, fmt.Sprintf("v%d", Format))}
}

// Miss says why the cache has nothing to give.
type Miss struct {
	Reason string
}

func (m *Miss) Error() string { return "not in the cache: " + m.Reason }

// missf makes a Miss.
func missf(format string, args ...any) error {
	return &Miss{Reason: fmt.Sprintf(format, args...)}
}

// IsMiss tells a miss from other errors.
func IsMiss(err error) bool {
	var m *Miss
	return errors.As(err, &m)
}

// Path makes a path of the cache absolute.
func (s *Store) Path(rel string) string { return filepath.Join(s.dir, rel) }

// sharded is kind/<first two digits>/name.
func sharded(kind, name string) string { return filepath.Join(kind, name[:2], name) }

// isName tells whether s can be the name of an entry: 64 hexadecimal digits.
func isName(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size
}

// read reads one of the cache's JSON files into v and checks its first line.
func (s *Store) read(rel string, v any) error {
	data, err := os.ReadFile(s.Path(rel))
	if errors.Is(err, fs.ErrNotExist) {
		return missf("no %s", rel)
	}
	if err != nil {
		return missf("%v", err)
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	sum := sha256.Sum256(body)
	if string(head) != magic+hex.EncodeToString(sum[:]) {
		return missf("%s is damaged or of another format", rel)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return missf("%s: %v", rel, err)
	}
	return nil
}

// write publishes v as one of the cache's JSON files.
func (s *Store) write(rel string, v any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write %s: %w", rel, err)
	}
	sum := sha256.Sum256(body.Bytes())
	return s.publish(rel, append([]byte(magic+hex.EncodeToString(sum[:])+"\n"), body.Bytes()...), 0o666)
}

// publish puts data under rel: a temporary file in tmp/, write, fsync, rename. A reader sees all of it or nothing, also
// after a power cut; a rename that a power cut takes back is a miss, so the folder, which costs more than the file, is
// not synced. Where somebody clears the cache meanwhile, it is tried once more.
func (s *Store) publish(rel string, data []byte, mode fs.FileMode) error {
	err := s.publishOnce(rel, data, mode)
	if errors.Is(err, fs.ErrNotExist) {
		err = s.publishOnce(rel, data, mode)
	}
	return err
}

// publishOnce does what publish does.
func (s *Store) publishOnce(rel string, data []byte, mode fs.FileMode) (err error) {
	path := s.Path(rel)
	dir := filepath.Dir(path)
	if err := errors.Join(os.MkdirAll(dir, 0o777), os.MkdirAll(s.Path("tmp"), 0o777)); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(s.Path("tmp"), "file-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode&^umask()), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
