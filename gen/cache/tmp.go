package cache

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stale is the age at which what a build left behind is taken for abandoned. No compile is waited for that long.
const stale = 24 * time.Hour

// Private makes a private folder for a build. remove takes it away.
func (s *Store) Private() (dir string, remove func(), err error) {
	tmp := s.Path("tmp")
	if err := s.folder("tmp"); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(tmp, "build-"); err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// Tidy removes what builds that were killed left behind: private folders, temporary files and locks. It looks at tmp/
// and lock/ only, so it costs two folder scans, and a build may afford it.
func (s *Store) Tidy(now time.Time) {
	for _, kind := range []string{"tmp", "lock"} {
		names, err := os.ReadDir(s.Path(kind))
		if err != nil {
			continue
		}
		for _, n := range names {
			info, err := n.Info()
			if err != nil || now.Sub(info.ModTime()) < stale {
				continue
			}
			if kind == "tmp" && (strings.HasPrefix(n.Name(), "build-") || strings.HasPrefix(n.Name(), "file-")) {
				os.RemoveAll(s.Path(filepath.Join(kind, n.Name())))
			}
			if kind == "lock" {
				s.removeLock(n.Name())
			}
		}
	}
}

// removeLock removes a lock that nobody holds.
func (s *Store) removeLock(name string) {
	path := s.Path(filepath.Join("lock", name))
	if f, err := tryLock(path); err == nil {
		os.Remove(path)
		f.Close()
	}
}
