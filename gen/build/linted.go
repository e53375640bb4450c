package build

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"opweld/gen/async"
	"opweld/gen/lint"
)

// linted is what the lint found in the texts of a Program, as it is kept beside the module: another version may find others.
type linted struct {
	Version  int            `json:"version"`
	Findings []lint.Finding `json:"findings"`
}

// lintOf looks at the texts of a request while they are compiled. What it gives waits for that: what was found, and how many
// seconds that took; nil: they could not be looked at.
func lintOf(req *Request) func() (json.RawMessage, float64) {
	var found json.RawMessage
	var seconds float64
	wait := async.Go(func() error {
		begin := time.Now()
		all := linted{lint.Version, []lint.Finding{}}
		if err := req.decode(); err != nil {
			return err
		}
		for _, p := range req.decoded {
			for _, f := range lint.Program(p) {
				found, err := seen.check(&f, lint.Check)
				if err != nil {
					return err
				}
				all.Findings = append(all.Findings, found...)
			}
		}
		var err error
		found, err = json.Marshal(all)
		seconds = time.Since(begin).Seconds()
		return err
	})
	return func() (json.RawMessage, float64) {
		if wait() != nil {
			return nil, 0
		}
		return found, seconds
	}
}

// looked is what this process has found in fragments: functions of few ops, each many times, differ in little else.
type looked struct {
	mu    sync.Mutex
	found map[[sha256.Size]byte][]lint.Finding
}

// mostLooked is how many fragments are known at most; then all are forgotten.
const mostLooked = 4096

var seen = looked{found: map[[sha256.Size]byte][]lint.Finding{}}

// check gives what is found in a fragment, which is looked at unless one that is equal in everything has been.
func (l *looked) check(f *lint.Fragment, look func(*lint.Fragment) []lint.Finding) ([]lint.Finding, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(text)
	l.mu.Lock()
	found, ok := l.found[key]
	l.mu.Unlock()
	if ok {
		return found, nil
	}
	found = look(f)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.found) >= mostLooked {
		clear(l.found)
	}
	l.found[key] = found
	return found, nil
}
