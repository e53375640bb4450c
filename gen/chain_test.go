package gen

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chained gives the chains of a graph, as text: of each loop its label, how many rows it is behind, and what it has of each row.
func (g *graph) chained() [][]string {
	typed, err := g.p.Check()
	require.NoError(g.t, err)
	fused, err := typed.fused()
	require.NoError(g.t, err)
	plan, err := NewPlan(Alone(g.p), []*Typed{fused})
	require.NoError(g.t, err)
	var found [][]string
	for _, c := range plan.Functions[0].Chains {
		var lines []string
		for _, one := range c.loops {
			kind := "rows"
			if one.alone {
				kind = "alone"
			}
			label := plan.Kernels[plan.Loops[one.loop].Kernel].Label
			lines = append(lines, fmt.Sprintf("%s: %s, %d behind, columns %v, numbers %v", label, kind, one.delay, one.columns, one.numbers))
			assert.NotEqual(g.t, AmongOps, plan.Loops[plan.Loops[one.loop].Shares].Place)
		}
		found = append(found, lines)
	}
	return found
}

func TestChains(t *testing.T) {
	for name, test := range map[string]struct {
		build func(g *graph)
		want  [][]string
	}{
		"rows that are centred": {func(g *graph) {
			x, n := g.input("x", 2), g.input("n", 0)
			g.returns(g.of("subtract", x, g.of("sqrt", g.of("divide", g.sum(x, true, 1), n))))
		}, [][]string{{
			"sum divide sqrt: rows, 0 behind, columns [], numbers [1]",
			"subtract: rows, 2 behind, columns [1], numbers []",
		}}},
		"of what two loops have folded": {func(g *graph) {
			x := g.input("x", 2)
			s := g.sum(x, true, 1)
			g.returns(g.of("subtract", x, g.of("divide", g.sum(g.of("subtract", x, s), true, 1), s)))
		}, [][]string{{
			"sum: rows, 0 behind, columns [], numbers []",
			"subtract sum: rows, 2 behind, columns [1], numbers []",
			"divide: alone, 2 behind, columns [0 1], numbers []",
			"subtract: rows, 4 behind, columns [1], numbers []",
		}}},
		"rows that are folded again, and a sum that is not kept": {func(g *graph) {
			x := g.input("x", 2)
			mean := g.column(g.sum(x, false, 1))
			g.returns(g.sum(g.of("subtract", x, mean), false, 1))
		}, [][]string{{
			"sum: rows, 0 behind, columns [], numbers []",
			"subtract sum: rows, 2 behind, columns [1], numbers []",
		}}},
		"what follows the last row is by itself": {func(g *graph) {
			x := g.input("x", 2)
			s := g.sum(g.of("subtract", x, g.sum(x, true, 1)), true, 1)
			g.returns(g.of("exp", s))
		}, [][]string{{
			"sum: rows, 0 behind, columns [], numbers []",
			"subtract sum: rows, 2 behind, columns [1], numbers []",
		}}},
		"another axis": {func(g *graph) {
			x := g.input("x", 2)
			g.returns(g.of("subtract", x, g.sum(x, true, 0)))
		}, nil},
		"both axes": {func(g *graph) {
			x := g.input("x", 2)
			g.returns(g.of("subtract", x, g.sum(x, true, 0, 1)))
		}, nil},
		"a vector": {func(g *graph) {
			x := g.input("x", 1)
			g.returns(g.of("subtract", x, g.sum(x, true, 0)))
		}, nil},
		"a loop in stages": {func(g *graph) {
			x := g.input("x", 2)
			g.returns(g.of("exp", g.of("subtract", x, g.sum(x, true, 1))))
		}, nil},
		"nobody reads the rows again": {func(g *graph) {
			x := g.input("x", 2)
			g.returns(g.of("sqrt", g.sum(x, true, 1)))
		}, nil},
		"nobody reads what is folded": {func(g *graph) {
			x, y := g.input("x", 2), g.input("y", 2)
			g.returns(g.sum(x, true, 1), g.of("subtract", y, x))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t)
			test.build(g)
			assert.Equal(t, test.want, g.chained())
		})
	}
}
