package cc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"syscall"
	"time"
)

// outputLimit bounds what is kept of each of a compiler's streams; a template error can write hundreds of megabytes.
const outputLimit = 4 << 20

// SearchVariables are the variables of the environment that change what compilers find and make, as far as they are
// passed on: they are part of each key. No other that gcc, clang, as or ld read reaches them.
var SearchVariables = []string{
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LD_LIBRARY_PATH",
	"SOURCE_DATE_EPOCH",
}

// inherited is what a compiler, or a wrapper round one, needs of this process's environment besides. What is found
// through PATH counts, its text does not; HOME is for wrappers such as ccache.
var inherited = []string{"PATH", "HOME"}

// ErrStart says that the driver could not be run at all.
var ErrStart = errors.New("cannot be run")

// command is a process to run.
type command struct {
	argv   []string
	dir    string
	env    []string
	bounds Bounds
	yields bool // nobody waits for it: what else wants the processor goes first
}

// yielding is the niceness of what yields, at least.
const yielding = 10

// niceness is this process's own.
func niceness() int {
	priority, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return yielding // it is not touched
	}
	return 20 - priority // as the system call has it
}

// outcome is a process that ran to its end.
type outcome struct {
	stdout, stderr string
	code           int
	signal         string
	cut            bool // some output was dropped
}

// Process holds the caller's values of the variables in `inherited`, by name; nil: this process's. Go keeps the
// environment that it was loaded with, and Python may have changed it since.
type Process map[string]string

// Value is a variable's value, empty where it is not set.
func (p Process) Value(name string) string {
	if p == nil {
		return os.Getenv(name)
	}
	return p[name]
}

// environ makes the environment of a compiler: the request's search variables, and as little else as it needs. LC_ALL
// keeps messages in English, TMPDIR keeps temporary files inside the private folder.
func environ(search map[string]string, process Process, tmp string) []string {
	env := []string{"LC_ALL=C", "TMPDIR=" + tmp}
	for _, name := range inherited {
		if v := process.Value(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	for _, name := range SearchVariables {
		if v, ok := search[name]; ok {
			env = append(env, name+"="+v)
		}
	}
	sort.Strings(env)
	return env
}

// run runs c in a process group of its own. The group ends with its first process, with ctx, with this process, and when
// its time is over. A failing status is no error.
//
// With this process a group ends by two things: its terminal's hanging up, which is there from the first instruction but
// can be ignored, as nohup does, and the tether, which nobody can ignore but which needs the driver's number.
func run(ctx context.Context, c command) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limited, cancel := c.bounds.within(ctx)
	defer cancel()
	cmd := exec.CommandContext(limited, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.env
	stdout, stderr := &capped{limit: outputLimit}, &capped{limit: outputLimit}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL} // the driver's
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second // a grandchild that left the group may hold the pipes
	tether := c.bounds.tether()
	if tether != nil {
		defer tether.Close()
		cmd.ExtraFiles = []*os.File{tether}
	}
	if leader, other := terminal(); leader != nil {
		defer other.Close()
		defer leader.Close()
		cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = false, true, true
		cmd.SysProcAttr.Ctty = 3 + len(cmd.ExtraFiles) // its number there: 0 to 2 are taken
		cmd.ExtraFiles = append(cmd.ExtraFiles, leader)
	}
	if err := cmd.Start(); err != nil {
		return nil, unstarted(c.argv[0], err)
	}
	if c.yields && niceness() < yielding {
		_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, yielding) // where it cannot, it does as others do
	}
	c.bounds.hold(cmd, tether)
	err := cmd.Wait()
	_ = cmd.Cancel() // what a driver that was killed left behind
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if limited.Err() != nil {
		return nil, c.late()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, c.lost(err)
	}
	out := &outcome{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode(),
		cut: stdout.cut || stderr.cut}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		out.signal = ws.Signal().String()
	}
	return out, nil
}

// unstarted describes a driver that could not be started: for want of something that the system has too little of, or
// for good.
func unstarted(driver string, err error) error {
	switch errno, _ := Errno(err); errno {
	case syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE:
		reason := errno.Error()
		return &Trouble{Kind: NotStarted, Program: driver, what: driver + " cannot be started: " + reason + advice(reason)}
	}
	return fmt.Errorf("%s %w: %w", driver, ErrStart, err)
}

// late describes a driver whose time was over.
func (c *command) late() *Trouble {
	return &Trouble{Kind: OutOfTime, Program: c.argv[0], Argv: c.argv,
		what: fmt.Sprintf("%s had not finished after %v s and was ended", c.argv[0], c.bounds.Seconds)}
}

// lost describes a driver of which it is not known how it ended.
func (c *command) lost(err error) *Trouble {
	t := &Trouble{Kind: ToolDied, Program: c.argv[0], Argv: c.argv, what: fmt.Sprintf("%s cannot be waited for: %v", c.argv[0], err)}
	if errors.Is(err, syscall.ECHILD) { // SIGCHLD is ignored, or somebody waits for every child
		t.Kind = Unseen
	}
	return t
}

// capped keeps the first limit bytes that are written to it.
type capped struct {
	bytes.Buffer
	limit int
	cut   bool
}

// Write never fails, so that the process is not ended by a closed pipe.
func (c *capped) Write(p []byte) (int, error) {
	room := c.limit - c.Len()
	if room < len(p) {
		c.cut = true
	}
	c.Buffer.Write(p[:min(len(p), max(room, 0))])
	return len(p), nil
}
