package gen

import "slices"

// repeat has groups compute again what they would else read of another group, where that is cheaper than to store it for them:
// of values that take few instructions, if nobody has to read more than one array more.
func (f *fuser) repeat() {
	f.repeats = true
	seen := map[*group]bool{}
	for at := len(f.order) - 1; at >= 0; at-- { // from the end: what is repeated may itself be repeated further on
		g := f.of[f.order[at]]
		if seen[g] || !g.fuses {
			continue
		}
		seen[g] = true
		for _, v := range f.analyse(g).outputs {
			f.repeatOne(g, v)
		}
	}
}

// repeatOne has all who read a variable of a group compute it, if all may.
func (f *fuser) repeatOne(g *group, v int) {
	if f.Variables[v].Role != RoleTemporary {
		return
	}
	a := f.analyse(g)
	cone := a.needed(a.inputs, []int{v})
	if !f.repeatable(a, cone) {
		return
	}
	readers := f.others(g, v)
	had := make([][]int, len(readers))
	for i, reader := range readers {
		had[i] = reader.copies
		if !f.takes(reader, cone) {
			for j := range i {
				readers[j].copies = had[j]
			}
			return
		}
	}
	for _, reader := range readers {
		for _, step := range cone {
			if !slices.Contains(f.again[step], reader) {
				f.again[step] = append(f.again[step], reader)
			}
		}
	}
}

// others lists the groups but one that read a variable, in steps that they repeat too.
func (f *fuser) others(g *group, v int) []*group {
	var found []*group
	for _, step := range f.shapes.readers[v] {
		for _, reader := range slices.Concat([]*group{f.of[step]}, f.again[step]) {
			if reader != g && !slices.Contains(found, reader) && !slices.Contains(reader.copies, f.shapes.producer[v]) {
				found = append(found, reader)
			}
		}
	}
	return found
}

// repeatable tells whether steps of a group take little, and read what stays as it is: what they might themselves write over is
// then nobody's to write over.
func (f *fuser) repeatable(a *analysis, cone []int) bool {
	cost := 0
	for _, step := range cone {
		if cost += f.cost(step); f.kernel(step).Loop.folds() {
			return false
		}
		for _, v := range f.Steps[step].Inputs {
			if _, inside := a.makes(v); !inside && !subset(f.memory.destroyers(v), cone) {
				return false
			}
		}
	}
	return cost <= cheapEnough
}

func subset(some, of []int) bool {
	return !slices.ContainsFunc(some, func(i int) bool { return !slices.Contains(of, i) })
}

// takes adds steps to those that a group repeats, if it is still right and reads no more than one large array more.
func (f *fuser) takes(g *group, cone []int) bool {
	if !g.fuses {
		return false
	}
	before := f.analyse(g)
	with := &group{steps: g.steps, copies: slices.Clone(g.copies), fuses: true}
	for _, step := range cone {
		if !slices.Contains(with.copies, step) {
			with.copies = append(with.copies, step)
		}
	}
	after := f.analyse(with)
	if after.obstacle != "" || len(after.partial) > len(before.partial) || after.large() > before.large()+1 {
		return false
	}
	g.copies = with.copies
	return true
}

// large counts the inputs that are not known to be smaller than the loop.
func (a *analysis) large() int {
	n := 0
	for _, v := range a.inputs {
		if own := a.shapes.roots[v]; len(own) > 0 && !a.shapes.narrower(own, a.whole, a.ndim) {
			n++
		}
	}
	return n
}
