package cc

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
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
	var ends [2]int
	require.NoError(t, syscall.Pipe2(ends[:], syscall.O_CLOEXEC))
	_, _ = Compile(context.Background(), &Job{Tool: &Tool{Driver: driver}, Bounds: Bounds{Lifeline: ends[0]}}, t.TempDir())
}

// busy writes a driver that starts two processes, one below the other, which deafen themselves to what can be ignored and
// then tell their ids; where there is a lifeline, file 3, once it is tied to that (O_ASYNC, octal 020000): Compile does so
// as soon as the driver runs, sooner than a real one has started anything.
func busy(t *testing.T) (driver, pids string) {
	t.Helper()
	dir := t.TempDir()
	driver, pids = filepath.Join(dir, "cc"), filepath.Join(dir, "pids")
	tied := "until ! [ -e /proc/$$/fdinfo/3 ] || { value=$(sed -n 's/^flags:[^0-9]*//p' /proc/$$/fdinfo/3) && [ $((value & 020000)) -ne 0 ]; }; do sleep 0.01; done"
	script := fmt.Sprintf("#!/bin/sh\ntrap '' HUP INT TERM IO\n"+tied+"\n(sleep 600 & echo $$ $! > %s.part; mv %s.part %s; wait) &\nwait\n", pids, pids, pids)
	require.NoError(t, os.WriteFile(driver, []byte(script), 0o777))
	return driver, pids
}

func TestKilledProcessLeavesNoCompiler(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSEGV} {
		driver, pids := busy(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestOtherProcessCompiles$")
		cmd.Env = append(os.Environ(), "OPWELD_TEST_DRIVER="+driver)
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
	driver, pids := busy(t)
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
