package gen

import "slices"

// colours has temporaries share storage: one that a loop makes takes the place of an earlier one that nobody reads any more, of the
// same type and, by its roots, of the same shape, so that its loop finds memory that fits. Only loops know such temporaries: no
// text, no Python and no view sees their arrays.
type colours struct {
	*FunctionPlan
	home  map[int]int // variable -> the one whose slot it has
	keeps []bool      // of each variable, whether an instance keeps what it has
}

func newColours(plan *FunctionPlan, live *liveness) *colours {
	c := &colours{FunctionPlan: plan, home: map[int]int{}}
	s, hidden := newShapes(plan.Typed, live.order), c.hidden()
	c.keep(hidden)
	free := map[int]int{} // variable with a slot of its own -> place in order of the last step that reads what lies there
	var homes []int
	for at, step := range live.order {
		for _, v := range plan.Steps[step].Outputs {
			if !hidden[v] {
				continue
			}
			own := slices.IndexFunc(homes, func(h int) bool {
				a, b := &plan.Variables[h], &plan.Variables[v]
				return free[h] < at && a.Type == b.Type && c.keeps[h] == c.keeps[v] && slices.Equal(s.roots[h], s.roots[v])
			})
			h := v
			if own >= 0 {
				h = homes[own]
				c.home[v] = h
			} else {
				homes = append(homes, v)
			}
			free[h] = max(at, live.wanted[v])
		}
	}
	return c
}

// keep finds what an instance keeps: what Program says, and what is hidden, of a type of which it says so of some variable. It does not
// say so of what is written over another's memory, which fused loops no longer do.
func (c *colours) keep(hidden []bool) {
	for v := range c.Variables {
		c.keeps = append(c.keeps, c.Variables[v].Keep || hidden[v] && c.Types[c.Variables[v].Type].Kept)
	}
}

// hidden finds the temporaries that loops alone make, read and do not write over.
func (c *colours) hidden() []bool {
	found := make([]bool, len(c.Variables))
	for v := range c.Variables {
		found[v] = c.Variables[v].Role == RoleTemporary
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		if c.kernel(i).Loop == nil {
			for _, v := range slices.Concat(s.reads(), s.Outputs) {
				found[v] = false
			}
		}
		for _, pair := range slices.Concat(s.Destroys, s.Views) {
			found[s.Inputs[pair[1]]], found[s.Outputs[pair[0]]] = false, false
		}
	}
	return found
}

// slots gives the variables whose slots some have.
func (c *colours) slots(variables []int) []int {
	var found []int
	for _, v := range variables {
		if h, moved := c.home[v]; moved {
			v = h
		}
		found = append(found, v)
	}
	return found
}
