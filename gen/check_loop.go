package gen

import (
	"fmt"
	"slices"

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
		c.arrays[i] = &TypedArray{dtype, t.Array.NDim}
	}
}

// structures checks the kernels whose loops the engine writes, and resolves what they compute.
func (c *checker) structures() {
	for i := range c.p.Kernels {
		k := &c.p.Kernels[i]
		where := fmt.Sprintf("kernels[%d]", i)
		if !k.structured() {
			continue
		}
		for j, t := range k.types() {
			if c.arrays[t] == nil {
				c.fail(where, k.Label, "variable %d is of type %d (%s), which has no array: the engine's loops work on arrays only", j, t, c.p.Types[t].Label)
				return
			}
		}
		if k.Elementwise != nil && k.Reduce != nil {
			c.fail(where, k.Label, "a kernel is elementwise or a reduction, not both")
		}
		if k.Elementwise != nil {
			c.loops[i] = c.elementwise(where+".elementwise", k)
		} else {
			c.loops[i] = c.reduce(where+".reduce", k)
		}
		if c.err != nil {
			return
		}
	}
}

// dtypes gives the dtypes of types that have arrays.
func (c *checker) dtypes(types []int) []scalar.Type {
	var found []scalar.Type
	for _, t := range types {
		found = append(found, c.arrays[t].Type)
	}
	return found
}

func (c *checker) elementwise(where string, k *Kernel) *Loop {
	e := k.Elementwise
	if n := len(k.types()); n > maxOperands {
		c.fail(where, k.Label, "%d inputs and outputs; a loop has at most %d", n, maxOperands)
	}
	l := &Loop{Inputs: c.dtypes(k.Inputs)}
	var values []scalar.Type
	if l.Body, values = c.body(where, k, e.Body, l.Inputs); c.err != nil {
		return nil
	}
	if len(e.Results) != len(k.Outputs) {
		c.fail(where+".results", k.Label, "%d values for %d outputs", len(e.Results), len(k.Outputs))
		return nil
	}
	outs := c.dtypes(k.Outputs)
	for i, v := range e.Results {
		at := fmt.Sprintf("%s.results[%d]", where, i)
		if c.index(at, "value", v, len(values)) && values[v].Name != outs[i].Name {
			c.fail(at, k.Label, "value %d is %s, the output %s", v, values[v].Name, outs[i].Name)
		}
		l.Outputs = append(l.Outputs, LoopOutput{Type: outs[i], Value: v, Over: -1})
	}
	for i, pair := range e.InPlace {
		at := fmt.Sprintf("%s.inplace[%d]", where, i)
		if !c.index(at+"[0]", "output", pair[0], len(k.Outputs)) || !c.index(at+"[1]", "input", pair[1], len(k.Inputs)) {
			return nil
		}
		if values[pair[1]].Name != outs[pair[0]].Name {
			c.fail(at, k.Label, "an output of %s cannot be written over an input of %s", outs[pair[0]].Name, values[pair[1]].Name)
		}
		l.Outputs[pair[0]].Over = pair[1]
	}
	return l
}

// body checks instructions one after the other, and gives all values that there are after them.
func (c *checker) body(where string, k *Kernel, body []Instruction, values []scalar.Type) ([]TypedInstruction, []scalar.Type) {
	var typed []TypedInstruction
	values = slices.Clone(values)
	for i := range body {
		in := c.instruction(fmt.Sprintf("%s.body[%d]", where, i), k, &body[i], values)
		if c.err != nil {
			return nil, values
		}
		typed, values = append(typed, in), append(values, in.Makes...)
	}
	return typed, values
}

// instruction checks one and resolves its dtypes.
func (c *checker) instruction(where string, k *Kernel, in *Instruction, values []scalar.Type) TypedInstruction {
	typed := TypedInstruction{Instruction: in}
	for j, a := range in.Args {
		if !c.index(fmt.Sprintf("%s.args[%d]", where, j), "value", a, len(values)) {
			return typed
		}
		typed.Takes = append(typed.Takes, values[a])
	}
	dtypes := in.DTypes
	if in.Op != OpCode {
		dtypes = []string{in.DType}
	}
	for _, dtype := range dtypes {
		t, ok := scalar.TypeOf(dtype)
		if !ok {
			c.fail(where+".dtype", k.Label, "no dtype %q", dtype)
			return typed
		}
		typed.Makes = append(typed.Makes, t)
	}
	var err error
	switch in.Op {
	case OpConstant:
		typed.Expr, err = scalar.Literal(typed.Makes[0], in.Value)
	case OpCode:
		c.label(where+".label", in.Label)
	default:
		if err = scalar.Check(in.Op, typed.Takes, in.DType); err == nil {
			typed.Expr = scalar.Of(in.Op, typed.Takes, typed.Makes[0], valueNames(in.Args))
		}
	}
	if err != nil {
		c.fail(where, k.Label, "%v", err)
	}
	return typed
}

var folds = map[string]bool{"add": true, "multiply": true, "maximum": true, "minimum": true, "logical_and": true, "logical_or": true,
	"bitwise_and": true, "bitwise_or": true, "bitwise_xor": true, OpBody: true}

func (c *checker) reduce(where string, k *Kernel) *Loop {
	r := k.Reduce
	if len(k.Inputs) != 1 || len(k.Outputs) != 1 {
		c.fail(where, k.Label, "a reduction has 1 input and 1 output, this has %d and %d", len(k.Inputs), len(k.Outputs))
		return nil
	}
	if !folds[r.Op] {
		c.fail(where+".op", k.Label, "no reduction by %q", r.Op)
		return nil
	}
	acc, ok := scalar.TypeOf(r.DType)
	if out := c.arrays[k.Outputs[0]]; !ok || r.DType != out.Name {
		c.fail(where+".dtype", k.Label, "the accumulator is %q, the output %q: they must be one dtype", r.DType, out.Name)
		return nil
	}
	body, result := c.combine(where, k, acc)
	if r.Identity != nil {
		if _, err := scalar.Literal(acc, *r.Identity); err != nil {
			c.fail(where+".identity", k.Label, "%v", err)
		}
	}
	if c.axes(where, k); c.err != nil {
		return nil
	}
	return &Loop{Inputs: c.dtypes(k.Inputs), Outputs: []LoopOutput{{Type: acc, Over: -1, Fold: newFold(r, acc, body, result)}}}
}

// axes checks which axes go, and that the output has the others.
func (c *checker) axes(where string, k *Kernel) {
	r, in, out := k.Reduce, c.arrays[k.Inputs[0]], c.arrays[k.Outputs[0]]
	ndim := in.NDim
	for i, axis := range r.Axes {
		if axis >= in.NDim || i > 0 && axis <= r.Axes[i-1] {
			c.fail(fmt.Sprintf("%s.axes[%d]", where, i), k.Label, "axis %d: expected ascending axes of %d dimensions", axis, in.NDim)
		}
		if !r.KeepDims {
			ndim--
		}
	}
	if ndim != out.NDim {
		c.fail(where, k.Label, "the output has %d dimensions, not %d", out.NDim, ndim)
	}
}

// combine checks the instructions by which two accumulators become one, and gives the value that they make.
func (c *checker) combine(where string, k *Kernel, acc scalar.Type) ([]TypedInstruction, int) {
	r := k.Reduce
	if r.Op != OpBody {
		kind := combined(r, acc)
		in := &Instruction{Op: r.Op, Args: []int{0, 1}, DType: kind.Name}
		return []TypedInstruction{c.instruction(where, k, in, []scalar.Type{kind, kind})}, 2
	}
	body, values := c.body(where, k, r.Body, []scalar.Type{acc, acc})
	if v := r.Result; c.index(where+".result", "value", v, len(values)) && values[v].Name != acc.Name {
		c.fail(where+".result", k.Label, "value %d is %s, the accumulator %s", v, values[v].Name, acc.Name)
	}
	return body, r.Result
}

// overwritten checks that a step says what its kernel writes over.
func (c *checker) overwritten(where string, k *Kernel, s *Step) {
	if k.Elementwise == nil {
		return
	}
	said := map[[2]int]bool{}
	for _, pair := range s.Destroys {
		said[pair] = true
	}
	for _, pair := range k.Elementwise.InPlace {
		if !said[pair] {
			c.fail(where, k.Label, "the kernel may write output %d over input %d, the step does not say so", pair[0], pair[1])
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
