package gen

import (
	"slices"

	"opweld/gen/scalar"
)

// ProductsView is the elements of a loop of stores where some divisors are one number each throughout: divided by products, as the
// helper "over" does, which notes in Far that a dividend is not for that.
type ProductsView struct {
	Lines []LineView
	Far   []FarView
}

// FarView is a mark for numbers of one size.
type FarView struct {
	Name, Type string
	Top        int // the bit that counts
}

// products writes the elements once more for the strides with which most divisors are one number, and tells for which strides that
// holds; nil: for none.
func (b *body) products(l *Loop, strides [][]int) (*ProductsView, []bool) {
	var most []int
	for _, s := range strides {
		if found := l.divides(s); len(found) > len(most) {
			most = found
		}
	}
	if most == nil {
		return nil, make([]bool, len(strides))
	}
	again := &body{name: b.name, l: b.l, over: most}
	again.element(l)
	b.helpers = append(b.helpers, again.helpers...)
	v := &ProductsView{Lines: again.lines}
	for _, i := range most {
		far := farOf(l.Body[i].Makes[0])
		if !slices.Contains(v.Far, far) {
			v.Far = append(v.Far, far)
		}
	}
	holds := make([]bool, len(strides))
	for i, s := range strides {
		holds[i] = slices.Equal(l.divides(s), most)
	}
	return v, holds
}

func farOf(t scalar.Type) FarView {
	form := t.Form()
	return FarView{"opw_far_" + t.Suffix, form.Unsigned, form.Top}
}

// quotient divides by a product.
func (b *body) quotient(in *TypedInstruction) {
	out := in.Makes[0]
	c := scalar.Over(out, valueName(in.Args[0]), valueName(in.Args[1]), farOf(out).Name)
	text, name := b.use(c), b.next()
	b.line("const %s %s = %s;", out.Value, name, text)
}
