package gen

import "slices"

// Fusion makes few loops of many: steps whose loops walk the same elements become one step, which reads each element once and
// keeps what lies between the nodes in registers. It works on Programs: what it makes is again steps and kernels, so that all
// that follows knows nothing of it but which nodes a step came from.
//
// A group takes in a step where the loop that comes of it is right and not slower:
//
//   - contracting it leaves an order of the steps;
//   - all folds go along the same axes of the same elements, and nobody in the group reads what they leave but what ends them;
//   - what is stored has the dimensions of the loop;
//   - the number of instructions and of operands stays within bounds.
//
// Shapes are known at run time alone. What a value's shape is made of is known here: of the shapes of some variables, its
// roots. A value whose roots are the loop's has the loop's shape. One whose roots are fewer may be smaller: it is computed
// again for each element if that costs next to nothing; if it is stored, or costs something, the group has a second way, a
// loop for each set of roots, which runs where the shapes do differ.

// Bounds of a group.
const (
	maxFused     = 64  // weight of the instructions of one loop
	maxParts     = 4   // loops of a second way
	affordable   = 128 // the same of all distinct loops of several nodes: the steps beyond share the loops of single nodes
	sharedPart   = 8   // so many instructions whose text stands already weigh as much as one
	fusedArrays  = 16  // operands: more than these streams of memory at once are slower than two loops
	alikeArrays  = 6   // the same of loops of stores that have nothing but what they read in common
	cheapEnough  = 4   // instructions that may be repeated for each element of a larger shape
	dearestPlain = 1   // what an instruction costs that is one or two of the processor's
	dear         = 8   // a division, a square root: ten times as long
)

// cost says about how long an instruction takes.
func (in *TypedInstruction) cost() int {
	switch {
	case in.Op == OpCode || in.calls() || in.Expr.Fails:
		return 4 * dear
	case len(in.Takes) == 0:
		return 0
	case slices.Contains([]string{"divide", "sqrt", "floor_divide", "remainder", "fmod", "reciprocal"}, in.Op):
		return dear
	}
	return dearestPlain
}

// weight counts a loop's instructions by what they are to compile: what calls a function has a loop of its own.
func (l *Loop) weight() int {
	sum := 0
	for i := range l.Body {
		if sum++; l.Body[i].apart() {
			sum++
		}
	}
	return sum
}

// cost is what a kernel's loop costs an element.
func (l *Loop) cost() int {
	sum := 0
	for i := range l.Body {
		sum += l.Body[i].cost()
	}
	return sum
}

// fuser makes groups of the steps of one function.
type fuser struct {
	*Typed
	order    []int   // the steps
	place    []int   // of each step in order
	after    [][]int // the steps that must follow each
	shapes   *shapes
	memory   *memory
	of       []*group   // of each step
	again    [][]*group // of each step: the groups that repeat it
	weights  []int      // of each kernel's loop
	costs    []int      // the same
	calling  []bool     // of each kernel: its loop calls functions that have a stage of their own
	absorbed []bool     // of each step: it is a view that loops read through, and that nobody makes
	turn     int        // how often groups were gone over
	room     []int      // of two groups, in order
	near     []*group   // what neighbours found last
	behind   []int      // steps that are to be looked at
	marks    []int      // of each step: the turn in which a way was looked for from a group that has it
	repeats  bool       // groups may repeat others' steps: what was seen of them before that does not hold any more
}

// group is steps that are to be one.
type group struct {
	steps  []int     // in order
	copies []int     // steps of other groups that this one repeats, for what it reads of them
	fuses  bool      // holds loops that may have company
	tabled bool      // each instruction is a stage of its loop
	weight int       // of its instructions
	seen   *analysis // of it while it repeats nothing
	turn   int       // when it was last found
}

// all lists the steps of a group, in order, those that it repeats too.
func (f *fuser) all(g *group) []int {
	if len(g.copies) == 0 {
		return g.steps
	}
	return f.inOrder(slices.Concat(g.steps, g.copies))
}

func (f *fuser) inOrder(steps []int) []int {
	slices.SortFunc(steps, func(s, t int) int { return f.place[s] - f.place[t] })
	return steps
}

// merged puts the steps of two groups in order, where the next call does.
func (f *fuser) merged(a, b []int) []int {
	all := f.room[:0]
	for len(a) > 0 && len(b) > 0 {
		if f.place[a[0]] < f.place[b[0]] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	f.room = append(append(all, a...), b...)
	return f.room
}

// fused makes few steps of many.
func (t *Typed) fused() (*Typed, error) {
	f, err := t.grouped()
	if err != nil {
		return nil, err
	}
	return f.rebuild()
}

// grouped decides which steps are to be one.
func (t *Typed) grouped() (*fuser, error) {
	t, found, err := t.rewired()
	if err != nil {
		return nil, err
	}
	order := found.order
	f := &fuser{Typed: t, order: order, place: make([]int, len(order)), of: make([]*group, len(order)), again: make([][]*group, len(order)), absorbed: make([]bool, len(order)), marks: make([]int, len(order))}
	f.memory, f.after = found.memory, found.after
	for at, step := range order {
		f.place[step] = at
	}
	f.shapes = newShapes(t, order)
	f.weigh()
	for _, step := range order {
		f.add(step)
	}
	f.afford()
	f.repeat()
	f.absorb()
	return f, nil
}

// weigh asks each loop once what it is to compile and to run.
func (f *fuser) weigh() {
	f.weights, f.costs, f.calling = make([]int, len(f.Kernels)), make([]int, len(f.Kernels)), make([]bool, len(f.Kernels))
	for i := range f.Kernels {
		if l := f.Kernels[i].Loop; l != nil {
			f.weights[i], f.costs[i], f.calling[i] = l.weight(), l.cost(), slices.ContainsFunc(l.Body, TypedInstruction.apart)
		}
	}
}

// cost is what a step's loop costs an element.
func (f *fuser) cost(step int) int { return f.costs[f.Steps[step].Kernel] }

// add puts a step into a group of its own, and joins that with those of what it reads and of what reads the same.
func (f *fuser) add(step int) {
	g := &group{steps: []int{step}, fuses: f.fuses(step), weight: f.weights[f.Steps[step].Kernel]}
	f.of[step] = g
	if !g.fuses {
		return
	}
	for grown := true; grown; {
		grown = slices.ContainsFunc(f.neighbours(f.of[step]), func(n *group) bool { return f.join(f.of[step], n) })
	}
}

// fuses tells whether a step's loop may have company: nobody else's text depends on its being a function of its own, and the
// types of what it makes have no say in what becomes of it.
func (f *fuser) fuses(step int) bool {
	k := f.kernel(step)
	for _, v := range f.Steps[step].Outputs {
		if a := f.typeOf(v).Array; a == nil || !a.Plain {
			return false
		}
	}
	return k.Loop != nil && !k.State && !k.Given(SupportCodeApply) && !k.Given(InitCodeApply) && k.Build.Compiler == "" &&
		len(f.Steps[step].Views) == 0
}

// neighbours lists, where the next call does, the groups that a group may join: of the producers of what it reads, the latest first,
// and of those that read the same.
func (f *fuser) neighbours(g *group) []*group {
	found := f.near[:0]
	f.turn++
	add := func(other int) {
		if n := f.of[other]; n != nil && n.fuses && n != g && n.turn != f.turn {
			n.turn = f.turn
			found = append(found, n)
		}
	}
	for _, step := range g.steps {
		for _, v := range f.Steps[step].Inputs {
			if by, made := f.shapes.by(v); made {
				add(by)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *group) int { return f.last(b) - f.last(a) })
	for _, step := range g.steps {
		for _, v := range f.Steps[step].Inputs {
			for _, reader := range f.shapes.readers[v] {
				add(reader)
			}
		}
	}
	f.near = found
	return found
}

// last is the place in order of a group's last step.
func (f *fuser) last(g *group) int { return f.place[g.steps[len(g.steps)-1]] }

// join makes one group of two, if that is right and worth it, and tells whether.
func (f *fuser) join(a, b *group) bool {
	if a.weight+b.weight > maxFused {
		return false
	}
	linked := f.linked(a, b)
	if !linked && !f.alike(a, b) {
		return false
	}
	joined := &group{steps: f.merged(a.steps, b.steps), fuses: true, weight: a.weight + b.weight}
	if f.passes(joined.steps) {
		return false
	}
	joined.seen = f.analyse(joined)
	tooMany := !linked && !joined.seen.folds && len(joined.seen.inputs)+len(joined.seen.outputs) > alikeArrays
	if joined.seen.obstacle != "" || tooMany {
		return false
	}
	joined.steps = slices.Clone(joined.steps)
	joined.seen.steps = joined.steps
	for _, step := range joined.steps {
		f.of[step] = joined
	}
	return true
}

// alike tells whether two groups walk the same elements for certain, both fold or neither, and store elements of one size: a
// processor computes several of these at once, of large ones fewer, and what is small would wait for what is large.
func (f *fuser) alike(a, b *group) bool {
	x, y := f.look(a), f.look(b)
	return slices.Equal(x.whole, y.whole) && x.ndim == y.ndim && x.folds == y.folds && len(x.partial) == 0 && len(y.partial) == 0 &&
		(x.folds || x.stores() == y.stores())
}

// stores gives the size of the largest elements that are stored.
func (a *analysis) stores() int {
	size := 0
	for _, v := range a.outputs {
		size = max(size, a.typeOf(v).Array.Type.Size)
	}
	return size
}

// look gives the analysis of a group as it is.
func (f *fuser) look(g *group) *analysis {
	if f.repeats {
		return f.analyse(g)
	}
	if g.seen == nil {
		g.seen = f.analyse(g)
	}
	return g.seen
}

// linked tells whether one of two groups reads what the other makes: whoever is beside the smaller one is asked.
func (f *fuser) linked(a, b *group) bool {
	if len(a.steps) > len(b.steps) {
		a, b = b, a
	}
	for _, step := range a.steps {
		for _, v := range f.Steps[step].Inputs {
			if by, made := f.shapes.by(v); made && f.of[by] == b {
				return true
			}
		}
		for _, v := range f.Steps[step].Outputs {
			if slices.ContainsFunc(f.shapes.readers[v], func(reader int) bool { return f.of[reader] == b }) {
				return true
			}
		}
	}
	return false
}

// passes tells whether a way leads from one of these steps through another group back to one of these: as one they would wait
// for themselves. Steps that are in no group yet come later in order, and lead nowhere back.
func (f *fuser) passes(steps []int) bool {
	f.turn++
	for _, step := range steps {
		f.marks[step] = f.turn
	}
	stack := f.behind[:0]
	for _, step := range steps {
		stack = append(stack, f.after[step]...)
	}
	defer func() { f.behind = stack }()
	for len(stack) > 0 {
		step := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		g := f.of[step]
		if f.marks[step] == f.turn || g == nil || g.turn == f.turn {
			continue
		}
		g.turn = f.turn
		for _, member := range g.steps {
			for _, next := range f.after[member] {
				if f.marks[next] == f.turn {
					return true
				}
			}
			stack = append(stack, f.after[member]...)
		}
	}
	return false
}
