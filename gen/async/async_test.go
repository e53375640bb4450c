package async

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPanicIsAnError(t *testing.T) {
	var none *Panic
	wait := Go(func() error { none.Stack = "x"; return nil })
	var caught *Panic
	require.ErrorAs(t, wait(), &caught)
	require.ErrorContains(t, wait(), "the engine panicked: runtime error: invalid memory address or nil pointer dereference\n")
	require.Contains(t, caught.Stack, "TestAPanicIsAnError", "the stack begins where it happened")
	require.NoError(t, Go(func() error { return nil })())
}

func TestEachWaitsForAllAndGivesTheFirstError(t *testing.T) {
	done := make([]bool, 4)
	err := Each(4, func(i int) error {
		done[i] = true
		if i == 1 {
			panic("one")
		}
		if i == 2 {
			return errors.New("two")
		}
		return nil
	})
	require.Equal(t, []bool{true, true, true, true}, done)
	require.ErrorContains(t, err, "the engine panicked: one")
}

func TestAllDoesEachAndAPanicIsTheCallers(t *testing.T) {
	done := make([]bool, 3)
	All(3, func(i int) { done[i] = true })
	require.Equal(t, []bool{true, true, true}, done)
	defer func() { require.ErrorContains(t, recover().(error), "the engine panicked: two") }()
	All(3, func(i int) {
		if i == 2 {
			panic("two")
		}
	})
}
