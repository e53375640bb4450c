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

// SearchVariables are the variables of the environment through which compilers find headers, libraries and programs.
var SearchVariables = []string{
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
}

// inherited is what a compiler, or a wrapper round one, needs of this process's environment besides.
var inherited = []string{"PATH", "HOME", "LD_LIBRARY_PATH"}

// ErrStart says that the driver could not be run at all.
var ErrStart = errors.New("cannot be run")

// command is a process to run.
type command struct {
	argv  []string
	dir   string
	env   []string
	stdin string
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

// run runs c in a process group of its own and kills the group when ctx ends. A failing status is no error.
func run(ctx context.Context, c command) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.env
	stdout, stderr := &capped{limit: outputLimit}, &capped{limit: outputLimit}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second // a grandchild that left the group may hold the pipes
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s %w: %w", c.argv[0], ErrStart, err)
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w", c.argv[0], err)
	}
	out := &outcome{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode(),
		cut: stdout.cut || stderr.cut}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		out.signal = ws.Signal().String()
	}
	return out, nil
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
