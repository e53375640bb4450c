package gen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// graph builds Programs of loops. Variables go by the numbers that its methods give.
type graph struct {
	t     *testing.T
	p     *Program
	plain Type           // TensorType, of float64
	kinds map[string]int // kernel -> place
}

func newGraph(t *testing.T) *graph {
	data, err := json.Marshal(sample(t, "render_elementwise"))
	require.NoError(t, err)
	p, err := Decode(data)
	require.NoError(t, err)
	return &graph{t: t, plain: p.Types[0], p: &Program{Name: "f"}, kinds: map[string]int{}}
}

// typ gives the type of so many dimensions.
func (g *graph) typ(ndim int) int {
	at := slices.IndexFunc(g.p.Types, func(t Type) bool { return t.Array.NDim == ndim })
	if at < 0 {
		at = len(g.p.Types)
		typ := g.plain
		typ.Array = &Array{"float64", ndim, true}
		g.p.Types = append(g.p.Types, typ)
	}
	return at
}

func (g *graph) variable(ndim int, role Role, name string) int {
	g.p.Variables = append(g.p.Variables, Variable{Type: g.typ(ndim), Role: role, Name: name})
	return len(g.p.Variables) - 1
}

func (g *graph) input(name string, ndim int) int {
	v := g.variable(ndim, RoleInput, name)
	g.p.Inputs = append(g.p.Inputs, Input{Variable: v, Name: name})
	return v
}

func (g *graph) ndim(v int) int { return g.p.Types[g.p.Variables[v].Type].Array.NDim }

// step applies a structure.
func (g *graph) step(label string, s *Structure, ndim int, inputs ...int) int {
	out := g.variable(ndim, RoleTemporary, "")
	k := Kernel{Label: label, Lang: C, Structure: s, Version: "1", Outputs: []int{g.typ(ndim)}}
	for _, v := range inputs {
		k.Inputs = append(k.Inputs, g.p.Variables[v].Type)
	}
	id := k.digest()
	at, known := g.kinds[id]
	if !known {
		at = len(g.p.Kernels)
		g.kinds[id] = at
		g.p.Kernels = append(g.p.Kernels, k)
	}
	g.p.Steps = append(g.p.Steps, Step{Kernel: at, Inputs: inputs, Outputs: []int{out}})
	return out
}

// of applies a scalar operation to each element.
func (g *graph) of(op string, inputs ...int) int {
	ndim, args := 0, []int{}
	for i, v := range inputs {
		ndim, args = max(ndim, g.ndim(v)), append(args, i)
	}
	body := []Instruction{{Op: op, Args: args, DType: "float64"}}
	return g.step(op, &Structure{Body: body, Outputs: []Sink{{Value: len(inputs)}}}, ndim, inputs...)
}

// view applies a view, of so many dimensions.
func (g *graph) view(label string, a *Access, ndim, v int) int {
	out := g.variable(ndim, RoleTemporary, "")
	k := Kernel{Label: label, Lang: C, View: a, Version: "1", Inputs: []int{g.p.Variables[v].Type}, Outputs: []int{g.typ(ndim)}}
	id := k.digest()
	at, known := g.kinds[id]
	if !known {
		at = len(g.p.Kernels)
		g.kinds[id] = at
		g.p.Kernels = append(g.p.Kernels, k)
	}
	g.p.Steps = append(g.p.Steps, Step{Kernel: at, Inputs: []int{v}, Outputs: []int{out}, Views: [][2]int{{0, 0}}})
	return out
}

// turned exchanges the axes of a matrix, column makes one of a vector, flat a vector of a matrix of one row.
func (g *graph) turned(v int) int {
	return g.view("turned", &Access{Axes: []int{1, 0}, New: []int{}}, 2, v)
}
func (g *graph) column(v int) int {
	return g.view("column", &Access{Axes: []int{0}, New: []int{1}}, 2, v)
}
func (g *graph) flat(v int) int { return g.view("flat", &Access{Axes: []int{1}, New: []int{}}, 1, v) }

// sum folds along axes.
func (g *graph) sum(v int, keepdims bool, axes ...int) int {
	fold, ndim := 0, g.ndim(v)
	if !keepdims {
		ndim -= len(axes)
	}
	s := &Structure{Folds: []Folding{{Op: "add", Values: []int{0}, DTypes: []string{"float64"}}}, Axes: axes, KeepDims: keepdims,
		Outputs: []Sink{{Fold: &fold}}}
	return g.step("sum", s, ndim, v)
}

// returns makes variables results, under names.
func (g *graph) returns(variables ...int) {
	for i, v := range variables {
		g.p.Variables[v].Role, g.p.Variables[v].Name = RoleOutput, fmt.Sprintf("r%d", i)
		g.p.Outputs = append(g.p.Outputs, Output{Variable: v})
	}
}

// over says that the last step may write over an input.
func (g *graph) over(input int) {
	s := &g.p.Steps[len(g.p.Steps)-1]
	k := g.p.Kernels[s.Kernel]
	structure := *k.Structure
	structure.Outputs = []Sink{{Value: structure.Outputs[0].Value, Over: &input}}
	k.Structure = &structure
	id := k.digest()
	at, known := g.kinds[id]
	if !known {
		at = len(g.p.Kernels)
		g.kinds[id] = at
		g.p.Kernels = append(g.p.Kernels, k)
	}
	s.Kernel, s.Destroys = at, [][2]int{{0, input}}
}

// fused gives the steps that are left, as text: their ops, what they read and make, and what else the runtime is told.
func (g *graph) fused() []string {
	typed, err := g.p.Check()
	require.NoError(g.t, err)
	fused, err := typed.fused()
	require.NoError(g.t, err)
	_, err = NewPlan(Alone(g.p), []*Typed{fused})
	require.NoError(g.t, err)
	var lines []string
	for i, s := range fused.Steps {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s -> %s%s", fused.kernel(i).Label, fused.names(s.Inputs), fused.names(s.Outputs), fused.told(i))))
	}
	return lines
}

func (t *Typed) names(variables []int) string {
	var found []string
	for _, v := range variables {
		name := t.Variables[v].Name
		if name == "" {
			name = "t"
		}
		found = append(found, name)
	}
	return strings.Join(found, " ")
}

func (t *Typed) told(step int) string {
	g := t.Groups[step]
	var b strings.Builder
	for _, d := range t.Steps[step].Destroys {
		fmt.Fprintf(&b, ", %d over %d", d[0], d[1])
	}
	if g == nil {
		return b.String()
	}
	if len(g.Masks) > 0 {
		fmt.Fprintf(&b, ", if all have the shape of %v", g.Masks)
	}
	for _, p := range g.Parts {
		fmt.Fprintf(&b, "; else %s %v", t.Kernels[p.Kernel].Label, p.Operands)
	}
	if len(g.Views) > 0 {
		fmt.Fprintf(&b, ", reads %s", strings.Join(t.through(step, g.From), " "))
	}
	return b.String()
}

// through names what a step reads, with the views between.
func (t *Typed) through(step int, from []int) []string {
	var found []string
	for _, i := range from {
		if i >= 0 {
			found = append(found, t.names(t.Steps[step].Inputs[i:i+1]))
			continue
		}
		view := t.Groups[step].Views[number(i)]
		found = append(found, t.Kernels[view.Kernel].Label+"("+strings.Join(t.through(step, view.Reads), " ")+")")
	}
	return found
}
