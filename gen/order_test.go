package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// steps makes a Program of variables 0 to inputs-1, which are given, and of one more for each output of a step.
func steps(inputs int, made ...Step) *Program {
	p := &Program{Name: "f", Kernels: []Kernel{{Label: "Op"}}, Types: []Type{{Label: "Type"}}, Steps: made}
	for range inputs {
		p.Variables = append(p.Variables, Variable{Role: RoleInput})
	}
	for i, s := range made {
		for range s.Outputs {
			p.Variables = append(p.Variables, Variable{Role: RoleTemporary})
		}
		p.Kernels = append(p.Kernels, Kernel{Label: fmt.Sprintf("K%d", i)})
		p.Steps[i].Kernel = i + 1
	}
	return p
}

func reads(output int, inputs ...int) Step { return Step{Inputs: inputs, Outputs: []int{output}} }

func destroys(output int, inputs ...int) Step {
	return Step{Inputs: inputs, Outputs: []int{output}, Destroys: [][2]int{{0, 0}}}
}

func views(output int, inputs ...int) Step {
	return Step{Inputs: inputs, Outputs: []int{output}, Views: [][2]int{{0, 0}}}
}

func TestWhatLooksAtShapesAloneRunsFirst(t *testing.T) {
	p := steps(1, reads(1, 0), reads(2, 1), reads(3, 0), reads(4, 2, 3), reads(5, 2))
	for _, step := range []int{2, 4} {
		p.Kernels[p.Steps[step].Kernel].ShapeOnly = true
	}
	order, err := p.order()
	require.NoError(t, err)
	assert.Equal(t, []int{2, 0, 1, 4, 3}, order)
}

func TestReadersRunBeforeTheirMemoryIsDestroyed(t *testing.T) {
	for name, c := range map[string]struct {
		p    *Program
		want []int
	}{
		"two readers":                        {steps(1, destroys(1, 0), reads(2, 0), reads(3, 0)), []int{1, 2, 0}},
		"three readers, one of them first":   {steps(1, reads(1, 0), destroys(2, 0), reads(3, 0), reads(4, 0)), []int{0, 2, 3, 1}},
		"a reader of a view":                 {steps(1, views(1, 0), destroys(2, 0), reads(3, 1)), []int{0, 2, 1}},
		"two readers of two views":           {steps(1, views(1, 0), views(2, 0), destroys(3, 0), reads(4, 1), reads(5, 2)), []int{0, 1, 3, 4, 2}},
		"a reader of a view of a view":       {steps(1, views(1, 0), views(2, 1), destroys(3, 0), reads(4, 2)), []int{0, 1, 3, 2}},
		"destroyed through a view":           {steps(1, views(1, 0), destroys(2, 1), reads(3, 0)), []int{0, 2, 1}},
		"destroyed through a view of a view": {steps(1, views(1, 0), views(2, 1), destroys(3, 2), reads(4, 0), reads(5, 1)), []int{0, 1, 3, 4, 2}},
		"a sibling view is read":             {steps(1, views(1, 0), views(2, 0), destroys(3, 1), reads(4, 2)), []int{0, 1, 3, 2}},
		"a view made late":                   {steps(1, destroys(1, 0), views(2, 0), reads(3, 2)), []int{1, 2, 0}},
		"destroyed twice in turn":            {steps(1, destroys(1, 0), destroys(2, 1), reads(3, 1), reads(4, 0)), []int{3, 0, 2, 1}},
		"a view of what was destroyed":       {steps(1, destroys(1, 0), views(2, 1), destroys(3, 1), reads(4, 2)), []int{0, 1, 3, 2}},
		"one of two that are viewed":         {steps(2, Step{Inputs: []int{0, 1}, Outputs: []int{2}, Views: [][2]int{{0, 0}, {0, 1}}}, destroys(3, 1), reads(4, 2)), []int{0, 2, 1}},
		"nothing destroyed":                  {steps(1, views(1, 0), reads(2, 1), reads(3, 0)), []int{0, 1, 2}},
	} {
		order, err := c.p.order()
		require.NoError(t, err, name)
		assert.Equal(t, c.want, order, name)
	}
}

func TestMemoryThatNoOrderSaves(t *testing.T) {
	returned := steps(1, destroys(1, 0), views(2, 0))
	returned.Variables[2].Role, returned.Outputs = RoleOutput, []Output{{Variable: 2}}
	constant := steps(1, views(1, 0), destroys(2, 1))
	constant.Variables[0].Role = RoleConstant
	for want, p := range map[string]*Program{
		"steps[1].destroys: K1: destroys variable 0, which steps[0] K0 destroys too: one of them must write to memory of its own": steps(1, destroys(1, 0), destroys(2, 0)),
		"steps[2].destroys: K2: destroys variable 0, which steps[1] K1 destroys too: one of them must write to memory of its own": steps(1, views(1, 0), destroys(2, 0), destroys(3, 1)),
		"steps[0].destroys: K0: destroys variable 2, which the function returns":                                                  returned,
		"steps[1].destroys: K1: destroys variable 0, which is a constant":                                                         constant,
		"steps[0]: a cycle: steps[0] K0 -> steps[1] K1 -> steps[0] K0":                                                            steps(1, destroys(1, 0), reads(2, 0, 1)),
		"steps[1]: a cycle: steps[1] K1 -> steps[2] K2 -> steps[1] K1":                                                            steps(1, views(1, 0), destroys(2, 0), reads(3, 1, 2)),
		"steps[0]: a cycle: steps[0] K0 -> steps[0] K0":                                                                           steps(0, Step{Inputs: []int{0}, Outputs: []int{0}, Views: [][2]int{{0, 0}}}),
	} {
		_, err := p.order()
		assert.ErrorContains(t, err, want)
	}
}

// held runs steps in an order over memory whose every write is counted, and tells whether each read, and the function's
// results at the end, see what was there when their variable was made.
func held(p *Program, order []int) bool {
	writes := map[int]int{}       // buffer -> how often it was written over
	made := map[int]map[int]int{} // variable -> its buffers, and how often each had been written over then
	for v, variable := range p.Variables {
		if variable.Role == RoleInput {
			made[v] = map[int]int{v: 0}
		}
	}
	intact := func(v int) bool {
		for buffer, count := range made[v] {
			if writes[buffer] != count {
				return false
			}
		}
		return made[v] != nil // nil: not made yet
	}
	for _, i := range order {
		s := &p.Steps[i]
		if slices.ContainsFunc(s.Inputs, func(v int) bool { return !intact(v) }) {
			return false
		}
		written := map[int]bool{}
		for _, pair := range s.Destroys {
			for buffer := range made[s.Inputs[pair[1]]] {
				written[buffer] = true
			}
		}
		for buffer := range written {
			writes[buffer]++
		}
		for position, v := range s.Outputs {
			made[v] = map[int]int{}
			for _, pair := range slices.Concat(s.Views, s.Destroys) {
				for buffer := range made[s.Inputs[pair[1]]] {
					if pair[0] == position {
						made[v][buffer] = writes[buffer]
					}
				}
			}
			if len(made[v]) == 0 {
				made[v][v] = 0
			}
		}
	}
	return !slices.ContainsFunc(p.Outputs, func(out Output) bool { return !intact(out.Variable) })
}

// anyOrder tries all.
func anyOrder(p *Program, chosen []int) bool {
	if len(chosen) == len(p.Steps) {
		return held(p, chosen)
	}
	for i := range p.Steps {
		if !slices.Contains(chosen, i) && anyOrder(p, append(slices.Clone(chosen), i)) {
			return true
		}
	}
	return false
}

// random makes steps that read, view and destroy what is there, and hands them over in any order.
func random(r *rand.Rand, count int) *Program {
	inputs := 1 + r.IntN(2)
	var made []Step
	variables := inputs
	for range count {
		s := Step{}
		for range 1 + r.IntN(2) {
			s.Inputs = append(s.Inputs, r.IntN(variables))
		}
		outputs := 1 + r.IntN(2)
		for o := range outputs {
			s.Outputs = append(s.Outputs, variables+o)
			for i := range s.Inputs {
				switch r.IntN(5) {
				case 0, 1:
					s.Views = append(s.Views, [2]int{o, i})
				case 2:
					s.Destroys = append(s.Destroys, [2]int{o, i})
				}
			}
		}
		if !consistent(&s) {
			s.Views, s.Destroys = nil, nil
		}
		variables += outputs
		made = append(made, s)
	}
	r.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
	p := steps(inputs, made...)
	if v := r.IntN(variables); r.IntN(2) == 0 && v >= inputs {
		p.Variables[v].Role, p.Outputs = RoleOutput, []Output{{Variable: v}}
	}
	return p
}

// consistent tells whether maps do not contradict one another, as Python asks before it writes Program: no variable is
// given twice, an input that is destroyed is held by one output, which holds nothing else.
func consistent(s *Step) bool {
	for i, pair := range s.Destroys {
		for _, other := range slices.Concat(s.Destroys[i+1:], s.Views) {
			if other[0] == pair[0] || other[1] == pair[1] {
				return false
			}
		}
	}
	return len(s.Destroys) == 0 || len(s.Inputs) == 1 || s.Inputs[0] != s.Inputs[1]
}

// twofold tells whether a step reads what it destroys through another input, too: an op that says that it can do that has its
// own way with it, for others Python refuses.
func twofold(p *Program) bool {
	m := p.memory()
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Destroys, func(pair [2]int) bool {
			for position, v := range s.Inputs {
				for buffer := range m.of(v) {
					if _, both := m.of(s.Inputs[pair[1]])[buffer]; both && position != pair[1] {
						return true
					}
				}
			}
			return false
		})
	})
}

// Of thousands of programs: the order that comes out is right, and where none comes out there is none.
func TestOrderOfAnyProgram(t *testing.T) {
	ordered, refused := 0, 0
	for seed := range uint64(9000) {
		p := random(rand.New(rand.NewPCG(seed, 1)), 2+int(seed%5))
		if twofold(p) {
			continue
		}
		order, err := p.order()
		if err != nil {
			refused++
			assert.False(t, anyOrder(p, nil), "seed %d: %s", seed, err)
			continue
		}
		ordered++
		assert.True(t, held(p, order), "seed %d: %v", seed, order)
	}
	assert.Greater(t, ordered, 1000)
	assert.Greater(t, refused, 500)
}
