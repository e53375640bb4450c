package refcount

import "fmt"

// Hold is something a call must give up again before it returns.
type Hold struct {
	Variable int
	Kind     HoldKind
}

// HoldKind tells the two things that a variable holds apart.
type HoldKind int

const (
	// Reference is the owned reference in py_<name>.
	Reference HoldKind = iota
	// State is what the type's c_init or c_extract set up, which its c_cleanup frees.
	State
)

// String names the kind for messages.
func (k HoldKind) String() string {
	if k == Reference {
		return "reference"
	}
	return "state"
}

// Action is one step of a call as far as ownership goes. An action that fails before it is reached holds nothing; one
// that fails later holds all of Takes and is undone like one that succeeded.
type Action struct {
	Name  string
	Needs []Hold // must be held before
	Swaps []Hold // may be given up and taken anew while it runs: must be held before, and by the call itself
	Lent  bool   // what it takes is the instance's: calls see it, and may not swap it
	Takes []Hold // held from here on, in this order
	Gives []Hold // given up by its undo, in this order
}

// Verify proves, by induction over the actions, that every way out of a call gives up exactly what it holds: through the
// end, and through the failure of each action, before and after it is reached. The step of the induction: what an action
// needs is held, what it swaps is the call's own, what it takes is not held yet, and undoing it gives up what it took, last taken first, and nothing else;
// so undoing from any action back to the first leaves nothing. An error is a defect of the plan.
func Verify(actions []Action) error {
	held := map[Hold]int{} // to the action that took it
	for i, a := range actions {
		for _, h := range a.Needs {
			if _, ok := held[h]; !ok {
				return fmt.Errorf("action %d (%s) needs the %s of variable %d, which is not held", i, a.Name, h.Kind, h.Variable)
			}
		}
		for _, h := range a.Swaps {
			if by, ok := held[h]; !ok || actions[by].Lent {
				return fmt.Errorf("action %d (%s) may swap the %s of variable %d, which the call does not own", i, a.Name, h.Kind, h.Variable)
			}
		}
		for _, h := range a.Takes {
			if by, ok := held[h]; ok {
				return fmt.Errorf("action %d (%s) takes the %s of variable %d, which action %d holds", i, a.Name, h.Kind, h.Variable, by)
			}
			held[h] = i
		}
		if err := undoes(i, a); err != nil {
			return err
		}
	}
	return nil
}

// undoes checks that an action gives up what it takes, in reverse.
func undoes(i int, a Action) error {
	for j, h := range a.Gives {
		k := len(a.Takes) - 1 - j
		if k < 0 || a.Takes[k] != h {
			return fmt.Errorf("undoing action %d (%s) gives up the %s of variable %d out of turn", i, a.Name, h.Kind, h.Variable)
		}
	}
	if n := len(a.Takes) - len(a.Gives); n > 0 {
		h := a.Takes[n-1]
		return fmt.Errorf("undoing action %d (%s) never gives up the %s of variable %d", i, a.Name, h.Kind, h.Variable)
	}
	return nil
}
