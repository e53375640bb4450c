package gen

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// explained gives what is said of a graph's steps: loops, and why others are apart.
func (g *graph) explained() ([][]int, []string) {
	found, err := g.p.Explain()
	require.NoError(g.t, err)
	var apart []string
	for _, p := range found.Apart {
		apart = append(apart, fmt.Sprintf("%d %d %s", p.From, p.To, p.Why))
	}
	return found.Loops, apart
}

// inPython has Python run the last step.
func (g *graph) inPython(made int) int {
	k := &g.p.Kernels[g.p.Steps[len(g.p.Steps)-1].Kernel]
	k.Perform, k.Structure = true, nil
	return made
}

// A step that two loops repeat is in both, and why it is apart from what it reads is said once.
func TestExplainWhatIsRepeated(t *testing.T) {
	g := newGraph(t)
	x := g.input("x", 2)
	d := g.of("subtract", x, g.sum(x, true, 1))
	g.returns(g.of("multiply", d, g.sum(g.of("multiply", d, d), true, 1)))
	loops, apart := g.explained()
	assert.Equal(t, [][]int{{0}, {1, 2, 3}, {1, 4}}, loops)
	const folded = "one loop would read what a fold leaves before that is there"
	assert.Equal(t, []string{"0 1 " + folded, "3 4 " + folded}, apart)
}

// Why of each kind of obstacle.
func TestExplainObstacles(t *testing.T) {
	for why, build := range map[string]func(g *graph) int{
		"one loop would store, or compute again and again, a value of fewer dimensions": func(g *graph) int {
			return g.of("add", g.of("exp", g.input("x", 1)), g.input("y", 2))
		},
		"sum runs in Python": func(g *graph) int {
			x := g.input("x", 2)
			return g.of("subtract", x, g.inPython(g.sum(x, true, 1)))
		},
		"what a loop reads through a view is there before it begins": func(g *graph) int {
			return g.of("add", g.turned(g.of("exp", g.input("x", 2))), g.input("y", 2))
		},
		"turned makes an array: more than loops look at it, or it is written over": func(g *graph) int {
			t := g.turned(g.input("x", 2))
			return g.of("add", t, g.sizes(t))
		},
		"something between them has to run apart": func(g *graph) int {
			a := g.of("exp", g.input("x", 2))
			return g.of("subtract", a, g.inPython(g.sum(a, true, 1)))
		},
	} {
		g := newGraph(t)
		g.returns(build(g))
		_, apart := g.explained()
		assert.True(t, slices.ContainsFunc(apart, func(told string) bool { return told[4:] == why }), "%s: %s", why, apart)
	}
}

// chains gives as many loops, each of one more node than the one before it.
func (g *graph) chains(loops int, ops ...string) {
	var results []int
	for n := range loops {
		v := g.input(fmt.Sprint("x", n), 1)
		for i := range n + 2 {
			v = g.of(ops[(n+i)%len(ops)], v)
		}
		results = append(results, v)
	}
	g.returns(results...)
}

// Groups that are given up for the sake of the build say so.
func TestExplainWhatWouldTakeLongToBuild(t *testing.T) {
	g := newGraph(t)
	g.chains(40, "absolute", "sign", "sqrt")
	_, apart := g.explained()
	require.NotEmpty(t, apart)
	for _, told := range apart {
		assert.Contains(t, told, "so many different loops of several nodes would make the build take long")
	}
}

// Where functions are called, what repeats is compiled once, and costs little.
func TestWhatRepeatsBetweenCallsIsNotGivenUp(t *testing.T) {
	g := newGraph(t)
	g.chains(25, "exp", "negative", "sqrt")
	_, apart := g.explained()
	assert.Empty(t, apart)
}

// The head of the unit says where the C of each step is.
func TestTheHeadOfAUnitNamesTheStepsOfALoop(t *testing.T) {
	g := newGraph(t)
	x, y := g.input("x", 2), g.input("y", 2)
	g.returns(g.of("add", g.of("exp", x), y))
	typed, err := g.p.Check()
	require.NoError(t, err)
	fused, err := typed.fused()
	require.NoError(t, err)
	plan, err := NewPlan(Alone(g.p), []*Typed{fused})
	require.NoError(t, err)
	v := NewView(plan)
	require.Len(t, v.Table, 3)
	assert.Equal(t, []string{
		v.Table[0].L + ": one loop of Program's steps",
		"    0 exp, 1 add",
		"  where shapes differ, one after the other:",
		"    " + v.Table[1].L + ": steps 0",
		"    " + v.Table[2].L + ": steps 1",
	}, v.Summary[1:6])
}
