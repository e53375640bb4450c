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
	Eight              bool // as many accumulators beside one another
	Fails, Guarded     bool
}

// partsFrom is the number of loops from which a unit is compiled in two parts at once. It is a matter of Program alone, so
// that equal Programs give equal modules on every machine.
const partsFrom = 4

// ownEach is how many loops there are to one that stays with the rest: 20 loops then take about as long as Python's headers
// and what else is in the first part.
const ownEach = 5

// maxOperands is OPW_MAX_OPERANDS of templates/runtime/frame.h.
const maxOperands = 64

// body writes instructions as statements over the values v0, v1, …
type body struct {
	name    string // the kernel's
	values  []scalar.Type
	lines   []LineView
	helpers []scalar.Helper
	fails   bool
}

func (b *body) declare(t scalar.Type) string {
	b.values = append(b.values, t)
	return valueName(len(b.values) - 1)
}

// use notes what a piece of code needs and gives its text.
func (b *body) use(c scalar.Code) string {
	b.helpers = append(b.helpers, c.Helpers...)
	b.fails = b.fails || c.Fails
	return c.Text
}

func (b *body) line(format string, args ...any) {
	b.lines = append(b.lines, LineView{Text: fmt.Sprintf(format, args...)})
}

// instruction adds one that Check has passed.
func (b *body) instruction(in *Instruction) {
	var types []scalar.Type
	var names []string
	for _, a := range in.Args {
		types = append(types, b.values[a])
		names = append(names, valueName(a))
	}
	if in.Op == OpCode {
		b.code(in, types, names)
		return
	}
	out, _ := scalar.TypeOf(in.DType)
	var c scalar.Code
	if in.Op == OpConstant {
		c, _ = scalar.Literal(out, in.Value)
	} else {
		c = scalar.Of(in.Op, types, out, names)
	}
	text, name := b.use(c), b.declare(out)
	if c.Fails {
		b.line("%s %s;", out.Value, name)
		b.line("if (%s) %s", strings.ReplaceAll(text, "{out}", name), failText)
		return
	}
	b.line("const %s %s = %s;", out.Value, name, text)
}

// code adds a user's: its variables are of the types that a fragment knows, not of those that the loop computes with.
func (b *body) code(in *Instruction, types []scalar.Type, names []string) {
	origin := in.Label + ".c_code"
	text := strings.ReplaceAll(in.Code, nameToken, b.name)
	l := LineView{Code: &Fragment{origin, text}}
	for i, t := range types {
		own := variableName(i)
		l.Before = append(l.Before, fmt.Sprintf("typedef %s dtype_%s;", fragmentType(t), own), fmt.Sprintf("dtype_%s %s;", own, own))
		l.Before = append(l.Before, b.convert(t, own, names[i], true))
	}
	for i, dtype := range in.DTypes {
		t, _ := scalar.TypeOf(dtype)
		name, own := b.declare(t), variableName(len(types)+i)
		b.line("%s %s;", t.Value, name)
		l.Before = append(l.Before, fmt.Sprintf("typedef %s dtype_%s;", fragmentType(t), own), fmt.Sprintf("dtype_%s %s;", own, own))
		l.After = append(l.After, b.convert(t, name, own, false))
		if t.Class == 'c' {
			b.helpers = append(b.helpers, t.Load("").Helpers...)
		}
	}
	b.lines = append(b.lines, l)
	b.fails = b.fails || strings.Contains(text, failText)
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

func dtypesOf(types []Type, indices []int) []scalar.Type {
	var found []scalar.Type
	for _, i := range indices {
		t, _ := scalar.TypeOf(types[i].Array.DType)
		found = append(found, t)
	}
	return found
}

// newLoopView shapes a checked elementwise kernel.
func newLoopView(types []Type, k *Kernel, name, c string) (*LoopView, []scalar.Helper) {
	ins, outs := dtypesOf(types, k.Inputs), dtypesOf(types, k.Outputs)
	v := &LoopView{C: c, L: c, Linkage: "static", Inputs: len(ins), Outputs: len(outs), Guarded: k.Lang == CXX}
	b := &body{name: name}
	for i, t := range slices.Concat(ins, outs) {
		o := OperandView{Index: i, Const: "const ", Enum: t.Enum, Size: t.Size}
		if i >= len(ins) {
			o.Const = ""
		} else {
			text := b.use(t.Load(fmt.Sprintf("opw_p%d + opw_i * opw_s%d", i, i)))
			b.line("const %s %s = %s;", t.Value, b.declare(t), text)
		}
		v.Operands = append(v.Operands, o)
	}
	for i := range k.Elementwise.Body {
		b.instruction(&k.Elementwise.Body[i])
	}
	for i, value := range k.Elementwise.Results {
		at := len(ins) + i
		b.line("%s", b.use(outs[i].Store(fmt.Sprintf("opw_p%d + opw_i * opw_s%d", at, at), valueName(value))))
	}
	v.Lines, v.Fails = b.lines, b.fails
	v.Variants = variants(v.Operands, len(ins))
	for i := range k.Elementwise.Body {
		if in := &k.Elementwise.Body[i]; len(in.Args) > 0 && in.Op != OpCode && scalar.Calls(in.Op, b.values[in.Args[0]]) {
			v.Variants = nil
		}
	}
	if len(k.Elementwise.InPlace) > 0 {
		v.InPlace = slices.Repeat([]int{-1}, len(outs))
		for _, pair := range k.Elementwise.InPlace {
			v.InPlace[pair[0]] = pair[1]
		}
	}
	return v, b.helpers
}

// variants are the strides that a loop is written out for: all contiguous; of two inputs, either one number throughout.
func variants(operands []OperandView, inputs int) [][]int {
	plain := make([]int, len(operands))
	for i, o := range operands {
		plain[i] = o.Size
	}
	all := [][]int{plain}
	for i := 0; inputs == 2 && i < 2; i++ {
		broadcast := slices.Clone(plain)
		broadcast[i] = 0
		all = append(all, broadcast)
	}
	return all
}

var identities = map[string]string{
	"add": "0", "multiply": "1", "logical_and": "1", "logical_or": "0", "bitwise_or": "0", "bitwise_xor": "0", "bitwise_and": "-1",
}

// newFoldView shapes a checked reduction.
func newFoldView(types []Type, k *Kernel, name, c string) (*FoldView, []scalar.Helper) {
	r := k.Reduce
	in := dtypesOf(types, k.Inputs)[0]
	acc, _ := scalar.TypeOf(r.DType)
	combined := acc
	if acc.Class == 'e' && (r.Op == "add" || r.Op == "multiply") { // rounded once, at the end, as in NumPy
		combined, _ = scalar.TypeOf("float32")
	}
	v := &FoldView{C: c, F: c, Linkage: "static", Acc: acc.Value, Element: in.Value, Enum: acc.Enum, Size: in.Size, Name: cString(r.Op), Guarded: k.Lang == CXX}
	b := &body{name: name, values: []scalar.Type{combined, combined}}
	body, result := r.Body, r.Result
	if r.Op != OpBody {
		body, result = []Instruction{{Op: r.Op, Args: []int{0, 1}, DType: combined.Name}}, 2
	}
	for i := range body {
		b.instruction(&body[i])
	}
	v.Result = valueName(result)
	v.Load = b.use(in.Load("opw_p"))
	v.Cast = b.use(scalar.Of("cast", []scalar.Type{in}, acc, []string{"opw_v"}))
	v.Lines, v.Fails = b.lines, b.fails
	inexact := strings.ContainsRune("efc", rune(acc.Class))
	if r.Op == "add" && inexact { // pairwise
		v.Chunk, v.ColumnChunk = 128, 16
	}
	v.Eight = inexact && (r.Op == "add" || r.Op == "maximum" || r.Op == "minimum")
	if r.KeepDims {
		v.KeepDims = 1
	}
	mask := uint64(0)
	for _, axis := range r.Axes {
		mask |= 1 << axis
	}
	v.Axes = fmt.Sprintf("%#xULL", mask)
	v.Identity = b.identity(r, acc)
	found := "opw_acc[opw_j]"
	if inexact && r.Op == "add" { // as NumPy, which begins with 0: the sum of negative zeros is a positive one
		found = b.use(scalar.Of("add", []scalar.Type{combined, combined}, combined, []string{found, v.Identity}))
	}
	if acc.Class == 'c' && r.Op == "multiply" { // begins with 1, which is not nothing to an infinite part
		v.Start = v.Identity
	}
	v.Store = b.use(acc.Store("opw_out + opw_j * opw_t", found))
	return v, b.helpers
}

// pure tells whether the engine alone wrote a kernel's loop, and nothing in it can set an exception: such loops need nothing
// of Python.
func (k *Kernel) pure(fails bool) bool {
	return !fails && !slices.ContainsFunc(k.body(), func(in Instruction) bool { return in.Op == OpCode })
}

// identity is what a reduction of nothing gives; empty: it is an error.
func (b *body) identity(r *Reduce, acc scalar.Type) string {
	text := identities[r.Op]
	if r.Identity != nil {
		text = *r.Identity
	}
	switch {
	case text == "":
		return ""
	case r.Identity != nil:
	case acc.Class == 'b':
		text = map[bool]string{true: "true", false: "false"}[text != "0"]
	case acc.Class == 'u' && text == "-1":
		return fmt.Sprintf("((%s)-1)", acc.Value)
	case acc.Class == 'c':
		text += " 0"
	}
	c, _ := scalar.Literal(acc, text)
	return b.use(c)
}
