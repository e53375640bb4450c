package gen

import "slices"

// analysis is what becomes of steps if they are one loop.
type analysis struct {
	*fuser
	steps    []int
	copies   []int   // those of them that another group has as well
	tabled   bool    // each instruction is a stage
	inputs   []int   // variables that come from outside, in the order in which they are read
	outputs  []int   // variables that are wanted outside
	whole    roots   // of all inputs together: of the loop
	ndim     int     // of the loop
	partial  []int   // values that the second way computes for themselves: their shapes may be smaller than the loop's
	pinned   []int   // values that no part computes again
	kinds    []roots // of those that are partial
	temps    []int   // what parts of the second way leave for one another
	folds    bool
	ends     map[int]bool // steps that are computed where folds end
	obstacle string       // why they cannot be one; empty: nothing is in the way
}

// analyse looks at a group as one loop.
func (f *fuser) analyse(g *group) *analysis {
	a := &analysis{fuser: f, steps: f.all(g), copies: g.copies, tabled: g.tabled}
	a.operands()
	for _, look := range []func() string{a.endings, a.bounds, a.folding, a.stored, a.repeated} {
		if a.obstacle = look(); a.obstacle != "" {
			break
		}
	}
	return a
}

// operands finds what comes from outside and what is wanted there.
func (a *analysis) operands() {
	for _, step := range a.steps {
		for _, v := range a.Steps[step].Inputs {
			if _, inside := a.makes(v); !inside && !slices.Contains(a.inputs, v) {
				a.inputs = append(a.inputs, v)
				a.ndim = max(a.ndim, a.typeOf(v).Array.NDim)
			}
		}
	}
	for _, step := range a.steps {
		a.folds = a.folds || a.kernel(step).Loop.folds()
		for _, v := range a.Steps[step].Outputs {
			if a.wanted(v) {
				a.outputs = append(a.outputs, v)
			}
		}
	}
	a.whole = a.shapes.of(a.inputs)
}

// makes gives the step of these that makes a variable.
func (a *analysis) makes(v int) (int, bool) {
	if at, inside := a.at(v); inside {
		return a.steps[at], true
	}
	return -1, false
}

// at gives the place of that step among these.
func (a *analysis) at(v int) (int, bool) {
	by := a.shapes.producer[v]
	if by < 0 {
		return 0, false
	}
	from, to, place := 0, len(a.steps), a.place[by]
	for from < to {
		if middle := (from + to) / 2; a.place[a.steps[middle]] < place {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from, from < len(a.steps) && a.steps[from] == by
}

// instructions counts those of steps, by what they are to compile.
func (f *fuser) instructions(steps []int) int {
	sum := 0
	for _, step := range steps {
		sum += f.weights[f.Steps[step].Kernel]
	}
	return sum
}

// wanted tells whether anything but these steps reads a variable that they make: a group that repeats the step does not.
func (a *analysis) wanted(v int) bool {
	by, _ := a.makes(v)
	if slices.Contains(a.copies, by) {
		return false
	}
	return a.Variables[v].Role == RoleOutput || slices.ContainsFunc(a.shapes.readers[v], func(step int) bool {
		if !slices.Contains(a.steps, step) && (a.of[step] == nil || !slices.Contains(a.of[step].copies, by)) {
			return true
		}
		return slices.ContainsFunc(a.again[step], func(g *group) bool {
			return !slices.Contains(g.copies, by) && !slices.Contains(g.steps, by)
		})
	})
}

func (a *analysis) bounds() string {
	switch {
	case a.instructions(a.steps) > maxFused:
		return "would have too many instructions"
	case len(a.inputs)+len(a.outputs) > fusedArrays:
		return "would read and write too many arrays"
	}
	return ""
}

// folding looks at the folds: they go along the same axes of the same elements, and are computed in the same way.
func (a *analysis) folding() string {
	var first *Loop
	for _, step := range a.steps {
		l := a.kernel(step).Loop
		if !l.folds() {
			continue
		}
		if first == nil {
			first = l
		}
		switch {
		case !slices.Equal(l.Axes, first.Axes) || l.KeepDims != first.KeepDims:
			return "would fold along different axes"
		case l.lanes() != first.lanes() || l.scans() != first.scans():
			return "would fold in different orders"
		case l.NDim != a.ndim || !slices.Equal(a.shapes.of(a.Steps[step].Inputs), a.whole):
			return "would fold elements of different shapes"
		}
	}
	return ""
}

// sink is where a variable that a step of these makes comes from.
func (a *analysis) sink(v int) *LoopOutput {
	step, _ := a.makes(v)
	return &a.kernel(step).Loop.Outputs[slices.Index(a.Steps[step].Outputs, v)]
}

// stored looks at what is wanted outside: each element has a place in the loop.
func (a *analysis) stored() string {
	for _, v := range a.outputs {
		if !a.left(v) {
			if obstacle := a.pin(v); obstacle != "" {
				return obstacle
			}
		}
	}
	return ""
}

// repeated looks at what is computed for each element of the loop though its own shape may be smaller.
func (a *analysis) repeated() string {
	costs := make([]int, len(a.steps)) // of what each step makes
	for i, step := range a.steps {
		if a.ends[step] {
			continue
		}
		own := a.cost(step)
		cost := own
		for _, v := range a.Steps[step].Inputs {
			if by, inside := a.at(v); inside && !slices.Contains(a.pinned, v) {
				cost += costs[by]
			}
		}
		costs[i] = cost
		for _, v := range a.Steps[step].Outputs {
			if own >= dear || cost > cheapEnough {
				if obstacle := a.pin(v); obstacle != "" {
					return obstacle
				}
			}
		}
	}
	return ""
}

// pin keeps a value from being computed more often than it has elements.
func (a *analysis) pin(v int) string {
	if a.left(v) {
		return ""
	}
	own := a.shapes.roots[v]
	switch {
	case a.typeOf(v).Array.NDim != a.ndim:
		return "would store, or compute again and again, a value of fewer dimensions"
	case slices.Contains(a.pinned, v):
		return ""
	case slices.Equal(own, a.whole):
	case a.shapes.narrower(own, a.whole, a.ndim):
		return "would store, or compute again and again, a value of a smaller shape"
	default:
		a.partial = append(a.partial, v)
		if !slices.ContainsFunc(a.kinds, func(have roots) bool { return slices.Equal(have, own) }) {
			a.kinds = append(a.kinds, own)
		}
	}
	if a.pinned = append(a.pinned, v); len(a.kinds) >= maxParts {
		return "would have values of too many shapes"
	}
	return ""
}
