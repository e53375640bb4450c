package gen

import (
	"fmt"
	"slices"
)

// accesses checks the kernels that are views: that each axis is spoken of once, and that numbers are integers.
func (c *checker) accesses() {
	for i := range c.p.Kernels {
		k := &c.p.Kernels[i]
		if k.View == nil {
			continue
		}
		where := fmt.Sprintf("kernels[%d]", i)
		if k.Structure != nil {
			c.fail(where, k.Label, "a kernel is a loop or a view, not both")
		}
		if len(k.Inputs) == 0 || len(k.Outputs) != 1 {
			c.fail(where, k.Label, "%d inputs and %d outputs; a view is one output of one input and of integers", len(k.Inputs), len(k.Outputs))
		}
		c.numbers(where+".inputs", k)
		switch {
		case c.err != nil:
		case k.View.Told:
			c.told(where, k)
		default:
			c.access(where+".view", k)
		}
		if c.err != nil {
			return
		}
	}
}

// numbers checks that all variables are arrays, and all inputs but the first integers without dimensions.
func (c *checker) numbers(where string, k *Kernel) {
	for j, t := range k.types() {
		array := c.arrays[t]
		if array == nil {
			c.fail(where, k.Label, "variable %d is of type %d (%s), which has no array: a view is of arrays only", j, t, c.p.Types[t].Label)
			return
		}
		integer := array.NDim == 0 && (array.Class == 'i' || array.Class == 'u')
		if j > 0 && j < len(k.Inputs) && !integer && !k.View.Told {
			c.fail(fmt.Sprintf("%s[%d]", where, j), k.Label, "a %s of %d dimensions is no number of a view: expected an integer without dimensions",
				array.Name, array.NDim)
		}
	}
}

// access checks what a view speaks of.
func (c *checker) access(where string, k *Kernel) {
	from, to, a := c.arrays[k.Inputs[0]], c.arrays[k.Outputs[0]], k.View
	if from.Name != to.Name || len(a.Axes)+len(a.New) != to.NDim {
		c.fail(where, k.Label, "the output is a %s of %d dimensions, the view a %s of %d", to.Name, to.NDim, from.Name, len(a.Axes)+len(a.New))
	}
	seen := map[int]bool{}
	for i, axis := range a.Axes {
		if axis >= from.NDim || seen[axis] {
			c.fail(fmt.Sprintf("%s.axes[%d]", where, i), k.Label, "axis %d: expected each of %d axes once at most", axis, from.NDim)
		}
		seen[axis] = true
	}
	for i, axis := range a.New {
		if axis >= to.NDim || i > 0 && axis <= a.New[i-1] {
			c.fail(fmt.Sprintf("%s.new[%d]", where, i), k.Label, "axis %d: expected ascending axes of %d", axis, to.NDim)
		}
	}
	for i := range a.Cuts {
		c.cut(fmt.Sprintf("%s.cuts[%d]", where, i), k, i, from.NDim)
	}
}

// told checks a view that is told what it is of an array.
func (c *checker) told(where string, k *Kernel) {
	from, to := c.arrays[k.Inputs[0]], c.arrays[k.Outputs[0]]
	if from.Name != to.Name {
		c.fail(where+".view", k.Label, "the output is a %s, the view a %s", to.Name, from.Name)
	}
	if len(k.Inputs) != 2 || c.arrays[k.Inputs[1]].Name != "int64" || c.arrays[k.Inputs[1]].NDim != 1 {
		c.fail(where+".inputs", k.Label, "a view is told what it is by one vector of int64, its second input")
	}
}

// cut checks that a cut's axis is there, and its numbers are.
func (c *checker) cut(where string, k *Kernel, i, ndim int) {
	a := k.View
	cut := &a.Cuts[i]
	if cut.Axis >= ndim || i > 0 && cut.Axis <= a.Cuts[i-1].Axis {
		c.fail(where+".axis", k.Label, "axis %d: expected ascending axes of %d", cut.Axis, ndim)
	}
	if slices.Contains(a.Axes, cut.Axis) == (cut.At != nil || cut.Along != nil) {
		c.fail(where, k.Label, "axis %d: one that is cut by a number or goes along with another goes, one that is sliced stays", cut.Axis)
	}
	if cut.Along != nil && cut.At != nil {
		c.fail(where, k.Label, "axis %d: one that is cut by a number goes along with no other", cut.Axis)
	}
	if cut.Along != nil && (!slices.Contains(a.Axes, *cut.Along) || a.cut(*cut.Along)) {
		c.fail(where+".along", k.Label, "axis %d: expected an axis of the view that is not cut itself", *cut.Along)
	}
	for _, number := range cut.numbers() {
		if number != nil && (*number == 0 || !c.index(where, "input", *number, len(k.Inputs))) {
			c.fail(where, k.Label, "input 0 is what is viewed, no number")
		}
	}
}

// viewed checks that a step says what its kernel views.
func (c *checker) viewed(where string, k *Kernel, s *Step) {
	if k.View != nil && (!slices.Contains(s.Views, [2]int{0, 0}) || len(s.Views) != 1 || len(s.Destroys) > 0) {
		c.fail(where, k.Label, "the kernel makes output 0 a view of input 0, the step does not say just that")
	}
}

// numbers lists those that a cut may have.
func (c *Cut) numbers() [4]*int { return [4]*int{c.At, c.Start, c.Stop, c.Step} }

// cut tells whether something is taken along an axis of the input.
func (a *Access) cut(axis int) bool {
	return slices.ContainsFunc(a.Cuts, func(c Cut) bool { return c.Axis == axis })
}

// order gives for each axis of a view the input's, or -1: a new one.
func (a *Access) order() []int {
	found := slices.Clone(a.Axes)
	for _, at := range a.New {
		found = slices.Insert(found, at, -1)
	}
	return found
}
