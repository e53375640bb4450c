package cache

import (
	"crypto/rand"
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

// fresh begins the names of what was made and is not locked yet. Who tidies leaves it alone until it is stale: a lock that
// nobody holds says nothing of it.
const fresh = "new-"

// sweeps is how often somebody who clears the cache may take away what has just been made.
const sweeps = 10

// Private makes a private folder for a build, which is locked for as long as the build lives. remove takes it away.
func (s *Store) Private() (dir string, remove func(), err error) {
	var held *os.File
	for tries := 0; tries == 0 || tries < sweeps && errors.Is(err, fs.ErrNotExist); tries++ {
		if err = s.folder("tmp"); err == nil {
			dir, held, err = s.draft("build-", true)
		}
	}
	if err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir); held.Close() }, nil
}

// draft makes a file or a folder in tmp/, whose name begins with kind, and locks it. It has that name only once it is
// locked, so that at no time it looks like what a build that was killed left behind.
func (s *Store) draft(kind string, folder bool) (path string, held *os.File, err error) {
	name := kind + rand.Text()
	made, path := s.Path(filepath.Join("tmp", fresh+name)), s.Path(filepath.Join("tmp", name))
	flags := os.O_RDWR | os.O_CREATE | os.O_EXCL
	if folder {
		flags = os.O_RDONLY | syscall.O_DIRECTORY
		if err := os.Mkdir(made, 0o700); err != nil {
			return "", nil, err
		}
	}
	if held, err = os.OpenFile(made, flags|syscall.O_NOFOLLOW, 0o600); err == nil {
		flock(held) // an error: there are no locks here, and its age tells
		if err = os.Rename(made, path); err == nil {
			return path, held, nil
		}
		held.Close()
	}
	os.Remove(made)
	return "", nil, err
}

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
			drafted := strings.TrimPrefix(n.Name(), fresh)
			ours := kind == "lock" || strings.HasPrefix(drafted, "build-") || strings.HasPrefix(drafted, "file-")
			if ours && (n.IsDir() || n.Type().IsRegular()) {
				removeDead(s.Path(filepath.Join(kind, n.Name())), n, now)
			}
		}
	}
}

// removeDead removes a file or folder that nobody holds; where that cannot be asked, or not yet, an old one.
func removeDead(path string, n fs.DirEntry, now time.Time) {
	info, err := n.Info()
	if err != nil {
		return // gone
	}
	old := now.Sub(info.ModTime()) > stale
	if strings.HasPrefix(n.Name(), fresh) && !old {
		return
	}
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
	if old && !isTaken(err) {
		os.RemoveAll(path)
	}
}
