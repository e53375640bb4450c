package cc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Bounds holds the processes of a compile.
type Bounds struct {
	Seconds  float64 `json:"seconds"`  // how long one may run; 0: as long as it likes
	Memory   uint64  `json:"memory"`   // how many bytes of address space each may have; 0: any
	Lifeline int     `json:"lifeline"` // the reading end of a pipe that only this process can write to; 0: none
}

// within gives a context that ends when the time is over.
func (b Bounds) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.Seconds <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(b.Seconds*float64(time.Second)))
}

// limit bounds the memory of a process that has begun, and of all that it starts: what a process starts later inherits
// its limit, what it has started already is bounded after it.
func (b Bounds) limit(pid int) {
	if b.Memory == 0 {
		return
	}
	var old syscall.Rlimit
	if prlimit(pid, nil, &old) != nil {
		return // it has ended
	}
	lower := syscall.Rlimit{Cur: min(old.Cur, b.Memory), Max: min(old.Max, b.Memory)}
	_ = prlimit(pid, &lower, nil)
	started, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, word := range strings.Fields(string(started)) {
		if child, err := strconv.Atoi(word); err == nil {
			b.limit(child)
		}
	}
}

// prlimit sets and reads a process's limit of address space.
func prlimit(pid int, set, old *syscall.Rlimit) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_AS,
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// Numbers of fcntl that package syscall does not have; they are the same on every Linux.
const (
	setOwner  = 8  // F_SETOWN
	setSignal = 10 // F_SETSIG
)

// tether gives a file that, held by a process group, ends the group with this process: the kernel signals the owner of a
// pipe's reading end when the last writer has gone, however that came about. A death signal reaches the driver alone, and
// not the compiler, assembler and linker below it. nil: there is no lifeline, or no /proc to open it again by; each group
// needs an open file of its own.
func (b Bounds) tether() *os.File {
	if b.Lifeline == 0 {
		return nil
	}
	path := fmt.Sprintf("/proc/self/fd/%d", b.Lifeline)
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), path)
}

// hold binds a process that has just begun, and its group.
func (b Bounds) hold(cmd *exec.Cmd, tether *os.File) {
	b.limit(cmd.Process.Pid)
	if tether != nil {
		fd, group := tether.Fd(), uintptr(-cmd.Process.Pid)
		for _, call := range [][2]uintptr{{setSignal, uintptr(syscall.SIGKILL)}, {setOwner, group}, {syscall.F_SETFL, syscall.O_ASYNC}} {
			_, _, _ = syscall.RawSyscall(syscall.SYS_FCNTL, fd, call[0], call[1])
		}
	}
}
