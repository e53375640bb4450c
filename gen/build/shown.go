package build

import (
	"opweld/gen"
	"opweld/gen/cc"
)

// mapped turns diagnostics into the user's: their files and lines, and canonical names as messages show them, with the
// column moved by as much.
func mapped(ds []cc.Diagnostic, sources map[string]cc.Source) []cc.Diagnostic {
	found := cc.Map(ds, sources)
	for i := range found {
		d := &found[i]
		before := d.Text[:min(max(d.Column-1, 0), len(d.Text))]
		d.Column -= len(before) - len(gen.Shown(before))
		d.Text, d.Message = gen.Shown(d.Text), gen.Shown(d.Message)
	}
	return found
}
