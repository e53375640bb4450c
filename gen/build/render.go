package build

import (
	"encoding/json"
	"strings"

	"opweld/gen"
)

// render leads from a request's Program, or Programs, to a translation unit.
func render(req *Request) (*gen.Unit, error) {
	target := gen.Target{Module: gen.Cached, Fuse: req.Fuse, Account: req.Account}
	for _, text := range programs(req.Program) {
		p, err := gen.Decode(text)
		if err != nil {
			return nil, err
		}
		target.Programs = append(target.Programs, p)
	}
	return gen.Render(target)
}

// programs are the functions of a module: a list of Programs makes one with several. What is no list is decoded, and refused, as one.
func programs(text string) [][]byte {
	var list []json.RawMessage
	if !strings.HasPrefix(text, "[") || json.Unmarshal([]byte(text), &list) != nil {
		return [][]byte{[]byte(text)}
	}
	all := make([][]byte, len(list))
	for i, one := range list {
		all[i] = one
	}
	return all
}
