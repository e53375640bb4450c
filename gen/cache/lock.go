package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrBusy says that another process held the lock for the whole of the time allowed.
var ErrBusy = errors.New("another process is building the same module")

// Lock takes the lock of a key. It only saves duplicate work: after ErrBusy, or where the file system has no locks, a
// caller builds all the same. waiting is called once, before the first wait; it may be nil.
func (s *Store) Lock(ctx context.Context, key string, limit time.Duration, waiting func()) (unlock func(), err error) {
	path := s.Path(filepath.Join("lock", key))
	if err := s.folder("lock"); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(limit)
	pause := time.Millisecond
	for {
		f, err := hold(path, os.O_RDWR|os.O_CREATE)
		if err == nil {
			// The file goes while its lock is held, so whoever waits for it sees that it has gone and starts afresh.
			return func() {
				os.Remove(path)
				syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // also for copies of f in forked children
				f.Close()
			}, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, ErrBusy
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
}

// hold opens and locks a file or folder, once. EWOULDBLOCK: somebody has it.
func hold(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o666&^others)
	if err != nil {
		return nil, err
	}
	return lockOpened(f, path)
}

// lockOpened locks a file that was opened at path, or closes it.
func lockOpened(f *os.File, path string) (*os.File, error) {
	if err := flock(f); err != nil {
		f.Close()
		return nil, err
	}
	mine, err1 := f.Stat()
	there, err2 := os.Stat(path)
	if err1 != nil || err2 != nil || !os.SameFile(mine, there) {
		f.Close()
		return nil, syscall.EWOULDBLOCK // it was removed between open and lock
	}
	return f, nil
}

// flock locks an open file for as long as it, or a copy of it in a forked child, is open.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}
