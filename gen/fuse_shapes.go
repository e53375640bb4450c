package gen

import (
	"fmt"
	"slices"
)

// shapes knows what the shapes of variables are made of.
type shapes struct {
	producer []int   // variable -> the step that makes it; -1: none
	readers  [][]int // variable -> the steps that read it, in order
	roots    map[int]roots
	within   map[int]roots  // a root that is broadcast to these without changing their shape
	views    map[string]int // a view of which shape, by its kernel -> the root that it is
	folded   map[int]folded // root -> what a fold left it of
	sizes    map[int]sizes  // root -> what is known of its shape beforehand
}

// sizes says how many axes a variable has, and of which of them, the last being 0, it is known that they have one element.
type sizes struct {
	ndim int
	ones []int
}

// folded is a shape of which axes have gone.
type folded struct {
	whole roots
	axes  []int
}

// roots are variables, ascending, whose shapes, broadcast together, are a value's. What has no dimensions has none.
type roots []int

func newShapes(t *Typed, order []int) *shapes {
	s := &shapes{producer: make([]int, len(t.Variables)), readers: make([][]int, len(t.Variables)), roots: map[int]roots{}, within: map[int]roots{},
		views: map[string]int{}, folded: map[int]folded{}, sizes: map[int]sizes{}}
	for i := range t.Inputs {
		s.told(t, &t.Inputs[i])
	}
	for v := range t.Variables {
		s.producer[v] = -1
		s.roots[v] = roots{v}
		if a := t.typeOf(v).Array; a != nil && a.NDim == 0 {
			s.roots[v] = nil
		}
	}
	for _, step := range order {
		for _, v := range t.Steps[step].reads() {
			if at := s.readers[v]; !slices.Contains(at, step) {
				s.readers[v] = append(at, step)
			}
		}
		for _, v := range t.Steps[step].Outputs {
			s.producer[v] = step
		}
		switch k := t.kernel(step); {
		case k.Loop != nil:
			s.loop(&t.Steps[step], k.Loop, s.walked(t, step))
		case k.View != nil:
			s.view(&t.Steps[step], k.View)
		}
	}
	return s
}

// told takes down what an argument's type says of its shape.
func (s *shapes) told(t *Typed, in *Input) {
	if in.Fit == nil {
		return
	}
	known := sizes{ndim: t.typeOf(in.Variable).Array.NDim}
	for _, size := range in.Fit.Sizes {
		if size[1] == 1 {
			known.ones = append(known.ones, known.ndim-1-size[0])
		}
	}
	s.sizes[in.Variable] = known
}

// walked gives the roots of what a step's loop walks.
func (s *shapes) walked(t *Typed, step int) roots {
	inputs, g := t.Steps[step].Inputs, t.Groups[step]
	if g == nil || len(g.Views) == 0 {
		return s.of(inputs)
	}
	var all []roots
	views := make([]roots, len(g.Views))
	shape := func(from int) roots {
		if from < 0 {
			return views[number(from)]
		}
		return s.roots[inputs[from]]
	}
	for i, view := range g.Views {
		var numbers []int
		for _, from := range view.Reads[1:] {
			numbers = append(numbers, inputs[from])
		}
		views[i] = roots{s.viewed(t.Kernels[view.Kernel].View, shape(view.Reads[0]), numbers, len(t.Variables)+len(s.views))}
	}
	for _, from := range g.From {
		all = append(all, shape(from))
	}
	return s.together(all)
}

// viewed gives the root of a view of what has these roots: one that is the same of the same shape has the same, else it is the
// one that is offered.
func (s *shapes) viewed(a *Access, of roots, numbers []int, offered int) int {
	id := fmt.Sprint(a.fields(), of, numbers)
	if _, known := s.views[id]; !known {
		s.views[id] = offered
	}
	return s.views[id]
}

// view finds the root of a view. Of what a fold left it lies within what was folded, where the axes that went are there again.
func (s *shapes) view(step *Step, a *Access) {
	v, of := step.Outputs[0], s.roots[step.Inputs[0]]
	if s.roots[v] == nil || a.Told {
		return
	}
	root := s.viewed(a, of, step.Inputs[1:], v)
	s.roots[v] = roots{root}
	if len(of) != 1 || len(a.Cuts) > 0 || !slices.IsSorted(a.Axes) {
		return
	}
	if from, is := s.folded[of[0]]; is && slices.Equal(a.New, from.axes) {
		s.within[root] = from.whole
	}
}

// rewired has steps that look at nothing but shapes look at the root of the shape, where it has one and this is of the same type:
// what lies between need not be there for them. It gives the order of the steps too.
func (t *Typed) rewired() (*Typed, arrangement, error) {
	found, err := t.arranged()
	if err != nil || !slices.ContainsFunc(t.Program.Kernels, func(k Kernel) bool { return k.ShapeOnly }) {
		return t, found, err
	}
	s, again, program := newShapes(t, found.order), *t, *t.Program
	program.Steps = slices.Clone(t.Steps)
	again.Program = &program
	for i := range program.Steps {
		step := &program.Steps[i]
		if !t.kernel(i).ShapeOnly {
			continue
		}
		step.Inputs = slices.Clone(step.Inputs)
		for j, v := range step.Inputs {
			if from := s.roots[v]; len(from) == 1 && t.Variables[from[0]].Type == t.Variables[v].Type {
				step.Inputs[j] = from[0]
			}
		}
	}
	if other, err := again.arranged(); err == nil {
		return &again, other, nil
	}
	return t, found, nil // what is to look at a root would have to run before what it waits for, which writes over the root
}

// loop finds the roots of what a loop leaves that walks what has these roots.
func (s *shapes) loop(step *Step, l *Loop, whole roots) {
	for i, out := range l.Outputs {
		v := step.Outputs[i]
		switch {
		case s.roots[v] == nil:
		case out.Fold < 0 || out.Scan:
			s.roots[v] = whole
		case l.KeepDims:
			s.within[v] = whole
		default:
			s.folded[v] = folded{whole, l.Axes}
		}
	}
}

// by gives the step that makes a variable.
func (s *shapes) by(v int) (int, bool) { return s.producer[v], s.producer[v] >= 0 }

// of gives the roots of what is computed of variables.
func (s *shapes) of(variables []int) roots {
	var all roots
	for _, v := range variables {
		all = append(all, s.roots[v]...)
	}
	return s.joined(all)
}

// together gives the roots of several shapes, broadcast together.
func (s *shapes) together(some []roots) roots { return s.joined(slices.Concat(some...)) }

// joined puts roots in order, each once, without those that lie within the others.
func (s *shapes) joined(all roots) roots {
	slices.Sort(all)
	return s.essential(slices.Compact(all))
}

// essential leaves out those that lie within the others.
func (s *shapes) essential(all roots) roots {
	kept := all
	for _, root := range all {
		bounds, known := s.within[root]
		if !known {
			continue
		}
		if others := slices.DeleteFunc(slices.Clone(kept), func(r int) bool { return r == root }); s.holds(others, bounds) {
			kept = others
		}
	}
	return kept
}

// holds tells whether each of some roots is among these, or lies within them.
func (s *shapes) holds(these, some roots) bool {
	seen := map[int]bool{} // what is known to be held, or asked already: many ways may lead to one root
	for _, root := range these {
		seen[root] = true
	}
	stack := slices.Clone(some)
	for len(stack) > 0 {
		root := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[root] {
			continue
		}
		bounds, known := s.within[root]
		if !known {
			return false
		}
		seen[root], stack = true, append(stack, bounds...)
	}
	return true
}

// smaller tells whether what has these roots is known to be no larger than the whole, and as a rule smaller: one of them lies
// within the whole.
func (s *shapes) smaller(these, whole roots) bool {
	return slices.ContainsFunc(these, func(root int) bool { return !slices.Contains(whole, root) && s.holds(whole, roots{root}) })
}

// narrower tells the same, of what has one element along one of the last axes, too, where the whole may have more.
func (s *shapes) narrower(these, whole roots, ndim int) bool {
	for axis := range ndim {
		if s.single(these, axis) && !s.single(whole, axis) {
			return true
		}
	}
	return s.smaller(these, whole)
}

// single tells whether what has these roots is known to have one element along an axis, the last being 0.
func (s *shapes) single(these roots, axis int) bool {
	return !slices.ContainsFunc(these, func(root int) bool {
		known, told := s.sizes[root]
		return !told || known.ndim > axis && !slices.Contains(known.ones, axis)
	})
}
