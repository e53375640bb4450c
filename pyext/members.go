package pyext

import "opweld/refcount"

type membersAnswer struct {
	Members []refcount.Member `json:"members"`
	Refused string            `json:"refused"` // why the text cannot be read with certainty; empty: it was read
}

// Members reads what the text of a c_declare declares, in C, as the members of a struct.
func Members(text string) (string, error) {
	return answer(func() (any, error) {
		fragment := refcount.Read(text, refcount.Place{Body: true, Declares: true})
		defer fragment.Close()
		found, err := fragment.Members()
		if err != nil {
			return membersAnswer{[]refcount.Member{}, err.Error()}, nil
		}
		return membersAnswer{found, ""}, nil
	})
}
