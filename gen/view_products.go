package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
)

// products writes the elements once more for the strides with which most divisors are one number, and tells for which strides that
// holds; nil: for none. most: the instructions that divide so.
func (b *body) products(l *Loop, strides [][]int) (most []int, lines []LineView, holds []bool) {
	for _, s := range strides {
		if found := l.divides(s); len(found) > len(most) {
			most = found
		}
	}
	if most == nil {
		return nil, nil, make([]bool, len(strides))
	}
	again := &body{name: b.name, l: b.l, over: most}
	again.element(l)
	b.helpers = append(b.helpers, again.helpers...)
	holds = make([]bool, len(strides))
	for i, s := range strides {
		holds[i] = slices.Equal(l.divides(s), most)
	}
	return most, again.lines, holds
}

// quotients are the elements of a loop that folds where some divisors are one number each throughout a run: these elements by products,
// and for which strides that holds.
type quotients struct {
	lines []LineView
	holds []bool
}

// quotients finds them. What a block gives is computed again where something was out of range, so its accumulators may hold nothing
// before: columns side by side are then folded row by row, not several rows at once.
func (b *body) quotients(l *Loop, v *LoopView, near [][]int) (q quotients) {
	if !v.Members && !l.scans() && !slices.ContainsFunc(l.Folds, Fold.members) {
		v.most, q.lines, q.holds = b.products(l, near)
	}
	return q
}

// divide has a fold use them. Numbers are copies there, which a compiler knows nothing is written over: it takes their inverses once.
func (f *FoldView) divide(inputs []OperandView, near [][]int, q quotients) {
	if q.lines == nil {
		return
	}
	f.SteadyArgs = f.Args + ", 1"
	for i, o := range inputs {
		moves := false
		for j, strides := range near {
			moves = moves || q.holds[j] && strides[i] != 0
		}
		if !moves {
			f.Steady = append(f.Steady, o)
			f.SteadyArgs = strings.Replace(f.SteadyArgs, fmt.Sprintf("opw_p%d, opw_s%d, opw_t%d", i, i, i), fmt.Sprintf("opw_held%d, 0, 0", i), 1)
		}
	}
	for i := range f.Ways {
		w := &f.Ways[i]
		for j := range w.Close {
			if w.Name == "beside" || q.holds[j] { // side by side is where they hold
				w.Close[j].Quotients, w.Close[j].Products = fmt.Sprintf("quotients%d", j), w.Close[j].Args+", 1"
			}
		}
	}
	f.more(", int opw_quotients", ", opw_quotients", ", 0")
}

// lying gives strides of which only those of outputs and of numbers are known, some of those that hold: where operands are numbers as
// a rule, those; else the first.
func (l *Loop) lying(operands []OperandView, all [][]int, holds []bool) []int {
	at := slices.Index(holds, true)
	for i := range l.close(operands) {
		if holds[i] {
			at = i
		}
	}
	strides := slices.Clone(all[at])
	for i := range l.Inputs {
		if strides[i] != 0 {
			strides[i] = anyhow
		}
	}
	return strides
}

// quotient divides by a product.
func (b *body) quotient(in *TypedInstruction) {
	out := in.Makes[0]
	c := scalar.Over(out, valueName(in.Args[0]), valueName(in.Args[1]))
	text, name := b.use(c), b.next()
	b.line("const %s %s = %s;", out.Value, name, text)
}
