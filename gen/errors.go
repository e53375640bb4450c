package gen

import "strings"

// Error is a failure that a user can cause: where in the engine it was found, what it is about, and what to do.
type Error struct {
	Stage string // "decode", "check", "plan", "render"
	Where string // path inside Program, such as steps[3].inputs[1]; may be empty
	Op    string // label of the op or type concerned; may be empty
	Msg   string
}

// Error joins what is known, most general first.
func (e *Error) Error() string {
	parts := make([]string, 0, 3)
	if e.Where != "" {
		parts = append(parts, e.Where)
	}
	if e.Op != "" {
		parts = append(parts, e.Op)
	}
	return strings.Join(append(parts, e.Msg), ": ")
}
