package gen

import (
	"fmt"
	"slices"

	"opweld/refcount"
)

// Plan is everything that is decided of a unit: of each function the order of its work and who owns what between any two
// entries of its table; of all the functions of types and kernels, the loops, and what is compiled where. What comes after
// only names it.
type Plan struct {
	Target
	Functions []FunctionPlan
	Types     []PlannedType    // of all functions, each distinct one once
	Kernels   []KernelFunction // of all functions, in the order in which they run first
	Loops     []LoopFunction   // the table of loops
	Accesses  []*TypedKernel   // the table of views
	Light     bool             // tables and loops of the engine's alone: no header of Python's or NumPy's is read
	Parts     bool             // the loops are compiled apart, at the same time as the rest
}

// FunctionPlan is the order of one function's work.
type FunctionPlan struct {
	*Typed
	Place     []int // of each of Program's types among the unit's
	Table     []Entry
	Constants []int // variables entered once an instance; the entries only read those that no RunOwn names
	Kept      []int // variables whose objects an instance keeps between runs
	Lent      bool  // a call may work on what others hold for it
	Performs  int   // steps that call Python
	Groups    []GroupPlan
	Chains    []chain
	Structs   []int // entries, by index, whose kernels keep state for each instance
}

// NewPlan orders the steps of each function, puts each variable's lifecycle round them, lists the functions that this takes,
// and proves that every way out of a call gives up what it holds.
func NewPlan(t Target, functions []*Typed) (*Plan, error) {
	plan := &Plan{Target: t}
	finder := &functionFinder{Plan: plan, seen: map[string]int{}, alike: map[string]int{}}
	types := map[string]int{}
	for _, typed := range functions {
		order, err := typed.order()
		if err != nil {
			return nil, err
		}
		b := &planner{FunctionPlan: FunctionPlan{Typed: typed}, live: newLiveness(typed.Program, order), synced: map[int]bool{}}
		b.colours = newColours(&b.FunctionPlan, b.live)
		b.enter(order)
		b.run(order)
		for _, out := range typed.Outputs {
			b.sync(out.Variable)
		}
		if err := refcount.Verify(b.ownership()); err != nil {
			return nil, fmt.Errorf("opweld's plan is wrong: %w", err)
		}
		b.Lent = b.lent()
		plan.place(&b.FunctionPlan, types)
		finder.function(&b.FunctionPlan)
		plan.Functions = append(plan.Functions, b.FunctionPlan)
	}
	plan.Light = plan.light()
	for i := range plan.Functions {
		plan.Functions[i].Chains = plan.chains(&plan.Functions[i])
	}
	plan.apart()
	return plan, nil
}

// place finds a function's types among the unit's, or adds them.
func (plan *Plan) place(f *FunctionPlan, types map[string]int) {
	for i := range f.Types {
		id := digest(f.Types[i].fields())
		at, known := types[id]
		if !known {
			at = len(plan.Types)
			types[id] = at
			plan.Types = append(plan.Types, PlannedType{TypedType: &f.Types[i]})
		}
		f.Place = append(f.Place, at)
	}
}

// GroupPlan is a step that was several.
type GroupPlan struct {
	*Group
	Entry     *Entry // of the table
	Functions []int  // of the unit's kernels those that run where shapes differ
	Accesses  []int  // of each view that it reads through
}

type planner struct {
	FunctionPlan
	colours *colours
	grouped int // steps that were several, so far
	live    *liveness
	synced  map[int]bool // py_<name> holds the variable's present value
}

// entry adds one for a variable, and those behind it.
func (b *planner) entry(run Run, undo Undo, index int, variables ...int) {
	b.Table = append(b.Table, Entry{Run: run, Undo: undo, Variables: variables, Step: -1, Index: index})
}

// enter puts first what the seeds of every scope need: the arguments, then what kernels will fill, in order of use.
func (b *planner) enter(order []int) {
	for i, in := range b.Inputs {
		b.entry(RunInput, UndoLeave, i, in.Variable)
		b.synced[in.Variable] = true
	}
	for v := range b.Variables {
		if b.Variables[v].Role == RoleConstant {
			b.Constants = append(b.Constants, v)
			b.synced[v] = true
		}
	}
	b.own(order)
	for _, apart := range b.live.givenAway() {
		b.separate(apart)
	}
	for at, s := range order {
		if b.kernel(s).Perform {
			continue
		}
		for _, v := range b.Steps[s].Outputs {
			switch _, shares := b.colours.home[v]; {
			case shares:
			case b.result(at, v) >= 0: // where it is known what lies in memory
			case b.colours.keeps[v]:
				b.entry(RunKept, UndoKeep, len(b.Kept), v)
				b.Kept = append(b.Kept, v)
			default:
				b.entry(RunInit, UndoLeave, 0, v)
			}
		}
	}
}

// result gives which result a variable is, made by the step at a place, if the step may write it into what out= gives;
// else -1. Where Python is called later it may not: that might read there.
func (b *planner) result(at, v int) int {
	for i, out := range b.Outputs {
		if out.Variable == v && out.taken() && !b.live.callsLater(at) {
			return i
		}
	}
	return -1
}

// separate sees to it that what will be written over, the first variable, lies apart from the others.
func (b *planner) separate(apart []int) {
	b.entry(RunSeparate, UndoNone, 0, apart...)
	delete(b.synced, apart[0])
}

// prepare does what must come just before a step: makes sure of what it writes over, and takes what out= gives.
func (b *planner) prepare(at, i int) {
	for _, apart := range b.live.separated(i) {
		b.separate(apart)
	}
	if b.kernel(i).Perform {
		return
	}
	for _, v := range b.Steps[i].Outputs {
		if result := b.result(at, v); result >= 0 {
			b.entry(RunOutput, UndoLeave, result, append([]int{v}, b.colours.slots(b.live.at(at))...)...)
		}
	}
}

// own gives a call its own hold of the constants that a kernel may replace: what the instance holds is shared by all calls.
func (b *planner) own(order []int) {
	owned := map[int]bool{}
	for _, s := range order {
		for _, v := range b.replaces(s) {
			if b.Variables[v].Role == RoleConstant && !owned[v] {
				owned[v] = true
				b.entry(RunOwn, UndoLeave, 0, v)
			}
		}
	}
}

// replaces lists the variables that a step reads and may give another value.
func (plan *FunctionPlan) replaces(step int) []int {
	var vars []int
	for _, input := range plan.kernel(step).Replaced {
		vars = append(vars, plan.Steps[step].Inputs[input])
	}
	return vars
}

// run puts the steps in order, with the syncs that a perform needs before it.
func (b *planner) run(order []int) {
	performs := b.performIndex()
	for at, i := range order {
		b.prepare(at, i)
		s := &b.Steps[i]
		if b.kernel(i).Perform {
			for _, v := range s.Inputs {
				b.sync(v)
			}
		}
		b.step(i, performs[i])
		for _, d := range s.Destroys {
			delete(b.synced, s.Inputs[d[1]])
		}
		for _, v := range b.replaces(i) {
			delete(b.synced, v)
		}
		for _, v := range s.Outputs {
			if b.synced[v] = b.kernel(i).Perform; !b.synced[v] {
				delete(b.synced, v)
			}
		}
	}
}

// step adds the entry of a step.
func (b *planner) step(i, perform int) {
	s, k := &b.Steps[i], b.kernel(i)
	e := Entry{Run: RunKernel, Step: i, Inputs: len(s.Inputs), Outputs: len(s.Outputs)}
	e.Variables = b.colours.slots(slices.Concat(s.Inputs, s.Outputs))
	if s.Params != nil {
		e.Variables = append(e.Variables, *s.Params)
	}
	switch {
	case k.Perform:
		e.Run, e.Undo, e.Index = RunPerform, UndoPerform, perform
		b.Performs++
	case b.Typed.Groups[i] != nil:
		e.Run, e.Index = RunGroup, b.grouped
		b.grouped++
	case k.Loop != nil:
		e.Run = RunLoop
	case k.View != nil:
		e.Run = RunView
	case k.stateful():
		e.Index = len(b.Structs)
		b.Structs = append(b.Structs, len(b.Table))
	}
	b.Table = append(b.Table, e)
}

func (b *planner) sync(v int) {
	if !b.synced[v] {
		b.entry(RunSync, UndoNone, 0, v)
		b.synced[v] = true
	}
}

// performIndex numbers the steps that call Python in Program's own order, in which Python hands their methods over.
func (b *planner) performIndex() map[int]int {
	index := map[int]int{}
	for i := range b.Steps {
		if b.kernel(i).Perform {
			index[i] = len(index)
		}
	}
	return index
}
