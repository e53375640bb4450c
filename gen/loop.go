package gen

import (
	"slices"

	"opweld/gen/scalar"
)

// Loop is work that the engine writes the loops of, with every dtype known: of each element of its inputs, broadcast, it
// computes values; each output stores one, or folds it.
type Loop struct {
	Inputs  []scalar.Type // the values that are there first
	Body    []TypedInstruction
	Outputs []LoopOutput
}

// LoopOutput is where a value goes.
type LoopOutput struct {
	Type  scalar.Type // of the array
	Value int
	Over  int   // the input whose array it may be written over, or -1
	Fold  *Fold // nil: each value is stored
}

// TypedInstruction is an instruction with the dtypes of what it takes and makes.
type TypedInstruction struct {
	*Instruction
	Takes, Makes []scalar.Type
	Expr         scalar.Code // over the values' names; of a user's code: none
}

// Fold is how the elements along axes become one.
type Fold struct {
	Op       string
	Acc      scalar.Type // what elements are cast to, and the output's
	Combined scalar.Type // what two of them become one as: float16 is rounded once, at the end, as in NumPy
	Body     []TypedInstruction
	Result   int // of Body, whose values 0 and 1 are the accumulators
	Axes     []int
	KeepDims bool
	Start    *scalar.Code // what a run begins with; nil: its first element
	Identity *scalar.Code // what nothing gives; nil: it is an error
	Plus     bool         // the identity is added to what is found: the sum of negative zeros is a positive one
	// How memory is walked: a run longer than Chunk is halved, several beside one another at ColumnChunk (0: never), and
	// Lanes accumulators take turns (0: one), which is NumPy's order.
	Chunk, ColumnChunk, Lanes int
}

// maxOperands is OPW_MAX_OPERANDS of templates/runtime/frame.h.
const maxOperands = 64

// codes tells whether a user's C is among the instructions.
func (l *Loop) codes() bool {
	return slices.ContainsFunc(l.instructions(), func(in TypedInstruction) bool { return in.Op == OpCode })
}

// instructions lists all, those of folds too.
func (l *Loop) instructions() []TypedInstruction {
	all := l.Body
	for _, out := range l.Outputs {
		if out.Fold != nil {
			all = slices.Concat(all, out.Fold.Body)
		}
	}
	return all
}

// newFold decides how a checked reduction is computed.
func newFold(r *Reduce, acc scalar.Type, body []TypedInstruction, result int) *Fold {
	f := &Fold{Op: r.Op, Acc: acc, Combined: combined(r, acc), Body: body, Result: result, Axes: r.Axes, KeepDims: r.KeepDims}
	f.Identity = identity(r, acc)
	inexact := acc.Class == 'e' || acc.Class == 'f' || acc.Class == 'c'
	if r.Op == "add" && inexact { // pairwise
		f.Chunk, f.ColumnChunk, f.Plus = 128, 16, true
	}
	if inexact && (r.Op == "add" || r.Op == "maximum" || r.Op == "minimum") {
		f.Lanes = 8
	}
	if acc.Class == 'c' && r.Op == "multiply" { // begins with 1, which is not nothing to an infinite part
		f.Start = f.Identity
	}
	return f
}

// combined is the type in which accumulators are combined.
func combined(r *Reduce, acc scalar.Type) scalar.Type {
	if acc.Class == 'e' && (r.Op == "add" || r.Op == "multiply") {
		acc, _ = scalar.TypeOf("float32") // there is one
	}
	return acc
}

var identities = map[string]string{
	"add": "0", "multiply": "1", "logical_and": "1", "logical_or": "0", "bitwise_or": "0", "bitwise_xor": "0", "bitwise_and": "-1",
}

// identity is what a reduction of nothing gives; nil: it is an error.
func identity(r *Reduce, acc scalar.Type) *scalar.Code {
	text := identities[r.Op]
	if r.Identity != nil {
		text = *r.Identity
	}
	switch {
	case text == "":
		return nil
	case r.Identity != nil:
	case acc.Class == 'b':
		text = map[bool]string{true: "true", false: "false"}[text != "0"]
	case acc.Class == 'u' && text == "-1":
		return &scalar.Code{Text: "((" + acc.Value + ")-1)"}
	case acc.Class == 'c':
		text += " 0"
	}
	c, _ := scalar.Literal(acc, text) // a user's was checked, ours are right
	return &c
}
