package gen

import (
	"fmt"
	"slices"

	"opweld/refcount"
)

// ActionKind is what one entry of a function's table does.
type ActionKind string

// The kinds of action. Each enters, uses or hands over variables; the table is walked forwards, then undone backwards
// as far as it was reached.
const (
	EnterInput  ActionKind = "input"   // accept or convert an argument, own it, c_extract
	EnterInit   ActionKind = "init"    // own None, c_init
	EnterOutput ActionKind = "output"  // own what out= offers, if nothing that is still wanted lies there, c_extract_out; or as EnterInit
	EnterOwn    ActionKind = "own"     // a constant that a kernel may replace: own the instance's object, c_extract
	EnterKept   ActionKind = "kept"    // own what the instance kept, c_extract_out; or as EnterInit
	Separate    ActionKind = "apart"   // a copy where what will be written over cannot be, or overlaps itself or what is still wanted
	Run         ActionKind = "run"     // a kernel
	Perform     ActionKind = "perform" // a Python method; enters its outputs by c_extract
	Sync        ActionKind = "sync"    // c_sync
)

// Action is one entry of the table.
type Action struct {
	Kind      ActionKind
	Variables []int // what it works on: one variable, and those that must lie apart from it; or a step's inputs, outputs, params
	Inputs    int   // how many of Variables are inputs (Run, Perform)
	Step      int   // index in Program.Steps (Run, Perform), else -1
	Index     int   // which argument (EnterInput), result (EnterOutput), perform (Perform), kept object (EnterKept) or struct (Run)
}

// Plan is the order of a function's work and who owns what between any two actions.
type Plan struct {
	Program   *Program
	Actions   []Action
	Constants []int // variables entered once an instance; the actions only read those that no EnterOwn names
	Kept      int   // objects that an instance keeps between runs
	Structs   []int // actions, by index, whose kernels keep state for each instance

	Leaves []Leaves // of each kernel
}

// Leaves is what a kernel's code may leave otherwise than others, as all steps that run it say.
type Leaves struct {
	Replaced []int // the inputs, by position, whose values it may replace
	Unread   []int // the outputs, by position among all variables, that nothing reads: they may stay unset
}

// NewPlan orders the steps of a checked Program, puts each variable's lifecycle round them, and proves that every way
// out of a call gives up what it holds.
func NewPlan(p *Program) (*Plan, error) {
	order, err := p.order()
	if err != nil {
		return nil, err
	}
	b := &planner{p: p, plan: &Plan{Program: p, Leaves: p.leaves()}, live: newLiveness(p, order), synced: map[int]bool{}}
	b.enter(order)
	b.run(order)
	for _, out := range p.Outputs {
		b.sync(out.Variable)
	}
	if err := refcount.Verify(b.plan.ownership()); err != nil {
		return nil, fmt.Errorf("opweld's plan is wrong: %w", err)
	}
	return b.plan, nil
}

type planner struct {
	p      *Program
	plan   *Plan
	live   *liveness
	synced map[int]bool // py_<name> holds the variable's present value
}

func (b *planner) add(a Action) { b.plan.Actions = append(b.plan.Actions, a) }

// enter puts first what the seeds of every scope need: the arguments, then what kernels will fill, in order of use.
func (b *planner) enter(order []int) {
	for i, in := range b.p.Inputs {
		b.add(Action{Kind: EnterInput, Variables: []int{in.Variable}, Step: -1, Index: i})
		b.synced[in.Variable] = true
	}
	for v := range b.p.Variables {
		if b.p.Variables[v].Role == RoleConstant {
			b.plan.Constants = append(b.plan.Constants, v)
			b.synced[v] = true
		}
	}
	b.own(order)
	for _, apart := range b.live.givenAway() {
		b.separate(apart)
	}
	for at, s := range order {
		if b.p.kernel(s).Perform {
			continue
		}
		for _, v := range b.p.Steps[s].Outputs {
			a := Action{Kind: EnterInit, Variables: []int{v}, Step: -1}
			if b.result(at, v) >= 0 {
				continue // where it is known what lies in memory
			}
			if b.p.Variables[v].Keep {
				a.Kind, a.Index = EnterKept, b.plan.Kept
				b.plan.Kept++
			}
			b.add(a)
		}
	}
}

// result gives which result a variable is, made by the step at a place, if the step may write it into what out= gives;
// else -1. Where Python is called later it may not: that might read there.
func (b *planner) result(at, v int) int {
	for i, out := range b.p.Outputs {
		if out.Variable == v && out.Accept != nil && !b.live.callsLater(at) {
			return i
		}
	}
	return -1
}

// separate sees to it that what will be written over, the first variable, lies apart from the others.
func (b *planner) separate(apart []int) {
	b.add(Action{Kind: Separate, Variables: apart, Step: -1})
	delete(b.synced, apart[0])
}

// prepare does what must come just before a step: makes sure of what it writes over, and takes what out= gives.
func (b *planner) prepare(at, i int) {
	for _, apart := range b.live.separated(i) {
		b.separate(apart)
	}
	if b.p.kernel(i).Perform {
		return
	}
	for _, v := range b.p.Steps[i].Outputs {
		if result := b.result(at, v); result >= 0 {
			b.add(Action{Kind: EnterOutput, Variables: append([]int{v}, b.live.at(at)...), Step: -1, Index: result})
		}
	}
}

// own gives a call its own hold of the constants that a kernel may replace: what the instance holds is shared by all calls.
func (b *planner) own(order []int) {
	owned := map[int]bool{}
	for _, s := range order {
		for _, v := range b.plan.replaces(s) {
			if b.p.Variables[v].Role == RoleConstant && !owned[v] {
				owned[v] = true
				b.add(Action{Kind: EnterOwn, Variables: []int{v}, Step: -1})
			}
		}
	}
}

// replaces lists the variables that a step reads and may give another value.
func (plan *Plan) replaces(step int) []int {
	s := &plan.Program.Steps[step]
	found := plan.Leaves[s.Kernel].Replaced
	vars := make([]int, len(found))
	for i, input := range found {
		vars[i] = s.Inputs[input]
	}
	return vars
}

// replaces lists the inputs, by position, whose values a kernel's text may replace.
func (k *Kernel) replaces(types []Type) []int {
	if k.fixed() {
		return nil
	}
	states, all := make([][]string, len(k.Inputs)), []string{}
	for i := range k.Inputs {
		states[i] = []string{variableName(i)}
		found, _ := refcount.Declarations(k.Declares[i], types[k.Inputs[i]].Lang == CXX) // the view refuses what cannot be read
		for _, d := range found {
			states[i] = append(states[i], d.Name)
		}
		all = append(all, states[i]...)
	}
	replaced, found := k.place().Replaced(k.Code+"\n"+k.CodeCleanup, all), []int(nil)
	for i, names := range states {
		if slices.ContainsFunc(names, func(name string) bool { return replaced[name] }) {
			found = append(found, i)
		}
	}
	return found
}

// fixed tells whether a kernel leaves the variables that it reads as they are: Python's and the engine's own do.
func (k *Kernel) fixed() bool { return k.Perform || k.structured() }

// run puts the steps in order, with the syncs that a perform needs before it.
func (b *planner) run(order []int) {
	performs := b.performIndex()
	for at, i := range order {
		b.prepare(at, i)
		s := &b.p.Steps[i]
		a := Action{Kind: Run, Step: i, Inputs: len(s.Inputs)}
		a.Variables = append(append(a.Variables, s.Inputs...), s.Outputs...)
		if s.Params != nil {
			a.Variables = append(a.Variables, *s.Params)
		}
		if b.p.kernel(i).Struct != (Struct{}) {
			a.Index = len(b.plan.Structs)
			b.plan.Structs = append(b.plan.Structs, len(b.plan.Actions)) // no sync stands before a kernel
		}
		if b.p.kernel(i).Perform {
			a.Kind, a.Index = Perform, performs[i]
			for _, v := range s.Inputs {
				b.sync(v)
			}
		}
		b.add(a)
		for _, d := range s.Destroys {
			delete(b.synced, s.Inputs[d[1]])
		}
		for _, v := range b.plan.replaces(i) {
			delete(b.synced, v)
		}
		for _, v := range s.Outputs {
			if b.synced[v] = a.Kind == Perform; !b.synced[v] {
				delete(b.synced, v)
			}
		}
	}
}

func (b *planner) sync(v int) {
	if !b.synced[v] {
		b.add(Action{Kind: Sync, Variables: []int{v}, Step: -1})
		b.synced[v] = true
	}
}

// performIndex numbers the steps that call Python in Program's own order, in which Python hands their methods over.
func (b *planner) performIndex() map[int]int {
	index := map[int]int{}
	for i := range b.p.Steps {
		if b.p.kernel(i).Perform {
			index[i] = len(index)
		}
	}
	return index
}

func (p *Program) kernel(step int) *Kernel { return &p.Kernels[p.Steps[step].Kernel] }

// ownership says what each action takes on and gives up, for refcount.Verify. Constants are held by the instance.
func (plan *Plan) ownership() []refcount.Action {
	var out []refcount.Action
	own := plan.owned()
	for _, v := range plan.Constants {
		if !own[v] {
			lent := entering("constant", v)
			lent.Lent = true
			out = append(out, lent)
		}
	}
	for _, a := range plan.Actions {
		switch a.Kind {
		case EnterInput, EnterInit, EnterOutput, EnterOwn, EnterKept:
			enters := entering(string(a.Kind), a.Variables[0])
			enters.Needs = holds(a.Variables[1:])
			out = append(out, enters)
		case Separate:
			out = append(out, refcount.Action{Name: string(a.Kind), Needs: holds(a.Variables[1:]), Swaps: states(a.Variables[:1])})
		case Sync:
			out = append(out, refcount.Action{Name: "sync", Needs: both(a.Variables[0])[1:], Swaps: both(a.Variables[0])[:1]})
		default:
			out = append(out, plan.using(a))
		}
	}
	return out
}

// owned lists the constants of which each call has a hold of its own.
func (plan *Plan) owned() map[int]bool {
	own := map[int]bool{}
	for _, a := range plan.Actions {
		if a.Kind == EnterOwn {
			own[a.Variables[0]] = true
		}
	}
	return own
}

// both are a variable's two holds in the order in which they are taken.
func both(v int) []refcount.Hold {
	return []refcount.Hold{{Variable: v, Kind: refcount.Reference}, {Variable: v, Kind: refcount.State}}
}

// holds are both holds of several variables.
func holds(variables []int) []refcount.Hold {
	var found []refcount.Hold
	for _, v := range variables {
		found = append(found, both(v)...)
	}
	return found
}

// states are the second holds of variables.
func states(vars []int) []refcount.Hold {
	var out []refcount.Hold
	for _, v := range vars {
		out = append(out, both(v)[1])
	}
	return out
}

func entering(name string, vars ...int) refcount.Action {
	a := refcount.Action{Name: name}
	for _, v := range vars {
		a.Takes = append(a.Takes, both(v)...)
	}
	for i := len(a.Takes) - 1; i >= 0; i-- {
		a.Gives = append(a.Gives, a.Takes[i])
	}
	return a
}

// using is a step: a kernel needs all of its variables and may swap what it reads and fills, a perform enters its outputs.
func (plan *Plan) using(a Action) refcount.Action {
	label := plan.Program.kernel(a.Step).Label
	needs, enters := a.Variables, []int(nil)
	if a.Kind == Perform {
		needs, enters = a.Variables[:a.Inputs], a.Variables[a.Inputs:]
	}
	out := entering(label, enters...)
	out.Needs = holds(needs)
	if k := plan.Program.kernel(a.Step); !k.Perform {
		out.Swaps = append(states(plan.replaces(a.Step)), states(a.Variables[a.Inputs:a.Inputs+len(k.Outputs)])...)
	}
	return out
}
