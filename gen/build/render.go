package build

import "opweld/gen"

// render leads from Program's text to a translation unit.
func render(program string) (*gen.Unit, error) {
	if _, err := gen.Decode([]byte(program)); err != nil {
		return nil, err
	}
	return nil, &gen.Error{Stage: "render", Msg: "rendering is not wired yet"}
}
