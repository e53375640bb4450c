package gen

import "slices"

// divides lists the instructions that divide by what is one number throughout what is not, where inputs of stride 0 are; none of a
// loop that may fail, for what is out of range is computed twice, nor of one that is run in stages, whose pieces divide.
func (l *Loop) divides(strides []int) []int {
	if l.fails() || l.codes() || l.staged() {
		return nil
	}
	var found []int
	steady := make([]bool, len(l.Inputs)) // of each value
	for i := range l.Inputs {
		steady[i] = strides[i] == 0
	}
	for i, in := range l.Body {
		if in.Op == "divide" && in.Takes[0].Class == 'f' && in.Takes[0].Form() != nil && steady[in.Args[1]] && !steady[in.Args[0]] {
			found = append(found, i)
		}
		moves := in.Op == OpIndex || slices.ContainsFunc(in.Args, func(v int) bool { return !steady[v] })
		for range in.Makes {
			steady = append(steady, !moves)
		}
	}
	return found
}
