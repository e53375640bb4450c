package gen

import (
	"cmp"
	"fmt"
	"slices"

	"opweld/gen/async"
	"opweld/gen/scalar"
)

// Group is what a step that was several knows of them.
type Group struct {
	Members []Member
	Masks   [][]int  // inputs, by position, whose shapes together must be those of all
	Parts   []Part   // what runs where they are not, one after the other; none where there are no masks
	Folds   int      // the first member that cannot fold nothing
	Views   []Viewed // what the loop reads through, each after what it is a view of
	From    []int    // of each of the loop's inputs: which of the step's, or as number() a view
	Temps   int      // how many arrays parts leave for one another
}

// Member is one of the steps that a group was.
type Member struct {
	Node  int // which of Program's
	Label string
	Spare bool // the loop does without it: others want it alone, who repeat it
	Reads []Read
}

// Read is an input of a member: an input of the group, or what an earlier member gives.
type Read struct {
	From  int // the input, or as number() the member
	Type  scalar.Type
	Exact []int // the axes along which it is not broadcast
}

// Part is a loop that a group runs where shapes differ.
type Part struct {
	Kernel   int
	Nodes    []int // which of Program's steps it computes
	Operands []int // of its inputs, then its outputs: the group's, inputs before outputs, or as number() a temporary
}

// rebuilder writes a Typed anew, with groups as steps.
type rebuilder struct {
	*fuser
	result  *Typed
	program *Program
	place   []int          // variable -> in the new Program, or -1
	kernels map[int]int    // kernel -> in the new Program
	fused   map[string]int // digest of a kernel that was made -> in the new Program
	united  map[*group]*united
	arrays  []*TypedArray // of each type that has one
	err     error
}

// united is what a group that was several steps becomes, but for the places of its kernels.
type united struct {
	*analysis
	*Group
	kernel composed
	parts  []composed
	over   [][2]int // outputs that may be written over inputs
}

// composed is a kernel that was made.
type composed struct {
	TypedKernel
	id  string // its digest
	err *Error
}

// rebuild makes steps of the groups.
func (f *fuser) rebuild() (*Typed, error) {
	p := *f.Program
	p.Kernels, p.Steps, p.Variables, p.Inputs, p.Outputs = nil, nil, nil, nil, nil
	r := &rebuilder{fuser: f, program: &p, result: &Typed{Program: &p, Types: f.Types}, kernels: map[int]int{}, fused: map[string]int{}}
	for i := range f.Types {
		r.arrays = append(r.arrays, f.Types[i].Array)
	}
	groups := f.distinct()
	r.unite(groups)
	r.variables(groups)
	for _, g := range groups {
		r.step(g)
	}
	for _, in := range f.Inputs {
		in.Variable = r.place[in.Variable]
		p.Inputs = append(p.Inputs, in)
	}
	for _, out := range f.Outputs {
		out.Variable = r.place[out.Variable]
		p.Outputs = append(p.Outputs, out)
	}
	return r.result, r.err
}

// distinct lists the groups, each once, in the order in which Program has their last steps: steps that call Python keep theirs.
func (f *fuser) distinct() []*group {
	var found []*group
	seen := map[*group]bool{}
	for _, g := range f.of {
		if seen[g] {
			continue
		}
		if seen[g] = true; !f.absorbed[g.steps[0]] && (!g.fuses || len(f.look(g).outputs) > 0) { // else whoever reads it repeats it
			found = append(found, g)
		}
	}
	slices.SortFunc(found, func(a, b *group) int { return cmp.Compare(slices.Max(a.steps), slices.Max(b.steps)) })
	return found
}

// unite makes loops of the groups that were several steps, side by side: they are most of what there is to do, and none waits for another.
func (r *rebuilder) unite(groups []*group) {
	found := make([]*united, len(groups))
	async.All(len(groups), func(i int) {
		if g := groups[i]; !r.same(g) {
			found[i] = r.several(r.analyse(g))
		}
	})
	r.united = map[*group]*united{}
	for i, g := range groups {
		r.united[g] = found[i]
	}
}

// variables keeps those that anything but one loop speaks of.
func (r *rebuilder) variables(groups []*group) {
	used := make([]bool, len(r.Variables))
	for v := range r.Variables {
		used[v] = r.Variables[v].Role != RoleTemporary
	}
	for _, g := range groups {
		if r.same(g) {
			for _, v := range slices.Concat(r.Steps[g.steps[0]].reads(), r.Steps[g.steps[0]].Outputs) {
				used[v] = true
			}
			continue
		}
		for _, v := range r.united[g].outputs {
			used[v] = true
		}
	}
	for v := range r.Variables {
		r.place = append(r.place, -1)
		if used[v] {
			r.place[v] = len(r.program.Variables)
			r.program.Variables = append(r.program.Variables, r.Variables[v])
		}
	}
}

// same tells whether a group is a step as it was.
func (r *rebuilder) same(g *group) bool {
	step := g.steps[0]
	return len(g.steps)+len(g.copies) == 1 && len(r.viewed(r.Steps[step].Inputs)) == 0 && !(g.fuses && r.mixed(step))
}

// mixed tells whether some inputs of a step have dimensions and others have none, of more than two: for one of two there is text
// without its being known.
func (r *rebuilder) mixed(step int) bool {
	inputs := r.Steps[step].Inputs
	number := func(v int) bool { a := r.typeOf(v).Array; return a != nil && a.NDim == 0 }
	return len(inputs) > 2 && slices.ContainsFunc(inputs, number) && !number(r.Steps[step].Outputs[0])
}

// step adds a group as a step.
func (r *rebuilder) step(g *group) {
	step := r.Steps[g.steps[0]]
	var group *Group
	if r.same(g) {
		step.Kernel = r.kernelOf(step.Kernel)
	} else {
		step, group = r.placed(r.united[g])
	}
	step.Inputs, step.Outputs = renumbered(step.Inputs, r.place), renumbered(step.Outputs, r.place)
	if step.Params != nil {
		params := r.place[*step.Params]
		step.Params = &params
	}
	r.program.Steps = append(r.program.Steps, step)
	r.result.Nodes = append(r.result.Nodes, g.steps[len(g.steps)-1])
	r.result.Groups = append(r.result.Groups, group)
}

// kernelOf gives the place of a kernel that stays as it is.
func (r *rebuilder) kernelOf(kernel int) int {
	at, known := r.kernels[kernel]
	if !known {
		at = r.add(r.Kernels[kernel])
		r.kernels[kernel] = at
	}
	return at
}

func (r *rebuilder) add(k TypedKernel) int {
	r.program.Kernels = append(r.program.Kernels, *k.Kernel)
	r.result.Kernels = append(r.result.Kernels, k)
	return len(r.result.Kernels) - 1
}

// several makes a loop of several steps, with the memory that they may write over.
func (r *rebuilder) several(a *analysis) *united {
	k, j := a.compose(a.inputs, a.outputs), &united{analysis: a}
	r.group(j)
	k.Structure.Exact = a.exact()
	if !a.folds {
		j.over = a.overwrites(k)
	}
	j.kernel = r.typed(k)
	return j
}

// placed makes a step of a loop that was several.
func (r *rebuilder) placed(j *united) (Step, *Group) {
	for i := range j.parts {
		j.Parts[i].Kernel = r.compiled(&j.parts[i])
	}
	s := Step{Outputs: j.outputs}
	s.Inputs, j.From, j.Views = r.sources(j.inputs)
	for _, pair := range j.over {
		s.Destroys = append(s.Destroys, [2]int{pair[0], j.From[pair[1]]})
	}
	s.Kernel = r.compiled(&j.kernel)
	return s, j.Group
}

// overwrites gives outputs the memory of inputs that the steps may write over, and says so.
func (a *analysis) overwrites(k *Kernel) [][2]int {
	var pairs [][2]int
	for _, step := range a.steps {
		for i, out := range a.kernel(step).Loop.Outputs {
			if out.Over < 0 || len(a.again[step]) > 0 {
				continue
			}
			over := a.Steps[step].Inputs[out.Over]
			input := slices.Index(a.inputs, over)
			if by, made := a.shapes.by(over); input < 0 || made && a.absorbed[by] { // of that there is no array
				continue
			}
			if output := a.taker(k, input, a.Steps[step].Outputs[i]); output >= 0 {
				k.Structure.Outputs[output].Over = &input
				pairs = append(pairs, [2]int{output, input})
			}
		}
	}
	return pairs
}

// taker gives the output that may be written over an input, rather that of a variable than another; -1: none.
func (a *analysis) taker(k *Kernel, input, rather int) int {
	found := -1
	for o, v := range a.outputs {
		if k.Outputs[o] == k.Inputs[input] && k.Structure.Outputs[o].Over == nil && (found < 0 || v == rather) {
			found = o
		}
	}
	return found
}

// typed resolves what a kernel that was made computes.
func (r *rebuilder) typed(k *Kernel) composed {
	c := &checker{p: r.Program, arrays: r.arrays, known: r.ways, ways: map[wayName]*way{}}
	made := composed{TypedKernel: TypedKernel{Kernel: k, Loop: c.structure("fused", k)}, id: k.digest(), err: c.err}
	names := k.variableNames()
	for i, t := range k.types() {
		made.Variables = append(made.Variables, TypedVariable{Name: names[i], Type: &r.Types[t]})
	}
	return made
}

// compiled adds a kernel that was made, or finds one of the same loop.
func (r *rebuilder) compiled(k *composed) int {
	at, known := r.fused[k.id]
	if !known {
		if k.err != nil && r.err == nil {
			r.err = fmt.Errorf("opweld's fusion is wrong: %w", k.err)
		}
		at = r.add(k.TypedKernel)
		r.fused[k.id] = at
	}
	return at
}

// group says what the steps were, and what runs where shapes differ.
func (r *rebuilder) group(j *united) {
	a := j.analysis
	g := &Group{Folds: max(0, slices.IndexFunc(a.steps, func(step int) bool {
		return slices.ContainsFunc(a.kernel(step).Loop.Folds, func(f Fold) bool { return f.Identity == nil })
	}))}
	computed := a.needed(a.inputs, a.outputs)
	for at, step := range a.steps {
		m := Member{Node: step, Label: a.kernel(step).Label, Spare: !slices.Contains(computed, step)}
		for i, v := range a.Steps[step].Inputs {
			from := slices.Index(a.inputs, v)
			if by, inside := a.makes(v); inside {
				from = number(slices.Index(a.steps[:at], by))
			}
			m.Reads = append(m.Reads, Read{from, a.typeOf(v).Array.Type, a.kernel(step).Loop.exactly(i)})
		}
		g.Members = append(g.Members, m)
	}
	for _, part := range a.parts() {
		j.parts = append(j.parts, r.typed(a.compose(part.inputs, part.outputs)))
		p := Part{Nodes: a.needed(part.inputs, part.outputs)}
		for _, v := range slices.Concat(part.inputs, part.outputs) {
			p.Operands = append(p.Operands, a.operand(v))
		}
		g.Parts = append(g.Parts, p)
	}
	for _, v := range a.partial {
		g.Masks = append(g.Masks, a.reaches(v))
	}
	slices.SortFunc(g.Masks, slices.Compare)
	g.Masks = slices.CompactFunc(g.Masks, slices.Equal)
	g.Temps = len(a.temps)
	j.Group = g
}
