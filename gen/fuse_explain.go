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
		if f.kernel(g.steps[0]).Loop != nil {
			found.Loops = append(found.Loops, f.all(g))
		}
	}
	for _, to := range f.order {
		for _, v := range f.Steps[to].Inputs {
			from, made := f.shapes.producer[v]
			if made && f.of[from] != f.of[to] && !slices.Contains(f.of[to].copies, from) {
				found.Apart = append(found.Apart, Parted{from, to, f.why(from, to)})
			}
		}
	}
	return found, nil
}

// why says what keeps two steps apart.
func (f *fuser) why(from, to int) string {
	for _, step := range []int{from, to} {
		switch k := f.kernel(step); {
		case k.Perform:
			return k.Label + " runs in Python"
		case k.Loop == nil:
			return k.Label + " is C of its own"
		case !f.of[step].fuses:
			return k.Label + " has C, or a type, that stands by itself"
		}
	}
	joined := &group{steps: f.inOrder(slices.Concat(f.of[from].steps, f.of[to].steps)), fuses: true}
	if f.passes(joined.steps) {
		return "something between them has to run apart"
	}
	if obstacle := f.analyse(joined).obstacle; obstacle != "" {
		return "one loop " + obstacle
	}
	return "each is in another loop"
}
