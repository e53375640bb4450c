package gen

import (
	"fmt"
	"maps"
	"slices"
)

// memory knows who shares memory with whom. A buffer is named by the variable that owns it: one that no step makes, or an
// output that views and destroys nothing. An output that views an input holds that input's buffers; one that destroys it
// holds them too, a generation later. Whoever reads a generation of a buffer runs before the step that destroys it.
// python/opweld/graph/aliasing.py has the same rule, and the errors that name the user's nodes.
type memory struct {
	p         *Program
	producer  map[int]int          // variable -> the step that makes it
	held      map[int]map[int]int  // variable -> buffer -> generation
	destroyed map[generation][]int // -> the steps that destroy it
}

type generation struct{ buffer, number int }

// memory looks at what steps say that they view and destroy.
func (p *Program) memory() *memory {
	m := &memory{p: p, producer: map[int]int{}, held: map[int]map[int]int{}, destroyed: map[generation][]int{}}
	for i, s := range p.Steps {
		for _, v := range s.Outputs {
			m.producer[v] = i
		}
	}
	for i, s := range p.Steps {
		seen := map[generation]bool{}
		for _, pair := range s.Destroys {
			for buffer, number := range m.of(s.Inputs[pair[1]]) {
				if g := (generation{buffer, number}); !seen[g] {
					seen[g] = true
					m.destroyed[g] = append(m.destroyed[g], i)
				}
			}
		}
	}
	return m
}

// of gives the buffers that a variable holds, and at which generation.
func (m *memory) of(v int) map[int]int {
	if held, known := m.held[v]; known {
		return held
	}
	held := map[int]int{}
	m.held[v] = held // what holds itself holds nothing: the cycle is an error later
	if i, made := m.producer[v]; made {
		s := &m.p.Steps[i]
		m.hold(held, s, v, s.Views, 0)
		m.hold(held, s, v, s.Destroys, 1)
	}
	if len(held) == 0 {
		held[v] = 0
	}
	return held
}

// hold adds what an output holds by pairs of a step's; of two generations of a buffer the earlier counts.
func (m *memory) hold(held map[int]int, s *Step, v int, pairs [][2]int, later int) {
	for _, pair := range pairs {
		if s.Outputs[pair[0]] != v {
			continue
		}
		for buffer, number := range m.of(s.Inputs[pair[1]]) {
			if have, known := held[buffer]; !known || number+later < have {
				held[buffer] = number + later
			}
		}
	}
}

// destroyers gives the steps that destroy what a variable holds.
func (m *memory) destroyers(v int) []int {
	if len(m.destroyed) == 0 {
		return nil
	}
	var found []int
	for buffer, number := range m.of(v) {
		found = append(found, m.destroyed[generation{buffer, number}]...)
	}
	return found
}

// refuse says what no order of the steps could make right.
func (m *memory) refuse() error {
	fail := func(step int, format string, args ...any) error {
		return &Error{Stage: "plan", Where: fmt.Sprintf("steps[%d].destroys", step), Op: m.p.kernel(step).Label,
			Msg: fmt.Sprintf(format, args...)}
	}
	for i, s := range m.p.Steps {
		for _, pair := range s.Destroys {
			v := s.Inputs[pair[1]]
			for _, buffer := range slices.Sorted(maps.Keys(m.of(v))) {
				number := m.of(v)[buffer]
				if by := m.destroyed[generation{buffer, number}]; len(by) > 1 && by[0] == i {
					return fail(by[1], "destroys variable %d, which steps[%d] %s destroys too: one of them must write to memory of its own", buffer, i, m.p.kernel(i).Label)
				}
				if m.p.Variables[buffer].Role == RoleConstant {
					return fail(i, "destroys variable %d, which is a constant", buffer)
				}
			}
		}
	}
	for _, out := range m.p.Outputs {
		if by := m.destroyers(out.Variable); len(by) > 0 {
			return fail(by[0], "destroys variable %d, which the function returns", out.Variable)
		}
	}
	return nil
}
