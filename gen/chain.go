package gen

import "slices"

// chain is loops of a function that follow one another and hand on what each row has given: a fold along the last axis, loops over what
// it left, and loops, or folds, that read these rows again. They may run row by row.
type chain struct {
	first int // entry of the table
	loops []chained
}

// chained is one of these.
type chained struct {
	loop    int   // of the table of loops
	alone   bool  // it goes over what folds have left of the rows, one element of each
	delay   int   // how many rows behind the first it is, so that no row waits for what is folded of it
	columns []int // the inputs of one element a row
	numbers []int // those of one element
}

const (
	maxChained   = 8 // loops
	leastChained = 2 // of them, at least, go over rows
)

// chains finds them, once the loops of a function are known.
func (plan *Plan) chains(f *FunctionPlan) []chain {
	var found []chain
	for at := 0; at < len(f.Table); at++ {
		if c, end := plan.chainAt(f, at); c != nil {
			for _, one := range c.loops {
				plan.Loops[plan.Loops[one.loop].Shares].Chain = true
			}
			found, at = append(found, *c), end
		}
	}
	return found
}

// chainAt gives the chain that begins at an entry, and its last entry; nil: none does.
func (plan *Plan) chainAt(f *FunctionPlan, first int) (*chain, int) {
	c, end, rows, whole := &chain{first: first}, first, 0, 0
	columns := map[int]bool{} // variables that have one element of each row
	weight, lanes := 0, 0
	for at := first; at < len(f.Table) && len(c.loops) < maxChained; at++ {
		e := &f.Table[at]
		if e.Run == RunOutput && at > first {
			continue
		}
		one, ok := plan.link(f, e, columns)
		if !ok {
			break
		}
		l := plan.loopOf(one.loop)
		if at == first {
			lanes = l.lanes()
		}
		if weight += l.weight(); weight > maxFused || l.folds() && l.lanes() != lanes {
			break
		}
		if one.alone || l.folds() {
			for i, v := range e.part(outputPart) {
				columns[v] = one.alone || l.Outputs[i].Fold >= 0
			}
		}
		if !one.alone {
			rows++
		}
		one.delay = 2 * (rows - 1)
		if c.loops = append(c.loops, one); !one.alone {
			end, whole = at, len(c.loops)
		}
	}
	if c.loops = c.loops[:whole]; rows < leastChained {
		return nil, 0
	}
	return c, end
}

// link looks at an entry as the next loop of a chain that has left these columns so far; none: as the first.
func (plan *Plan) link(f *FunctionPlan, e *Entry, columns map[int]bool) (chained, bool) {
	if e.Run != RunLoop && e.Run != RunGroup {
		return chained{}, false
	}
	k := &plan.Kernels[e.Function]
	one, l := chained{loop: k.Loop}, k.TypedKernel.Loop
	if k.Lang == CXX || l.staged() || !l.pure() || l.members() || plan.Loops[plan.Loops[k.Loop].Shares].Place != Beforehand {
		return one, false
	}
	shaped := false
	for i, v := range f.reads(e) {
		switch {
		case columns[v]:
			one.columns = append(one.columns, i)
		case slices.Contains(l.Scalars, i), f.typeOf(v).Array != nil && f.typeOf(v).Array.NDim == 0:
			one.numbers = append(one.numbers, i)
		default:
			shaped = true
		}
	}
	links, calls := len(one.columns) > 0, slices.ContainsFunc(l.Body, TypedInstruction.calls)
	if !l.folds() {
		one.alone = links && !shaped
		return one, links && (one.alone || !calls)
	}
	rows := len(l.Axes) == 1 && l.Axes[0] == l.NDim-1 && l.NDim > 1 && shaped
	return one, rows && (links || len(columns) == 0) && !calls && !l.scans() && !l.indexed() && l.settled() == nil && l.lanes() > 0 && l.pairwise()
}

// reads gives for each input of a loop the variable that it reads, itself or through views.
func (f *FunctionPlan) reads(e *Entry) []int {
	inputs := e.part(inputPart)
	if e.Run != RunGroup {
		return inputs
	}
	g := f.Typed.Groups[e.Step]
	var found []int
	for _, from := range g.From {
		for from < 0 {
			from = g.Views[number(from)].Reads[0]
		}
		found = append(found, inputs[from])
	}
	return found
}
