package gen

import "slices"

// Viewed is a view that a loop reads through as it is: the elements lie where they did, and the runtime finds out where and how
// far apart. No step makes an array of it.
type Viewed struct {
	Node   int // which of Program's steps
	Kernel int
	Reads  []int // of its inputs: which of the group's step, or as number() an earlier view
}

// Bounds of what one group reads through, as templates/runtime/frame.h has them.
const (
	maxViews = 64  // OPW_MAX_VIEWS
	viewRoom = 512 // OPW_VIEW_ROOM: twice the axes of all
)

// absorb finds the views that no step has to make, because all who read them are loops, or such views. What a loop writes over,
// what Python, C or the caller sees, and what C may put another array in the place of, is made.
func (f *fuser) absorb() {
	replaced := map[int]bool{}
	for i := range f.Steps {
		for _, at := range f.kernel(i).Replaced {
			replaced[f.Steps[i].Inputs[at]] = true
		}
	}
	through := make([]map[*group]bool, len(f.Steps)) // of each view: the groups that read through it
	views, room := map[*group]int{}, map[*group]int{}
	for at := len(f.order) - 1; at >= 0; at-- {
		step := f.order[at]
		if view := f.kernel(step).View; view == nil || view.Told || slices.ContainsFunc(f.Steps[step].Inputs, func(v int) bool { return replaced[v] }) {
			continue
		}
		groups, able := f.through(step, through)
		axes := 2 * f.typeOf(f.Steps[step].Outputs[0]).Array.NDim
		for g := range groups {
			able = able && views[g] < maxViews && room[g]+axes <= viewRoom
		}
		if !able {
			continue
		}
		f.absorbed[step], through[step] = true, groups
		for g := range groups {
			views[g], room[g] = views[g]+1, room[g]+axes
		}
	}
}

// through gives the groups that read a view, themselves or through others, and tells whether nobody else does.
func (f *fuser) through(step int, known []map[*group]bool) (map[*group]bool, bool) {
	v, groups := f.Steps[step].Outputs[0], map[*group]bool{}
	if f.Variables[v].Role != RoleTemporary {
		return nil, false
	}
	for _, reader := range f.shapes.readers[v] {
		switch {
		case f.absorbed[reader] && !slices.Contains(f.Steps[reader].Inputs[1:], v):
			for g := range known[reader] {
				groups[g] = true
			}
		case f.kernel(reader).Loop == nil:
			return nil, false
		default:
			for _, g := range append([]*group{f.of[reader]}, f.again[reader]...) {
				if groups[g] = true; !g.fuses || f.overwritten(g, v) {
					return nil, false
				}
			}
		}
	}
	return groups, true
}

// overwritten tells whether a group stores what it makes over a view. One with new axes is as a rule smaller than that.
func (f *fuser) overwritten(g *group, v int) bool {
	if len(f.kernel(f.shapes.producer[v]).View.New) > 0 {
		return false
	}
	destroys := slices.ContainsFunc(f.all(g), func(step int) bool {
		return slices.ContainsFunc(f.Steps[step].Destroys, func(pair [2]int) bool { return f.Steps[step].Inputs[pair[1]] == v })
	})
	if !destroys {
		return false
	}
	a := f.analyse(g)
	pairs := a.overwrites(a.compose(a.inputs, a.outputs))
	return !a.folds && slices.ContainsFunc(pairs, func(pair [2]int) bool { return a.inputs[pair[1]] == v })
}

// viewed lists the views that some variables are read through, each after what it is a view of.
func (f *fuser) viewed(variables []int) []int {
	var found []int
	for _, v := range variables {
		if step, made := f.shapes.by(v); made && f.absorbed[step] && !slices.Contains(found, step) {
			for _, before := range f.viewed(f.Steps[step].Inputs[:1]) {
				if !slices.Contains(found, before) {
					found = append(found, before)
				}
			}
			found = append(found, step)
		}
	}
	return found
}

// sources gives what a group's step reads, and how its loop reads it: of each of the loop's inputs which of the step's, or as
// number() a view.
func (r *rebuilder) sources(inputs []int) (sources, from []int, views []Viewed) {
	steps := r.viewed(inputs)
	place := func(v int) int {
		if step, made := r.shapes.by(v); made && r.absorbed[step] {
			return number(slices.Index(steps, step))
		}
		if !slices.Contains(sources, v) {
			sources = append(sources, v)
		}
		return slices.Index(sources, v)
	}
	for _, v := range inputs {
		from = append(from, place(v))
	}
	for _, step := range steps {
		view := Viewed{Node: step, Kernel: r.kernelOf(r.Steps[step].Kernel)}
		for _, v := range r.Steps[step].Inputs {
			view.Reads = append(view.Reads, place(v))
		}
		views = append(views, view)
	}
	return sources, from, views
}
