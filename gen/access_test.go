package gen

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sliced is a graph of one view: x[i, ::n] with two new axes, of a float64 of three dimensions.
func sliced(t *testing.T) *Program {
	g := newGraph(t)
	integer := g.plain
	integer.Array = &Array{"int64", 0, true}
	x := g.input("x", 3)
	g.p.Types = append(g.p.Types, integer)
	var numbers []int
	for _, name := range []string{"i", "n"} {
		g.p.Variables = append(g.p.Variables, Variable{Type: len(g.p.Types) - 1, Role: RoleInput, Name: name})
		g.p.Inputs = append(g.p.Inputs, Input{Variable: len(g.p.Variables) - 1, Name: name})
		numbers = append(numbers, len(g.p.Variables)-1)
	}
	at, step := 1, 2
	v := g.view("Subtensor", &Access{Axes: []int{1, 2}, New: []int{0, 2}, Cuts: []Cut{{Axis: 0, At: &at}, {Axis: 1, Step: &step}}}, 4, x)
	k, s := &g.p.Kernels[0], &g.p.Steps[0]
	k.Inputs, s.Inputs = append(k.Inputs, 1, 1), append(s.Inputs, numbers...)
	g.returns(v)
	return g.p
}

// What is wrong of a view is said with the place.
func TestViewsThatDoNotFit(t *testing.T) {
	zero, one, nine := 0, 1, 9
	const at = "kernels[0].view"
	for want, damage := range map[string]func(*Kernel, *Access, *Step){
		at + ": Subtensor: the output is a float64 of 4 dimensions, the view a float64 of 3": func(k *Kernel, a *Access, s *Step) { a.New = []int{0} },
		at + ".axes[1]: Subtensor: axis 1: expected each of 3 axes once at most":             func(k *Kernel, a *Access, s *Step) { a.Axes[1] = 1 },
		at + ".axes[1]: Subtensor: axis 3: expected each of 3 axes once at most":             func(k *Kernel, a *Access, s *Step) { a.Axes[1] = 3 },
		at + ".new[1]: Subtensor: axis 4: expected ascending axes of 4":                      func(k *Kernel, a *Access, s *Step) { a.New[1] = 4 },
		at + ".new[1]: Subtensor: axis 0: expected ascending axes of 4":                      func(k *Kernel, a *Access, s *Step) { a.New[1] = 0 },
		at + ".cuts[0].axis: Subtensor: axis 9: expected ascending axes of 3":                func(k *Kernel, a *Access, s *Step) { a.Cuts[0].Axis = nine },
		at + ".cuts[1].axis: Subtensor: axis 0: expected ascending axes of 3":                func(k *Kernel, a *Access, s *Step) { a.Cuts[1].Axis = 0 },
		at + ".cuts[1]: Subtensor: axis 1: one that is cut by a number or goes along with another goes, one that is sliced stays": func(k *Kernel, a *Access, s *Step) {
			a.Cuts[1] = Cut{Axis: 1, At: &one}
		},
		at + ".cuts[0]: Subtensor: axis 0: one that is cut by a number or goes along with another goes, one that is sliced stays": func(k *Kernel, a *Access, s *Step) {
			a.Cuts[0] = Cut{Axis: 0, Start: &one}
		},
		at + ".cuts[2]: Subtensor: axis 2: one that is cut by a number or goes along with another goes, one that is sliced stays": func(k *Kernel, a *Access, s *Step) {
			a.Cuts = append(a.Cuts, Cut{Axis: 2, Along: &one})
		},
		at + ".cuts[2].along: Subtensor: axis 1: expected an axis of the view that is not cut itself": func(k *Kernel, a *Access, s *Step) {
			a.Axes, a.New, a.Cuts = []int{1}, []int{0, 1, 2}, append(a.Cuts, Cut{Axis: 2, Along: &one})
		},
		at + ".cuts[1]: Subtensor: axis 1: one that is cut by a number goes along with no other": func(k *Kernel, a *Access, s *Step) {
			a.Axes, a.New, a.Cuts[1] = []int{2}, []int{0, 1, 2}, Cut{Axis: 1, At: &one, Along: &zero}
		},
		at + ".cuts[1].along: Subtensor: axis 0: expected an axis of the view that is not cut itself": func(k *Kernel, a *Access, s *Step) {
			a.Axes, a.New, a.Cuts[1] = []int{2}, []int{0, 1, 2}, Cut{Axis: 1, Along: &zero}
		},
		at + ".cuts[0]: no input 9, there are 3":                         func(k *Kernel, a *Access, s *Step) { a.Cuts[0].At = &nine },
		at + ".cuts[0]: Subtensor: input 0 is what is viewed, no number": func(k *Kernel, a *Access, s *Step) { a.Cuts[0].At = &zero },
		"kernels[0].inputs[1]: Subtensor: a float64 of 3 dimensions is no number of a view: expected an integer without dimensions": func(k *Kernel, a *Access, s *Step) {
			k.Inputs[1] = 0
		},
		"kernels[0]: Subtensor: 0 inputs and 1 outputs; a view is one output of one input and of integers": func(k *Kernel, a *Access, s *Step) {
			k.Inputs = nil
		},
		"kernels[0]: Subtensor: a kernel is a loop or a view, not both": func(k *Kernel, a *Access, s *Step) { k.Structure = &Structure{Outputs: []Sink{{}}} },
		"steps[0].views: Subtensor: the kernel makes output 0 a view of input 0, the step does not say just that": func(k *Kernel, a *Access, s *Step) {
			s.Views = nil
		},
	} {
		p := sliced(t)
		damage(&p.Kernels[0], p.Kernels[0].View, &p.Steps[0])
		_, err := p.Check()
		assert.EqualError(t, err, want)
	}
}

// A view as it is written is as it was read.
func TestViewsAreWrittenAndRead(t *testing.T) {
	p := sliced(t)
	data, err := p.Encode()
	require.NoError(t, err)
	assert.Contains(t, string(data), `"view":{"axes":[1,2],"cuts":[{"at":1,"axis":0},{"axis":1,"step":2}],"new":[0,2]}`)
	again, err := Decode(data)
	require.NoError(t, err)
	assert.Equal(t, p.Kernels[0].View, again.Kernels[0].View)
}

// The runtime is told of each axis where it comes from, and which must be of size 1.
func TestTheTableOfViews(t *testing.T) {
	p := sliced(t)
	typed, err := p.Check()
	require.NoError(t, err)
	plan, err := NewPlan(Alone(p), []*Typed{typed})
	require.NoError(t, err)
	v := NewView(plan)
	assert.Equal(t, []AccessView{{Inputs: 3, NDim: 4, Axes: []int{-1, 1, -1, 2}, Ones: "0x0ULL",
		Cuts: []CutView{{Axis: 0, To: -1, At: 1}, {Axis: 1, To: 1, Step: 2}}}}, v.Accesses)
	assert.True(t, slices.ContainsFunc(v.Functions[0].Steps, func(s StepView) bool { return s.Run == "opw_run_view" }))

	g := newGraph(t)
	g.returns(g.flat(g.input("x", 2)))
	typed, err = g.p.Check()
	require.NoError(t, err)
	plan, err = NewPlan(Alone(g.p), []*Typed{typed})
	require.NoError(t, err)
	assert.Equal(t, "0x1ULL", NewView(plan).Accesses[0].Ones)
}

// told is a graph of a view of a float64 of three dimensions, of two, that is told which it is.
func told(t *testing.T) *Program {
	g := newGraph(t)
	vector := g.plain
	vector.Array = &Array{"int64", 1, true}
	x := g.input("x", 3)
	g.p.Types = append(g.p.Types, vector)
	numbers := Variable{Type: len(g.p.Types) - 1, Role: RoleConstant}
	g.p.Variables = append(g.p.Variables, numbers)
	at := len(g.p.Variables) - 1
	v := g.view("View", &Access{Told: true}, 2, x)
	k, s := &g.p.Kernels[0], &g.p.Steps[0]
	k.Inputs, s.Inputs = append(k.Inputs, numbers.Type), append(s.Inputs, at)
	g.returns(v)
	return g.p
}

// What a view is told stands in no module: the table says how many dimensions it has, and nothing else.
func TestAViewThatIsToldIsNoTable(t *testing.T) {
	p := told(t)
	data, err := p.Encode()
	require.NoError(t, err)
	assert.Contains(t, string(data), `"view":{"told":true}`)
	p, err = Decode(data)
	require.NoError(t, err)
	typed, err := p.Check()
	require.NoError(t, err)
	plan, err := NewPlan(Alone(p), []*Typed{typed})
	require.NoError(t, err)
	assert.Equal(t, []AccessView{{Inputs: 2, NDim: 2, Told: true, Ones: "0x0ULL"}}, NewView(plan).Accesses)
}

// What a view is told is one vector of integers.
func TestViewsThatAreToldByWhatDoesNotFit(t *testing.T) {
	const what = "kernels[0].inputs: View: a view is told what it is by one vector of int64, its second input"
	for want, damage := range map[string]func(p *Program){
		what:       func(p *Program) { p.Kernels[0].Inputs[1] = p.Kernels[0].Inputs[0] },
		what + " ": func(p *Program) { p.Kernels[0].Inputs = p.Kernels[0].Inputs[:1] },
		"kernels[0].view: View: the output is a int64, the view a float64": func(p *Program) { p.Kernels[0].Outputs[0] = p.Kernels[0].Inputs[1] },
	} {
		p := told(t)
		damage(p)
		_, err := p.Check()
		assert.EqualError(t, err, strings.TrimSpace(want))
	}
}

// A diagonal is written and read, and is a cut of the table: of the view's axis, without numbers.
func TestADiagonalIsACut(t *testing.T) {
	g, zero := newGraph(t), 0
	g.returns(g.view("ExtractDiag", &Access{Axes: []int{0}, New: []int{}, Cuts: []Cut{{Axis: 1, Along: &zero}}}, 1, g.input("x", 2)))
	data, err := g.p.Encode()
	require.NoError(t, err)
	assert.Contains(t, string(data), `"view":{"axes":[0],"cuts":[{"along":0,"axis":1}],"new":[]}`)
	again, err := Decode(data)
	require.NoError(t, err)
	assert.Equal(t, g.p.Kernels[0].View, again.Kernels[0].View)
	assert.Equal(t, CutView{Axis: 1, To: 0, Along: 1}, again.Kernels[0].View.Cuts[0].view([]int{0}))
}
