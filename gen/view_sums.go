package gen

import (
	"slices"

	"opweld/gen/scalar"
)

// What compilers make one vector of, without a look at its elements; and what takes them longer one by one than put together first,
// larger where there are several or more accumulators than registers. And what comes to the same in any order, of integers.
var (
	arithmetic = []string{OpConstant, "add", "subtract", "multiply", "negative", "square", "absolute", "sqrt"}
	rounding   = []string{"floor", "ceil", "trunc", "rint"}
	larger     = []string{"maximum", "minimum"}
	unordered  = []string{"add", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"}
)

// sums has the n accumulators of sums that take turns stay in registers: each in its own, or all in one.
func (f *FoldView) sums(l *Loop, n int) {
	f.Apart = !slices.ContainsFunc(l.Folds, func(fold Fold) bool { return !fold.Pairwise }) && l.uses(rounding) == 0 &&
		l.uses(larger) <= lanesLeast/n
	f.Sums = f.Apart && l.plain()
	f.Many = n > lanesLeast
}

// uses is how many of these operations an element takes.
func (l *Loop) uses(ops []string) (n int) {
	for _, in := range l.Body {
		if slices.Contains(ops, in.Op) {
			n++
		}
	}
	return n
}

// plain tells whether what is folded is arithmetic of float32 or float64 alone: a vector of it is made at once, and not in parts that
// are as wide as what is narrower.
func (l *Loop) plain() bool {
	t := l.Folds[0].Accs[0]
	other := func(o scalar.Type) bool { return o.Name != t.Name || o.Class != 'f' || o.Size > 8 }
	for _, in := range l.Body {
		if !slices.Contains(arithmetic, in.Op) || slices.ContainsFunc(in.Makes, other) {
			return false
		}
	}
	return !slices.ContainsFunc(l.Inputs, other) && !slices.ContainsFunc(l.Folds, func(f Fold) bool { return other(f.Accs[0]) })
}

// whole tells whether folds are of integers, which come to the same in any order.
func (l *Loop) whole() bool {
	return !l.scans() && !l.indexed() && !slices.ContainsFunc(l.Folds, func(f Fold) bool {
		return !slices.Contains(unordered, f.Op) || slices.ContainsFunc(f.Accs, func(t scalar.Type) bool { return t.Class != 'i' && t.Class != 'u' })
	})
}
