package gen

import (
	"fmt"
	"slices"
)

// ChainView is loops of a function that may run row by row.
type ChainView struct {
	C, Linkage             string
	First                  int // entry of the table of steps
	Lanes, Block           int // elements of a row that are computed at once; of a block of those that are folded
	Loops                  []ChainLoopView
	Folds, Stores, Columns []ChainLoopView // those of Loops that go over rows, and those that go over one element of each
	Delays                 string          // of each loop, how many rows it is behind the first
	Alone                  string          // whether it goes over one element of each row
	Products               bool            // some divide by products
}

// ChainLoopView is one of these.
type ChainLoopView struct {
	*LoopView
	Place                  int           // among them
	Rows, Columns, Numbers []OperandView // what has elements in a row; one for each row; one for all
	Args                   string        // the operands, where a row of theirs is
	Steady                 string        // a bit for each input of one element a row or fewer
	Written                OperandView   // the output of a loop of stores that begins its lines
	Products               bool          // its elements are divided by products
}

// chains names the chains of a function.
func (v *functionViewer) chains() {
	for i, c := range v.of.Chains {
		w := ChainView{C: fmt.Sprintf("%s_chain%d", v.w.C, i), First: c.first, Linkage: "static", Block: pairwiseBlock}
		if v.plan.Parts {
			w.Linkage = "OPW_SHARED"
		}
		var alone, delays []int
		for place, one := range c.loops {
			lv := v.chained(place, &one)
			w.Loops, w.Products = append(w.Loops, lv), w.Products || lv.Products
			alone, delays = append(alone, 0), append(delays, one.delay)
			switch {
			case one.alone:
				alone[place], w.Columns = 1, append(w.Columns, lv)
			case lv.Fold != nil:
				w.Lanes, w.Folds = lv.Fold.Lanes, append(w.Folds, lv)
			default:
				lv.Written = lv.Operands[lv.Inputs]
				w.Stores = append(w.Stores, lv)
			}
		}
		w.Alone, w.Delays = numbers(alone), numbers(delays)
		v.w.Chains = append(v.w.Chains, w)
	}
}

// chained names one of its loops.
func (v *functionViewer) chained(place int, one *chained) ChainLoopView {
	l, lv := v.plan.loopOf(one.loop), v.view.Table[one.loop]
	w := ChainLoopView{LoopView: lv, Place: place, Steady: mask(slices.Concat(one.columns, one.numbers))}
	strides := make([]int, len(lv.Operands))
	for i, o := range lv.Operands {
		switch {
		case slices.Contains(one.numbers, i):
			w.Numbers = append(w.Numbers, o)
		case slices.Contains(one.columns, i):
			w.Columns = append(w.Columns, o)
		case one.alone || i >= lv.Inputs+len(l.stored()):
		default:
			w.Rows, strides[i] = append(w.Rows, o), o.Size
		}
		at := fmt.Sprintf("opw_p%d_%d", place, i)
		if one.alone && i >= lv.Inputs {
			at = fmt.Sprintf("opw_ps[%d][%d] + opw_row * opw_ts[%d][%d]", place, i, place, i)
		}
		if w.Args += fmt.Sprintf(", %s, %d", at, strides[i]); l.folds() {
			w.Args += ", 0"
		}
	}
	w.Products = lv.most != nil && !one.alone && slices.Equal(l.divides(strides), lv.most)
	switch {
	case !l.folds() || lv.most == nil:
	case w.Products:
		w.Args += ", OPW_DIVIDES"
	default:
		w.Args += ", 0"
	}
	return w
}
