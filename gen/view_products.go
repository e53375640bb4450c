package gen

import (
	"slices"

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
