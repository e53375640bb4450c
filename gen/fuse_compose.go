package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// composer writes the structure of one loop out of those of several.
type composer struct {
	of           *analysis
	result       *Structure
	body, ending *composedBody
	fold         map[int]int // step -> its first fold among the loop's
	codes        bool        // there is a user's code
	gil          GIL         // how that stands to the GIL
}

// composedBody is instructions, each once.
type composedBody struct {
	list   []Instruction
	value  map[int]int    // variable -> which of the values
	same   map[string]int // instruction -> the value that it makes
	values int            // that there are so far
}

// newComposedBody begins with the inputs as values.
func newComposedBody(inputs []int) *composedBody {
	c := &composedBody{value: map[int]int{}, same: map[string]int{}, values: len(inputs)}
	for i, v := range inputs {
		c.value[v] = i
	}
	return c
}

// compose makes a kernel that computes variables from others: of the steps of the group those that this takes.
func (a *analysis) compose(inputs, outputs []int) *Kernel {
	c := &composer{of: a, result: &Structure{Tabled: a.tabled}, body: newComposedBody(inputs), ending: newComposedBody(inputs), fold: map[int]int{}}
	k := &Kernel{Lang: C, Structure: c.result, Version: "fused"}
	along := slices.ContainsFunc(inputs, func(v int) bool { return a.typeOf(v).Array.NDim > 0 && !a.column(v) })
	for i, v := range inputs {
		k.Inputs = append(k.Inputs, a.Variables[v].Type)
		switch {
		case a.typeOf(v).Array.NDim == 0:
			c.result.Scalars = append(c.result.Scalars, i)
		case a.shapes.smaller(a.shapes.roots[v], a.shapes.of(inputs)), along && a.column(v):
			c.result.Spread = append(c.result.Spread, i)
		}
	}
	var labels []string
	needed := a.needed(inputs, outputs)
	for _, step := range needed {
		if !a.ends[step] {
			c.step(step)
		}
		from := a.kernel(step).Kernel
		k.merge(from)
		c.hold(a.kernel(step))
		if !slices.Contains(labels, from.Label) {
			labels = append(labels, from.Label)
		}
	}
	c.ends(needed)
	c.result.Body, c.result.Ending = c.body.list, c.ending.list
	k.Label, k.GIL = fusedLabel(labels), c.gil
	for _, v := range outputs {
		k.Outputs = append(k.Outputs, a.Variables[v].Type)
		c.result.Outputs = append(c.result.Outputs, c.sink(v))
	}
	return k
}

// column tells whether a variable is a view whose innermost axis is a new one, of size 1.
func (a *analysis) column(v int) bool {
	step, made := a.shapes.by(v)
	return made && a.kernel(step).View != nil && slices.Contains(a.kernel(step).View.New, a.typeOf(v).Array.NDim-1)
}

// exact lists the inputs of a group that one of its steps does not broadcast, and along which axes.
func (a *analysis) exact() [][2]int {
	var found [][2]int
	for _, step := range a.steps {
		for _, pair := range a.kernel(step).Structure.Exact {
			if i := slices.Index(a.inputs, a.Steps[step].Inputs[pair[0]]); i >= 0 && !slices.Contains(found, [2]int{i, pair[1]}) {
				found = append(found, [2]int{i, pair[1]})
			}
		}
	}
	return found
}

// hold notes how a kernel's code stands to the GIL: without it runs what all of a loop's may run without.
func (c *composer) hold(k *TypedKernel) {
	if !k.Loop.codes() {
		return
	}
	if !c.codes {
		c.gil = k.GIL
	} else if k.GIL != c.gil {
		c.gil = GILHeld
	}
	c.codes = true
}

// fusedLabel names what several ops have become, in so many words as can be read.
func fusedLabel(labels []string) string {
	const atMost = 4
	if len(labels) > atMost {
		labels = append(slices.Clone(labels[:atMost]), fmt.Sprintf("and %d more", len(labels)-atMost))
	}
	return strings.Join(labels, " ")
}

// merge adds what another kernel's texts need.
func (k *Kernel) merge(from *Kernel) {
	if from.Lang == CXX {
		k.Lang = CXX
	}
	for _, h := range []Hook{SupportCode, InitCode} {
		for _, text := range from.Texts[h] {
			if !slices.Contains(k.Texts[h], text) {
				k.Texts[h] = append(k.Texts[h], text)
			}
		}
	}
	k.Build.merge(from.Build)
}

// needed lists the steps of the group without which outputs cannot be computed from inputs, in order.
func (a *analysis) needed(inputs, outputs []int) []int {
	wanted, needed := map[int]bool{}, []int{}
	for _, v := range outputs {
		wanted[v] = true
	}
	for _, v := range inputs {
		delete(wanted, v)
	}
	for i := len(a.steps) - 1; i >= 0; i-- {
		s := &a.Steps[a.steps[i]]
		if !slices.ContainsFunc(s.Outputs, func(v int) bool { return wanted[v] }) {
			continue
		}
		needed = append(needed, a.steps[i])
		for _, v := range s.Inputs {
			if !slices.Contains(inputs, v) {
				wanted[v] = true
			}
		}
	}
	slices.Reverse(needed)
	return needed
}

// step adds what a step computes of each element, and its folds.
func (c *composer) step(step int) {
	s, l := &c.of.Steps[step], c.of.kernel(step).Structure
	typed, member := c.of.kernel(step).Loop, 1+slices.Index(c.of.steps, step)
	values := c.body.take(s, l, typed, member)
	c.fold[step] = len(c.result.Folds)
	for i, fold := range l.Folds {
		fold.Values, fold.Body = renumbered(fold.Values, values), slices.Clone(fold.Body)
		for j := range fold.Body {
			fold.Body[j].Member = typed.Folds[i].Body[j].of(member)
		}
		c.result.Folds = append(c.result.Folds, fold)
		c.result.Axes, c.result.KeepDims = l.Axes, l.KeepDims
	}
	for i, out := range l.Outputs {
		if out.Fold == nil {
			c.body.value[s.Outputs[i]] = values[out.Value]
		}
	}
}

// ends adds what is computed where folds end: of the loop's inputs, then of their accumulators.
func (c *composer) ends(steps []int) {
	of := make([]int, len(c.result.Folds)) // of each fold, the value that its first accumulator is
	for i := range c.result.Folds {
		of[i] = c.ending.values
		c.ending.values += len(c.result.Folds[i].Values)
	}
	for _, step := range steps {
		s, k := &c.of.Steps[step], c.of.kernel(step)
		l := k.Structure
		if !c.of.ends[step] {
			for i, out := range l.Outputs {
				if out.Fold != nil {
					c.ending.value[s.Outputs[i]] = of[c.fold[step]+*out.Fold] + out.Value
				}
			}
			continue
		}
		values := c.ending.take(s, l, k.Loop, 0) // none can fail
		for i, out := range l.Outputs {
			c.ending.value[s.Outputs[i]] = values[out.Value]
		}
	}
}

// of gives the number of the member that an instruction comes from, if that will be asked: 0, if it cannot fail.
func (in *TypedInstruction) of(member int) int {
	if in.Op == OpCode || in.fails() {
		return member
	}
	return 0
}

// take adds what a step computes, the given member of its group, and gives the values of its own loop as those here.
func (c *composedBody) take(s *Step, l *Structure, typed *Loop, member int) []int {
	var values []int
	for _, v := range s.Inputs {
		values = append(values, c.value[v])
	}
	for i := range l.Body {
		values = append(values, c.instruction(&l.Body[i], values, typed.Body[i].of(member))...)
	}
	return values
}

// instruction adds one, unless the same is there, and gives the values that it makes.
func (c *composedBody) instruction(in *Instruction, values []int, member int) []int {
	added := *in
	added.Args, added.Member = renumbered(in.Args, values), member
	makes := max(1, len(in.DTypes))
	key := in.Op + " " + in.DType + " " + in.Value
	for _, arg := range added.Args {
		key += " " + strconv.Itoa(arg)
	}
	at, known := c.same[key]
	if !known || in.Op == OpCode {
		at = c.values
		c.same[key] = at
		c.values += makes
		c.list = append(c.list, added)
	}
	var made []int
	for i := range makes {
		made = append(made, at+i)
	}
	return made
}

func renumbered(values, as []int) []int {
	var found []int
	for _, v := range values {
		found = append(found, as[v])
	}
	return found
}

// sink says where an output comes from.
func (c *composer) sink(v int) Sink {
	step, _ := c.of.makes(v)
	s := c.of.kernel(step).Structure.Outputs[slices.Index(c.of.Steps[step].Outputs, v)]
	if s.Over = nil; c.of.ends[step] {
		return Sink{Value: c.ending.value[v], Fold: new(int), Ended: true}
	}
	if s.Fold == nil {
		s.Value = c.body.value[v]
		return s
	}
	fold := c.fold[step] + *s.Fold
	s.Fold = &fold
	return s
}
