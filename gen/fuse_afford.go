package gen

import (
	"fmt"
	"slices"
)

// afford looks at groups whose loops would make a large function's build take long. Where all are too much, those that are no more
// than tables of pieces that the vector library has become such tables, and the others are parted where even they are too much.
// Groups of equal loops share them, so those are free; loops that are run in stages share pieces.
func (f *fuser) afford() {
	groups := slices.DeleteFunc(f.distinct(), func(g *group) bool { return len(g.steps) == 1 })
	if len(f.beyond(groups, 1)) == 0 {
		return
	}
	for _, g := range groups {
		g.tabled = !slices.ContainsFunc(g.steps, func(step int) bool { return !f.kernel(step).Loop.inLibrary() })
	}
	for _, g := range f.beyond(slices.DeleteFunc(groups, func(g *group) bool { return g.tabled }), len(groups)) {
		f.dissolve(g)
	}
}

// beyond lists the groups, so many at most, whose loops are too much beside those of the groups before them.
func (f *fuser) beyond(groups []*group, atMost int) []*group {
	var left []*group
	spent, seen := 0, map[string]bool{}
	for _, g := range groups {
		if len(left) == atMost {
			break
		}
		cost, found, a := 0, map[string]bool{}, f.look(g)
		for id, steps := range a.kernels() {
			if !seen[id] {
				cost += a.written(steps, seen, found)
			}
			found[id] = true
		}
		if spent+cost > affordable*sharedPart {
			left = append(left, g)
			continue
		}
		spent += cost
		for id := range found {
			seen[id] = true
		}
	}
	return left
}

// inLibrary tells whether the vector library has all that a loop of stores computes.
func (l *Loop) inLibrary() bool {
	return !l.folds() && !slices.ContainsFunc(l.Body, func(in TypedInstruction) bool { return !in.vector() && !in.simple() })
}

// kernels gives what a group is compiled to, its loop and those of its second way, by the steps of each.
func (a *analysis) kernels() map[string][]int {
	found := map[string][]int{a.compose(a.inputs, a.outputs).digest(): a.steps}
	for _, p := range a.parts() {
		found[a.compose(p.inputs, p.outputs).digest()] = a.needed(p.inputs, p.outputs)
	}
	return found
}

// written is what the loop of steps weighs, in parts of an instruction. Where it is run in stages, instructions between two calls
// that have been written, of values that were made alike, are as a rule a piece that stands already.
func (a *analysis) written(steps []int, seen, found map[string]bool) int {
	own := func(step int) bool { return a.kernel(step).Loop.folds() || a.kernel(step).Loop.codes() }
	if !slices.ContainsFunc(steps, a.apart) || slices.ContainsFunc(steps, own) {
		return a.instructions(steps) * sharedPart
	}
	sum := 0
	for _, piece := range a.connected(steps) {
		if len(piece) == 1 && a.kernel(piece[0]).Loop.inLibrary() {
			continue
		}
		id := ""
		for _, step := range piece {
			id += a.context(step) + ";"
		}
		if weight := a.instructions(piece); seen[id] || found[id] {
			sum += weight
		} else {
			found[id] = true
			sum += weight * sharedPart
		}
	}
	return sum
}

// connected parts steps where functions are called: as their pieces will be, but for those of the last stage.
func (a *analysis) connected(steps []int) [][]int {
	return connected(steps, func(piece []int, step int) bool {
		return !a.apart(step) && slices.ContainsFunc(a.Steps[step].Inputs, func(v int) bool {
			by, here := a.makes(v)
			return here && !a.apart(by) && slices.Contains(piece, by)
		})
	})
}

// apart tells whether a step's loop calls functions that have a stage of their own.
func (f *fuser) apart(step int) bool { return f.calling[f.Steps[step].Kernel] }

// context identifies a step's kernel and those whose values it reads in the same piece.
func (a *analysis) context(step int) string {
	id := fmt.Sprint(a.Steps[step].Kernel)
	for _, v := range a.Steps[step].Inputs {
		from := -1
		if by, here := a.makes(v); here && !a.apart(by) {
			from = a.Steps[by].Kernel
		}
		id += fmt.Sprint(" ", from)
	}
	return id
}

// dissolve makes each step of a group one of its own again.
func (f *fuser) dissolve(g *group) {
	for _, step := range g.steps {
		f.of[step] = &group{steps: []int{step}}
	}
}
