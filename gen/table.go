package gen

import "opweld/refcount"

// Run is what an entry of a function's table runs.
type Run byte

// Each enters, uses or hands over variables; the table is walked forwards, then undone backwards as far as it was reached.
const (
	RunInput    Run = iota // accept or convert an argument, own it, c_extract
	RunInit                // own None, c_init
	RunOutput              // own what out= offers, if nothing that is still wanted lies there, c_extract_out; or as RunInit
	RunOwn                 // a constant that a kernel may replace: own the instance's object, c_extract
	RunKept                // own what the instance kept, c_extract_out; or as RunInit
	RunSeparate            // a copy where what will be written over cannot be, or overlaps itself or what is still wanted
	RunKernel              // a user's text
	RunLoop                // a loop of the engine's
	RunGroup               // one that several steps have become
	RunView                // a view of an array
	RunPerform             // a Python method; enters its outputs by c_extract
	RunSync                // c_sync
)

// Undo is what undoes an entry.
type Undo byte

// A variable is left by what fits the way in which it was entered.
const (
	UndoNone    Undo = iota
	UndoLeave        // c_cleanup, give up the reference
	UndoKeep         // c_sync, put the object back if nobody else holds it; then as UndoLeave
	UndoPerform      // leave the outputs
)

// Entry is one entry of the table.
type Entry struct {
	Run       Run
	Undo      Undo
	Variables []int // what it works on: one variable, and those that must lie apart from it; or a step's inputs, outputs, params
	Inputs    int   // how many of Variables are inputs (of a step)
	Outputs   int   // and how many outputs come after them
	Step      int   // index in Program.Steps, else -1
	Index     int   // which argument (RunInput), result (RunOutput), perform, kept object, struct or group
	Function  int   // which of the type's ways in (RunInput), of the unit's kernels (RunKernel), loops (RunLoop) or accesses (RunView)
}

// part says which of an entry's variables an effect is about.
type part byte

const (
	noPart     part = iota
	firstPart       // the one that the entry is for
	otherParts      // those behind it
	inputPart       // of a step
	outputPart      // of a step
	wholeStep       // all of a step's
)

func (e *Entry) part(p part) []int {
	switch p {
	case firstPart:
		return e.Variables[:1]
	case otherParts:
		return e.Variables[1:]
	case inputPart:
		return e.Variables[:e.Inputs]
	case outputPart:
		return e.Variables[e.Inputs : e.Inputs+e.Outputs]
	case wholeStep:
		return e.Variables
	}
	return nil
}

// effect is what running does to the holds of variables: which it takes (both holds), which it needs (both), and which
// hold it may swap for another.
type effect struct {
	name         string
	takes, needs part
	swaps        part
	swapped      refcount.HoldKind
}

// effects and gives are the ownership rules of the runtime and the templates, each said once; refcount.Verify holds the
// table that is emitted against them.
var effects = [...]effect{
	RunInput:    {name: "input", takes: firstPart},
	RunInit:     {name: "init", takes: firstPart},
	RunOutput:   {name: "output", takes: firstPart, needs: otherParts},
	RunOwn:      {name: "own", takes: firstPart},
	RunKept:     {name: "kept", takes: firstPart},
	RunSeparate: {name: "apart", needs: otherParts, swaps: firstPart, swapped: refcount.State},
	RunKernel:   {name: "run", needs: wholeStep, swaps: outputPart, swapped: refcount.State},
	RunLoop:     {name: "loop", needs: wholeStep, swaps: outputPart, swapped: refcount.State},
	RunGroup:    {name: "group", needs: wholeStep, swaps: outputPart, swapped: refcount.State},
	RunView:     {name: "view", needs: wholeStep, swaps: outputPart, swapped: refcount.State},
	RunPerform:  {name: "perform", takes: outputPart, needs: inputPart},
	RunSync:     {name: "sync", needs: firstPart, swaps: firstPart, swapped: refcount.Reference},
}

// gives are the variables whose holds an undo gives up.
var gives = [...]part{UndoNone: noPart, UndoLeave: firstPart, UndoKeep: firstPart, UndoPerform: outputPart}

// ownership says what each entry takes on and gives up. Constants are held by the instance, but for those that a call owns.
func (plan *FunctionPlan) ownership() []refcount.Action {
	var out []refcount.Action
	own := plan.owned()
	for _, v := range plan.Constants {
		if !own[v] {
			held := both([]int{v})
			out = append(out, refcount.Action{Name: "constant", Lent: true, Takes: held, Gives: backwards(held)})
		}
	}
	for i := range plan.Table {
		out = append(out, plan.Table[i].action(plan))
	}
	return out
}

func (e *Entry) action(plan *FunctionPlan) refcount.Action {
	rule := effects[e.Run]
	a := refcount.Action{Name: rule.name, Takes: both(e.part(rule.takes)), Needs: both(e.part(rule.needs)),
		Gives: backwards(both(e.part(gives[e.Undo])))}
	if e.Step >= 0 {
		a.Name = plan.kernel(e.Step).Label
		a.Swaps = one(plan.replaces(e.Step), refcount.State)
	}
	a.Swaps = append(a.Swaps, one(e.part(rule.swaps), rule.swapped)...)
	return a
}

// owned lists the constants of which each call has a hold of its own.
func (plan *FunctionPlan) owned() map[int]bool {
	own := map[int]bool{}
	for _, e := range plan.Table {
		if e.Run == RunOwn {
			own[e.Variables[0]] = true
		}
	}
	return own
}

// both are the two holds of each variable, in the order in which they are taken.
func both(variables []int) []refcount.Hold {
	var found []refcount.Hold
	for _, v := range variables {
		found = append(found, refcount.Hold{Variable: v, Kind: refcount.Reference}, refcount.Hold{Variable: v, Kind: refcount.State})
	}
	return found
}

// one is a hold of each variable.
func one(variables []int, kind refcount.HoldKind) []refcount.Hold {
	var found []refcount.Hold
	for _, v := range variables {
		found = append(found, refcount.Hold{Variable: v, Kind: kind})
	}
	return found
}

func backwards(holds []refcount.Hold) []refcount.Hold {
	var found []refcount.Hold
	for i := len(holds) - 1; i >= 0; i-- {
		found = append(found, holds[i])
	}
	return found
}
