package gen

import "slices"

// partLoop is a loop of the second way: all that has one shape.
type partLoop struct {
	shape           roots
	inputs, outputs []int // variables
}

// parts splits a group: a loop for each set of roots that a value of its own has, in an order in which each comes after those
// whose values it reads.
func (a *analysis) parts() []*partLoop {
	if len(a.partial) == 0 {
		return nil
	}
	var all []*partLoop
	find := func(v int) *partLoop {
		shape := a.shape(v)
		at := slices.IndexFunc(all, func(p *partLoop) bool { return slices.Equal(p.shape, shape) })
		if at < 0 {
			at = len(all)
			all = append(all, &partLoop{shape: shape})
		}
		return all[at]
	}
	for _, v := range a.outputs {
		find(v).outputs = append(find(v).outputs, v)
	}
	for grown := true; grown; { // what one part reads, another has to leave
		grown = false
		for _, p := range slices.Clone(all) {
			p.inputs = a.reads(p)
			for _, v := range p.inputs {
				if _, inside := a.makes(v); inside && !slices.Contains(find(v).outputs, v) {
					find(v).outputs, grown = append(find(v).outputs, v), true
				}
			}
		}
	}
	a.temps = nil
	for _, p := range all {
		for _, v := range p.outputs {
			if !slices.Contains(a.outputs, v) {
				a.temps = append(a.temps, v)
			}
		}
	}
	return a.sorted(all)
}

// shape identifies the part that a value belongs to.
func (a *analysis) shape(v int) roots {
	if a.left(v) {
		return a.whole
	}
	return a.shapes.roots[v]
}

// reads lists what a part reads: what comes from outside, and what other parts leave. The rest it computes.
func (a *analysis) reads(p *partLoop) []int {
	wanted, inputs := map[int]bool{}, []int{}
	for _, v := range p.outputs {
		wanted[v] = true
	}
	for i := len(a.steps) - 1; i >= 0; i-- {
		s := &a.Steps[a.steps[i]]
		if !slices.ContainsFunc(s.Outputs, func(v int) bool { return wanted[v] }) {
			continue
		}
		for _, v := range s.Inputs {
			_, inside := a.makes(v)
			if wanted[v] = inside && !(slices.Contains(a.pinned, v) && !slices.Equal(a.shape(v), p.shape)); !wanted[v] && !slices.Contains(inputs, v) {
				inputs = append(inputs, v)
			}
		}
	}
	slices.Sort(inputs)
	return inputs
}

// sorted puts parts behind those that leave what they read.
func (a *analysis) sorted(parts []*partLoop) []*partLoop {
	var order []*partLoop
	left := map[int]bool{}
	for _, p := range parts {
		for _, v := range p.outputs {
			left[v] = true
		}
	}
	for len(order) < len(parts) {
		at := slices.IndexFunc(parts, func(p *partLoop) bool {
			return !slices.Contains(order, p) && !slices.ContainsFunc(p.inputs, func(v int) bool { return left[v] })
		})
		order = append(order, parts[at])
		for _, v := range parts[at].outputs {
			delete(left, v)
		}
	}
	return order
}

// operand gives the number by which parts know a variable.
func (a *analysis) operand(v int) int {
	if i := slices.Index(a.inputs, v); i >= 0 {
		return i
	}
	if i := slices.Index(a.outputs, v); i >= 0 {
		return len(a.inputs) + i
	}
	return number(slices.Index(a.temps, v))
}

// reaches lists the group's inputs, by position, of which a value is computed.
func (a *analysis) reaches(v int) []int {
	wanted := map[int]bool{v: true}
	for i := len(a.steps) - 1; i >= 0; i-- {
		s := &a.Steps[a.steps[i]]
		if slices.ContainsFunc(s.Outputs, func(v int) bool { return wanted[v] }) {
			for _, v := range s.Inputs {
				wanted[v] = true
			}
		}
	}
	var found []int
	for i, input := range a.inputs {
		if wanted[input] && a.typeOf(input).Array.NDim > 0 {
			found = append(found, i)
		}
	}
	return found
}
