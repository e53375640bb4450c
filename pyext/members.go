package pyext

import "opweld/gen/ccode"

type membersAnswer struct {
	Members []ccode.Member `json:"members"`
	Refused string         `json:"refused"` // why the text cannot be read with certainty; empty: it was read
}

// Members reads what the text of a c_declare declares, in C, as the members of a struct.
func Members(text string) (string, error) {
	return answer(func() (any, error) {
		fragment := ccode.Read(text, ccode.Place{Body: true, Declares: true})
		defer fragment.Close()
		found, err := fragment.Members()
		if err != nil {
			return membersAnswer{[]ccode.Member{}, err.Error()}, nil
		}
		return membersAnswer{found, ""}, nil
	})
}
