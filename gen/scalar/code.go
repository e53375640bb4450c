package scalar

import (
	"fmt"
	"sort"
	"strings"
)

// Names lists the scalar operations, sorted.
func Names() []string {
	names := []string{"cast"}
	for _, row := range table {
		if row.code != nil {
			names = append(names, row.name)
		}
	}
	sort.Strings(names)
	return names
}

// Function is one of NumPy's, as a person calls it.
type Function struct {
	Name          string
	Also          []string // NumPy's other names for it
	Args, Results int
}

// Functions lists them, in the order of the table.
func Functions() []Function {
	var found []Function
	for _, row := range table {
		f := Function{row.name, strings.Fields(row.also), row.args, 1}
		if parts := strings.Fields(row.parts); len(parts) > 0 {
			f.Args, f.Results = ops[parts[0]].args, len(parts)
		}
		if row.doc != "" {
			found = append(found, f)
		}
	}
	return found
}

// Check says what is wrong with an operation on arguments of these types that is to give this dtype.
func Check(name string, args []Type, dtype string) error {
	if name == "cast" {
		if len(args) != 1 {
			return fmt.Errorf("cast takes 1 argument, got %d", len(args))
		}
		return nil
	}
	o := ops[name]
	if o.code == nil {
		return fmt.Errorf("no scalar operation %q", name)
	}
	if len(args) != o.args {
		return fmt.Errorf("%s takes %d arguments, got %d", name, o.args, len(args))
	}
	if _, ok := o.pattern(args); !ok {
		return fmt.Errorf("%s has no loop for %s; cast the arguments to the dtypes of one of NumPy's", name, dtypes(args))
	}
	if want := o.gives.of(args); want != dtype {
		return fmt.Errorf("%s of %s gives %s, not %s", name, dtypes(args), want, dtype)
	}
	return nil
}

func dtypes(args []Type) string {
	names := make([]string, len(args))
	for i, t := range args {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

var parts = map[string]string{"complex64": "float32", "complex128": "float64", "clongdouble": "longdouble"}

func (r result) of(args []Type) string {
	last := args[len(args)-1]
	switch r {
	case boolean:
		return "bool"
	case count:
		return "uint8"
	case intc:
		return "int32"
	case first:
		return args[0].Name
	case part:
		if last.Class == 'c' {
			return parts[last.Name]
		}
	}
	return last.Name
}

// Calls tells whether an operation on arguments of a type calls a function for each element, beside which the strides of a
// loop do not matter.
func Calls(name string, arg Type) bool {
	text, ok := ops[name].pattern([]Type{arg, arg, arg}[:max(1, ops[name].args)])
	switch {
	case !ok || arg.Class == 'e':
		return arg.Class == 'e'
	case text[0] == '@' || text[0] == '$':
		return !ops[name].even || arg.Form() == nil
	}
	return callsLibrary(text)
}

// CallsLibrary tells whether an operation on an argument of a real type calls a function of math.h or of the vector library.
func CallsLibrary(name string, arg Type) bool {
	text, ok := ops[name].pattern([]Type{arg, arg, arg}[:max(1, ops[name].args)])
	_, many := Vector(name, arg)
	return ok && arg.Class == 'f' && (many || callsLibrary(text))
}

// Vector is the function that computes an operation on arguments of a type for many numbers at once, one after the other in memory.
func Vector(name string, arg Type) (Helper, bool) {
	o := ops[name]
	if o.vector == "" || o.even || arg.Name != "float64" && arg.Name != "float32" {
		return Helper{}, false
	}
	h := Helper{"vector", o.inC(), arg}
	if o.args == 2 {
		h.Template = "vector_2"
	}
	return h, true
}

// Alone is the function that computes an operation on arguments of these types for many numbers at once where a loop does nothing else.
func Alone(name string, args []Type) (Helper, bool) {
	if len(args) == 0 {
		return Helper{}, false
	}
	switch o := ops[name]; {
	case !o.even:
		return Vector(name, args[0])
	case o.vector == "" || args[0].Class != 'f' || args[0].Form() == nil:
		return Helper{}, false
	case o.gives == boolean:
		return Helper{"vector_kind", o.inC(), args[0]}, true
	case len(args) == 1:
		return Helper{"vector", o.inC(), args[0]}, true
	default: // ldexp
		return Helper{"vector_i", o.inC(), args[0]}, args[1].Name == "int32"
	}
}

// Together is the function that computes for many numbers at once the operations that are all parts of one, in their order, where a loop
// does nothing else.
func Together(names []string, arg Type) (Helper, bool) {
	for _, row := range table {
		if row.vector != "" && row.parts != "" && row.parts == strings.Join(names, " ") {
			return Helper{"vector_parts", row.name, arg}, arg.Name == "float64" || arg.Name == "float32"
		}
	}
	return Helper{}, false
}

// Simple is the piece of the vector library that computes an operation on arguments of a type, the one that is given by number of
// which is one number throughout (-1: none is).
func Simple(name string, arg Type, number int) (Helper, bool) {
	if !ops[name].simple || arg.Name != "float64" && arg.Name != "float32" {
		return Helper{}, false
	}
	return Helper{simplePart, name + []string{"", "_left", "_right"}[number+1], arg}, true
}

// inC is what math.h calls an operation, or its own name where that has none.
func (o op) inC() string {
	if o.parts != "" {
		return o.name
	}
	text, _ := o.pattern([]Type{{Class: 'f'}, {Class: 'f'}}[:o.args])
	if name, given, found := strings.Cut(text, "{F}"); found && (given == "({0})" || given == "({0}, {1})") {
		return name
	}
	return o.name
}

func callsLibrary(text string) bool {
	for _, name := range inline {
		text = strings.ReplaceAll(text, name+"{F}(", "(")
	}
	return strings.Contains(text, "{F}(")
}

// pattern finds the C for the classes of the arguments, which must agree but where an operation says otherwise.
func (o op) pattern(args []Type) (string, bool) {
	class := string(args[0].Class)
	switch {
	case o.args == 3: // where: the condition decides the pattern, the values must agree
		if args[1].Name != args[2].Name {
			return "", false
		}
	case o.gives == first: // ldexp
		if args[1].Class != 'i' {
			return "", false
		}
		if args[1].Name == "int64" {
			class = "l"
		}
	case o.args == 2 && args[0].Name != args[1].Name:
		switch {
		case args[0].Name == "int64" && args[1].Name == "uint64":
			class = "x"
		case args[0].Name == "uint64" && args[1].Name == "int64":
			class = "y"
		default:
			return "", false
		}
	}
	for _, wanted := range []string{class, strings.Replace(class, "e", "f", 1)} {
		for classes, text := range o.code {
			if strings.Contains(classes, wanted) {
				return text, true
			}
		}
	}
	return "", false
}

// Of writes an operation on named values of these types, checked before, that gives a value of type out. Where Fails is
// set, the text is a call that takes the address of the result as "{out}" and gives non-zero where an exception was set.
func Of(name string, args []Type, out Type, names []string) Code {
	if name == "cast" {
		return cast(args[0], out, names[0])
	}
	o := ops[name]
	text, _ := o.pattern(args)
	var c Code
	if h, many := Vector(name, args[0]); many {
		c.needs(h)
		c.Text = h.C() + "_one(" + strings.Join(names, ", ") + ")"
		return c
	}
	switch text[0] {
	case '@', '$':
		name := strings.Fields(text[1:])[0]
		h := Helper{name, name, args[0]}
		if !strings.Contains(name, "_") { // a function of complex.h
			h.Template = "complex_function"
		}
		c.needs(h)
		c.Text = h.C() + "(" + strings.Join(names, ", ") + ")"
		if text[0] == '$' {
			c.Text, c.Fails = h.C()+"("+strings.Join(names, ", ")+", &{out})", true
		}
	default:
		c.Text = text
		for i, n := range names {
			c.Text = strings.ReplaceAll(c.Text, fmt.Sprintf("{%d}", i), n)
		}
		c.Text = strings.NewReplacer("{T}", args[0].Value, "{F}", args[0].F, "{U}", args[0].Unsigned()).Replace(c.Text)
	}
	if c.Fails {
		return c
	}
	switch out.Class {
	case 'e':
		if !o.keeps {
			c.needs(Helper{"half", "half", out})
			c.Text = "opw_half_round(" + c.Text + ")"
		}
	case 'b', 'i', 'u':
		c.Text = "(" + out.Value + ")(" + c.Text + ")"
	}
	return c
}

func cast(from, to Type, value string) Code {
	var c Code
	switch {
	case from.Name == to.Name:
		c.Text = value
	case to.Class == 'b' && from.Class == 'c':
		c.Text = fmt.Sprintf("(npy_bool)(%s.re != 0 || %s.im != 0)", value, value)
	case to.Class == 'b':
		c.Text = fmt.Sprintf("(npy_bool)(%s != 0)", value)
	case to.Class == 'c':
		h := Helper{"make_c", "make", to}
		c.needs(h)
		part, _ := TypeOf(parts[to.Name])
		re, im := cast(from, part, value), "0"
		if from.Class == 'c' {
			c.needs(Helper{"complex", "value", from})
			re, im = Code{Text: fmt.Sprintf("(%s)%s.re", to.Part, value)}, value+".im"
		}
		c.Text = fmt.Sprintf("%s(%s, (%s)%s)", h.C(), re.Text, to.Part, im)
	case from.Class == 'c':
		half, _ := TypeOf(parts[from.Name])
		return cast(half, to, value+".re")
	case to.Class == 'e':
		c.needs(Helper{"half", "half", to})
		c.Text = fmt.Sprintf("opw_half_round((float)%s)", value)
		if from.Class == 'f' && from.Size > 4 {
			c.Text = fmt.Sprintf("opw_half_value(opw_half_of_double((double)%s))", value)
		}
	case from.Class == 'b' && to.Class == 'f': // of bytes compilers make vectors, of what they take for a truth value none
		c.Text = fmt.Sprintf("(%s)(signed char)%s", to.Value, value)
	default:
		c.Text = fmt.Sprintf("(%s)%s", to.Value, value)
	}
	return c
}

// Over divides a value of float32 or float64 by one that is the same for many elements: wrong where the status word then has marks.
func Over(t Type, value, divisor string) Code {
	h := Helper{"over_f", "over", t}
	return Code{Text: fmt.Sprintf("%s(%s, %s)", h.C(), value, divisor), Helpers: []Helper{h}}
}
