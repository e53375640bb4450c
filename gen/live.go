package gen

// liveness knows which variables hold something that is still wanted at a step; memory knows which share memory because the
// graph says so. What else shares memory is found in the call: arguments overlap as the caller likes, and what Python or a
// user's code gives may be kept elsewhere.
type liveness struct {
	*memory
	order  []int
	made   map[int]int // variable -> place in order of the step that makes it
	wanted map[int]int // variable -> place in order of the last step that reads it; beyond the last: it is returned
}

func newLiveness(p *Program, order []int) *liveness {
	m := &liveness{memory: p.memory(), order: order, made: map[int]int{}, wanted: map[int]int{}}
	for at, i := range order {
		s := &p.Steps[i]
		for _, v := range s.reads() {
			m.wanted[v] = at
		}
		for _, v := range s.Outputs {
			m.made[v] = at
		}
	}
	for _, out := range p.Outputs {
		m.wanted[out.Variable] = len(order)
	}
	return m
}

// reads lists the variables that a step reads.
func (s *Step) reads() []int {
	if s.Params == nil {
		return s.Inputs
	}
	return append(append([]int{}, s.Inputs...), *s.Params)
}

// live lists what was entered before the step at a place and is read by it or later, or returned.
func (m *liveness) at(at int) []int {
	var found []int
	for v, variable := range m.p.Variables {
		made, computed := m.made[v]
		entered := computed && made < at || variable.Role == RoleInput || variable.Role == RoleConstant
		if last, read := m.wanted[v]; entered && read && last >= at {
			found = append(found, v)
		}
	}
	return found
}

// callsLater tells whether a step after a place calls Python, which may read any memory.
func (m *liveness) callsLater(at int) bool {
	for _, i := range m.order[at+1:] {
		if m.p.kernel(i).Perform {
			return true
		}
	}
	return false
}

// share tells whether the maps of steps say that two variables have memory in common.
func (m *liveness) share(a, b int) bool {
	mine := m.of(a)
	for buffer := range m.of(b) {
		if _, both := mine[buffer]; both {
			return true
		}
	}
	return false
}

// givenAway gives for each argument that some step writes over the other arguments, shared values and constants that a
// later step still reads: a caller may give the same memory for both.
func (m *liveness) givenAway() [][]int {
	gone := map[int]int{} // argument -> place of the first step that writes over it
	for at := len(m.order) - 1; at >= 0; at-- {
		s := &m.p.Steps[m.order[at]]
		for _, pair := range s.Destroys {
			for v := range m.of(s.Inputs[pair[1]]) {
				gone[v] = at
			}
		}
	}
	var found [][]int
	for _, in := range m.p.Inputs {
		at, written := gone[in.Variable]
		if !written || m.p.Types[m.p.Variables[in.Variable].Type].Array == nil {
			continue
		}
		if later := m.readAfter(at, in.Variable); len(later) > 0 {
			found = append(found, append([]int{in.Variable}, later...))
		}
	}
	return found
}

// readAfter lists what the call is given, but for one argument, and a step after a place reads, itself or a view of it.
func (m *liveness) readAfter(at, but int) []int {
	read := map[int]bool{}
	for v, last := range m.wanted {
		if last > at {
			for root := range m.of(v) {
				read[root] = true
			}
		}
	}
	var found []int
	for v, variable := range m.p.Variables {
		if read[v] && v != but && (variable.Role == RoleInput || variable.Role == RoleConstant) {
			found = append(found, v)
		}
	}
	return found
}

// separated gives for each input that a step's own code destroys, and that is an array, the step's other inputs that
// must lie apart from it: those of which the graph does not say that they share its memory.
func (m *liveness) separated(i int) [][]int {
	var found [][]int
	s := &m.p.Steps[i]
	if m.p.kernel(i).Structure != nil { // looks for itself
		return nil
	}
	for _, pair := range s.Destroys {
		v := s.Inputs[pair[1]]
		if m.p.Types[m.p.Variables[v].Type].Array == nil {
			continue
		}
		apart := []int{v}
		for _, other := range s.reads() {
			if other != v && !m.share(v, other) {
				apart = append(apart, other)
			}
		}
		found = append(found, apart)
	}
	return found
}
