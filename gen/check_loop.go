package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
)

// types resolves the dtypes of the arrays that types declare.
func (c *checker) types() {
	for i, t := range c.p.Types {
		if t.Array == nil {
			continue
		}
		dtype, ok := scalar.TypeOf(t.Array.DType)
		if !ok {
			c.fail(fmt.Sprintf("types[%d].array.dtype", i), t.Label, "no dtype %q", t.Array.DType)
		}
		c.arrays[i] = &TypedArray{dtype, t.Array.NDim, t.Array.Plain}
	}
}

// structures checks the kernels whose loops the engine writes, and resolves what they compute.
func (c *checker) structures() {
	for i := range c.p.Kernels {
		k := &c.p.Kernels[i]
		where := fmt.Sprintf("kernels[%d]", i)
		if k.Structure == nil {
			continue
		}
		for j, t := range k.types() {
			if c.arrays[t] == nil {
				c.fail(where, k.Label, "variable %d is of type %d (%s), which has no array: the engine's loops work on arrays only", j, t, c.p.Types[t].Label)
				return
			}
		}
		if c.loops[i] = c.structure(where+".loop", k); c.err != nil {
			return
		}
	}
}

func (c *checker) structure(where string, k *Kernel) *Loop {
	s := k.Structure
	if n := len(k.types()); n > maxOperands { // OPW_MAX_OPERANDS leaves room for the index
		c.fail(where, k.Label, "%d inputs and outputs; a loop has at most %d", n, maxOperands)
	}
	if len(k.Inputs) == 0 && len(s.Folds) > 0 {
		c.fail(where, k.Label, "a fold of no inputs: expected one at least")
	}
	l := &Loop{Axes: s.Axes, KeepDims: s.KeepDims, Scalars: s.Scalars, Spread: s.Spread, Tabled: s.Tabled}
	for _, t := range k.Inputs {
		l.Inputs = append(l.Inputs, c.arrays[t].Type)
		l.NDim = max(l.NDim, c.arrays[t].NDim)
	}
	l.Exact = c.exact(where, k)
	var values []scalar.Type
	l.Body, values = c.body(where, k, s.Body, l.Inputs)
	for i := range s.Folds {
		l.Folds = append(l.Folds, c.fold(fmt.Sprintf("%s.folds[%d]", where, i), k, &s.Folds[i], values))
	}
	c.axes(where, k, l)
	ended := c.ending(where+".ending", k, l)
	if c.err != nil {
		return nil
	}
	if len(s.Outputs) != len(k.Outputs) {
		c.fail(where+".outputs", k.Label, "%d for the kernel's %d outputs", len(s.Outputs), len(k.Outputs))
		return nil
	}
	for i := range s.Outputs {
		l.Outputs = append(l.Outputs, c.sink(fmt.Sprintf("%s.outputs[%d]", where, i), k, l, i, values, ended))
	}
	return l
}

// exact checks the axes along which inputs are not broadcast, and gives them for each input; nil: there are none.
func (c *checker) exact(where string, k *Kernel) [][]int {
	var found [][]int
	for i, pair := range k.Structure.Exact {
		at := fmt.Sprintf("%s.exact[%d]", where, i)
		if !c.index(at, "input", pair[0], len(k.Inputs)) {
			return nil
		}
		if ndim := c.arrays[k.Inputs[pair[0]]].NDim; pair[1] >= ndim {
			c.fail(at, k.Label, "axis %d: input %d has %d dimensions", pair[1], pair[0], ndim)
			return nil
		}
		if found == nil {
			found = make([][]int, len(k.Inputs))
		}
		found[pair[0]] = append(found[pair[0]], pair[1])
	}
	return found
}

// axes checks along which axes folds go. A structure without folds has none.
func (c *checker) axes(where string, k *Kernel, l *Loop) {
	for i, axis := range l.Axes {
		if axis >= l.NDim || i > 0 && axis <= l.Axes[i-1] {
			c.fail(fmt.Sprintf("%s.axes[%d]", where, i), k.Label, "axis %d: expected ascending axes of %d dimensions", axis, l.NDim)
		}
	}
}

// sink checks where an output comes from, and that it has the dtype and dimensions of that.
func (c *checker) sink(where string, k *Kernel, l *Loop, i int, values, ended []scalar.Type) LoopOutput {
	s, array := &k.Structure.Outputs[i], c.arrays[k.Outputs[i]]
	out := LoopOutput{Type: array.Type, Value: s.Value, Over: -1, Fold: -1, Scan: s.Scan, Ended: s.Ended}
	from, ndim := values, l.NDim
	if s.Fold != nil {
		if !c.index(where+".fold", "fold", *s.Fold, len(l.Folds)) {
			return out
		}
		out.Fold, from = *s.Fold, l.Folds[*s.Fold].Accs
	}
	if s.Ended {
		from = ended
	}
	if s.Scan && (s.Fold == nil || len(l.Axes) != 1) {
		c.fail(where+".scan", k.Label, "a scan is of a fold along 1 axis, this structure has %d", len(l.Axes))
	}
	if out.Fold >= 0 && !s.Scan && !l.KeepDims {
		ndim -= len(l.Axes)
	}
	if !c.index(where+".value", "value", s.Value, len(from)) {
		return out
	}
	if from[s.Value].Name != array.Name {
		c.fail(where+".value", k.Label, "value %d is %s, the output %s", s.Value, from[s.Value].Name, array.Name)
	}
	if ndim != array.NDim {
		c.fail(where, k.Label, "the output has %d dimensions, not %d", array.NDim, ndim)
	}
	if s.Over != nil {
		out.Over = c.over(where+".over", k, l, *s.Over, array)
	}
	return out
}

// over checks that an output can be written over an input.
func (c *checker) over(where string, k *Kernel, l *Loop, input int, array *TypedArray) int {
	switch {
	case !c.index(where, "input", input, len(l.Inputs)):
	case len(l.Folds) > 0:
		c.fail(where, k.Label, "a structure that folds writes over nothing")
	case l.Inputs[input].Name != array.Name:
		c.fail(where, k.Label, "an output of %s cannot be written over an input of %s", array.Name, l.Inputs[input].Name)
	}
	return input
}

// body checks instructions one after the other, and gives all values that there are after them.
func (c *checker) body(where string, k *Kernel, body []Instruction, values []scalar.Type) ([]TypedInstruction, []scalar.Type) {
	typed := make([]TypedInstruction, 0, len(body))
	values = append(make([]scalar.Type, 0, len(values)+len(body)), values...)
	for i := range body {
		in := c.instruction(where, i, k, &body[i], values)
		if c.err != nil {
			return nil, values
		}
		typed, values = append(typed, in), append(values, in.Makes...)
	}
	return typed, values
}

// instruction checks one, at a place in the body of what stands at where (-1: it is that itself), and resolves its dtypes.
func (c *checker) instruction(where string, at int, k *Kernel, in *Instruction, values []scalar.Type) TypedInstruction {
	typed := TypedInstruction{Instruction: in}
	place := func() string {
		if at < 0 {
			return where
		}
		return fmt.Sprintf("%s.body[%d]", where, at)
	}
	for j, a := range in.Args {
		if a >= len(values) {
			c.index(fmt.Sprintf("%s.args[%d]", place(), j), "value", a, len(values))
			return typed
		}
	}
	var err error
	switch in.Op {
	case OpConstant:
		if c.makes(place, k, &typed, []string{in.DType}) {
			typed.Expr, err = scalar.Literal(typed.Makes[0], in.Value)
		}
	case OpCode:
		for _, a := range in.Args {
			typed.Takes = append(typed.Takes, values[a])
		}
		c.makes(place, k, &typed, in.DTypes)
		c.label(place()+".label", in.Label)
	case OpIndex:
		c.makes(place, k, &typed, []string{in.DType})
		if typed.Expr.Text = indexText; len(k.Structure.Folds) == 0 || strings.Contains(where, ".folds[") {
			c.fail(place(), k.Label, "an index is an element's place along the axes of folds: expected folds, and it in the structure's own body")
		}
	default:
		typed.way, err = c.wayOf(in, values)
		if typed.Takes, typed.Makes, typed.Expr = typed.way.takes, typed.way.makes, typed.way.expr; len(typed.Makes) == 0 {
			c.fail(place()+".dtype", k.Label, "no dtype %q", in.DType)
		}
	}
	if err != nil {
		c.fail(place(), k.Label, "%v", err)
	}
	return typed
}

// makes resolves the dtypes of what an instruction makes, and tells whether there are such.
func (c *checker) makes(place func() string, k *Kernel, typed *TypedInstruction, dtypes []string) bool {
	for _, dtype := range dtypes {
		t, ok := scalar.TypeOf(dtype)
		if !ok {
			c.fail(place()+".dtype", k.Label, "no dtype %q", dtype)
			return false
		}
		typed.Makes = append(typed.Makes, t)
	}
	return true
}

// way is what all instructions have in common that compute the same of the same dtypes: large functions have thousands.
type way struct {
	takes, makes                []scalar.Type
	expr                        scalar.Code
	apart, vector, simple, each bool // see the methods of TypedInstruction
}

// wayName tells ways apart.
type wayName struct {
	op, dtype string
	takes     [3]string
	args      int
}

// wayOf finds how a scalar operation is computed. The values that it takes are there.
func (c *checker) wayOf(in *Instruction, values []scalar.Type) (*way, error) {
	name := wayName{op: in.Op, dtype: in.DType, args: len(in.Args)}
	for i, a := range in.Args[:min(len(in.Args), len(name.takes))] {
		name.takes[i] = values[a].Name
	}
	if w := cmp.Or(c.known[name], c.ways[name]); w != nil {
		return w, nil
	}
	w := &way{}
	for _, a := range in.Args {
		w.takes = append(w.takes, values[a])
	}
	t, ok := scalar.TypeOf(in.DType)
	if !ok {
		return w, nil
	}
	w.makes = []scalar.Type{t}
	if err := scalar.Check(in.Op, w.takes, in.DType); err != nil {
		return w, err
	}
	w.expr = scalar.Of(in.Op, w.takes, t, places[:len(in.Args)])
	if len(w.takes) > 0 {
		_, w.vector = scalar.Vector(in.Op, w.takes[0])
		_, w.simple = scalar.Simple(in.Op, w.takes[0], -1)
		w.apart, w.each = scalar.CallsLibrary(in.Op, w.takes[0]), scalar.Calls(in.Op, w.takes[0])
	}
	c.ways[name] = w
	return w, nil
}

// places stand in the code of a way for the names of the values that it takes.
var places = []string{"{0}", "{1}", "{2}"}

var folds = map[string]bool{"add": true, "multiply": true, "maximum": true, "minimum": true, "logical_and": true, "logical_or": true,
	"bitwise_and": true, "bitwise_or": true, "bitwise_xor": true, OpBody: true}

// fold checks how elements become one; values are the body's.
func (c *checker) fold(where string, k *Kernel, f *Folding, values []scalar.Type) (fold Fold) {
	if !folds[f.Op] {
		c.fail(where+".op", k.Label, "no reduction by %q", f.Op)
		return fold
	}
	for i, v := range f.Values {
		if i >= len(f.DTypes) || !c.index(fmt.Sprintf("%s.values[%d]", where, i), "value", v, len(values)) {
			break
		}
		if fold.Accs = append(fold.Accs, values[v]); values[v].Name != f.DTypes[i] {
			c.fail(fmt.Sprintf("%s.values[%d]", where, i), k.Label, "value %d is %s, the accumulator %s: cast it", v, values[v].Name, f.DTypes[i])
		}
	}
	if n := len(f.Values); n == 0 || n != len(f.DTypes) || f.Op != OpBody && n != 1 || f.Op == OpBody && n != len(f.Results) ||
		f.Identity != nil && n != len(f.Identity) {
		c.fail(where, k.Label, "%d values, %d dtypes, %d results, %d identities: expected one of each for each accumulator, and one accumulator of %q",
			n, len(f.DTypes), len(f.Results), len(f.Identity), f.Op)
	}
	if c.err != nil {
		return fold
	}
	fold.Op, fold.Values = f.Op, f.Values
	scanned := slices.ContainsFunc(k.Structure.Outputs, func(s Sink) bool { return s.Scan })
	fold.Combined = combined(f.Op, fold.Accs, scanned)
	if c.combine(where, k, f, &fold); c.err == nil {
		c.identity(where, k, f, &fold)
	}
	fold.decide(scanned)
	return fold
}

// combine checks the instructions by which two sets of accumulators become one.
func (c *checker) combine(where string, k *Kernel, f *Folding, fold *Fold) {
	both := slices.Concat(fold.Combined, fold.Combined)
	if f.Op != OpBody {
		in := &Instruction{Op: f.Op, Args: []int{0, 1}, DType: both[0].Name}
		fold.Body, fold.Results = []TypedInstruction{c.instruction(where, -1, k, in, both)}, []int{2}
		return
	}
	body, values := c.body(where, k, f.Body, both)
	for i, v := range f.Results {
		at := fmt.Sprintf("%s.results[%d]", where, i)
		if c.index(at, "value", v, len(values)) && values[v].Name != fold.Accs[i].Name {
			c.fail(at, k.Label, "value %d is %s, the accumulator %s", v, values[v].Name, fold.Accs[i].Name)
		}
	}
	fold.Body, fold.Results = body, f.Results
}

// identity resolves what no elements give.
func (c *checker) identity(where string, k *Kernel, f *Folding, fold *Fold) {
	texts := f.Identity
	if f.Op != OpBody {
		texts = identity(f.Op, fold.Accs[0])
	}
	for i, text := range texts {
		code, err := scalar.Literal(fold.Accs[i], text)
		if err != nil {
			c.fail(fmt.Sprintf("%s.identity[%d]", where, i), k.Label, "%v", err)
		}
		fold.Identity = append(fold.Identity, code)
	}
}

// overwritten checks that a step says what its kernel writes over.
func (c *checker) overwritten(where string, k *Kernel, s *Step) {
	if k.Structure == nil {
		return
	}
	for i, out := range k.Structure.Outputs {
		if out.Over != nil && !slices.Contains(s.Destroys, [2]int{i, *out.Over}) {
			c.fail(where, k.Label, "the kernel may write output %d over input %d, the step does not say so", i, *out.Over)
		}
	}
}

// cells checks that shared values come last among the inputs, what updates them last among the outputs.
func (c *checker) cells() {
	shared := false
	for i, in := range c.p.Inputs {
		where := fmt.Sprintf("inputs[%d]", i)
		if shared && !in.Shared {
			c.fail(where, "", "stands after a shared value; those come last")
		}
		if shared = in.Shared; shared && (in.Name != "" || in.Default) {
			c.fail(where, "", "is a shared value, which has neither name nor default")
		}
	}
	updates, taken := false, map[int]bool{}
	for i, out := range c.p.Outputs {
		where := fmt.Sprintf("outputs[%d]", i)
		if updates && out.Update == nil {
			c.fail(where, "", "stands after an update; those come last")
		}
		if updates = out.Update != nil; !updates {
			continue
		}
		u := *out.Update
		if !c.index(where+".update", "input", u, len(c.p.Inputs)) {
			return
		}
		have, want := c.p.Variables[out.Variable].Type, c.p.Variables[c.p.Inputs[u].Variable].Type
		switch {
		case !c.p.Inputs[u].Shared:
			c.fail(where+".update", "", "inputs[%d] is no shared value", u)
		case taken[u]:
			c.fail(where+".update", "", "inputs[%d] has another update", u)
		case have != want && c.p.Types[have].Array == nil:
			c.fail(where+".update", "", "is of type %d, the shared value of type %d", have, want)
		}
		taken[u] = true
	}
}
