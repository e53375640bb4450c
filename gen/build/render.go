package build

import "opweld/gen"

// render leads from a request's Program to a translation unit.
func render(req *Request) (*gen.Unit, error) {
	p, err := gen.Decode([]byte(req.Program))
	if err != nil {
		return nil, err
	}
	target := gen.Alone(p)
	target.Fuse = req.Fuse
	return gen.Render(target)
}
