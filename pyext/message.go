package pyext

import "opweld/gen/build"

type messageAnswer struct {
	Message string `json:"message"`
}

// Message tells a person what the compiler refused, of diagnostics whose places the caller knows better.
func Message(request string) (string, error) {
	return answer(func() (any, error) {
		var refusal build.Refusal
		if err := decode(request, &refusal); err != nil {
			return nil, err
		}
		return messageAnswer{refusal.Message()}, nil
	})
}
