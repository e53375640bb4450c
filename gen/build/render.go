package build

import (
	"encoding/json"
	"strings"

	"opweld/gen"
	"opweld/gen/faults"
)

// render leads from a request's Program, or Programs, to a translation unit.
func render(req *Request) (*gen.Unit, error) {
	if err := req.decode(); err != nil {
		return nil, err
	}
	unit, err := gen.Render(gen.Target{Module: gen.Cached, Programs: req.decoded, Fuse: req.Fuse, Account: req.Account})
	if err == nil && req.Faults {
		unit.Text, err = faults.Unit(unit.Text, unit.Lang.SourceName())
	}
	if err == nil && len(req.Lines) > 0 {
		unit.Text = asWritten(unit.Text, req.Lines)
	}
	return unit, err
}

// decode reads the Programs, unless that is done: the lint looks at them too.
func (r *Request) decode() error {
	if r.decoded != nil {
		return nil
	}
	for _, text := range programs(r.Program) {
		p, err := gen.Decode(text)
		if err != nil {
			r.decoded = nil
			return err
		}
		r.decoded = append(r.decoded, p)
	}
	return nil
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
