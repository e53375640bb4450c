// Package scalar knows what is computed of one element: for each scalar operation and the dtypes of its arguments the C
// that does it, with NumPy's meaning. It is data and lookup; the loops round it are gen's, the helpers' C lies in
// templates/scalar.
package scalar

import (
	"fmt"
	"strings"
	"sync"

	"opweld/npyapi"
)

// Type is a dtype as the loops compute with it. A float16 value is a C float that holds a representable number, a
// complex value is a struct of two parts, equal in C and C++; both have another form in memory than as a value.
type Type struct {
	npyapi.DType
	Class  byte   // b, i, u, e (float16), f, c
	Value  string // C type of a value
	Suffix string // tells helpers apart: f64
	F      string // suffix of the functions of math.h for it, or for its parts
	Part   string // C type of a part of a complex value, or Value
	Bits   int    // of an integer
}

var values = map[string][4]string{ // dtype -> Value, Suffix, F, Part
	"float16":     {"float", "f32", "f", "float"},
	"float32":     {"float", "f32", "f", "float"},
	"float64":     {"double", "f64", "", "double"},
	"longdouble":  {"npy_longdouble", "fl", "l", "npy_longdouble"},
	"complex64":   {"opw_value_c64", "c64", "f", "float"},
	"complex128":  {"opw_value_c128", "c128", "", "double"},
	"clongdouble": {"opw_value_cl", "cl", "l", "long double"},
}

// TypeOf finds a dtype by NumPy's name.
func TypeOf(dtype string) (Type, bool) {
	t, known := types()[dtype]
	return t, known
}

var types = sync.OnceValue(func() map[string]Type {
	found := map[string]Type{}
	for _, d := range npyapi.DTypes {
		t := Type{DType: d, Class: d.Kind, Value: d.C, Suffix: string(d.Kind) + fmt.Sprint(8*d.Size), Part: d.C, Bits: 8 * d.Size}
		if v, ok := values[d.Name]; ok {
			t.Value, t.Suffix, t.F, t.Part = v[0], v[1], v[2], v[3]
		}
		if d.Name == "float16" {
			t.Class = 'e'
		}
		if _, known := found[d.Name]; !known {
			found[d.Name] = t
		}
	}
	return found
})

// Unsigned is the C type of the same size without a sign.
func (t Type) Unsigned() string { return strings.Replace(t.Value, "npy_int", "npy_uint", 1) }

// Form is how a number of float32 or float64 lies in memory.
type Form struct {
	Unsigned, Signed    string // C types of its size
	Mantissa, Bias, Top int    // bits of the mantissa, what is added to exponents, the bit of the sign
}

// Middle is an exponent up to which products and quotients of a number and its like with what lies in half of all exponents are normal.
func (f *Form) Middle() int { return f.Bias / 4 }

// Form of a float; nil: C has no integer for it.
func (t Type) Form() *Form {
	switch t.Value {
	case "float":
		return &Form{"npy_uint32", "npy_int32", 23, 127, 31}
	case "double":
		return &Form{"npy_uint64", "npy_int64", 52, 1023, 63}
	}
	return nil
}

// Helper is a C function that an expression calls, written once a unit: templates/scalar/<Template>.c.tmpl under a name
// made of Name and the type's suffix.
type Helper struct {
	Template string
	Name     string
	Type     Type
}

// C is the helper's name in C.
func (h Helper) C() string { return "opw_" + h.Name + "_" + h.Type.Suffix }

// Piece is the function of the vector library by which a loop that is run in stages calls a helper of it.
func (h Helper) Piece() string { return "opw_" + h.Name + "_piece_" + h.Type.Suffix }

// simplePart is the part of the vector library that has the pieces of simple operations, and the template that declares one.
const simplePart = "simple"

// Vector names the part of the vector library that a helper calls; empty: none.
func (h Helper) Vector() string {
	if h.Template == simplePart {
		return simplePart
	}
	if !strings.HasPrefix(h.Template, "vector") {
		return ""
	}
	for _, row := range table {
		if row.vector != "" && row.inC() == h.Name {
			return row.vector
		}
	}
	return ""
}

// Path is the template that writes it.
func (h Helper) Path() string { return "scalar/" + h.Template + ".c.tmpl" }

// Code is a C expression, and what it needs.
type Code struct {
	Text    string
	Helpers []Helper // those that others call come first
	Fails   bool     // it is a statement's condition: non-zero where an exception was set
}

func (c *Code) needs(more ...Helper) {
	for _, h := range more {
		c.Helpers = append(c.Helpers, below(h)...)
		c.Helpers = append(c.Helpers, h)
	}
}

// below lists what a helper's text itself needs, first what is needed first.
func below(h Helper) []Helper {
	var found []Helper
	if h.Type.Class == 'c' && h.Template != "complex" {
		found = append(found, Helper{"complex", "value", h.Type})
	}
	for _, name := range calls[h.Template] {
		other := Helper{name, name, h.Type}
		found = append(append(found, below(other)...), other)
	}
	return found
}

// Load is a value read from memory; place is a pointer to char.
func (t Type) Load(place string) Code {
	c := Code{Text: fmt.Sprintf("*(const %s *)(const void *)(%s)", t.DType.C, place)}
	switch t.Class {
	case 'b':
		c.Text += " != 0"
	case 'e':
		c.needs(Helper{"half", "half", t})
		c.Text = fmt.Sprintf("opw_half_value(*(const npy_uint16 *)(const void *)(%s))", place)
	case 'c':
		c.needs(Helper{"complex", "value", t})
		c.Text = fmt.Sprintf("*(const %s *)(const void *)(%s)", t.Value, place)
	}
	return c
}

// Store is a statement that writes a value to memory.
func (t Type) Store(place, value string) Code {
	c := Code{Text: fmt.Sprintf("*(%s *)(void *)(%s) = %s;", t.DType.C, place, value)}
	switch t.Class {
	case 'e':
		c.needs(Helper{"half", "half", t})
		c.Text = fmt.Sprintf("*(npy_uint16 *)(void *)(%s) = opw_half_bits(%s);", place, value)
	case 'c':
		c.needs(Helper{"complex", "value", t})
		c.Text = fmt.Sprintf("*(%s *)(void *)(%s) = %s;", t.Value, place, value)
	}
	return c
}
