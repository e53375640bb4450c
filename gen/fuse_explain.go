package gen

import "slices"

// Fusion says for a person what becomes of a Program's steps.
type Fusion struct {
	Loops [][]int  `json:"loops"` // steps that are one loop, those that it repeats among them
	Apart []Parted `json:"apart"`
}

// Parted is why a step is not in the loop of one whose result it reads.
type Parted struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Why  string `json:"why"`
}

// Explain says which steps of a Program become one loop, and why others do not.
func (p *Program) Explain() (*Fusion, error) {
	typed, err := p.Check()
	if err != nil {
		return nil, err
	}
	f, err := typed.grouped()
	if err != nil {
		return nil, err
	}
	found := &Fusion{Loops: [][]int{}, Apart: []Parted{}}
	for _, g := range f.distinct() {
		steps := f.computed(g)
		if f.kernel(g.steps[0]).Loop != nil {
			found.Loops = append(found.Loops, steps)
		}
		found.Apart = f.parted(g, steps, found.Apart)
	}
	return found, nil
}

// computed lists the steps whose values a group's loop computes, and the views through which it reads: not those of its own that
// only others want, who repeat them.
func (f *fuser) computed(g *group) []int {
	if !g.fuses {
		return g.steps
	}
	a := f.analyse(g)
	return f.inOrder(slices.Concat(a.needed(a.inputs, a.outputs), f.viewed(a.inputs)))
}

// parted adds why those are not in a group whose results it reads, where at least one of the two is a loop. What several groups
// repeat is told of once.
func (f *fuser) parted(g *group, inside []int, told []Parted) []Parted {
	for _, to := range inside {
		for _, v := range f.Steps[to].Inputs {
			from, made := f.shapes.by(v)
			looped := made && (f.kernel(from).Loop != nil || f.kernel(to).Loop != nil || f.absorbed[to])
			known := slices.ContainsFunc(told, func(p Parted) bool { return p.From == from && p.To == to })
			if looped && !known && !slices.Contains(inside, from) {
				told = append(told, Parted{from, to, f.why(from, to, g)})
			}
		}
	}
	return told
}

// why says what keeps a step apart from a group in which another reads it.
func (f *fuser) why(from, to int, g *group) string {
	for _, step := range []int{from, to} {
		switch k := f.kernel(step); {
		case f.absorbed[step]:
			return "what a loop reads through a view is there before it begins"
		case k.View != nil:
			return k.Label + " makes an array: more than loops look at it, or it is written over"
		case k.Perform:
			return k.Label + " runs in Python"
		case k.Loop == nil:
			return k.Label + " is C of its own"
		case !f.fuses(step):
			return k.Label + " has C, or a type, that stands by itself"
		}
	}
	joined := &group{steps: f.inOrder(slices.Concat(f.of[from].steps, g.steps)), fuses: true}
	for _, step := range g.copies {
		if !slices.Contains(joined.steps, step) {
			joined.copies = append(joined.copies, step)
		}
	}
	if obstacle := f.analyse(joined).obstacle; obstacle != "" {
		return "one loop " + obstacle
	}
	if f.passes(joined.steps) {
		return "something between them has to run apart"
	}
	if !f.of[from].fuses || !g.fuses {
		return "so many different loops of several nodes would make the build take long"
	}
	return "each is in another loop"
}
