package gen

// afford parts the groups whose loops would make a large function's build take long. Groups of equal loops share them, so those
// are free.
func (f *fuser) afford() {
	spent, seen := 0, map[string]bool{}
	for _, g := range f.distinct() {
		if len(g.steps) == 1 {
			continue
		}
		made := f.kernels(g)
		cost := 0
		for id, weight := range made {
			if !seen[id] {
				cost += weight
			}
		}
		if spent+cost > affordable {
			f.dissolve(g)
			continue
		}
		spent += cost
		for id := range made {
			seen[id] = true
		}
	}
}

// kernels gives what a group is compiled to, its loop and those of its second way, by what they weigh.
func (f *fuser) kernels(g *group) map[string]int {
	a := f.analyse(g)
	found := map[string]int{a.compose(a.inputs, a.outputs).digest(): f.instructions(a.steps)}
	for _, p := range a.parts() {
		found[a.compose(p.inputs, p.outputs).digest()] = f.instructions(a.needed(p.inputs, p.outputs))
	}
	return found
}

// dissolve makes each step of a group one of its own again.
func (f *fuser) dissolve(g *group) {
	for _, step := range g.steps {
		f.of[step] = &group{steps: []int{step}}
	}
}
