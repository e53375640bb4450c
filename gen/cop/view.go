package cop

import (
	"fmt"
	"strings"

	"opweld/gen/signature"
)

// View is what the templates write.
type View struct {
	Id, Title, Text string
	File, Glue      string // names in #line: of the body, and of what is round it
	CXX, Nogil      bool
	Strict, StrictC []string // warnings that are errors; and those that only a C compiler has, for C that stands among C++

	Parameters, Locals, Results, Given []string // of the body's function
	Macros                             []Macro
	Taken                              []string // parameters of the function that calls it
	Functions                          []Function
	Sizes                              []Size
	Checks                             []Check
	Outputs                            []Output
	Copied                             []string // inputs that must be contiguous
	Ready                              string
	Changed                            []Changed
	Works                              []Output  // memory for the body alone
	Loop                               *Loop     // of a ufunc
	Callback                           *Callback // of a function for who calls back; neither: a function of arrays
}

// Macro is how a body reads an element by its indices.
type Macro struct{ Name, Head, Text string }

// Function is an argument that is a function of C: its name, and its types, as C strings too.
type Function struct{ Name, Quoted, Types string }

// Size is a name and the C that binds it.
type Size struct{ Name, Value string }

// Check is what must not hold, and what is returned then.
type Check struct{ Test, Refuse string }

// Output is an array that is made.
type Output struct {
	Name, Slot, Type, Number, Sizes, Fill string
	Ndim, Zero                            int
}

// Changed is an input that is written into.
type Changed struct {
	Name   string
	Copied bool
}

// pointers are mistakes that a C compiler lets pass with a warning; C++ refuses them by itself.
var pointers = []string{"incompatible-pointer-types", "int-conversion", "implicit-function-declaration"}

type writer struct {
	s *signature.Signature
	r *Request
	v View
}

// begin is what does not depend on who calls the body.
func (w *writer) begin(body string) {
	w.v = View{Id: Id, Title: w.r.Name, Text: body, CXX: w.r.CXX, Nogil: w.r.Nogil, Ready: "1",
		File: w.r.Name + "/body", Glue: w.r.Name + "/glue", Strict: []string{"format"}}
	if !w.r.CXX {
		w.v.StrictC = pointers
	}
	w.checker()
}

// view is a function of arrays.
func (w *writer) view(body string) *View {
	w.begin(body)
	for _, size := range w.s.Sizes {
		w.size(size)
	}
	for i := range w.s.Inputs {
		w.input(i)
	}
	for i := range w.s.Outputs {
		w.output(&w.s.Outputs[i])
	}
	for _, a := range w.s.Inputs {
		if a.Inout {
			w.v.Taken = append(w.v.Taken, "PyArrayObject **opw_out_"+a.Name)
			w.v.Changed = append(w.v.Changed, Changed{a.Name, !a.Strided})
		}
	}
	return &w.v
}

// ctype is the C type of a dtype, or the type variable itself.
func (w *writer) ctype(dtype string) string {
	parts := map[string]string{"complex64": "float", "complex128": "double", "clongdouble": "long double"}
	if part := parts[dtype]; part != "" && w.r.CXX {
		return "std::complex<" + part + ">"
	} else if part != "" {
		return part + " _Complex"
	}
	if w.s.Variable(dtype) {
		return dtype
	}
	return "npy_" + dtype
}

func (w *writer) number(dtype string) string {
	if w.s.Variable(dtype) {
		return "opw_num_" + dtype
	}
	return "NPY_" + strings.ToUpper(dtype)
}

// quote is a text as a C string; names and sizes hold nothing that needs an escape.
func quote(text string) string { return `"` + text + `"` }

func (w *writer) size(size signature.Size) {
	a := w.s.Inputs[size.Input]
	value := fmt.Sprintf("PyArray_DIM(opw_in_%s, %d)", a.Name, size.Axis)
	if size.Axis < 0 {
		w.v.Sizes = append(w.v.Sizes, Size{size.Name, fmt.Sprintf("(npy_intp)*(%s *)PyArray_DATA(opw_in_%s)", w.ctype(a.Dtype), a.Name)})
		return
	}
	if size.Less != 0 {
		w.v.Checks = append(w.v.Checks, Check{size.Name + " < 0", fmt.Sprintf("opw_cop_differs(%s, %s, %d, %s, %s, %d)",
			quote(w.r.Name), quote(a.Name), size.Axis, value, quote("the least that "+a.Dims[size.Axis].String()+" can be"), max(size.Less, 0))})
		value = fmt.Sprintf("%s - (%d)", value, size.Less)
	}
	w.v.Sizes = append(w.v.Sizes, Size{size.Name, value})
	w.v.Parameters = append(w.v.Parameters, "const npy_intp "+size.Name)
	w.v.Given = append(w.v.Given, size.Name)
}

// operations are the functions that compute sizes.
var operations = map[string]string{"+": "add", "-": "sub", "*": "mul", "//": "div", "%": "mod", "min": "min", "max": "max"}

// expression is a size in C.
func expression(d *signature.Dim) string {
	switch d.Op {
	case "name":
		return "(npy_intp)" + d.Name
	case "number":
		return fmt.Sprintf("(npy_intp)%d", d.Number)
	}
	return fmt.Sprintf("opw_cop_%s(%s, %s)", operations[d.Op], expression(d.Args[0]), expression(d.Args[1]))
}

// binds tells whether an input's axis is where a name comes from.
func (w *writer) binds(input, axis int) bool {
	for _, size := range w.s.Sizes {
		if size.Input == input && size.Axis == axis {
			return true
		}
	}
	return false
}

func (w *writer) input(i int) {
	a := &w.s.Inputs[i]
	if a.Dtype == signature.Function {
		w.function(a)
		return
	}
	w.v.Taken = append(w.v.Taken, "PyArrayObject *opw_in_"+a.Name)
	for axis, d := range a.Dims {
		if !w.binds(i, axis) {
			w.v.Checks = append(w.v.Checks, w.agrees(a, axis, d))
		}
	}
	kind := w.ctype(a.Dtype)
	switch {
	case len(a.Dims) == 0:
		w.v.Parameters = append(w.v.Parameters, kind+" "+a.Name)
		w.v.Given = append(w.v.Given, fmt.Sprintf("*(%s *)PyArray_DATA(opw_in_%s)", kind, a.Name))
		return
	case a.Strided:
		w.strided(a, kind)
		w.v.Given = append(w.v.Given, fmt.Sprintf("PyArray_BYTES(opw_in_%s)", a.Name))
		for axis := range a.Dims {
			w.v.Given = append(w.v.Given, fmt.Sprintf("PyArray_STRIDE(opw_in_%s, %d), PyArray_DIM(opw_in_%s, %d)", a.Name, axis, a.Name, axis))
		}
		return
	}
	w.block(a, kind, !a.Inout)
	w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)PyArray_DATA(opw_used_%s)", kind, a.Name))
	w.v.Copied = append(w.v.Copied, a.Name)
	w.v.Ready += " && opw_used_" + a.Name
}

// function is an argument that is a function of C: what the body calls, and the data that goes with it.
func (w *writer) function(a *signature.Argument) {
	w.v.Taken = append(w.v.Taken, "PyObject *opw_in_"+a.Name)
	w.v.Parameters = append(w.v.Parameters, "void *"+a.Name, "void *opw_data_"+a.Name)
	w.v.Given = append(w.v.Given, "opw_called_"+a.Name, "PyCapsule_GetContext(opw_in_"+a.Name+")")
	w.v.Functions = append(w.v.Functions, Function{a.Name, quote(a.Name), quote(w.r.Functions[a.Name])})
}

// agrees checks a size against what the others say.
func (w *writer) agrees(a *signature.Argument, axis int, d *signature.Dim) Check {
	have, want, text := fmt.Sprintf("PyArray_DIM(opw_in_%s, %d)", a.Name, axis), expression(d), quote(d.String())
	if d.Op == "number" {
		text = "NULL"
	}
	return Check{have + " != " + want, fmt.Sprintf("opw_cop_differs(%s, %s, %d, %s, %s, %s)",
		quote(w.r.Name), quote(a.Name), axis, have, text, want)}
}

func (w *writer) output(a *signature.Argument) {
	kind, slot := w.ctype(a.Dtype), "opw_out_"+a.Name
	made := Output{Name: a.Name, Slot: slot, Type: kind, Number: w.number(a.Dtype), Ndim: len(a.Dims), Sizes: "0"}
	var sizes []string
	for axis, d := range a.Dims {
		sizes = append(sizes, expression(d))
		if d.Op != "number" && !w.never(d) {
			w.v.Checks = append(w.v.Checks, Check{expression(d) + " < 0", fmt.Sprintf("opw_cop_no_size(%s, %s, %d, %s, %s)",
				quote(w.r.Name), quote(a.Name), axis, quote(d.String()), expression(d))})
		}
	}
	if len(sizes) > 0 {
		made.Sizes = strings.Join(sizes, ", ")
		made.Fill, made.Zero = filling(a.Value)
	}
	if a.Work {
		w.v.Works = append(w.v.Works, made)
	} else {
		w.v.Taken = append(w.v.Taken, "PyArrayObject **"+slot)
		w.v.Outputs = append(w.v.Outputs, made)
	}
	if len(a.Dims) == 0 {
		w.scalar(a, kind)
	} else {
		w.block(a, kind, false)
	}
	w.v.Given = append(w.v.Given, fmt.Sprintf("(%s *)PyArray_DATA(*%s)", kind, slot))
}

// never tells whether a size is one that an input's shape says, which is no less than 0.
func (w *writer) never(d *signature.Dim) bool {
	for _, size := range w.s.Sizes {
		if d.Op == "name" && size.Name == d.Name {
			return size.Axis >= 0
		}
	}
	return false
}

// scalar is an output that the body sees as a variable.
func (w *writer) scalar(a *signature.Argument, kind string) {
	w.v.Parameters = append(w.v.Parameters, fmt.Sprintf("%s *opw_to_%s", kind, a.Name))
	begin := "0"
	if a.Value != nil {
		begin = literal(*a.Value)
	}
	w.v.Locals = append(w.v.Locals, fmt.Sprintf("%s %s = %s;", kind, a.Name, begin))
	w.v.Results = append(w.v.Results, fmt.Sprintf("*opw_to_%s = %s;", a.Name, a.Name))
}

// filling is what the elements of an output begin with, where it is not what is in memory: a value, or zero bytes.
func filling(value *string) (string, int) {
	if value == nil {
		return "", 0
	}
	text := literal(*value)
	if strings.Trim(text, "0.") == "" {
		return "", 1
	}
	return text, 0
}

// literal is a number in C.
func literal(text string) string {
	switch text {
	case "inf":
		return "INFINITY"
	case "nan":
		return "NAN"
	case "True", "true":
		return "1"
	case "False", "false":
		return "0"
	}
	if trimmed := strings.TrimLeft(text, "0"); !strings.ContainsAny(text, ".eE-") && trimmed != "" {
		return trimmed
	}
	return text
}

// call is the expression by which c_code calls the function; {i} stands for the variables: inputs, outputs, changed inputs.
func (w *writer) call() string {
	var args []string
	for _, a := range w.s.Inputs {
		kind := map[bool]string{true: "PyObject", false: "PyArrayObject"}[a.Dtype == signature.Function]
		args = append(args, fmt.Sprintf("(%s *)({%d})", kind, len(args)))
	}
	for i := len(w.v.Outputs) + len(w.v.Changed); i > 0; i-- {
		args = append(args, fmt.Sprintf("&{%d}", len(args)))
	}
	return fmt.Sprintf("opw_cop_%s(%s)", Id, strings.Join(args, ", "))
}
