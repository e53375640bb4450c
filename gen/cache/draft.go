package cache

import (
	"io/fs"
	"os"
	"sync"

	"opweld/gen/async"
)

// draft is a file that is written, and has no name yet by which a reader knows it.
type draft struct {
	path, made string
	held       *os.File // its lock keeps those who tidy away until it has its name
}

// Draft is a file that is written beside the caller, who finds out meanwhile under which name. It is used once: what is tried
// again is written again.
type Draft struct {
	wait func() (*draft, error)
	used sync.Once
}

// Draft begins to write what is going to be published, and synced before. It is published, or dropped.
func (s *Store) Draft(data []byte, mode fs.FileMode) *Draft {
	var d *draft
	wait := async.Go(func() (err error) {
		d, err = s.drafted(content{data: data, mode: mode, sync: true})
		return err
	})
	return &Draft{wait: func() (*draft, error) {
		err := wait()
		return d, err
	}}
}

// use waits until it is written, and gives it the first time; nil: there is none.
func (d *Draft) use() (written *draft, err error) {
	if d != nil {
		d.used.Do(func() { written, err = d.wait() })
	}
	return written, err
}

// Drop gives it up where it was not used.
func (d *Draft) Drop() {
	written, _ := d.use()
	written.drop()
}

// drafted writes a file for its content.
func (s *Store) drafted(c content) (*draft, error) {
	if err := s.folder("tmp"); err != nil {
		return nil, err
	}
	made, held, err := s.draft("file-", false)
	if err != nil {
		return nil, err
	}
	d := &draft{made: made, held: held}
	if _, err = held.Write(c.data); err == nil {
		err = held.Chmod(c.mode &^ (umask() | others))
	}
	if err == nil && c.sync {
		err = held.Sync()
	}
	return d, err
}

// publish gives a draft its name.
func (d *draft) publish() error {
	if info, err := os.Lstat(d.path); err == nil && info.IsDir() {
		os.RemoveAll(d.path) // damage: a rename replaces anything but a folder
	}
	err := os.Rename(d.made, d.path)
	if err == nil {
		d.made = ""
	}
	return err
}

// drop lets go of a draft, and removes one that has got no name.
func (d *draft) drop() {
	if d == nil {
		return
	}
	if d.made != "" {
		os.Remove(d.made)
	}
	d.held.Close()
}
