package gen

import (
	"fmt"
	"reflect"
	"slices"
)

// PlannedType is a type of the unit.
type PlannedType struct {
	*TypedType
	Lifecycle
}

// Lifecycle is the functions that a unit has for a type: only those that its table needs. Of a plain type the runtime has them all,
// unless a text of its own says what is accepted.
type Lifecycle struct {
	Adopt bool // c_extract
	Init  bool // c_init
	Offer bool // c_extract_out
	Sync  bool // c_sync

	Own, Start, Output, Keep bool // the ways in that are made of them: of a constant, of None, of out=, of what was kept

	Accepts []string // distinct texts of c_accept
	Inputs  []InputFunction
}

// InputFunction is an argument's way in: accepted as it is, or converted.
type InputFunction struct {
	Accept  int  // which of the type's texts; -1: everything is converted
	Shared  bool // the object is in a cell, not in the slot
	Checked bool // nothing but c_extract has looked at it: is it the array that is promised?
}

// KernelFunction is a kernel under the name by which it is called. Steps of one kernel share a function, unless its texts
// keep state: then each step has its own.
type KernelFunction struct {
	*TypedKernel
	Name string // what hooks got as `name`; in C with the glue's prefix
	Loop int    // which of the table of loops; -1: none
}

// LoopFunction is an entry of the table of loops. Entries that differ in nothing but a table share the C of one.
type LoopFunction struct {
	Kernel int // the first function of the unit that runs it
	Shares int // the entry whose C it runs: itself, or an earlier one
	Place  Place
	Chain  bool // a chain's text is made of its C, and stands where that does
}

// Place is where the C of a loop stands.
type Place byte

// A loop of the engine alone, which cannot fail, needs nothing of Python.
const (
	Nowhere    Place = iota // it is another's
	AmongOps                // with its op's fragments
	Beforehand              // before every header of a user's
	Apart                   // the same, in a part of its own, compiled at the same time
)

// partsFrom is the number of loops, or of instructions in them, from which a unit is compiled in two parts at once. It is a matter
// of Program alone, so that equal Programs give equal modules on every machine.
const (
	partsFrom        = 4
	partsFromContent = 40
)

// ownEach is how many loops there are to one that stays with the rest: 20 loops then take about as long as Python's headers
// and what else is in the first part.
const ownEach = 5

// functionFinder lists what the tables of all functions call.
type functionFinder struct {
	*Plan
	of     *FunctionPlan  // the one that is looked at
	shared map[int]int    // of it: kernel -> function that all its steps share
	seen   map[string]int // how many kernels or steps have a name
	alike  map[string]int // what the loops of kernels have in common -> the first entry of the table of loops
}

// function lists what one function's table calls.
func (f *functionFinder) function(of *FunctionPlan) {
	f.of, f.shared = of, map[int]int{}
	for _, c := range of.Constants {
		f.lifecycle(c).Adopt = true
	}
	for _, out := range of.Outputs {
		if out.Accept != nil {
			f.lifecycle(out.Variable).accept(*out.Accept)
		}
	}
	for i := range of.Table {
		switch e := &of.Table[i]; {
		case e.Step < 0:
			f.uses(e)
		case e.Run == RunPerform:
			for _, v := range e.part(outputPart) {
				f.lifecycle(v).Adopt = true
			}
		case e.Run == RunView:
			e.Function = f.access(of.Steps[e.Step].Kernel)
		default:
			e.Function = f.kernel(of.Steps[e.Step].Kernel)
			if e.Run == RunGroup {
				of.Groups = append(of.Groups, f.group(of.Typed.Groups[e.Step], e))
			}
		}
	}
}

// lifecycle is the functions of a variable's type.
func (f *functionFinder) lifecycle(variable int) *Lifecycle {
	return &f.Types[f.of.Place[f.of.Variables[variable].Type]].Lifecycle
}

// uses notes which functions of a type an entry needs.
func (f *functionFinder) uses(e *Entry) {
	l := f.lifecycle(e.Variables[0])
	switch e.Run {
	case RunInput:
		l.Adopt = true
		e.Function = l.input(&f.of.Inputs[e.Index], f.of.typeOf(e.Variables[0]).Array != nil)
	case RunOwn:
		l.Adopt, l.Own = true, true
	case RunInit:
		l.Init, l.Start = true, true
	case RunOutput:
		l.Init, l.Start, l.Offer, l.Output = true, true, true, true
	case RunKept:
		l.Init, l.Start, l.Offer, l.Sync, l.Keep = true, true, true, true, true
	case RunSync:
		l.Sync = true
	}
}

// accept gives the place of a text of c_accept.
func (l *Lifecycle) accept(text string) int {
	if !slices.Contains(l.Accepts, text) {
		l.Accepts = append(l.Accepts, text)
	}
	return slices.Index(l.Accepts, text)
}

// input gives the place of an argument's way in.
func (l *Lifecycle) input(in *Input, array bool) int {
	way := InputFunction{Accept: -1, Shared: in.Shared, Checked: !in.taken() && array}
	if in.Accept != nil {
		way.Accept = l.accept(*in.Accept)
	}
	if !slices.Contains(l.Inputs, way) {
		l.Inputs = append(l.Inputs, way)
	}
	return slices.Index(l.Inputs, way)
}

// group lists the loops that a group runs where shapes differ.
func (f *functionFinder) group(g *Group, e *Entry) GroupPlan {
	planned := GroupPlan{Group: g, Entry: e}
	for i := range g.Parts {
		planned.Functions = append(planned.Functions, f.kernel(g.Parts[i].Kernel))
	}
	for i := range g.Views {
		planned.Accesses = append(planned.Accesses, f.access(g.Views[i].Kernel))
	}
	return planned
}

// access gives the place of a view's kernel in the table of accesses.
func (f *functionFinder) access(i int) int {
	k := &f.of.Kernels[i]
	same := func(have *TypedKernel) bool {
		return have.dims(0) == k.dims(0) && len(have.Inputs) == len(k.Inputs) && have.dims(len(k.Inputs)) == k.dims(len(k.Inputs)) &&
			reflect.DeepEqual(have.View, k.View)
	}
	at := slices.IndexFunc(f.Accesses, same)
	if at < 0 {
		at = len(f.Accesses)
		f.Accesses = append(f.Accesses, k)
	}
	return at
}

// dims is how many dimensions one of a kernel's arrays has.
func (k *TypedKernel) dims(i int) int { return k.Variables[i].Type.Array.NDim }

// kernel gives the function of a step of a kernel.
func (f *functionFinder) kernel(i int) int {
	if at, known := f.shared[i]; known {
		return at
	}
	k := &f.of.Kernels[i]
	base := k.cName()
	name := base
	if k.State {
		name = fmt.Sprintf("%s_%d", base, f.seen[base])
	}
	f.seen[base]++
	at := slices.IndexFunc(f.Kernels, func(have KernelFunction) bool { return have.Name == name })
	if at < 0 {
		at = len(f.Kernels)
		f.Kernels = append(f.Kernels, KernelFunction{TypedKernel: k, Name: name, Loop: f.loop(k, at)})
	}
	if !k.State {
		f.shared[i] = at
	}
	return at
}

// loop adds the loop of a kernel to the table of loops. Loops that are alike but for what stands in the table share their C.
func (f *functionFinder) loop(k *TypedKernel, function int) int {
	if k.Loop == nil {
		return -1
	}
	at := len(f.Loops)
	l := LoopFunction{Kernel: function, Shares: at, Place: AmongOps}
	if pure := k.Loop.pure(); pure || !k.State {
		id := k.alike()
		if first, known := f.alike[id]; known {
			l.Shares, l.Place = first, Nowhere
		} else if f.alike[id] = at; pure {
			l.Place = Beforehand
		}
	}
	f.Loops = append(f.Loops, l)
	return at
}

// alike identifies the C of a kernel's loop: what it may write over, and along which axes it folds, stands in the table.
func (k *TypedKernel) alike() string {
	same, kernel, structure := *k, *k.Kernel, *k.Structure
	structure.Axes, structure.KeepDims, structure.Outputs = nil, false, slices.Clone(structure.Outputs)
	for i := range structure.Outputs {
		structure.Outputs[i].Over = nil
	}
	same.Kernel, kernel.Structure = &kernel, &structure
	return same.cName()
}

// apart has a unit of many loops compiled in two parts, which then see one another's functions.
func (plan *Plan) apart() {
	var ahead, folds []int
	content := 0
	for i := range plan.Loops {
		if plan.Loops[i].Place == Beforehand {
			content += len(plan.loopOf(i).Body)
		}
		if plan.Loops[i].Place == Beforehand && plan.loopOf(i).folds() {
			folds = append(folds, i)
		} else if plan.Loops[i].Place == Beforehand {
			ahead = append(ahead, i)
		}
	}
	if plan.Parts = len(ahead)+len(folds) >= partsFrom || content >= partsFromContent; !plan.Parts {
		return
	}
	if plan.Light {
		plan.halve(slices.Concat(ahead, folds))
		return
	}
	for i, at := range ahead {
		plan.Loops[at].Place = Apart
		if i%ownEach == ownEach-1 && !plan.loopOf(at).staged() && !plan.Loops[at].Chain {
			plan.Loops[at].Place = AmongOps
		}
	}
	for _, at := range folds {
		plan.Loops[at].Place = Apart
	}
}

// chainedContent is how often a loop of a chain is compiled: as it is, and in the chain.
const chainedContent = 2

// halve spreads the loops of a unit for which no headers are read over its parts; one loop alone is one part. Loops that are run in
// stages stay together, for what they have in common is compiled once a part, and so do those of chains.
func (plan *Plan) halve(loops []int) {
	plan.Parts = len(loops) > 1
	first, second, known := 0, 0, map[string]bool{}
	for _, at := range loops {
		l := plan.loopOf(at)
		if plan.Parts && (l.staged() || plan.Loops[at].Chain) {
			plan.Loops[at].Place = Apart
		}
		switch {
		case !plan.Parts:
		case plan.Loops[at].Chain:
			second += chainedContent * len(l.Body)
		case l.staged():
			for i := range l.Body {
				if op := l.Body[i].Op; !known[op] {
					known[op], second = true, second+1
				}
			}
		}
	}
	for _, at := range loops {
		l := plan.loopOf(at)
		switch content := len(l.Body); {
		case !plan.Parts || plan.Loops[at].Place == Apart:
		case first <= second:
			plan.Loops[at].Place, first = AmongOps, first+content
		default:
			plan.Loops[at].Place, second = Apart, second+content
		}
	}
}

// loopOf gives the loop of an entry of the table of loops.
func (plan *Plan) loopOf(i int) *Loop { return plan.Kernels[plan.Loops[i].Kernel].TypedKernel.Loop }
