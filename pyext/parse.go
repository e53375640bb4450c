package pyext

import (
	"errors"

	"opweld/gen/expr"
)

type parseRequest struct {
	Text string   `json:"text"`
	Args []string `json:"args"`
}

// misread is the answer for a text that is no expression: message without place, line and column from 1.
type misread struct {
	Error misreadError `json:"error"`
}

type misreadError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// Parse gives the instructions that the text of an expression means.
func Parse(request string) (string, error) {
	return answer(func() (any, error) {
		var req parseRequest
		if err := decode(request, &req); err != nil {
			return nil, err
		}
		found, err := expr.Parse(req.Text, req.Args)
		var fault *expr.Error
		if errors.As(err, &fault) {
			return misread{misreadError{"expression", fault.Message, fault.Line, fault.Column}}, nil
		}
		return found, err
	})
}
