package cache

import (
	"bytes"
	"io/fs"
	"os"
	"strconv"
)

// umask reads the process's mask without changing it, which syscall.Umask cannot do: CreateTemp makes files for one
// user only, while a cache may be shared by a group.
func umask() fs.FileMode {
	const private = 0o077
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return private
	}
	_, rest, found := bytes.Cut(data, []byte("\nUmask:\t"))
	word, _, _ := bytes.Cut(rest, []byte("\n"))
	mask, err := strconv.ParseUint(string(word), 8, 32)
	if !found || err != nil {
		return private
	}
	return fs.FileMode(mask)
}
