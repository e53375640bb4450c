package refcount

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func py(v int) Hold    { return Hold{v, Reference} }
func state(v int) Hold { return Hold{v, State} }

func enter(v int) Action {
	return Action{Name: "enter", Takes: []Hold{py(v), state(v)}, Gives: []Hold{state(v), py(v)}}
}

func TestVerifyAcceptsNestedScopes(t *testing.T) {
	assert.NoError(t, Verify([]Action{enter(0), enter(1), {Name: "run", Needs: []Hold{state(0), state(1)}}}))
}

func TestVerifyFindsDefects(t *testing.T) {
	leak, double, swapped := enter(1), enter(1), enter(1)
	leak.Gives = leak.Gives[:1]
	double.Gives = append(double.Gives, py(0))
	swapped.Gives = []Hold{py(1), state(1)}
	lent := enter(0)
	lent.Lent = true
	for want, actions := range map[string][]Action{
		"undoing action 1 (enter) never gives up the reference of variable 1":          {enter(0), leak},
		"undoing action 1 (enter) gives up the reference of variable 0 out of turn":    {enter(0), double},
		"undoing action 0 (enter) gives up the reference of variable 1 out of turn":    {swapped},
		"action 0 (run) needs the state of variable 3, which is not held":              {{Name: "run", Needs: []Hold{state(3)}}},
		"action 1 (run) may swap the state of variable 0, which the call does not own": {lent, {Name: "run", Swaps: []Hold{state(0)}}},
		"action 0 (run) may swap the state of variable 4, which the call does not own": {{Name: "run", Swaps: []Hold{state(4)}}},
		"action 1 (enter) takes the reference of variable 0, which action 0 holds":     {enter(0), enter(0)},
	} {
		assert.EqualError(t, Verify(actions), want)
	}
}
