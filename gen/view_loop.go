package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"opweld/gen/async"
	"opweld/gen/scalar"
)

// LoopView is an entry of the table of loops. Entries that differ only in what stands there share the C named by L.
type LoopView struct {
	C, L            string
	Linkage         string
	Shared          bool // another part of the unit sees it
	Inputs, Outputs int
	Types, Sizes    string        // of the inputs, then of all outputs, as numbers() has them
	Numbers         string        // a mask of the inputs that may be one number throughout
	Over            []int         // for each output the input that it may be written over, or -1; nil: none
	Operands        []OperandView // what an element is read from and stored to
	Lines           []LineView    // of an element; where there are stages and folds, of their last part
	Staged          *StagedView   // the loop is run in stages; nil: it is one
	Block           int           // elements that a stage is run for, at most
	Tabled          bool          // its stages say all of it
	Direct          *DirectView   // the loop is a function of many numbers
	Variants        []VariantView // strides for which the loop of stores is written out
	most            []int         // the instructions that Products has so
	Products        []LineView    // its elements where some divisors are one number each throughout, divided by products; nil: there are no such strides
	Fails           bool          // an instruction may set an exception
	Members         bool          // of several nodes: which of them is said
	Guarded         bool          // C++ that may throw
	Exact           []string      // of each input, a bit for each axis along which it is not broadcast
	Worth           int           // so many elements are worth letting other threads run; 0: it needs the GIL
	Raises          int           // 1: it may set an exception, for which it takes the GIL
	Short           bool          // of so few lines that two vectors are computed at once
	Asks            bool          // rows of operands that lie close, or are numbers, ask for what comes
	Fold            *FoldView
}

// shortest is how many lines of an element, loads and stores among them, are so little work that counting them shows. Longer ones
// would take longer to compile for nothing.
const shortest = 12

// askingOperands is how many operands a loop has at most whose runs ask for what comes: OPW_ASKING_OPERANDS of templates/runtime/loop.h.
const askingOperands = 5

// askingWays is in how many ways its operands may lie: OPW_HOW_OF of the same file.
const askingWays = 4

// asks tells whether rows ask for what comes, and are walked in registers: of loops that do so little that they wait for it, where what is
// called part by part cannot fail, and a part is several vectors of each operand. How much a user's text does nobody knows, nor whether it
// throws.
func (v *LoopView) asks() bool {
	if !v.Short || v.Fails || v.Staged != nil || v.Products != nil || len(v.Variants) == 0 || v.Variants[0].Any ||
		len(v.Operands) > askingOperands || len(v.Variants) > askingWays || slices.ContainsFunc(v.Lines, func(line LineView) bool { return line.Code != nil }) {
		return false
	}
	bySize := func(a, b OperandView) int { return a.Size - b.Size }
	return slices.MaxFunc(v.Operands, bySize).Size <= 2*slices.MinFunc(v.Operands, bySize).Size
}

// Places names where the operands are of a loop that asks for what comes: as many as it has at most.
func (v *LoopView) Places() []string {
	places := slices.Repeat([]string{"NULL"}, askingOperands)
	for i := range v.Operands {
		places[i] = fmt.Sprintf("opw_p[%d]", i)
	}
	return places
}

// DirectView is the call of a function of many numbers, where the operands lie close and apart.
type DirectView struct {
	Test, Call string
}

// OperandView is an input or output of a loop.
type OperandView struct {
	Index int
	Const string
	Size  int
}

// VariantView is strides for which a loop of stores is written out. Held: the inputs that are one number throughout, of which the
// loop reads a copy: for all that a compiler knows, what is stored might change the number itself.
// Products: it has divisors that are one number each.
type VariantView struct {
	Test     string // whether operands lie so
	Strides  []int  // of the operands; anyhow: any
	Any      bool   // inputs lie anyhow: for products alone
	Held     []OperandView
	Args     string
	From     string // the same, in the row opw_row, from the element opw_from on
	Products bool
}

// LineView is one instruction: a statement, or a user's code with what stands before and after it.
type LineView struct {
	Text          string
	Before, After []string
	Code          *Fragment
}

// loops names the loops, each where it stands.
func (v *viewer) loops() {
	bodies, views := make([]*body, len(v.plan.Loops)), make([]*LoopView, len(v.plan.Loops))
	async.All(len(views), func(i int) { // of many nodes they are most of what there is to name
		bodies[i], views[i] = v.loop(&v.plan.Loops[i])
	})
	w := v.view
	pieces, known := map[bool]map[string]string{true: {}, false: {}}, map[string]bool{}
	for i, lv := range views {
		l := &v.plan.Loops[i]
		if lv.Staged != nil {
			lv.Staged.settle(lv.L, pieces[v.plan.Loops[l.Shares].Place == AmongOps])
			w.Library = lv.Staged.number(w.Library)
		}
		w.Table = append(w.Table, lv)
		switch l.Place {
		case AmongOps:
			w.Kernels[l.Kernel].Loop = lv
		case Apart, Beforehand:
			w.Loops = append(w.Loops, lv)
		}
		for _, h := range bodies[i].helpers {
			if !known[h.C()] {
				known[h.C()] = true
				w.helpers = append(w.helpers, h)
			}
		}
	}
}

// loop names one loop.
func (v *viewer) loop(l *LoopFunction) (*body, *LoopView) {
	function := &v.plan.Kernels[l.Kernel]
	b := &body{name: function.Name, guarded: function.Lang == CXX, l: gluePrefix + v.plan.Kernels[v.plan.Loops[l.Shares].Kernel].Name}
	worth := function.TypedKernel.worth()
	if worth > 0 && function.TypedKernel.Loop.codes() {
		b.raises = 1
	}
	lv := b.loop(function.TypedKernel.Loop)
	lv.C, lv.L, lv.Shared = gluePrefix+function.Name, b.l, l.Place == Apart
	lv.Linkage, lv.Guarded, lv.Worth, lv.Raises = linkage(l.Place), b.guarded, worth, b.raises
	for _, axes := range function.TypedKernel.Loop.Exact {
		lv.Exact = append(lv.Exact, mask(axes))
	}
	return b, lv
}

// linkage is static where one part of a unit alone sees the loop.
func linkage(p Place) string {
	if p == Apart {
		return "OPW_SHARED"
	}
	return "static"
}

// body writes instructions as statements over the values v0, v1, …
type body struct {
	name, l string // the kernel's, the loop's
	guarded bool   // C++ that may throw
	raises  int    // 1: the loop may set an exception, for which it takes the GIL
	over    []int  // the instructions that divide by products
	values  int
	lines   []LineView
	helpers []scalar.Helper
}

// next names the value that comes next.
func (b *body) next() string {
	b.values++
	return valueName(b.values - 1)
}

// use notes what a piece of code needs and gives its text.
func (b *body) use(c scalar.Code) string {
	b.helpers = append(b.helpers, c.Helpers...)
	return c.Text
}

func (b *body) line(format string, args ...any) {
	b.lines = append(b.lines, LineView{Text: fmt.Sprintf(format, args...)})
}

func (b *body) instructions(body []TypedInstruction) {
	for i := range body {
		if slices.Contains(b.over, i) {
			b.quotient(&body[i])
		} else {
			b.instruction(&body[i])
		}
	}
}

func (b *body) instruction(in *TypedInstruction) {
	if in.Member > 0 {
		b.line("*opw_member = %d;", in.Member)
	}
	if in.Op == OpCode {
		b.code(in)
		return
	}
	out := in.Makes[0]
	text, name := b.use(in.written()), b.next()
	if in.Expr.Fails {
		b.line("%s %s;", out.Value, name)
		b.line("if (%s) %s", strings.ReplaceAll(text, "{out}", name), failText)
		return
	}
	b.line("const %s %s = %s;", out.Value, name, text)
}

// code adds a user's: its variables are of the types that a fragment knows, not of those that the loop computes with.
func (b *body) code(in *TypedInstruction) {
	code := fragment(in.Label, Code, in.Code, b.name)
	l := LineView{Code: &code}
	for i, t := range in.Takes {
		own := variableName(i)
		l.Before = append(l.Before, fmt.Sprintf("typedef %s dtype_%s;", fragmentType(t), own), fmt.Sprintf("dtype_%s %s;", own, own))
		l.Before = append(l.Before, b.convert(t, own, valueName(in.Args[i]), true))
	}
	for i, t := range in.Makes {
		name, own := b.next(), variableName(len(in.Takes)+i)
		b.line("%s %s;", t.Value, name)
		l.Before = append(l.Before, fmt.Sprintf("typedef %s dtype_%s;", fragmentType(t), own), fmt.Sprintf("dtype_%s %s;", own, own))
		l.After = append(l.After, b.convert(t, name, own, false))
		if t.Class == 'c' {
			b.helpers = append(b.helpers, t.Load("").Helpers...)
		}
	}
	b.lines = append(b.lines, l)
}

// convert copies between a value of the loop and a variable of a fragment.
func (b *body) convert(t scalar.Type, to, from string, in bool) string {
	switch t.Class {
	case 'e':
		b.helpers = append(b.helpers, t.Load("").Helpers...)
		if in {
			return fmt.Sprintf("%s = opw_half_bits(%s);", to, from)
		}
		return fmt.Sprintf("%s = opw_half_value(%s);", to, from)
	case 'b':
		return fmt.Sprintf("%s = %s != 0;", to, from)
	case 'c':
		return fmt.Sprintf("memcpy((void *)&%s, (const void *)&%s, sizeof %s);", to, from, to)
	}
	return fmt.Sprintf("%s = %s;", to, from)
}

// fragmentType is what a fragment calls an element: of a complex dtype what TensorType's support code defines.
func fragmentType(t scalar.Type) string {
	if t.Class == 'c' {
		return strings.Replace(t.DType.C, "npy_", "opw_", 1)
	}
	return t.DType.C
}

// loop names the values and operands of a loop.
func (b *body) loop(l *Loop) *LoopView {
	v := &LoopView{Numbers: "0", Inputs: len(l.Inputs), Outputs: len(l.Outputs), Fails: l.fails(), Members: l.members()}
	for i, t := range l.Inputs {
		v.Operands = append(v.Operands, OperandView{Index: i, Const: "const ", Size: t.Size})
	}
	for _, out := range l.Outputs {
		v.Over = append(v.Over, out.Over)
	}
	if !slices.ContainsFunc(v.Over, func(input int) bool { return input >= 0 }) {
		v.Over = nil
	}
	for _, i := range l.stored() {
		v.Operands = append(v.Operands, OperandView{Index: len(v.Operands), Size: l.Outputs[i].Type.Size})
	}
	v.Types, v.Sizes = l.tables()
	if v.Block = stageBlock; l.folds() {
		v.Block *= 2 // what is less than a block goes with the one before
	}
	if l.staged() {
		v.Staged = b.staged(l, v.Operands)
	} else {
		b.element(l)
	}
	if v.Lines = b.lines; l.folds() {
		v.Fold, v.Numbers = b.fold(l, v), mask(l.Scalars)
	} else {
		v.Direct, v.Short = b.direct(l), len(v.Lines) <= shortest
		v.Tabled = v.Staged != nil && v.Direct == nil
		all := l.strides(v.Operands)
		most, products, holds := b.products(l, all)
		v.most, v.Products = most, products
		for i, strides := range all {
			v.Variants = append(v.Variants, variant(v.Operands, strides, holds[i]))
		}
		if products != nil {
			v.Variants = append(v.Variants, variant(v.Operands, l.lying(v.Operands, all, holds), true))
		}
		v.Asks = v.asks()
		if v.Numbers = mask(l.Scalars); len(v.Variants) == 0 {
			v.Numbers = "~(npy_uint64)0"
		}
	}
	return v
}

// tables writes the types and the sizes of elements of a loop's arrays.
func (l *Loop) tables() (types, sizes string) {
	var t, s []int
	add := func(of scalar.Type) { t, s = append(t, of.Number), append(s, of.Size) }
	for _, of := range l.Inputs {
		add(of)
	}
	for i := range l.Outputs {
		add(l.Outputs[i].Type)
	}
	return numbers(t), numbers(s)
}

// numbers writes a table of the runtime's as a string of wide characters (opw_figure).
func numbers(all []int) string {
	text := append(make([]byte, 0, 3+5*len(all)), `L"`...)
	for _, n := range all {
		text = strconv.AppendUint(append(text, `\x`...), uint64(uint32(n)), 16)
	}
	return string(append(text, '"'))
}

// variant names the operands that lie as given.
func variant(operands []OperandView, strides []int, products bool) VariantView {
	v := VariantView{Any: slices.Contains(strides, anyhow), Strides: strides, Products: products}
	var tests []string
	for i, o := range operands {
		stride := fmt.Sprint(strides[i])
		if strides[i] == anyhow {
			stride = fmt.Sprintf("opw_s[%d]", i)
		} else {
			tests = append(tests, fmt.Sprintf("opw_s[%d] == %s", i, stride))
		}
		if strides[i] != 0 {
			v.Args += fmt.Sprintf(", opw_p[%d], %s", i, stride)
			v.From += fmt.Sprintf(", opw_p[%d] + opw_row * opw_t[%d] + opw_from * %s, %s", i, i, stride, stride)
			continue
		}
		v.Held = append(v.Held, o)
		held := fmt.Sprintf(", opw_held%d, 0", i)
		v.Args, v.From = v.Args+held, v.From+held
	}
	v.Test = strings.Join(tests, " && ")
	return v
}

// element reads an element of each input, computes, and stores what is to be stored of each.
func (b *body) element(l *Loop) {
	for i, t := range l.Inputs {
		b.line("const %s %s = %s;", t.Value, b.next(), b.use(t.Load(l.place(i))))
	}
	b.instructions(l.Body)
	b.stores(l)
}

// stores writes what is to be stored of each element.
func (b *body) stores(l *Loop) {
	for i, at := range l.stored() {
		if out := l.Outputs[at]; !out.Scan {
			b.line("%s", b.use(out.Type.Store(l.place(len(l.Inputs)+i), valueName(out.Value))))
		}
	}
}

// place is where an operand's element lies: in the column opw_j, where there are several.
func (l *Loop) place(operand int) string {
	if l.folds() {
		return fmt.Sprintf("opw_p%d + opw_i * opw_s%d + opw_j * opw_t%d", operand, operand, operand)
	}
	return fmt.Sprintf("opw_p%d + opw_i * opw_s%d", operand, operand)
}

// mask has a bit for each axis, or whatever else is counted.
func mask(counted []int) string {
	bits := uint64(0)
	for _, i := range counted {
		bits |= 1 << i
	}
	return fmt.Sprintf("%#xULL", bits)
}
