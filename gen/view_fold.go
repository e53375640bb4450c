package gen

import (
	"fmt"
	"slices"
)

// FoldView is how elements become one, for a loop that folds.
type FoldView struct {
	Accumulators       []string // C types
	Begin              []string // values of an element with which they begin
	Folds              []CombineView
	Starts             []CombineView // those that begin with something else than the first element
	Scans, Stores      []string      // statements: after each element; at the end
	Given              []string      // before those at the end: the numbers that they read
	Close              *CloseStores  // the same as Stores, of columns whose outputs lie close; nil: these are nothing by themselves
	Ends               []string      // Given and Stores of a row's accumulators by themselves
	Identity           []string
	Settled            []string // of each accumulator, how it is told that no element can change it; nil: it is not asked
	Told               string   // how combining is told of the node at fault, where folds that may fail are of several nodes
	Walk               string   // how the folding of a run begins to be called
	Indexed            int      // 1: an element's place is asked for
	Lanes              int      // accumulators that take turns in a column; 0: there is one
	Held               []string // what has as many in registers: declarations
	First              []string // statements that put them there
	Halves             []HalfView
	Sets               []SetView
	Together           bool // elements of a column are folded in pairs before they meet the accumulators
	Anyhow             bool // also where columns do not lie close
	Asks               bool // side by side, row by row, they ask for what comes
	Apart              bool // a column whose elements lie apart has accumulators that are written out
	Sums               bool // those of a column whose elements lie close are a vector
	Many               bool // more take turns than a processor keeps account of places that are read
	Pairwise           int  // elements of a block of a column; 0: it is folded from its begin to its end
	Chunk, ColumnChunk int
	Wide               int    // 1: as the runtime has it: several rows at once, a long column as if it were several
	Alone              string // bytes of a column's accumulator where it has one; 0: it has several
	Axes, Name         string
	KeepDims           int
	Kinds              []string // of each output
	Params, Args       string   // the operands as parameters, and as what is passed on
	Ways               []WayView
	Quotients          []LineView    // an element where some divisors are one number each throughout, divided by products; nil: there are none
	Steady             []OperandView // operands that are one number wherever there are quotients
	SteadyArgs         string        // the operands of a run, those as copies
}

// HalfView is how accumulators that take turns become half as many, N: statements that take them from registers, and put what is
// left there.
type HalfView struct {
	N          int
	Take, Hold []string
}

// SetView is several sets of accumulators; Most: how many, at most.
type SetView struct{ Name, Most string }

// WayView is how columns are folded: one after the other or side by side. Stride: of the operands, what tells whether they lie
// close; Close: those for which the text is written out; Any: the operands, as they lie.
type WayView struct {
	Name, Stride string
	Close        []CloseView
	Any          string
	Run          string // how many elements are folded one after the other, or side by side
}

// CloseView is operands whose strides are known, from element to element or from column to column; anyhow: it is not.
type CloseView struct {
	Strides   []int
	Known     []KnownView
	Args      string
	Quotients string // what has quotients is called; empty: divisors are not one number each
	Products  string // its operands
}

// KnownView is an operand whose stride is known.
type KnownView struct{ Index, Stride int }

const anyhow = -1

// known gives the stride of an operand, and notes that it is known; where it is not, its name.
func (c *CloseView) known(i int, name string) string {
	if c.Strides[i] == anyhow {
		return name
	}
	c.Known = append(c.Known, KnownView{i, c.Strides[i]})
	return fmt.Sprint(c.Strides[i])
}

// near gives the strides for which the folding of a run is written out. Of a loop that is run in stages what is read before the last
// part lies close when that comes.
func (l *Loop) near(v *LoopView) [][]int {
	if v.Staged == nil {
		return l.close(v.Operands)
	}
	if len(v.Staged.rest) == 0 {
		return nil
	}
	var found [][]int
	for _, strides := range l.written(v.Operands) {
		for i := range strides {
			if !slices.Contains(v.Staged.rest, i) {
				strides[i] = anyhow
			}
		}
		if !slices.ContainsFunc(found, func(have []int) bool { return slices.Equal(have, strides) }) {
			found = append(found, strides)
		}
	}
	return found
}

// CombineView is the accumulators of one fold.
type CombineView struct {
	First   []string // statements that name one set, and the other
	Start   []string // or that name what a run begins with, and the accumulators
	Lines   []LineView
	Results []string // statements
}

// fold names what a loop's folds need; v has the operands.
func (b *body) fold(l *Loop, v *LoopView) *FoldView {
	f := &FoldView{Axes: mask(l.Axes), Name: "NULL"}
	first := 0
	for i := range l.Folds {
		fold := &l.Folds[i]
		c := b.combine(fold, first)
		if f.Folds = append(f.Folds, c); fold.Starts {
			f.Starts = append(f.Starts, c)
		}
		for j, t := range fold.Accs {
			f.Accumulators = append(f.Accumulators, t.Value)
			f.Begin = append(f.Begin, valueName(fold.Values[j]))
		}
		if fold.Identity == nil && f.Name == "NULL" {
			f.Name = cString(fold.Op)
		}
		for _, c := range fold.Identity {
			f.Identity = append(f.Identity, b.use(c))
		}
		first += len(fold.Accs)
	}
	if len(f.Identity) < len(f.Accumulators) {
		f.Identity = nil
	}
	f.Settled = l.settled()
	if l.pairwise() {
		f.Pairwise, f.Chunk, f.ColumnChunk = pairwiseBlock, pairwiseRun, pairwiseColumn
	}
	f.Sets, f.Alone = []SetView{{"columns", b.l + "_width"}}, "0"
	if len(f.Accumulators) == 1 {
		f.Sets[0].Most, f.Alone = "OPW_FAR_COLUMNS", "sizeof("+b.l+"_acc)"
	}
	near := l.near(v)
	q := b.quotients(l, v, near)
	f.Quotients = q.lines
	n := l.lanes()
	if n > 0 {
		f.lanes(l, b.l, n)
	}
	if n > 0 || f.Settled == nil && l.whole() {
		f.together(l, n)
	}
	if l.KeepDims {
		f.KeepDims = 1
	}
	b.sinks(l, f)
	if f.pass(v.Operands, near, max(0, slices.Index(q.holds, true))); l.indexed() {
		f.place(len(v.Operands))
	}
	if v.Members {
		f.member()
	}
	if slices.ContainsFunc(l.Folds, Fold.members) {
		f.Told = ", opw_member"
	}
	if v.Staged != nil {
		f.Pairwise = stageBlock
		f.more(", "+b.l+"_wait *opw_b", ", opw_b", ", &opw_block")
	}
	f.divide(v.Operands[:v.Inputs], near, q)
	how := ""
	if f.Lanes > 0 {
		how = "opw_how, "
	}
	if f.Walk = "run(" + how + "opw_n"; f.Pairwise > 0 {
		f.Walk = "runs(" + how + "opw_n"
	}
	return f
}

// lanes has n accumulators take turns.
func (f *FoldView) lanes(l *Loop, name string, n int) {
	f.Lanes, f.Sets = n, append(f.Sets, SetView{"lanes", fmt.Sprint(n)})
	take := f.hold(l, n, &f.First)
	for half := n / 2; half > 0; half /= 2 {
		h := HalfView{N: half, Take: take}
		if take = f.hold(l, half, &h.Hold); half == 1 {
			h.Hold = []string{name + "_lanes_get(&opw_r, 0, opw_all);"}
		}
		f.Halves = append(f.Halves, h)
	}
}

// together has several elements of a column folded before they meet its accumulators.
func (f *FoldView) together(l *Loop, lanes int) {
	if l.cost() > togetherCost || l.fails() || l.staged() || f.Quotients != nil {
		return
	}
	f.Together, f.Anyhow, f.Wide = true, lanes > 0 && l.cost() < dear, 1
	if lanes > 0 {
		f.sums(l, lanes)
	}
	f.Asks = f.ColumnChunk == 0 && len(l.Inputs) > 1
	f.ColumnChunk *= together
}

// hold has n sets of accumulators put into registers; it gives the statements that take them from there. One is in a register
// anyway, and what is no number of C's own that vectors are made of never is.
func (f *FoldView) hold(l *Loop, n int, put *[]string) (take []string) {
	for _, fold := range l.Folds {
		for _, t := range fold.Accs {
			if n == 1 || t.Value != "double" && t.Value != "float" {
				return nil
			}
		}
	}
	for i, t := range f.Accumulators {
		name, from := fmt.Sprintf("opw_h%d_%d", n, i), fmt.Sprintf("opw_r.opw_a%d", i)
		f.Held = append(f.Held, fmt.Sprintf("OPW_TURNS(%s, %d, %s)", t, n, name))
		*put = append(*put, fmt.Sprintf("OPW_HOLD(opw_how & OPW_CLOSE, %s, %s);", name, from))
		take = append(take, fmt.Sprintf("OPW_HALVE(opw_how & OPW_CLOSE, %d, %s, %s);", n, from, name))
	}
	return take
}

// combine names the values by which two sets of a fold's accumulators become one; first is its first accumulator.
func (b *body) combine(fold *Fold, first int) (c CombineView) {
	n := len(fold.Accs)
	inner := &body{name: b.name, values: 2 * n}
	inner.instructions(fold.Body)
	b.helpers = append(b.helpers, inner.helpers...)
	c.Lines = inner.lines
	for j, t := range fold.Accs {
		member := fmt.Sprintf("opw_a%d", first+j)
		name := func(value int, from string) string {
			return fmt.Sprintf("const %s %s = %s;", t.Value, valueName(value), from)
		}
		c.First = append(c.First, name(j, "opw_a->"+member), name(n+j, "opw_b->"+member))
		if fold.Starts {
			c.Start = append(c.Start, name(j, b.use(fold.Identity[j])), name(n+j, "opw_a->"+member))
		}
		c.Results = append(c.Results, fmt.Sprintf("opw_a->%s = %s;", member, valueName(fold.Results[j])))
	}
	return c
}

// sinks writes what is stored of accumulators, after each element and at the end.
func (b *body) sinks(l *Loop, f *FoldView) {
	for i, at := range l.stored() {
		if out := l.Outputs[at]; out.Scan {
			f.Scans = append(f.Scans, b.use(out.Type.Store(l.place(len(l.Inputs)+i), "opw_a->"+l.accumulator(out))))
		}
	}
	const column, one = "opw_acc->%s[opw_j]", "opw_one.%s"
	given, computed := b.ending(l, column)
	f.Given, f.Stores = given, slices.Concat(computed, b.leaves(l, column, false))
	if len(l.Ending) > 0 {
		f.Close = &CloseStores{Test: fmt.Sprintf("opw_m >= %d", closeColumns), Stores: slices.Concat(computed, b.leaves(l, column, true))}
		for i, at := range l.folded() {
			f.Close.Test += fmt.Sprintf(" && opw_t[%d] == %d", l.leaving()+i, l.Outputs[at].Type.Size)
		}
	}
	given, computed = b.ending(l, one)
	f.Ends = slices.Concat(given, computed, b.leaves(l, one, false))
	for _, out := range l.Outputs {
		switch {
		case out.Fold < 0:
			f.Kinds = append(f.Kinds, "OPW_STORED")
		case out.Scan:
			f.Kinds = append(f.Kinds, "OPW_SCANNED")
		default:
			f.Kinds = append(f.Kinds, "OPW_FOLDED")
		}
	}
}

// pass names the operands as parameters and arguments. at: for which strides the text of columns side by side is written out.
func (f *FoldView) pass(operands []OperandView, near [][]int, at int) {
	several, anyhow := ", !(opw_order & OPW_BY_ROWS)", ", 0"
	if f.Together {
		anyhow += ", opw_order & OPW_MORE, 0"
		if f.Anyhow {
			anyhow = several + ", opw_order & OPW_MORE, 0"
		}
		several += ", opw_order & OPW_MORE, OPW_ASKED(opw_order)"
	}
	each, beside := WayView{Name: "each", Run: "opw_n", Stride: "opw_s", Any: ", 0"}, WayView{Name: "beside", Run: "opw_m", Stride: "opw_t", Any: anyhow}
	for _, strides := range near {
		each.Close = append(each.Close, CloseView{Strides: strides, Args: ", OPW_ASKED(opw_order)"})
	}
	if len(near) > 0 {
		beside.Close = append(beside.Close, CloseView{Strides: near[at], Args: several})
	}
	for _, o := range operands {
		i := o.Index
		p, s, t := fmt.Sprintf(", opw_p[%d], ", i), fmt.Sprintf("opw_s[%d]", i), fmt.Sprintf("opw_t[%d]", i)
		f.Params += fmt.Sprintf(", %schar *opw_p%d, npy_intp opw_s%d, npy_intp opw_t%d", o.Const, i, i, i)
		f.Args += fmt.Sprintf(", opw_p%d, opw_s%d, opw_t%d", i, i, i)
		for j := range each.Close {
			each.Close[j].Args += p + each.Close[j].known(i, s) + ", " + t
		}
		for j := range beside.Close {
			beside.Close[j].Args += p + s + ", " + beside.Close[j].known(i, t)
		}
		each.Any += p + s + ", " + t
		beside.Any += p + s + ", " + t
	}
	f.Ways = []WayView{each, beside}
}

// place names an element's place as the last operand, the nth.
func (f *FoldView) place(n int) {
	f.Indexed = 1
	f.more(", npy_intp opw_base, npy_intp opw_sx, npy_intp opw_tx", ", opw_base, opw_sx, opw_tx",
		fmt.Sprintf(", OPW_PLACE(opw_p[%d]), opw_s[%d], opw_t[%d]", n, n, n))
}

// member has the number of the node at fault told.
func (f *FoldView) member() { f.more(", int *opw_member", ", opw_member", ", &opw_member") }

// more adds to the operands: as parameters, as what is passed on, and as what is passed first.
func (f *FoldView) more(params, args, first string) {
	f.Params += params
	f.Args += args
	for i := range f.Ways {
		w := &f.Ways[i]
		for j := range w.Close {
			w.Close[j].Args += first
		}
		w.Any += first
	}
}
