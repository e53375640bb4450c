package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
)

// Loop is work that the engine writes the loops of, with every dtype known: of each element of its inputs, broadcast, it
// computes values; outputs store one each, or what folds make of them along axes.
type Loop struct {
	Inputs   []scalar.Type // the values that are there first
	NDim     int           // of the inputs, broadcast
	Body     []TypedInstruction
	Folds    []Fold
	Axes     []int // of the folds
	KeepDims bool
	Outputs  []LoopOutput
	Ending   []TypedInstruction // of the inputs that have no dimensions, then the accumulators, where these are done
	Scalars  []int              // inputs that have no dimensions, where that is known
	Exact    [][]int            // of each input, the axes along which it is not broadcast; nil: there are none
	Spread   []int              // inputs that are as a rule one number along the innermost axis
	Tabled   bool               // each instruction is a stage
}

// LoopOutput is where a value goes.
type LoopOutput struct {
	Type  scalar.Type // of the array
	Value int         // which value; of a fold, which accumulator
	Over  int         // the input whose array it may be written over, or -1
	Fold  int         // which fold, or -1: each value is stored
	Scan  bool        // the accumulator as it is after each element
	Ended bool        // the value is one of Ending's
}

// TypedInstruction is an instruction with the dtypes of what it takes and makes.
type TypedInstruction struct {
	*Instruction
	Takes, Makes []scalar.Type
	Expr         scalar.Code // over places; of a user's code: none
	way          *way        // of a scalar operation
}

// Fold is how the elements along axes become one.
type Fold struct {
	Op       string
	Values   []int         // of the loop's body, with which the accumulators begin
	Accs     []scalar.Type // of the accumulators
	Combined []scalar.Type // what two become one as: float16 is rounded once, at the end, as in NumPy
	Body     []TypedInstruction
	Results  []int         // of Body, whose values are one set of accumulators, then the other
	Identity []scalar.Code // what nothing gives; nil: it is an error
	Starts   bool          // a run begins with the identity, not with its first element
	Plus     bool          // the identity is added to what is found: the sum of negative zeros is a positive one
	Pairwise bool          // halves are folded apart
	Lanes    bool          // several accumulators may take turns
}

// How memory is walked where the order of additions matters: a run is folded in blocks of pairwiseBlock elements, the last of which
// may be almost twice as long, which are joined in pairs; one longer than pairwiseRun is halved, several beside one another at
// pairwiseColumn; accumulators of so many bytes take turns: a vector at the highest level.
const (
	pairwiseBlock  = 256
	pairwiseRun    = 1 << 16
	pairwiseColumn = 16
	lanesBytes     = 64
	lanesLeast     = 8        // however large they are
	together       = 4        // elements of a column that are folded before they meet its accumulators
	togetherCost   = 2 * dear // what an element may cost for its text to stand once for each of those
)

// maxOperands is OPW_MAX_OPERANDS of templates/runtime/frame.h.
const maxOperands = 64

// indexText is the place of an element along the axes of folds, as the C has it.
const indexText = "(npy_int64)opw_index"

// decide says how a fold is computed. What is scanned is so to the last accumulator: each is what NumPy's would be, which
// begins with the first element and rounds each.
func (f *Fold) decide(scanned bool) {
	if f.Op == OpBody || len(f.Accs) == 0 || scanned {
		return
	}
	class := f.Accs[0].Class
	inexact := class == 'e' || class == 'f' || class == 'c'
	f.Pairwise, f.Plus = f.Op == "add" && inexact, f.Op == "add" && inexact
	// of complex numbers that are NaN the first counts, whose other part tells which it is
	f.Lanes = inexact && (f.Op == "add" || class != 'c' && (f.Op == "maximum" || f.Op == "minimum"))
	f.Starts = class == 'c' && f.Op == "multiply" // 1 is not nothing to an infinite part
}

// combined are the types in which accumulators are combined.
func combined(op string, accs []scalar.Type, scanned bool) []scalar.Type {
	if op != "add" && op != "multiply" || accs[0].Class != 'e' || scanned {
		return accs
	}
	float, _ := scalar.TypeOf("float32") // there is one
	return []scalar.Type{float}
}

var identities = map[string]string{
	"add": "0", "multiply": "1", "logical_and": "1", "logical_or": "0", "bitwise_or": "0", "bitwise_xor": "0", "bitwise_and": "-1",
}

// identity is what no elements give, by an operation of ours; nil: it is an error.
func identity(op string, acc scalar.Type) []string {
	text := identities[op]
	switch {
	case text == "":
		return nil
	case acc.Class == 'b':
		text = map[bool]string{true: "true", false: "false"}[text != "0"]
	case acc.Class == 'u' && text == "-1":
		text = fmt.Sprint(^uint64(0) >> (64 - acc.Bits))
	case acc.Class == 'c':
		text += " 0"
	}
	return []string{text}
}

// exactly gives the axes along which an input is not broadcast.
func (l *Loop) exactly(input int) []int {
	if l.Exact == nil {
		return nil
	}
	return l.Exact[input]
}

// folds tells whether there is anything but stores.
func (l *Loop) folds() bool { return len(l.Folds) > 0 }

// stored lists the outputs that have an element for each of the loop's: stores and scans.
func (l *Loop) stored() []int {
	return l.outputs(func(o LoopOutput) bool { return o.Fold < 0 || o.Scan })
}

// folded lists the outputs that have what is left at the end.
func (l *Loop) folded() []int {
	return l.outputs(func(o LoopOutput) bool { return o.Fold >= 0 && !o.Scan })
}

func (l *Loop) outputs(holds func(LoopOutput) bool) []int {
	var found []int
	for i, out := range l.Outputs {
		if holds(out) {
			found = append(found, i)
		}
	}
	return found
}

// scans tells whether an output holds accumulators as they come.
func (l *Loop) scans() bool {
	return slices.ContainsFunc(l.Outputs, func(o LoopOutput) bool { return o.Scan })
}

// pairwise tells whether runs are halved. What comes in order is not.
func (l *Loop) pairwise() bool {
	return !l.scans() && slices.ContainsFunc(l.Folds, func(f Fold) bool { return f.Pairwise })
}

// lanes is how many accumulators take turns: where each fold's may, and nothing asks for the order; 0: one is alone.
func (l *Loop) lanes() int {
	most := 4
	if l.scans() {
		return 0
	}
	for _, f := range l.Folds {
		if !f.Lanes {
			return 0
		}
		for _, t := range f.Accs {
			most = max(most, t.Size)
		}
	}
	return max(lanesBytes/most, lanesLeast)
}

// settles says by which value a fold's accumulator of bool no longer changes.
var settles = map[string]string{
	"logical_or": "!= 0", "bitwise_or": "!= 0", "maximum": "!= 0",
	"logical_and": "== 0", "bitwise_and": "== 0", "minimum": "== 0", "multiply": "== 0",
}

// silent are the operations that give floating point numbers and of which NumPy never warns, dividing those of integers that may.
var (
	silent   = []string{"absolute", "fabs", "negative", "copysign", "maximum", "minimum"}
	dividing = []string{"floor_divide", "remainder", "fmod", "power", "reciprocal"}
)

// loud tells whether an instruction may do more than give values: warn, or fail.
func (in TypedInstruction) loud() bool {
	whole := func(t scalar.Type) bool { return strings.ContainsRune("biu", rune(t.Class)) }
	switch {
	case in.Op == OpCode || in.fails():
		return true
	case len(in.Takes) == 0:
		return false
	case in.Op == "cast":
		return !whole(in.Takes[0]) && in.Makes[0].Class != 'b'
	case whole(in.Makes[0]):
		return slices.Contains(dividing, in.Op)
	}
	return in.Takes[0].Class == 'c' || !slices.Contains(silent, in.Op)
}

// settled tells for each accumulator how it is known that no further element can change it; nil: all elements are computed, for
// something else comes of them too, be it a warning.
func (l *Loop) settled() []string {
	if len(l.stored()) > 0 || l.indexed() || slices.ContainsFunc(l.Body, TypedInstruction.loud) {
		return nil
	}
	var found []string
	for _, f := range l.Folds {
		if settles[f.Op] == "" || len(f.Accs) != 1 || f.Accs[0].Class != 'b' {
			return nil
		}
		found = append(found, settles[f.Op])
	}
	return found
}

// indexed tells whether an element's place is asked for.
func (l *Loop) indexed() bool {
	return slices.ContainsFunc(l.Body, func(in TypedInstruction) bool { return in.Op == OpIndex })
}

// instructions lists all, those of folds too.
func (l *Loop) instructions() []TypedInstruction {
	all := l.Body
	for _, f := range l.Folds {
		all = slices.Concat(all, f.Body)
	}
	return slices.Concat(all, l.Ending)
}

// pure tells whether the engine alone wrote a loop, and nothing in it can set an exception: such loops need nothing of Python.
func (l *Loop) pure() bool { return !l.codes() && !l.fails() }

// How many elements of a loop take some 20 µs, which other threads are worth: of instructions that take one or two of the processor's
// each, and of others.
const (
	worthPlain = 1 << 16
	worthDear  = 1 << 14
)

// worth is how many elements of a kernel's loop are worth letting other threads run; 0: it needs the GIL, as what fails by itself does,
// and a user's code that does not say otherwise, or keeps something.
func (k *TypedKernel) worth() int {
	fails := func(in TypedInstruction) bool { return in.Expr.Fails }
	switch {
	case slices.ContainsFunc(k.Loop.instructions(), fails), k.Loop.codes() && (k.GIL != GILReleased || k.State):
		return 0
	case k.Loop.cost() >= dear:
		return worthDear
	}
	return worthPlain
}

// codes tells whether a user's C is among the instructions.
func (l *Loop) codes() bool {
	return slices.ContainsFunc(l.instructions(), func(in TypedInstruction) bool { return in.Op == OpCode })
}

// chooses tells whether an instruction chooses between floating point numbers one of which comes of what NumPy may warn of.
func (l *Loop) chooses() bool {
	among := func(in TypedInstruction) bool {
		return in.Op == "where" && strings.ContainsRune("fc", rune(in.Makes[0].Class))
	}
	loud := make([]bool, len(l.Inputs)) // of each value, whether it comes of such
	for _, in := range l.Body {
		heard := slices.ContainsFunc(in.Args, func(v int) bool { return loud[v] })
		if heard && among(in) {
			return true
		}
		for range in.Makes {
			loud = append(loud, heard || in.loud())
		}
	}
	return slices.ContainsFunc(l.Folds, func(f Fold) bool { return slices.ContainsFunc(f.Body, among) }) || slices.ContainsFunc(l.Ending, among)
}

// fails tells whether an instruction may set an exception.
func (l *Loop) fails() bool { return slices.ContainsFunc(l.instructions(), TypedInstruction.fails) }

func (in TypedInstruction) fails() bool {
	return in.Expr.Fails || in.Op == OpCode && strings.Contains(in.Code, failText)
}

// strides are those for which the loop of stores is written out: all contiguous, but what has no dimensions; what is as a rule
// one number along a run being so; of two inputs that have dimensions, either one number throughout.
func (l *Loop) strides(operands []OperandView) [][]int {
	all := l.close(operands)
	var shaped []int
	for i := range l.Inputs {
		if !slices.Contains(l.Scalars, i) {
			shaped = append(shaped, i)
		}
	}
	if len(shaped) == 2 && len(l.Spread) == 0 && all != nil {
		all = append(all, zero(all[0], shaped[0]), zero(all[0], shaped[1]))
	}
	return all
}

// close gives the strides of operands that lie close, for which the folding of a run is written out: all, and where some are as a
// rule one number, with those. Where an element calls a function they do not matter.
func (l *Loop) close(operands []OperandView) [][]int {
	if slices.ContainsFunc(l.Body, TypedInstruction.calls) {
		return nil
	}
	return l.written(operands)
}

// written gives the same of any loop.
func (l *Loop) written(operands []OperandView) [][]int {
	all := [][]int{l.contiguous(operands)}
	if len(l.Spread) > 0 {
		all = append(all, zero(all[0], l.Spread...))
	}
	return all
}

// contiguous are the strides of operands of which all lie close but what has no dimensions.
func (l *Loop) contiguous(operands []OperandView) []int {
	var sizes []int
	for _, o := range operands {
		sizes = append(sizes, o.Size)
	}
	return zero(sizes, l.Scalars...)
}

func zero(strides []int, inputs ...int) []int {
	strides = slices.Clone(strides)
	for _, i := range inputs {
		strides[i] = 0
	}
	return strides
}

// members tells whether an instruction that may fail comes from one of several nodes.
func (l *Loop) members() bool {
	return slices.ContainsFunc(l.instructions(), func(in TypedInstruction) bool { return in.Member > 0 })
}

// members tells the same of a fold alone.
func (f Fold) members() bool {
	return slices.ContainsFunc(f.Body, func(in TypedInstruction) bool { return in.Member > 0 })
}

// written is an instruction's C, over the names of the values that it takes.
func (in *TypedInstruction) written() scalar.Code {
	code := in.Expr
	if in.way != nil {
		for i, a := range in.Args {
			code.Text = strings.ReplaceAll(code.Text, places[i], valueName(a))
		}
	}
	return code
}

// apart tells whether an instruction calls a function of the mathematical library, which takes long and keeps no register.
func (in TypedInstruction) apart() bool { return in.way != nil && in.way.apart }

// vector tells whether an instruction is a function that is computed for many numbers at once.
func (in TypedInstruction) vector() bool { return in.way != nil && in.way.vector }

// simple tells whether the vector library has an instruction as a piece.
func (in TypedInstruction) simple() bool { return in.way != nil && in.way.simple }

// calls tells whether an instruction calls a function for each element.
func (in TypedInstruction) calls() bool { return in.way != nil && in.way.each }
