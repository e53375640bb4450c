package cop

import (
	"fmt"
	"strconv"
	"strings"

	"opweld/gen/signature"
)

// Loop is the C by which a ufunc calls the body: for each element, or, where arguments have sizes, each of the arrays that lie side
// by side.
type Loop struct {
	Operands []Operand
	Blocks   []Block
	Elements bool // no argument has sizes: the loop is as fast as the compiler can make it where all is contiguous

	dims  []*signature.Dim
	names []string    // of dims in NumPy's signature
	sides [2][]string // NumPy's signature of each input, of each output
}

// Operand is an argument of the ufunc.
type Operand struct {
	At   int
	Size string // of an element, in bytes
}

// Block is an array that the body sees as one block of memory.
type Block struct {
	Name, Type, Sizes, Steps, Place, Fill string // Place: where the operand is; NULL: memory for the body alone
	Ndim, Zero                            int
	Own                                   int  // 1: it lies in memory of its own in any case
	Out                                   bool // it is brought to where it belongs
}

// canBeUfunc refuses what NumPy's ufuncs do not have.
func canBeUfunc(s *signature.Signature) error {
	refuse := func(a *signature.Argument, format string, args ...any) error {
		line, column := a.Place()
		return &Error{"signature", "ufunc=True: " + fmt.Sprintf(format, args...), line, column}
	}
	outputs := 0
	for i := range s.Inputs {
		if a := &s.Inputs[i]; a.Inout {
			return refuse(a, "a ufunc leaves its inputs as they are: make %q an output", a.Name)
		} else if a.Value != nil {
			return refuse(a, "an input of a ufunc has no default: leave out `= %s`", *a.Value)
		}
	}
	for _, size := range s.Sizes {
		if size.Axis < 0 {
			return refuse(&s.Inputs[size.Input], "the value of %q is a size, and NumPy knows sizes by shapes alone", size.Name)
		}
	}
	for i := range s.Outputs {
		if !s.Outputs[i].Work {
			outputs++
		}
	}
	if n := len(s.Inputs); n == 0 {
		return &Error{"signature", "ufunc=True: a ufunc has at least one input", 1, 1}
	} else if n+outputs > maxOperands {
		return refuse(&s.Inputs[0], "a ufunc has at most %d inputs and outputs, here are %d", maxOperands, n+outputs)
	}
	return nil
}

// maxOperands is what NumPy allows.
const maxOperands = 32

// loopView is a loop of a ufunc.
func (w *writer) loopView(body string) *View {
	w.begin(body)
	w.v.Loop = &Loop{Elements: true}
	for i := range w.s.Inputs {
		w.core(&w.s.Inputs[i], 0)
	}
	for i := range w.s.Outputs {
		if a := &w.s.Outputs[i]; !a.Work {
			w.core(a, 1)
		}
	}
	for _, size := range w.s.Sizes {
		w.coreSize(size)
	}
	steps := 0
	for i := range w.s.Inputs {
		w.loopInput(&w.s.Inputs[i], &steps)
	}
	for i := range w.s.Outputs {
		w.loopOutput(&w.s.Outputs[i], &steps)
	}
	return &w.v
}

// core adds an argument to NumPy's signature.
func (w *writer) core(a *signature.Argument, side int) {
	l := w.v.Loop
	var names []string
	for _, d := range a.Dims {
		names = append(names, l.names[w.dim(d)])
		l.Elements = false
	}
	l.sides[side] = append(l.sides[side], "("+strings.Join(names, ",")+")")
}

// dim is where a size stands among those that NumPy's signature names.
func (w *writer) dim(d *signature.Dim) int {
	l := w.v.Loop
	for i, known := range l.dims {
		if known.String() == d.String() {
			return i
		}
	}
	name := fmt.Sprintf("opw_%d", len(l.dims))
	if d.Op == "name" {
		name = d.Name
	} else if d.Op == "number" && d.Number > 0 {
		name = strconv.FormatInt(d.Number, 10)
	}
	l.dims, l.names = append(l.dims, d), append(l.names, name)
	return len(l.dims) - 1
}

// core is NumPy's signature; empty: that of a ufunc of elements.
func (l *Loop) core() string {
	if l.Elements {
		return ""
	}
	return strings.Join(l.sides[0], ",") + "->" + strings.Join(l.sides[1], ",")
}

func (w *writer) coreSize(size signature.Size) {
	value := fmt.Sprintf("opw_sizes[%d]", w.dim(w.s.Inputs[size.Input].Dims[size.Axis]))
	if size.Less != 0 {
		value = fmt.Sprintf("%s - (%d)", value, size.Less)
	}
	w.v.Sizes = append(w.v.Sizes, Size{size.Name, value})
	w.v.Parameters = append(w.v.Parameters, "const npy_intp "+size.Name)
	w.v.Given = append(w.v.Given, size.Name)
}

// operand adds an argument; what it gives is where it stands.
func (w *writer) operand(kind string) int {
	at := len(w.v.Loop.Operands)
	w.v.Loop.Operands = append(w.v.Loop.Operands, Operand{at, fmt.Sprintf("(npy_intp)sizeof(%s)", kind)})
	return at
}

func (w *writer) loopInput(a *signature.Argument, steps *int) {
	kind := w.ctype(a.Dtype)
	at := w.operand(kind)
	switch {
	case len(a.Dims) == 0:
		w.v.Parameters = append(w.v.Parameters, kind+" "+a.Name)
		w.v.Given = append(w.v.Given, fmt.Sprintf("*(%s *)opw_p[%d]", kind, at))
	case a.Strided:
		w.strided(a, kind)
		w.v.Given = append(w.v.Given, fmt.Sprintf("opw_p[%d]", at))
		for axis, d := range a.Dims {
			w.v.Given = append(w.v.Given, fmt.Sprintf("opw_apart[%d], opw_sizes[%d]", *steps+axis, w.dim(d)))
		}
	default:
		w.block(a, kind, true)
		w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)opw_cop_in(&opw_block_%s, opw_p[%d])", kind, a.Name, at))
		w.v.Loop.Blocks = append(w.v.Loop.Blocks, w.side(a, kind, at, *steps))
	}
	*steps += len(a.Dims)
}

// side is the block of an argument.
func (w *writer) side(a *signature.Argument, kind string, at, steps int) Block {
	var sizes []string
	for _, d := range a.Dims {
		sizes = append(sizes, fmt.Sprintf("opw_sizes[%d]", w.dim(d)))
	}
	return Block{Name: a.Name, Type: kind, Ndim: len(a.Dims), Place: fmt.Sprintf("opw_p[%d]", at), Sizes: strings.Join(sizes, ", "), Steps: fmt.Sprintf("opw_apart + %d", steps)}
}

func (w *writer) loopOutput(a *signature.Argument, steps *int) {
	kind := w.ctype(a.Dtype)
	if a.Work {
		w.memory(a, kind, &w.v.Loop.Blocks)
		return
	}
	at := w.operand(kind)
	if len(a.Dims) == 0 {
		w.scalar(a, kind)
		w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)opw_p[%d]", kind, at))
		return
	}
	w.block(a, kind, false)
	block := w.side(a, kind, at, *steps)
	block.Out = true
	block.Fill, block.Zero = filling(a.Value)
	w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)opw_cop_room(&opw_block_%s, opw_p[%d])", kind, a.Name, at))
	w.v.Loop.Blocks = append(w.v.Loop.Blocks, block)
	*steps += len(a.Dims)
}

// memory is what the body alone works in, the same for all that one call of the loop computes.
func (w *writer) memory(a *signature.Argument, kind string, blocks *[]Block) {
	for axis, d := range a.Dims {
		if d.Op != "number" && !w.never(d) {
			w.v.Checks = append(w.v.Checks, Check{expression(d) + " < 0", fmt.Sprintf("opw_cop_no_size(%s, %s, %d, %s, %s)",
				quote(w.r.Name), quote(a.Name), axis, quote(d.String()), expression(d))})
		}
	}
	w.block(a, kind, false)
	block := Block{Name: a.Name, Type: kind, Ndim: len(a.Dims), Place: "NULL", Own: 1, Sizes: sizesOf(a), Steps: "NULL"}
	_, block.Zero = filling(a.Value)
	w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)opw_cop_room(&opw_block_%s, NULL)", kind, a.Name))
	*blocks = append(*blocks, block)
}
