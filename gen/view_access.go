package gen

import "slices"

// AccessView is an entry of the table of views.
type AccessView struct {
	Inputs int
	NDim   int
	Told   bool   // what follows is told when it runs
	Axes   []int  // of each axis of the view the input's, or -1
	Ones   string // a mask of the axes that must be of size 1
	Cuts   []CutView
}

// CutView is what a view takes along an axis. Of numbers 0 is: not given.
type CutView struct {
	Axis, To              int
	Along                 int // 1: a diagonal
	At, Start, Stop, Step int
}

// accesses fills the table of views.
func (v *viewer) accesses() {
	for _, k := range v.plan.Accesses {
		a := AccessView{Inputs: len(k.Inputs), NDim: k.dims(len(k.Inputs)), Told: k.View.Told, Axes: k.View.order()}
		gone := []int{}
		for axis := range k.Variables[0].Type.Array.NDim {
			if !k.View.Told && !k.View.cut(axis) && !slices.Contains(k.View.Axes, axis) {
				gone = append(gone, axis)
			}
		}
		a.Ones = mask(gone)
		for i := range k.View.Cuts {
			a.Cuts = append(a.Cuts, k.View.Cuts[i].view(a.Axes))
		}
		v.view.Accesses = append(v.view.Accesses, a)
	}
}

// view numbers a cut, of a view with these axes.
func (c *Cut) view(axes []int) CutView {
	var given [4]int
	for i, number := range c.numbers() {
		if number != nil {
			given[i] = *number
		}
	}
	if c.Along != nil {
		return CutView{Axis: c.Axis, To: slices.Index(axes, *c.Along), Along: 1}
	}
	return CutView{c.Axis, slices.Index(axes, c.Axis), 0, given[0], given[1], given[2], given[3]}
}
