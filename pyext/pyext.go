// Package pyext is the border between Python and the engine: the only package that is bound to Python, and the one
// place where a panic becomes an answer. It takes strings and returns strings; each answer is one JSON object in
// valid UTF-8 without NUL (see docs/engine.md). It holds no knowledge of C or of caches and prints nothing.
package pyext

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"time"

	"opweld/gen"
	"opweld/gen/async"
	"opweld/gen/build"
	"opweld/gen/faults"
	"opweld/pyext/host"
)

// Versions of what crosses the border or outlives the process.
const (
	version     = "0.1.0" // of the engine; the same as in pyproject.toml
	cacheFormat = 2       // docs/cache.md
)

type versionAnswer struct {
	Version string `json:"version"`
	Program int    `json:"program"`
	Cache   int    `json:"cache"`
	Go      string `json:"go"`
}

// Version tells which engine this is. The request is empty.
func Version(request string) (string, error) {
	return answer(func() (any, error) {
		return versionAnswer{version, gen.Format, cacheFormat, runtime.Version()}, nil
	})
}

// The templates are read while Python still makes its first request; what is wrong with them its answer says.
func init() { async.Go(gen.Ready) }

// Settle gives back to the process what the load of this library took: to be called first. The request is empty.
func Settle(request string) (string, error) {
	return answer(func() (any, error) {
		host.Restore()
		return nothing{}, nil
	})
}

// builds are the jobs of this process: the only state that outlives a call.
var builds registry

type nothing struct{}

// Start begins a build in the background, under an id of the caller's choice.
func Start(id, request string) (string, error) {
	return answer(func() (any, error) {
		var req build.Request
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		return nothing{}, builds.start(id, func(ctx context.Context, progress func(string)) (any, error) {
			return build.Run(ctx, &req, progress)
		})
	})
}

// Wait waits for a job at most so many milliseconds: {"state": "running", ...} or {"state": "done", ...}.
func Wait(id string, milliseconds int) (string, error) {
	return answer(func() (any, error) { return builds.wait(id, time.Duration(milliseconds)*time.Millisecond) })
}

// Cancel asks a job to give up; it is then waited for as ever.
func Cancel(id string) (string, error) {
	return answer(func() (any, error) { return nothing{}, builds.stop(id) })
}

type finishAnswer struct {
	State string `json:"state"`
}

// Finish waits, at most so many milliseconds, for what builds have begun for later ones: {"state": "running"} or "done".
func Finish(milliseconds int) (string, error) {
	return answer(func() (any, error) {
		if build.Finish(time.Duration(milliseconds) * time.Millisecond) {
			return finishAnswer{"done"}, nil
		}
		return finishAnswer{"running"}, nil
	})
}

type fusionRequest struct {
	Program string `json:"program"`
}

// Fusion says which steps of a Program become one loop, and why others do not: {"loops", "apart"}.
func Fusion(request string) (string, error) {
	return answer(func() (any, error) {
		var req fusionRequest
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		program, err := gen.Decode([]byte(req.Program))
		if err != nil {
			return failed{describe(err)}, nil
		}
		found, err := program.Explain()
		if err != nil {
			return failed{describe(err)}, nil
		}
		return found, nil
	})
}

type runtimeAnswer struct {
	Text string `json:"text"`
}

type runtimeRequest struct {
	Faults bool `json:"faults"`
}

// Runtime gives the C that every module is linked with; where faults are asked for, that whose places can be forced.
func Runtime(request string) (string, error) {
	return answer(func() (any, error) {
		var req runtimeRequest
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		text, err := gen.Runtime()
		if err == nil && req.Faults {
			text, err = faults.Runtime(text)
		}
		return runtimeAnswer{text}, err
	})
}

type renderAnswer struct {
	Text string   `json:"text"`
	Lang gen.Lang `json:"lang"`
}

type renderRequest struct {
	Module   string   `json:"module"`
	Programs []string `json:"programs"`
	Fuse     bool     `json:"fuse"`
}

// Render gives the C that Programs become, each a function of one module.
func Render(request string) (string, error) {
	return answer(func() (any, error) {
		var req renderRequest
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		target := gen.Target{Module: req.Module, Fuse: req.Fuse}
		for _, text := range req.Programs {
			program, err := gen.Decode([]byte(text))
			if err != nil {
				return failed{describe(err)}, nil
			}
			target.Programs = append(target.Programs, program)
		}
		unit, err := gen.Render(target)
		if err != nil {
			return failed{describe(err)}, nil
		}
		return renderAnswer{unit.Text, unit.Lang}, nil
	})
}

type compilersRequest struct {
	Drivers []string `json:"drivers"`
	Root    string   `json:"root"`
}

type compilersAnswer struct {
	Compilers []build.Compiler `json:"compilers"`
}

// Compilers tells what each of some compiler drivers is.
func Compilers(request string) (string, error) {
	return answer(func() (any, error) {
		var req compilersRequest
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		return compilersAnswer{build.Compilers(context.Background(), req.Drivers, req.Root)}, nil
	})
}

// decode reads a request, which Python makes: what is wrong with it is a defect.
func decode(request string, into any) error {
	reader := json.NewDecoder(strings.NewReader(request))
	reader.DisallowUnknownFields()
	if err := reader.Decode(into); err != nil {
		return fmt.Errorf("malformed request: %w", err)
	}
	return nil
}

// answer runs one call: its value as JSON, and its panic as an error of kind "internal".
func answer(call func() (any, error)) (text string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			text, err = encode(failed{panicked(cause)})
		}
	}()
	value, err := call()
	if err != nil {
		return "", err
	}
	return encode(value)
}

// encode gives JSON, in which a NUL is always written as an escape and invalid UTF-8 is replaced.
func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}
