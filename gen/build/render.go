package build

import "opweld/gen"

// render leads from Program's text to a translation unit.
func render(program string) (*gen.Unit, error) {
	p, err := gen.Decode([]byte(program))
	if err != nil {
		return nil, err
	}
	return gen.Render(gen.Alone(p))
}
