package cc

import (
	"os"
	"syscall"
	"unsafe"
)

// Requests of ioctl that package syscall does not have; they are the same on every Linux.
const (
	unlockTerminal = 0x40045431 // TIOCSPTLCK
	openTerminal   = 0x5441     // TIOCGPTPEER
)

// terminal opens a terminal that nobody reads or writes, and its other end. The session of a process that has it ends with
// that process, which a death signal ties to its parent, from before the process runs anything: the kernel hangs up on the
// foreground group of a session whose leader has gone. nil: there is none to be had.
func terminal() (leader, other *os.File) {
	const flags = syscall.O_RDWR | syscall.O_NOCTTY | syscall.O_CLOEXEC
	fd, err := syscall.Open("/dev/ptmx", flags, 0)
	if err != nil {
		return nil, nil
	}
	other = os.NewFile(uintptr(fd), "/dev/ptmx")
	var locked int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), unlockTerminal, uintptr(unsafe.Pointer(&locked)))
	if errno == 0 {
		var opened uintptr
		if opened, _, errno = syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), openTerminal, flags); errno == 0 {
			return os.NewFile(opened, "terminal"), other
		}
	}
	other.Close()
	return nil, nil
}
