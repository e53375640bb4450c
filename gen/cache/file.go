package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// File is what is known of a file that a build read. In JSON: [path, size, mtime_ns,
// ctime_ns, inode, sha256].
type File struct {
	Path    string
	Size    int64
	MtimeNs int64 // 0: the times say nothing, compare contents
	CtimeNs int64 // moves also where mtime was set back
	Inode   uint64
	SHA256  string
}

// MarshalJSON writes the list form.
func (f File) MarshalJSON() ([]byte, error) {
	path, err := json.Marshal(f.Path)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "[%s,%d,%d,%d,%d,%q]", path, f.Size, f.MtimeNs, f.CtimeNs, f.Inode, f.SHA256), nil // a sum needs no escape
}

// UnmarshalJSON reads the list form.
func (f *File) UnmarshalJSON(data []byte) error {
	return fields(data, &f.Path, &f.Size, &f.MtimeNs, &f.CtimeNs, &f.Inode, &f.SHA256)
}

// fields unpacks a JSON list of a known length.
func fields(data []byte, into ...any) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if len(raw) != len(into) {
		return fmt.Errorf("a list of %d values is needed, there are %d", len(into), len(raw))
	}
	for i := range raw {
		if err := json.Unmarshal(raw[i], into[i]); err != nil {
			return err
		}
	}
	return nil
}

// tick is how coarse a file system's clock may be: two writes within a tick can have one mtime.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2 * time.Second // where times are whole seconds
)

// stamped remembers what files were found to hold, by path: programs, headers and libraries are the same from build to
// build, and hash to 100 MB. It is believed for as long as an entry would be.
var stamped sync.Map

// Stamp looks at a file and hashes it. A file so fresh that it could be written again within the same tick gets no
// mtime, so that each check hashes it.
func Stamp(path string) (File, error) {
	f, _, err := StampSince(path, time.Time{})
	return f, err
}

// StampSince is Stamp, and tells whether the file was left alone since a moment, such as the start of the compile that read
// it. That is looked at after the file was hashed: what was hashed is what the compiler read.
func StampSince(path string, since time.Time) (f File, settled bool, err error) {
	before, err := stat(path)
	if err != nil {
		return File{}, false, err
	}
	settled = !before.changedSince(since)
	if known, ok := stamped.Load(path); ok && known.(File).looks(before) {
		return known.(File), settled, nil
	}
	f, err = before.stamp(path)
	return f, settled, err
}

// stamp hashes the file, which must be as it was before when that is done.
func (before fileStat) stamp(path string) (File, error) {
	sum, err := hashFile(path)
	if err != nil {
		return File{}, err
	}
	after, err := stat(path)
	if err != nil {
		return File{}, err
	}
	if before != after {
		return File{}, fmt.Errorf("%s changes while it is read", path)
	}
	f := File{Path: path, Size: after.size, MtimeNs: after.mtime, CtimeNs: after.ctime, Inode: after.inode, SHA256: sum}
	if after.changedSince(time.Now()) {
		f.MtimeNs = 0
		return f, nil
	}
	stamped.Store(path, f)
	return f, nil
}

// Settled tells whether the file was left alone since a moment, such as the start of the compile that read it.
func Settled(path string, since time.Time) bool {
	now, err := stat(path)
	return err == nil && !now.changedSince(since)
}

// Check compares a file with what is known of it; nil: it has the same content.
func (f File) Check() error {
	_, err := f.again()
	return err
}

// again is Check, and gives what a file with the same content is known by now.
func (f File) again() (File, error) {
	now, err := stat(f.Path)
	if err != nil {
		return f, missf("%s cannot be read", f.Path)
	}
	if f.looks(now) {
		return f, nil
	}
	if now.size != f.Size {
		return f, missf("%s has changed", f.Path)
	}
	found, err := Stamp(f.Path)
	if err != nil || found.SHA256 != f.SHA256 {
		return f, missf("%s has changed", f.Path)
	}
	return found, nil
}

// looks tells whether a file is, by its size, times and number, the one that was looked at.
func (f File) looks(now fileStat) bool {
	return now.size == f.Size && now.mtime == f.MtimeNs && now.ctime == f.CtimeNs && now.inode == f.Inode
}

// checkTool is Check for a program of the compiler, which need not be there: what it made is right without it.
func (f File) checkTool() error {
	if _, err := os.Stat(f.Path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return f.Check()
}

// fileStat is what a check looks at.
type fileStat struct {
	size, mtime, ctime int64
	inode              uint64
}

func stat(path string) (fileStat, error) {
	var st syscall.Stat_t
	for {
		err := syscall.Stat(path, &st)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return fileStat{}, &os.PathError{Op: "stat", Path: path, Err: err}
		}
		return fileStat{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino}, nil
	}
}

// changedSince tells whether the file may have been written at or after t.
func (s fileStat) changedSince(t time.Time) bool {
	slack := tick
	if s.mtime%int64(time.Second) == 0 && s.ctime%int64(time.Second) == 0 {
		slack = coarseTick
	}
	return max(s.mtime, s.ctime) >= t.Add(-slack).UnixNano()
}

// hashFile is the sha256 of a file's content, in hexadecimal.
func hashFile(path string) (string, error) {
	f, err := openRegular(path, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
