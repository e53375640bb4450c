package pyext

import (
	"errors"

	"opweld/gen/cop"
)

type copMisread struct {
	Error copFault `json:"error"`
}

// copFault is what is wrong with a short form: message without place, and the place in one of its texts.
type copFault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	In      string `json:"in"` // "signature" or "body"
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// Cop gives the C of a short form, and what its signature says.
func Cop(request string) (string, error) {
	return answer(func() (any, error) {
		var req cop.Request
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		form, err := cop.Make(&req)
		var fault *cop.Error
		if errors.As(err, &fault) {
			return copMisread{copFault{"signature", fault.Message, fault.In, fault.Line, fault.Column}}, nil
		}
		return form, err
	})
}

type wrapRequest struct {
	Prototype string `json:"prototype"`
	Signature string `json:"signature"`
}

// Wrap gives the short form that calls a function which exists.
func Wrap(request string) (string, error) {
	return answer(func() (any, error) {
		var req wrapRequest
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		wrapped, err := cop.Wrap(req.Prototype, req.Signature)
		var fault *cop.Error
		if errors.As(err, &fault) {
			return copMisread{copFault{"signature", fault.Message, fault.In, fault.Line, fault.Column}}, nil
		}
		return wrapped, err
	})
}
