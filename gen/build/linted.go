package build

import (
	"encoding/json"
	"time"

	"opweld/gen"
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
		for _, text := range programs(req.Program) {
			p, err := gen.Decode(text)
			if err != nil {
				return err
			}
			for _, f := range lint.Program(p) {
				all.Findings = append(all.Findings, lint.Check(&f)...)
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
