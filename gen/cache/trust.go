package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Owners are the users, besides the one who runs this process and uid 0, whose files in a cache folder may be loaded.
type Owners []uint32

// others are the permissions by which somebody else could change a file or a folder.
const others = 0o022

// objection says who else could have made or changed what st describes; empty: nobody.
func (o Owners) objection(st *syscall.Stat_t) string {
	if st.Uid != 0 && st.Uid != uint32(os.Geteuid()) && !slices.Contains(o, st.Uid) {
		return fmt.Sprintf("belongs to uid %d", st.Uid)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFLNK && st.Mode&others != 0 {
		return fmt.Sprintf("can be written by others (mode %04o)", st.Mode&0o7777)
	}
	return ""
}

// maxLinks is how many links a path may lead through, as for the kernel.
const maxLinks = 40

// resolve gives the path of root without links, and makes sure that nobody else can put anything there: root itself must
// be nobody else's, and so must each folder above it, where sticky ones will do. It goes from the top down, so what was
// found good cannot be exchanged afterwards. What is not there yet holds.
func (o Owners) resolve(root string) (string, error) {
	rest := strings.Split(root, "/")
	at, links := "/", 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		var st syscall.Stat_t
		if err := lstat(next, &st); errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(append([]string{next}, rest...)...), nil
		} else if err != nil {
			return "", err
		}
		if why := o.above(&st, len(rest) > 0); why != "" && !(len(rest) > 0 && unmapped(st.Uid)) {
			return "", missf("%s %s", next, why)
		}
		if st.Mode&syscall.S_IFMT != syscall.S_IFLNK {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return "", missf("%s is a link that leads nowhere", next)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}

// above is objection for a folder on the way to the root, or, with way false, the root itself.
func (o Owners) above(st *syscall.Stat_t, way bool) string {
	if way && st.Mode&syscall.S_IFMT == syscall.S_IFDIR && st.Mode&syscall.S_ISVTX != 0 {
		relaxed := *st
		relaxed.Mode &^= others
		return o.objection(&relaxed)
	}
	return o.objection(st)
}

// unmapped tells whether a uid stands for every user who has no number in this container. Above a root such an owner is
// let pass: there the host's root is one of them, and what lies below is looked at all the same.
func unmapped(uid uint32) bool {
	overflow, err1 := os.ReadFile("/proc/sys/kernel/overflowuid")
	mapped, err2 := os.ReadFile("/proc/self/uid_map")
	if err1 != nil || err2 != nil || strings.TrimSpace(string(overflow)) != strconv.FormatUint(uint64(uid), 10) {
		return false
	}
	var total uint64
	for _, line := range strings.Split(string(mapped), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 {
			n, _ := strconv.ParseUint(fields[2], 10, 64)
			total += n
		}
	}
	return total < 1<<32-1
}

// folder makes sure that a folder of the store, if it is there, is a folder and nobody else's.
func (o Owners) folder(path string) error {
	var st syscall.Stat_t
	if err := lstat(path, &st); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return missf("%v", err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return missf("%s is no folder", path)
	}
	if why := o.objection(&st); why != "" {
		return missf("%s %s", path, why)
	}
	return nil
}

// chain makes sure of each folder of the store between its root and rel.
func (s *Store) chain(rel string) error {
	at := s.dir
	if err := s.owners.folder(at); err != nil {
		return err
	}
	for _, name := range strings.Split(filepath.Dir(rel), "/") {
		at = filepath.Join(at, name)
		if err := s.owners.folder(at); err != nil {
			return err
		}
	}
	return nil
}

// contents reads a file of the store that nobody else can have written. It follows no link and waits for nobody. The
// error is a *Miss.
func (s *Store) contents(rel string) ([]byte, error) {
	if err := s.chain(rel); err != nil {
		return nil, err
	}
	f, err := openRegular(s.Path(rel), syscall.O_NOFOLLOW)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missf("no %s", rel)
	}
	if err != nil {
		return nil, missf("%v", err)
	}
	defer f.Close()
	var st syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &st); err != nil {
		return nil, missf("%s: %v", rel, err)
	}
	if why := s.owners.objection(&st); why != "" {
		return nil, missf("%s %s", s.Path(rel), why)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, missf("%v", err)
	}
	return data, nil
}

// openRegular opens a file for reading if it is a regular one: a FIFO would block, a device do what it likes.
func openRegular(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return f, nil
}

// lstat is syscall.Lstat with the path in its error.
func lstat(path string, st *syscall.Stat_t) error {
	for {
		err := syscall.Lstat(path, st)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return &os.PathError{Op: "lstat", Path: path, Err: err}
		}
		return nil
	}
}
