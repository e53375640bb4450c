package gen

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What becomes one loop, and what does not.
func TestFusion(t *testing.T) {
	for name, test := range map[string]struct {
		build func(g *graph)
		want  []string
	}{
		"a tree": {func(g *graph) {
			x, y := g.input("x", 1), g.input("y", 1)
			g.returns(g.of("subtract", g.of("multiply", g.of("add", x, y), x), g.of("add", y, y)))
		}, []string{"add multiply subtract: x y -> r0"}},
		"several outputs of one shape": {func(g *graph) {
			x, y := g.input("x", 1), g.input("y", 1)
			a := g.of("add", x, y)
			g.returns(a, g.of("multiply", a, y))
		}, []string{"add multiply: x y -> r0 r1"}},
		"an output that may be smaller": {func(g *graph) {
			x, y := g.input("x", 1), g.input("y", 1)
			a := g.of("add", x, x)
			g.returns(a, g.of("multiply", a, y))
		}, []string{"add multiply: x y -> r0 r1, if all have the shape of [[0]]; else add [0 2]; else multiply [1 2 3]"}},
		"what takes long and may be smaller": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 2)
			g.returns(g.of("add", g.of("exp", x), y))
		}, []string{"exp add: x y -> r0, if all have the shape of [[0]]; else exp [0 -1]; else add [1 -1 2]"}},
		"what takes little is computed again where it is smaller": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 2)
			g.returns(g.of("add", g.of("add", x, x), y))
		}, []string{"add: x y -> r0"}},
		"what takes long and has fewer dimensions": {func(g *graph) {
			x, y := g.input("x", 1), g.input("y", 2)
			g.returns(g.of("add", g.of("exp", x), y))
		}, []string{"exp: x -> t", "add: t y -> r0"}},
		"a sum with what feeds it": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 2)
			g.returns(g.sum(g.of("multiply", x, y), false, 1))
		}, []string{"multiply sum: x y -> r0"}},
		"sums of one array along one axis": {func(g *graph) {
			x := g.input("x", 2)
			g.returns(g.sum(x, false, 0), g.sum(g.of("multiply", x, x), false, 0))
		}, []string{"sum multiply: x -> r0 r1"}},
		"sums along two axes": {func(g *graph) {
			x := g.input("x", 2)
			g.returns(g.sum(x, false, 0), g.sum(x, false, 1))
		}, []string{"sum: x -> r0", "sum: x -> r1"}},
		"what a fold leaves is read by another loop": {func(g *graph) {
			x := g.input("x", 2)
			e := g.of("exp", x)
			g.returns(g.of("divide", e, g.sum(e, true, 1)))
		}, []string{"exp sum: x -> t t", "divide: t t -> r0"}},
		"what takes little is computed twice": {func(g *graph) {
			x := g.input("x", 2)
			d := g.of("subtract", x, g.sum(x, true, 1))
			g.returns(g.of("multiply", d, g.sum(g.of("multiply", d, d), true, 1)))
		}, []string{"sum: x -> t", "subtract multiply sum: x t -> t", "subtract multiply: x t t -> r0"}},
		"one after the other in place": {func(g *graph) {
			x, y := g.input("x", 1), g.input("y", 1)
			a := g.of("add", x, y)
			g.over(0)
			b := g.of("multiply", a, y)
			g.over(0)
			g.returns(b)
		}, []string{"add multiply: x y -> r0, 0 over 0"}},
		"what is read through a view": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 2)
			t := g.turned(x)
			g.returns(g.sum(g.of("multiply", t, y), false, 0), g.of("exp", g.of("add", t, g.column(g.flat(y)))))
		}, []string{"multiply sum: y x -> r0, reads turned(x) y", "add exp: x y -> r1, reads turned(x) column(flat(y))"}},
		"what a fold left, with its axes there again": {func(g *graph) {
			x := g.input("x", 2)
			d := g.of("subtract", x, g.column(g.of("negative", g.sum(x, false, 1))))
			g.returns(d, g.of("multiply", d, g.column(g.sum(g.of("multiply", d, d), false, 1))))
		}, []string{"sum negative: x -> t", "subtract multiply sum: x t -> r0 t, reads x column(t)", "multiply: r0 t -> r1, reads r0 column(t)"}},
		"the same view of one shape": {func(g *graph) {
			x := g.input("x", 2)
			e, t := g.of("exp", x), g.turned(x)
			a := g.of("exp", t)
			g.returns(a, g.of("add", g.turned(e), a), e)
		}, []string{"exp: x -> r2", "exp add: x r2 -> r0 r1, reads turned(x) turned(r2)"}},
		"a view of what a loop leaves": {func(g *graph) {
			x := g.input("x", 2)
			e := g.of("exp", x)
			g.returns(g.of("add", g.turned(e), e))
		}, []string{"exp: x -> t", "add: t -> r0, reads turned(t) t"}},
		"a view that the caller gets, or C looks at": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 1)
			t, c := g.turned(x), g.column(y)
			g.returns(g.of("exp", t), t, g.of("add", c, x), g.sizes(c))
		}, []string{"turned: x -> r1", "column: y -> t", "exp: r1 -> r0", "add: t x -> r2", "sizes: t -> r3"}},
		"a view that is written over": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 2)
			a := g.of("add", g.turned(g.of("exp", x)), y)
			g.over(0)
			g.returns(a)
		}, []string{"exp: x -> t", "turned: t -> t", "add: t y -> r0, 0 over 0"}},
		"a view that might be written over, were it not smaller": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 1)
			a := g.of("add", g.column(g.of("exp", y)), x)
			g.over(0)
			g.returns(a)
		}, []string{"exp: y -> t", "add: x t -> r0, reads column(t) x"}},
		"a view that would be written over, were it not folded": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 2)
			a := g.of("add", g.turned(g.of("exp", x)), y)
			g.over(0)
			g.returns(g.sum(a, false, 0))
		}, []string{"exp: x -> t", "add sum: y t -> r0, reads turned(t) y"}},
		"what ends a fold": {func(g *graph) {
			x, n, m := g.input("x", 2), g.input("n", 0), g.input("m", 0)
			s := g.sum(x, false, 1)
			g.returns(g.of("sqrt", g.of("divide", s, g.of("subtract", n, m))), s)
		}, []string{"sum subtract divide sqrt: x n m -> r1 r0"}},
		"of two folds": {func(g *graph) {
			x := g.input("x", 2)
			s, q := g.sum(x, true, 0), g.sum(g.of("multiply", x, x), true, 0)
			g.returns(g.of("divide", q, g.of("multiply", s, s)))
		}, []string{"sum multiply divide: x -> r0"}},
		"a number that others want does not end it": {func(g *graph) {
			x, n, m := g.input("x", 2), g.input("n", 0), g.input("m", 0)
			d := g.of("subtract", n, m)
			g.returns(g.of("divide", g.sum(x, false, 1), d), d)
		}, []string{"subtract: n m -> r1", "sum divide: x r1 -> r0"}},
		"what has elements of its own does not": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 1)
			g.returns(g.of("divide", g.sum(x, false, 1), y))
		}, []string{"sum: x -> t", "divide: t y -> r0"}},
		"a function does not": {func(g *graph) {
			g.returns(g.of("negative", g.of("exp", g.sum(g.input("x", 2), false, 1))))
		}, []string{"sum: x -> t", "exp negative: t -> r0"}},
		"no way leads round": {func(g *graph) {
			x := g.input("x", 1)
			a := g.of("exp", x)
			g.returns(g.of("add", a, g.of("multiply", g.sum(a, false, 0), x)))
		}, []string{"exp sum: x -> t t", "multiply add: t x t -> r0"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t)
			test.build(g)
			assert.Equal(t, test.want, g.fused())
		})
	}
}

// sizes applies C that looks at nothing but shapes.
func (g *graph) sizes(inputs ...int) int {
	out := g.variable(0, RoleTemporary, "")
	k := Kernel{Label: "sizes", Lang: C, Version: "1", ShapeOnly: true, Outputs: []int{g.typ(0)}}
	k.Texts[Code] = []string{"/* of shapes */"}
	for i, v := range slices.Concat(inputs, []int{out}) {
		if v != out {
			k.Inputs = append(k.Inputs, g.p.Variables[v].Type)
		}
		k.Declares = append(k.Declares, strings.ReplaceAll(g.plain.Text(Declare), variableToken, variableName(i)))
	}
	g.p.Kernels = append(g.p.Kernels, k)
	g.p.Steps = append(g.p.Steps, Step{Kernel: len(g.p.Kernels) - 1, Inputs: inputs, Outputs: []int{out}})
	return out
}

// What looks at nothing but a shape looks at where that comes from, so that what lies between need not be there; but not where it
// would have to run before what it waits for.
func TestShapesAreReadAtTheirRoots(t *testing.T) {
	g := newGraph(t)
	x := g.input("x", 1)
	e := g.of("exp", g.of("multiply", x, x))
	g.returns(g.of("add", e, e), g.sizes(e))
	assert.Equal(t, []string{"multiply exp add: x -> r0", "sizes: x -> r1"}, g.fused())

	g = newGraph(t)
	x = g.input("x", 1)
	v := g.of("exp", x)
	a := g.of("negative", x)
	g.over(0)
	g.returns(g.sizes(v, g.sum(a, true, 0)))
	assert.Contains(t, g.fused(), "sizes: t t -> r0")
}

// Random graphs: whatever becomes of them is a Program that holds, each result is made once, and a plan can be made of it.
func TestFusedProgramsHold(t *testing.T) {
	for seed := range int64(300) {
		g, r := newGraph(t), rand.New(rand.NewSource(seed))
		values := []int{g.input("x", 2), g.input("y", 2), g.input("v", 1), g.input("s", 0)}
		for range 3 + r.Intn(25) {
			values = append(values, g.random(r, values))
		}
		g.returns(values[len(values)-1-r.Intn(3):]...)
		typed, err := g.p.Check()
		require.NoError(t, err)
		fused, err := typed.fused()
		require.NoError(t, err, "seed %d", seed)
		for i := range fused.Program.Kernels {
			if fused.Program.Kernels[i].Structure == nil {
				continue
			}
			s := *fused.Program.Kernels[i].Structure
			s.Scalars, s.Spread = nil, nil
			fused.Program.Kernels[i].Structure = &s
		}
		_, err = fused.Program.Check()
		through := slices.ContainsFunc(fused.Groups, func(g *Group) bool { return g != nil && len(g.Views) > 0 })
		if err != nil && !through { // two kernels may differ only in what stands outside of Program
			require.Contains(t, err.Error(), "equal applies share one kernel", "seed %d", seed)
		}
		_, err = NewPlan(Alone(g.p), []*Typed{fused})
		require.NoError(t, err, "seed %d", seed)
	}
}

func (g *graph) random(r *rand.Rand, values []int) int {
	pick := func() int { return values[r.Intn(len(values))] }
	v := pick()
	switch n := g.ndim(v); {
	case n == 2 && r.Intn(5) == 0:
		return []func(int) int{g.turned, g.flat}[r.Intn(2)](v)
	case n == 1 && r.Intn(5) == 0:
		return g.column(v)
	case n > 0 && r.Intn(4) == 0:
		return g.sum(v, r.Intn(2) == 0, r.Intn(n))
	case r.Intn(3) == 0:
		return g.of([]string{"exp", "negative", "sqrt"}[r.Intn(3)], v)
	}
	return g.of([]string{"add", "multiply", "divide"}[r.Intn(3)], v, pick())
}

// What loops make of what they read through views has the shape of the views, the same of the same ones.
func TestShapesOfWhatIsReadThroughViews(t *testing.T) {
	g := newGraph(t)
	x, y := g.input("x", 2), g.input("y", 2)
	e, s, v := g.of("exp", g.turned(x)), g.of("sqrt", g.turned(x)), g.of("exp", g.column(g.flat(y)))
	g.returns(g.of("exp", x), e, s, g.of("add", g.turned(e), x), v)
	typed, err := g.p.Check()
	require.NoError(t, err)
	fused, err := typed.fused()
	require.NoError(t, err)
	order, err := fused.order()
	require.NoError(t, err)
	shapes := newShapes(fused, order)
	of := map[string]roots{}
	for i := range fused.Variables {
		of[fused.Variables[i].Name] = shapes.roots[i]
	}
	assert.Equal(t, of["x"], of["r0"])
	assert.Equal(t, of["r1"], of["r2"])
	assert.NotEqual(t, of["r0"], of["r1"])
	assert.Len(t, of["r3"], 2)
	assert.NotContains(t, []roots{of["x"], of["y"], of["r1"]}, of["r4"])
}

// The loop of a node that stays alone knows which of its inputs are numbers, where there are more than two.
func TestNumbersOfANodeAlone(t *testing.T) {
	for _, c := range []struct{ dims, scalars []int }{
		{[]int{2, 0, 0}, []int{1, 2}}, {[]int{0, 1, 2}, []int{0}}, {[]int{2, 2, 2}, nil}, {[]int{0, 0, 0}, nil}, {[]int{2, 0}, nil},
	} {
		g := newGraph(t)
		var inputs []int
		for i, ndim := range c.dims {
			inputs = append(inputs, g.input(string(rune('a'+i)), ndim))
		}
		body := []Instruction{{Op: "maximum", Args: []int{0, 1}, DType: "float64"}}
		if len(inputs) > 2 {
			body = append(body, Instruction{Op: "minimum", Args: []int{3, 2}, DType: "float64"})
		}
		s := &Structure{Body: body, Outputs: []Sink{{Value: len(inputs) + len(body) - 1}}}
		g.returns(g.step("clip", s, slices.Max(c.dims), inputs...))
		typed, err := g.p.Check()
		require.NoError(t, err)
		fused, err := typed.fused()
		require.NoError(t, err)
		require.Len(t, fused.Kernels, 1)
		assert.Equal(t, c.scalars, fused.Kernels[0].Loop.Scalars, c.dims)
	}
}
