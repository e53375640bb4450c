package pyext

import (
	"opweld/gen"
	"opweld/gen/lint"
)

type lintRequest struct {
	Program   string          `json:"program"`   // Program's text; empty: none
	Fragments []lint.Fragment `json:"fragments"` // texts that are of no Program
	Mend      bool            `json:"mend"`      // change them, where there is one way to do that
}

type lintAnswer struct {
	Version   int              `json:"version"`
	Fragments int              `json:"fragments"` // how many texts were looked at
	Findings  [][]lint.Finding `json:"findings"`  // of each text
	Mended    []*lint.Mended   `json:"mended"`    // each text, if that is wanted
}

// Lint says what goes wrong on the paths of users' C.
func Lint(request string) (string, error) {
	return answer(func() (any, error) {
		var req lintRequest
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		texts := req.Fragments
		if req.Program != "" {
			program, err := gen.Decode([]byte(req.Program))
			if err != nil {
				return failed{describe(err)}, nil
			}
			texts = append(texts, lint.Program(program)...)
		}
		found := lintAnswer{lint.Version, len(texts), [][]lint.Finding{}, []*lint.Mended{}}
		for i := range texts {
			found.Findings = append(found.Findings, append([]lint.Finding{}, lint.Check(&texts[i])...))
			if req.Mend {
				found.Mended = append(found.Mended, lint.Mend(&texts[i]))
			}
		}
		return found, nil
	})
}

type lintRules struct {
	Rules []lint.Rule `json:"rules"`
}

// Rules lists what the lint looks for. The request is empty.
func Rules(request string) (string, error) {
	return answer(func() (any, error) { return lintRules{lint.Rules()}, nil })
}
