package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
)

// LoopView is an elementwise kernel. Kernels that differ only in what they may be written over share the loop L.
type LoopView struct {
	C, L            string
	Linkage         string
	Operands        []OperandView
	Inputs, Outputs int
	Lines           []LineView
	Variants        [][]int // strides for which the loop is written out
	InPlace         []int   // for each output the input that it may be written over, or -1; nil: none
	Fails           bool    // an instruction may set an exception
	Guarded         bool    // C++ that may throw
}

// OperandView is an input or output of a loop.
type OperandView struct {
	Index       int
	Const, Enum string
	Size        int
}

// LineView is one instruction: a statement, or a user's code with what stands before and after it.
type LineView struct {
	Text          string
	Before, After []string
	Code          *Fragment
}

// FoldView is a reduction. Reductions that differ in nothing but axes share the functions that carry the name F.
type FoldView struct {
	C, F               string
	Linkage            string
	Acc, Element       string
	Load, Cast, Store  string
	Result             string // what the lines make
	Start              string // what a run begins with; empty: its first element
	Lines              []LineView
	Identity           string
	Enum, Axes, Name   string
	Size, KeepDims     int
	Chunk, ColumnChunk int
	Lanes              int // as many accumulators beside one another; 0: one
	Fails, Guarded     bool
}

// loops names the loops, each where it stands.
func (v *viewer) loops() {
	w := v.view
	for i := range v.plan.Loops {
		l := &v.plan.Loops[i]
		kv, l0 := w.Kernels[l.Kernel], v.plan.loopOf(i)
		shared := gluePrefix + v.plan.Functions[v.plan.Loops[l.Shares].Kernel].Name
		b := &body{name: kv.Name}
		if fold := l0.Outputs[0].Fold; fold != nil {
			fv := b.fold(l0, fold)
			fv.C, fv.F, fv.Guarded = kv.C, shared, v.plan.Functions[l.Kernel].Lang == CXX
			v.places[i] = len(w.Reductions)
			w.Reductions = append(w.Reductions, fv)
			switch l.Place {
			case AmongOps:
				kv.Fold = fv
			case Apart, Beforehand:
				w.Folds = append(w.Folds, fv)
			}
			fv.Linkage = linkage(l.Place)
		} else {
			lv := b.loop(l0)
			lv.C, lv.L, lv.Guarded = kv.C, shared, v.plan.Functions[l.Kernel].Lang == CXX
			v.places[i] = len(w.Elementwise)
			w.Elementwise = append(w.Elementwise, lv)
			switch l.Place {
			case AmongOps:
				kv.Loop = lv
			case Apart, Beforehand:
				w.Loops = append(w.Loops, lv)
			}
			lv.Linkage = linkage(l.Place)
		}
		for _, h := range b.helpers {
			if !slices.ContainsFunc(w.helpers, func(have scalar.Helper) bool { return have.C() == h.C() }) {
				w.helpers = append(w.helpers, h)
			}
		}
	}
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
	name    string // the kernel's
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
		b.instruction(&body[i])
	}
}

func (b *body) instruction(in *TypedInstruction) {
	if in.Op == OpCode {
		b.code(in)
		return
	}
	out := in.Makes[0]
	text, name := b.use(in.Expr), b.next()
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

// loop shapes a loop that stores.
func (b *body) loop(l *Loop) *LoopView {
	v := &LoopView{Inputs: len(l.Inputs), Outputs: len(l.Outputs), Fails: l.fails(), Variants: l.strides()}
	for i, t := range l.Inputs {
		v.Operands = append(v.Operands, OperandView{Index: i, Const: "const ", Enum: t.Enum, Size: t.Size})
		b.line("const %s %s = %s;", t.Value, b.next(), b.use(t.Load(element(i))))
	}
	b.instructions(l.Body)
	over := false
	for i, out := range l.Outputs {
		at := len(l.Inputs) + i
		v.Operands = append(v.Operands, OperandView{Index: at, Enum: out.Type.Enum, Size: out.Type.Size})
		b.line("%s", b.use(out.Type.Store(element(at), valueName(out.Value))))
		v.InPlace = append(v.InPlace, out.Over)
		over = over || out.Over >= 0
	}
	if !over {
		v.InPlace = nil
	}
	v.Lines = b.lines
	return v
}

// element is where an operand's element lies.
func element(operand int) string { return fmt.Sprintf("opw_p%d + opw_i * opw_s%d", operand, operand) }

// fold shapes a loop that folds.
func (b *body) fold(l *Loop, f *Fold) *FoldView {
	in := l.Inputs[0]
	v := &FoldView{Acc: f.Acc.Value, Element: in.Value, Enum: f.Acc.Enum, Size: in.Size, Name: cString(f.Op), Fails: l.fails(),
		Chunk: f.Chunk, ColumnChunk: f.ColumnChunk, Lanes: f.Lanes, Result: valueName(f.Result)}
	b.values = 2 // the accumulators
	b.instructions(f.Body)
	v.Load = b.use(in.Load("opw_p"))
	v.Cast = b.use(scalar.Of("cast", []scalar.Type{in}, f.Acc, []string{"opw_v"}))
	v.Lines = b.lines
	if f.KeepDims {
		v.KeepDims = 1
	}
	mask := uint64(0)
	for _, axis := range f.Axes {
		mask |= 1 << axis
	}
	v.Axes = fmt.Sprintf("%#xULL", mask)
	found := "opw_acc[opw_j]"
	if f.Identity != nil {
		v.Identity = b.use(*f.Identity)
	}
	if f.Plus {
		found = b.use(scalar.Of("add", []scalar.Type{f.Combined, f.Combined}, f.Combined, []string{found, v.Identity}))
	}
	if f.Start != nil {
		v.Start = f.Start.Text
	}
	v.Store = b.use(f.Acc.Store("opw_out + opw_j * opw_t", found))
	return v
}
