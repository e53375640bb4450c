package cop

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/signature"
)

// Callback is the C function by which others call a body.
type Callback struct {
	Result, Parameters string // as C has them
	Value              string // the dtype's C type of the output that it returns; empty: none
	Return, Failed     string // the statement that ends it; the one that ends it before anything was done
	Blocks             []Block

	name  string            // of the capsule: the types alone, without const, as SciPy writes them
	types map[string]string // what the prototype says of each type variable
}

// callbackView is a function of a prototype whose parameters have the names of the signature's arguments and sizes.
func (w *writer) callbackView(body string) (*View, error) {
	p, err := ccode.ReadPrototype(w.r.Callback)
	if err != nil {
		return nil, unfit("%s", err.Error())
	}
	w.begin(body)
	w.v.Callback = &Callback{types: map[string]string{}, Result: p.Result}
	w.declare(p)
	if err := w.known(p); err != nil {
		return nil, err
	}
	for _, size := range w.s.Sizes {
		if err := w.toldSize(p, size); err != nil {
			return nil, err
		}
	}
	for i := range w.s.Inputs {
		if err := w.calledInput(p, &w.s.Inputs[i]); err != nil {
			return nil, err
		}
	}
	var returned *signature.Argument
	for i := range w.s.Outputs {
		if err := w.calledOutput(p, &w.s.Outputs[i], &returned); err != nil {
			return nil, err
		}
	}
	if err := w.returns(p, returned); err != nil {
		return nil, err
	}
	return &w.v, nil
}

func unfit(format string, args ...any) error {
	return &Error{"prototype", fmt.Sprintf(format, args...), 1, 0}
}

func unfitParameter(p *ccode.Prototype, parameter *ccode.Parameter, wrong string) error {
	return unfit("parameter %d of %s, %s: %s", slices.IndexFunc(p.Parameters, func(o ccode.Parameter) bool { return o == *parameter })+1, p.Name, shown(*parameter), wrong)
}

// declare writes the parameters, and the name of the capsule.
func (w *writer) declare(p *ccode.Prototype) {
	var declared []string
	for i, one := range p.Parameters {
		if one.Name == "" {
			one.Name = fmt.Sprintf("opw_unnamed_%d", i)
		}
		declared = append(declared, shown(one)+" __attribute__((unused))")
	}
	if len(declared) == 0 {
		declared = []string{"void"}
	}
	w.v.Callback.Parameters = strings.Join(declared, ", ")
	w.v.Callback.name = p.Signature()
}

// known finds what type variables are, and refuses parameters that the signature does not have; a void pointer is somebody else's.
func (w *writer) known(p *ccode.Prototype) error {
	for i := range p.Parameters {
		one := &p.Parameters[i]
		a, _ := find(w.s, one.Name)
		sized := slices.ContainsFunc(w.s.Sizes, func(size signature.Size) bool { return size.Name == one.Name })
		switch {
		case one.Pointer > 1 || one.Calls != "":
			return unfitParameter(p, one, "a pointer to pointers or a function is nothing that a signature has")
		case a != nil && !a.Work:
			if err := w.alike(p, one, a); err != nil {
				return err
			}
		case !sized && (one.Type != "void" || one.Pointer != 1):
			return unfitParameter(p, one, fmt.Sprintf("the signature has no %q", one.Name))
		}
	}
	return nil
}

// alike compares a parameter's type with an argument's.
func (w *writer) alike(p *ccode.Prototype, one *ccode.Parameter, a *signature.Argument) error {
	if one.Type == "void" {
		return nil
	}
	have, want := ctypes[one.Type], a.Dtype
	if w.s.Variable(want) {
		return w.stands(p, a, have, func(wrong string) error { return unfitParameter(p, one, wrong) })
	}
	if have != want {
		return unfitParameter(p, one, fmt.Sprintf("that is %s, and the signature says %s", orNone(have), want))
	}
	return nil
}

func orNone(dtype string) string {
	if dtype == "" {
		return "no dtype"
	}
	return dtype
}

// stands sets what a type variable is, once.
func (w *writer) stands(p *ccode.Prototype, a *signature.Argument, dtype string, refuse func(string) error) error {
	types := w.v.Callback.types
	if before := types[a.Dtype]; before != "" && before != dtype {
		return refuse(fmt.Sprintf("that is %s, and %s is %s already", orNone(dtype), a.Dtype, before))
	}
	for _, bound := range w.s.Types {
		if bound.Name == a.Dtype && !slices.Contains(bound.Dtypes, dtype) {
			return refuse(fmt.Sprintf("that is %s, and %s may be %s", orNone(dtype), a.Dtype, strings.Join(bound.Dtypes, ", ")))
		}
	}
	types[a.Dtype] = dtype
	return nil
}

func given(p *ccode.Prototype, name string) *ccode.Parameter {
	for i := range p.Parameters {
		if p.Parameters[i].Name == name {
			return &p.Parameters[i]
		}
	}
	return nil
}

// toldSize hands over a size, which only a parameter can tell.
func (w *writer) toldSize(p *ccode.Prototype, size signature.Size) error {
	one := given(p, size.Name)
	switch {
	case one == nil:
		return unfit("%s has no parameter %q, a size of the signature that nothing else tells it", p.Name, size.Name)
	case one.Pointer > 0 || !strings.Contains(ctypes[one.Type], "int"):
		return unfitParameter(p, one, "a size is an integer")
	case size.Axis >= 0:
		w.v.Parameters = append(w.v.Parameters, "const npy_intp "+size.Name)
		w.v.Given = append(w.v.Given, "(npy_intp)"+size.Name)
	}
	return nil
}

func (w *writer) calledInput(p *ccode.Prototype, a *signature.Argument) error {
	kind, one := w.ctype(a.Dtype), given(p, a.Name)
	switch {
	case one == nil && a.Value == nil:
		return unfit("%s has no parameter %q, which the signature has", p.Name, a.Name)
	case len(a.Dims) == 0:
		value := fmt.Sprintf("*(const %s *)%s", kind, a.Name)
		if one == nil {
			value = literal(*a.Value)
		} else if one.Pointer == 0 {
			value = a.Name
		}
		w.v.Parameters = append(w.v.Parameters, kind+" "+a.Name)
		w.v.Given = append(w.v.Given, fmt.Sprintf("(%s)(%s)", kind, value))
		return nil
	case one.Pointer == 0:
		return unfitParameter(p, one, fmt.Sprintf("the signature has an array or output %s, which is a pointer", a.Name))
	case a.Inout && one.Const:
		return unfitParameter(p, one, "the signature has it inout, and the function cannot write into it")
	case a.Strided:
		w.strided(a, kind)
		w.v.Given = append(w.v.Given, "(char *)"+a.Name)
		for axis, d := range a.Dims {
			apart := fmt.Sprintf("(npy_intp)sizeof(%s)", kind)
			for _, later := range a.Dims[axis+1:] {
				apart += " * " + expression(later)
			}
			w.v.Given = append(w.v.Given, apart, expression(d))
		}
		return nil
	}
	w.block(a, kind, !a.Inout)
	w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)%s", kind, a.Name))
	return nil
}

func (w *writer) calledOutput(p *ccode.Prototype, a *signature.Argument, returned **signature.Argument) error {
	kind, one, c := w.ctype(a.Dtype), given(p, a.Name), w.v.Callback
	switch {
	case a.Work:
		w.memory(a, kind, &c.Blocks)
	case one == nil && len(a.Dims) == 0 && *returned == nil:
		*returned = a
		w.scalar(a, kind)
		w.v.Given = append(w.v.Given, "&opw_value")
	case one == nil:
		return unfit("%s has no parameter %q, which the signature has", p.Name, a.Name)
	case one.Pointer == 0 || one.Const:
		return unfitParameter(p, one, "the signature has it as an output, and the function cannot write into it")
	case len(a.Dims) == 0:
		w.scalar(a, kind)
		w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)%s", kind, a.Name))
	default:
		w.block(a, kind, false)
		block := Block{Name: a.Name, Type: kind, Ndim: len(a.Dims), Place: "(char *)" + a.Name, Sizes: sizesOf(a), Steps: "NULL"}
		block.Fill, block.Zero = filling(a.Value)
		c.Blocks = append(c.Blocks, block)
		w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)%s", kind, a.Name))
	}
	return nil
}

func sizesOf(a *signature.Argument) string {
	var sizes []string
	for _, d := range a.Dims {
		sizes = append(sizes, expression(d))
	}
	return strings.Join(sizes, ", ")
}

// returns writes how the function ends: with its output, or with a code, or with nothing.
func (w *writer) returns(p *ccode.Prototype, a *signature.Argument) error {
	c, dtype := w.v.Callback, ctypes[p.Result]
	refuse := func(wrong string) error { return unfit("%s returns %s: %s", p.Name, p.Result, wrong) }
	if a != nil {
		if dtype == "" {
			return refuse(fmt.Sprintf("that is where %s belongs, unless a pointer has its name", a.Name))
		} else if w.s.Variable(a.Dtype) {
			if err := w.stands(p, a, dtype, refuse); err != nil {
				return err
			}
		} else if a.Dtype != dtype {
			return unfit("%s returns %s, and the signature says %s", p.Name, p.Result, a.Dtype)
		}
		failed := "0"
		if !strings.Contains(dtype, "int") && dtype != "bool" {
			failed = "NAN"
		}
		c.Value = w.ctype(a.Dtype)
		c.Return, c.Failed = fmt.Sprintf("return opw_status ? (%s)%s : opw_value;", p.Result, failed), fmt.Sprintf("return (%s)%s;", p.Result, failed)
	} else if p.Result == "void" {
		c.Return, c.Failed = "return;", "return;"
	} else if !strings.Contains(dtype, "int") {
		return refuse("the signature has no output left for that; a code is an integer")
	} else {
		fails := 0
		if w.r.Success == 0 {
			fails = -1
		}
		c.Return, c.Failed = fmt.Sprintf("return opw_status ? %d : %d;", fails, w.r.Success), fmt.Sprintf("return %d;", fails)
	}
	for _, t := range w.s.Types {
		if c.types[t.Name] == "" {
			return unfit("%s does not say what %s is: give a parameter of that a type other than void", p.Name, t.Name)
		}
	}
	return nil
}
