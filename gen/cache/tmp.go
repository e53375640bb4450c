package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// stale is the age at which what a build left behind is taken for abandoned where the file system has no locks to ask. No
// compile is waited for that long.
const stale = 24 * time.Hour

// Private makes a private folder for a build, which is locked for as long as the build lives. remove takes it away.
func (s *Store) Private() (dir string, remove func(), err error) {
	tmp := s.Path("tmp")
	if err := s.folder("tmp"); err != nil {
		return "", nil, err
	}
	for range sweeps {
		if dir, err = os.MkdirTemp(tmp, "build-"); err != nil {
			return "", nil, err
		}
		var held *os.File
		if held, err = hold(dir, os.O_RDONLY|syscall.O_DIRECTORY); err == nil {
			return dir, func() { os.RemoveAll(dir); held.Close() }, nil
		}
		if !isTaken(err) {
			return dir, func() { os.RemoveAll(dir) }, nil // no locks here: its age tells
		}
	}
	return "", nil, err
}

// sweeps is how often somebody who tidies may take away what has just been made, before its maker has locked it.
const sweeps = 10

// isTaken tells that a file is locked by somebody else, or gone, from a file system without locks.
func isTaken(err error) bool {
	return errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist)
}

// Tidy removes what builds that were killed left behind: private folders, temporary files and locks that nobody holds. It
// looks at tmp/ and lock/ only, so it costs two folder scans, and a build may afford it.
func (s *Store) Tidy(now time.Time) {
	for _, kind := range []string{"tmp", "lock"} {
		names, err := os.ReadDir(s.Path(kind))
		if err != nil {
			continue
		}
		for _, n := range names {
			ours := kind == "lock" || strings.HasPrefix(n.Name(), "build-") || strings.HasPrefix(n.Name(), "file-")
			if ours && (n.IsDir() || n.Type().IsRegular()) {
				removeDead(s.Path(filepath.Join(kind, n.Name())), n, now)
			}
		}
	}
}

// removeDead removes a file or folder that nobody holds; where that cannot be asked, an old one.
func removeDead(path string, n fs.DirEntry, now time.Time) {
	flags := os.O_RDWR
	if n.IsDir() {
		flags = os.O_RDONLY | syscall.O_DIRECTORY
	}
	held, err := hold(path, flags)
	if err == nil {
		os.RemoveAll(path)
		held.Close()
		return
	}
	if info, gone := n.Info(); !isTaken(err) && gone == nil && now.Sub(info.ModTime()) > stale {
		os.RemoveAll(path)
	}
}
