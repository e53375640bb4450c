package gen

import (
	"fmt"
	"slices"

	"opweld/gen/scalar"
)

// CloseStores is statements at the end, and the test for them.
type CloseStores struct {
	Test   string
	Stores []string
}

// closeColumns are as many as are worth writing what ends them out for vectors.
const closeColumns = 8

// accumulator names the one that an output is left by.
func (l *Loop) accumulator(out LoopOutput) string {
	first := 0
	for _, fold := range l.Folds[:out.Fold] {
		first += len(fold.Accs)
	}
	return fmt.Sprintf("opw_a%d", first+out.Value)
}

// leaving is the first operand of those that folds leave: behind the inputs, what is stored, and an element's place.
func (l *Loop) leaving() int {
	first := len(l.Inputs) + len(l.stored())
	if l.indexed() {
		first++
	}
	return first
}

// leaves writes what folds leave of a column: acc is where its accumulators are, a format; near: columns' outputs lie close.
func (b *body) leaves(l *Loop, acc string, near bool) []string {
	var found []string
	for i, at := range l.folded() {
		out := l.Outputs[at]
		value, stride := valueName(out.Value), fmt.Sprintf("opw_t[%d]", l.leaving()+i)
		if !out.Ended {
			value = b.found(&l.Folds[out.Fold], out.Value, fmt.Sprintf(acc, l.accumulator(out)))
		}
		if near {
			stride = fmt.Sprint(out.Type.Size)
		}
		found = append(found, b.use(out.Type.Store(fmt.Sprintf("opw_p[%d] + opw_j * %s", l.leaving()+i, stride), value)))
	}
	return found
}

// found is what a fold's accumulator comes to.
func (b *body) found(fold *Fold, value int, acc string) string {
	if !fold.Plus {
		return acc
	}
	both := []scalar.Type{fold.Combined[value], fold.Combined[value]}
	return b.use(scalar.Of(fold.Op, both, both[0], []string{acc, b.use(fold.Identity[value])}))
}

// ending writes what is computed where folds end: the inputs that this reads, then accumulators, acc being where they are, and the rest.
func (b *body) ending(l *Loop, acc string) (given, lines []string) {
	if len(l.Ending) == 0 {
		return nil, nil
	}
	inner := &body{name: b.name}
	name := func(to *[]string, t scalar.Type, text func() string) {
		v := inner.next()
		if slices.ContainsFunc(l.Ending, func(in TypedInstruction) bool { return slices.Contains(in.Args, inner.values-1) }) {
			*to = append(*to, fmt.Sprintf("const %s %s = %s;", t.Value, v, text()))
		}
	}
	for i, t := range l.Inputs {
		name(&given, t, func() string { return b.use(t.Load(fmt.Sprintf("opw_p[%d]", i))) })
	}
	first := len(l.Inputs)
	for i := range l.Folds {
		for j, t := range l.Folds[i].Accs {
			member := fmt.Sprintf("opw_a%d", inner.values-first)
			name(&lines, t, func() string { return b.found(&l.Folds[i], j, fmt.Sprintf(acc, member)) })
		}
	}
	inner.instructions(l.Ending)
	b.helpers = append(b.helpers, inner.helpers...)
	for _, line := range inner.lines {
		lines = append(lines, line.Text)
	}
	return given, lines
}
