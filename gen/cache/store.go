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
	"strings"

	"opweld/gen/async"
)

// Format is the version of the folder's layout and of its files.
const Format = 2

// magic opens every file of the cache that is JSON; the file's own path in the store and the sum of the rest follow.
const magic = "opweld-cache 2 "

// Store is one cache folder.
type Store struct {
	dir     string // <root>/v2
	owners  Owners
	machine Machine
}

// Machine is what a hit compares besides files.
type Machine struct {
	Search string // the caller's PATH
	CPU    string // who the processor is; empty: not known
}

// Open is the store under root, an absolute path. Nothing is created before something is published. It is an error, a
// *Miss, if somebody besides the owners could put files there.
func Open(root string, owners Owners, machine Machine) (*Store, error) {
	real, err := owners.resolve(root)
	if err != nil {
		return nil, err
	}
	return &Store{dir: filepath.Join(real, fmt.Sprintf("v%d", Format)), owners: owners, machine: machine}, nil
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

// first is the first line of the JSON file at rel: what it is, for whom, and the sum of its body.
func first(rel string, body []byte) string {
	return magic + rel + " " + Digest(body)
}

// read reads one of the cache's JSON files into v and checks its first line.
func (s *Store) read(rel string, v any) error {
	data, err := s.contents(rel)
	if err != nil {
		return err
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	if string(head) != first(rel, body) {
		return misplaced(rel, string(head), body)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return missf("%s: %v", rel, err)
	}
	return nil
}

// misplaced says what is wrong with a first line.
func misplaced(rel, head string, body []byte) error {
	name, sum, _ := strings.Cut(strings.TrimPrefix(head, magic), " ")
	if strings.HasPrefix(head, magic) && sum == Digest(body) {
		return missf("%s is another's: it says it is %s", rel, name)
	}
	return missf("%s is damaged or of another format", rel)
}

// write publishes v as one of the cache's JSON files.
func (s *Store) write(rel string, v any) error {
	c, err := sealed(rel, v)
	if err != nil {
		return err
	}
	return s.publishAll(c)
}

// content is a file of the store that is to be.
type content struct {
	rel  string
	data []byte
	mode fs.FileMode
	sync bool   // it is to be on the disk before it has its name
	made *Draft // it, already written; nil: it is not
}

// sealed makes v the content of one of the cache's JSON files.
func sealed(rel string, v any) (content, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return content{}, fmt.Errorf("write %s: %w", rel, err)
	}
	return content{rel: rel, data: append([]byte(first(rel, body.Bytes())+"\n"), body.Bytes()...), mode: 0o666}, nil
}

// publish puts data under rel.
func (s *Store) publish(rel string, data []byte, mode fs.FileMode) error {
	return s.publishAll(content{rel: rel, data: data, mode: mode})
}

// publishAll puts files under their names: each a temporary file in tmp/, written, all of them side by side, for some wait
// for the disk; then renames, in order. A reader sees all of a file or nothing, and nothing of what comes after a file that is
// not there. What is mapped is synced first: where it cannot be written back, on a full disk far away, whoever runs it would
// end. Anything else says itself, by a sum, whether it is whole: what a power cut damages or takes back is a miss, so neither
// files nor folders wait for the disk. Where somebody clears the cache meanwhile, it is tried once more.
func (s *Store) publishAll(files ...content) error {
	err := s.publishOnce(files)
	for tries := 1; tries < sweeps && errors.Is(err, fs.ErrNotExist); tries++ {
		err = s.publishOnce(files)
	}
	return err
}

// publishOnce does what publishAll does.
func (s *Store) publishOnce(files []content) error {
	drafts := make([]*draft, len(files))
	defer func() {
		for _, d := range drafts {
			d.drop()
		}
	}()
	err := async.Each(len(files), func(i int) (err error) {
		if drafts[i], err = files[i].made.use(); drafts[i] == nil && err == nil {
			drafts[i], err = s.drafted(files[i])
		}
		if err == nil {
			drafts[i].path = s.Path(files[i].rel)
			err = s.folder(filepath.Dir(files[i].rel))
		}
		return err
	})
	for i := 0; err == nil && i < len(drafts); i++ {
		err = drafts[i].publish()
	}
	return err
}

// folder makes a folder of the store, which nobody else may write whatever the process's mask says, and makes sure that
// what is there already is nobody else's.
func (s *Store) folder(rel string) error {
	if err := os.MkdirAll(s.Path(rel), 0o777&^others); err != nil {
		return err
	}
	return s.chain(filepath.Join(rel, "x"))
}
