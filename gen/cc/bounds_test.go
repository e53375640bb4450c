package cc

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOtherProcessCompiles is not a test: it is the process that the test below kills.
func TestOtherProcessCompiles(t *testing.T) {
	driver := os.Getenv("OPWELD_TEST_DRIVER")
	if driver == "" {
		t.Skip("run by TestKilledProcessLeavesNoCompiler")
	}
	var ends [2]int // without a lifeline: 0
	if os.Getenv("OPWELD_TEST_LIFELINE") != "" {
		require.NoError(t, syscall.Pipe2(ends[:], syscall.O_CLOEXEC))
	}
	_, _ = Compile(context.Background(), &Job{Tool: &Tool{Driver: driver}, Bounds: Bounds{Lifeline: ends[0]}}, t.TempDir())
}

// deaf has a driver ignore what can be ignored, and go on once it is tied to the lifeline, file 3 (O_ASYNC, octal 020000).
const deaf = "trap '' HUP INT TERM IO\n" +
	"until value=$(sed -n 's/^flags:[^0-9]*//p' /proc/$$/fdinfo/3) && [ $((value & 020000)) -ne 0 ]; do sleep 0.01; done\n"

// busy writes a driver that starts two processes, one below the other, which tell their ids.
func busy(t *testing.T, before string) (driver, pids string) {
	t.Helper()
	dir := t.TempDir()
	driver, pids = filepath.Join(dir, "cc"), filepath.Join(dir, "pids")
	script := fmt.Sprintf("#!/bin/sh\n"+before+"(sleep 600 & echo $$ $! > %s.part; mv %s.part %s; wait) &\nwait\n", pids, pids, pids)
	require.NoError(t, os.WriteFile(driver, []byte(script), 0o777))
	return driver, pids
}

// A driver that ignores signals is ended by the lifeline alone; one that is not tied to it yet, by its terminal.
func TestKilledProcessLeavesNoCompiler(t *testing.T) {
	for _, lifeline := range []string{"", "yes"} {
		for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSEGV} {
			before := ""
			if lifeline != "" {
				before = deaf
			} else if leader, other := terminal(); leader == nil || ossignal.Ignored(syscall.SIGHUP) {
				t.Log("no terminal can be had here, or SIGHUP is ignored: what a driver starts before it is tied is not tested")
				break
			} else {
				leader.Close()
				other.Close()
			}
			leavesNoCompiler(t, before, "OPWELD_TEST_LIFELINE="+lifeline, signal)
		}
	}
}

func leavesNoCompiler(t *testing.T, before, lifeline string, signal syscall.Signal) {
	driver, pids := busy(t, before)
	cmd := exec.Command(os.Args[0], "-test.run=^TestOtherProcessCompiles$")
	cmd.Env = append(os.Environ(), "OPWELD_TEST_DRIVER="+driver, lifeline, "TMPDIR="+t.TempDir())
	require.NoError(t, cmd.Start())
	var words []string
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(pids)
		words = strings.Fields(string(data))
		return err == nil
	}, time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(signal))
	_ = cmd.Wait()
	for _, word := range words {
		pid, err := strconv.Atoi(word)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return gone(pid) }, time.Minute, time.Millisecond, "pid %d outlives %v", pid, signal)
	}
}

func TestADriverThatDiesLeavesNoCompiler(t *testing.T) {
	dir := t.TempDir()
	driver, pids := filepath.Join(dir, "cc"), filepath.Join(dir, "pids")
	require.NoError(t, os.WriteFile(driver, []byte("#!/bin/sh\nsleep 600 >&- 2>&- & echo $! > "+pids+"\nkill -9 $$\n"), 0o777))
	_, err := Compile(context.Background(), &Job{Tool: &Tool{Driver: driver}}, t.TempDir())
	require.Error(t, err)
	data, err := os.ReadFile(pids)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return gone(pid) }, time.Minute, time.Millisecond)
}

func TestATimeLimitEndsAllOfACompile(t *testing.T) {
	driver, pids := busy(t, "trap '' HUP INT TERM IO\n")
	_, err := Compile(context.Background(), &Job{Tool: &Tool{Driver: driver}, Bounds: Bounds{Seconds: 0.5}}, t.TempDir())
	var trouble *Trouble
	require.ErrorAs(t, err, &trouble)
	require.Equal(t, OutOfTime, trouble.Kind)
	require.EqualError(t, err, driver+" had not finished after 0.5 s and was ended")
	if data, err := os.ReadFile(pids); err == nil { // else it was ended before it came to that
		for _, word := range strings.Fields(string(data)) {
			pid, _ := strconv.Atoi(word)
			require.Eventually(t, func() bool { return gone(pid) }, time.Minute, time.Millisecond)
		}
	}
}

func TestAMemoryLimitHoldsForWhatTheDriverStarts(t *testing.T) {
	tool := toolOf(t, "gcc")
	var text strings.Builder
	text.WriteString("#define M0 1,\n")
	for i := range 10 { // a million numbers
		fmt.Fprintf(&text, "#define M%d M%d M%d M%d M%d\n", i+1, i, i, i, i)
	}
	text.WriteString("int a[] = {M10};\n")
	_, err := compile(t, &Job{Tool: tool, Text: text.String(), Bounds: Bounds{Memory: 80 << 20}})
	var trouble *Trouble
	require.ErrorAs(t, err, &trouble)
	require.Equal(t, OutOfMemory, trouble.Kind)
	require.Equal(t, "cc1", trouble.Program)
}

func TestALimitIsNeverRaised(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "ulimit -v 1000000; echo; read x; ulimit -v")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := bufio.NewScanner(out)
	said.Scan()
	Bounds{Memory: 4 << 30}.limit(cmd.Process.Pid)
	in.Close()
	said.Scan()
	require.Equal(t, "1000000", said.Text())
	require.NoError(t, cmd.Wait())
}
