package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"opweld/gen"
	"opweld/gen/async"
)

// slowHead is a request for C++ whose driver begins a precompiled head, and goes on with it once it is released; before it
// compiles a unit it does what else it is told.
func slowHead(t *testing.T, before string) (req *Request, begun string, release func()) {
	req = request(t)
	dir := t.TempDir()
	begun = filepath.Join(dir, "begun")
	driver := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *c++-header*)\n\ttouch %[1]s/begun\n"+
		"\twhile [ ! -e %[1]s/release ]; do sleep 0.01; done\n\texit 1;;\n*-shared*)\n\t%[2]s;;\nesac\nexec %[3]s \"$@\"\n",
		dir, before, compilerOf(t, "g++"))
	req.CXX, req.CXXFlags = filepath.Join(dir, "g++"), req.CFlags
	require.NoError(t, os.WriteFile(req.CXX, []byte(driver), 0o777))
	release = func() { write(t, filepath.Join(dir, "release"), "") }
	t.Cleanup(release) // before request's, which waits for the head
	return req, begun, release
}

// unitCXX is a unit that takes a head.
func unitCXX() *gen.Unit {
	u := unit("extern \"C\" __attribute__((visibility(\"default\"))) void *PyInit_m() { return 0; }\n")
	u.Lang = gen.CXX
	return u
}

// cancelOnce gives what cancels a run at a stage of its, once a file is there.
func cancelOnce(path string, cancel func()) (progress func(stage string)) {
	return func(stage string) {
		if stage == StageCompile {
			async.Go(func() error {
				for _, err := os.Stat(path); err != nil; _, err = os.Stat(path) {
					time.Sleep(time.Millisecond)
				}
				cancel()
				return nil
			})
		}
	}
}

func TestHeadIsNotWaitedForByTheBuildThatBeginsIt(t *testing.T) {
	req, begun, release := slowHead(t, ":")
	mustRun(t, req, unitCXX())
	require.False(t, Finish(time.Millisecond))
	ctx, cancel := context.WithCancel(context.Background())
	next := unitCXX()
	next.Text += "/* another */\n"
	_, err := runUnit(ctx, req, next, cancelOnce(begun, cancel)) // it waits: this process is making the head
	require.Equal(t, KindCancelled, classify(err).Kind)
	require.False(t, Finish(time.Millisecond)) // it is the first build's, which was not cancelled
	release()
	require.True(t, Finish(time.Minute))
	mustRun(t, req, next) // that none came of it hurts nobody
}

func TestHeadEndsWithTheBuildThatIsCancelled(t *testing.T) {
	req, begun, _ := slowHead(t, "exec sleep 100")
	ctx, cancel := context.WithCancel(context.Background())
	_, err := runUnit(ctx, req, unitCXX(), cancelOnce(begun, cancel))
	require.Equal(t, KindCancelled, classify(err).Kind)
	require.True(t, Finish(time.Millisecond))
	left, _ := os.ReadDir(filepath.Join(req.Root, "v2", "tmp"))
	require.Empty(t, left)
}
