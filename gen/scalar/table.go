package scalar

import "strings"

// op is a row of the table of scalar operations. All that is known of them elsewhere comes from here: what the engine
// takes and writes, the functions of expressions, and, written by `make golden`, opweld/operations.py,
// opweld/tensor/ufuncs.py and the list in docs/aliasing.md.
type op struct {
	name   string
	args   int
	gives  result
	rounds rounding
	keeps  bool   // what it gives of float16 numbers is one, so nothing is rounded
	code   by     // its C
	vector string // the part of the vector library that computes it for float32 and float64, many at once; of several results: for loops of it alone
	even   bool   // its helper has no branches for float32 and float64, so that compilers make vectors of it; that part is for loops of it alone
	simple bool   // an instruction or two of float32 and float64, of which that library has pieces (templates/vector/simple.h)
	parts  string // of a function of several results, in place of args and code: the operations that give them
	also   string // NumPy's other names for it
	short  string // those of Theano, Aesara and PyTensor
	shows  string // an example: arguments of NumPy's function, and what it gives, as Python writes them
	doc    string // what opweld.tensor says of it; none: it is no ufunc of NumPy's, and ops in Python that use it say what it is
}

// result says how the dtype of a result follows from those of the arguments.
type result byte

const (
	same    result = iota // that of the last argument
	boolean               // bool
	part                  // the real dtype of the parts of a complex argument, else that of the argument
	count                 // uint8
	intc                  // int32
	first                 // that of the first argument
)

// rounding says whether two libraries may differ in the last places.
type rounding byte

const (
	exact     rounding = iota // IEEE 754 says what comes out
	inComplex                 // not so of complex numbers
	always                    // nor of real ones
)

// by gives the C for the classes of the arguments: an expression with {0} {1} {2} for the arguments, {T} for the C type of a
// value, {F} for the suffix of math.h; or "@name", a helper, "$name": one that may set an exception, and after it
// the helpers that its text calls. Where the arguments are one signed and one unsigned integer the class is x, the
// other way round y; where they are a float and an int64, l.
type by map[string]string

func comparison(sign string, signed, unsigned, helper string) by {
	return by{"biuf": "{0} " + sign + " {1}", "c": helper, "x": signed, "y": unsigned}
}

// ofMath is a function of math.h that complex.h has as well.
func ofMath(name string) by {
	return by{"f": name + "{F}({0})", "c": "@" + name}
}

// inline are the functions of math.h that compilers write as instructions; others are called for each element.
var inline = []string{"fabs", "sqrt", "copysign", "rint"}

// ops finds a row, and calls what the text of a helper calls.
var ops, calls = index()

func index() (map[string]op, map[string][]string) {
	rows, called := map[string]op{}, map[string][]string{}
	for _, row := range table {
		rows[row.name] = row
		for _, text := range row.code {
			if words := strings.Fields(text); strings.ContainsAny(text[:1], "@$") && len(words) > 1 {
				called[words[0][1:]] = words[1:]
			}
		}
	}
	return rows, called
}

var table = []op{
	// arithmetic
	{name: "add", args: 2, simple: true, code: by{"b": "{0} | {1}", "iuf": "{0} + {1}", "c": "@add_c"}, doc: "Add.",
		shows: "[1, 2]; [10, 20] = array([11, 22])"},
	{name: "subtract", args: 2, simple: true, short: "sub", doc: "Subtract the second from the first.",
		shows: "[1, 2]; [10, 20] = array([ -9, -18])",
		code:  by{"iuf": "{0} - {1}", "c": "@subtract_c"}},
	{name: "multiply", args: 2, simple: true, rounds: inComplex, short: "mul", doc: "Multiply.",
		shows: "[1, 2]; [10, 20] = array([10, 40])",
		code:  by{"b": "{0} & {1}", "iuf": "{0} * {1}", "c": "@multiply_c"}},
	{name: "divide", args: 2, simple: true, rounds: inComplex, also: "true_divide", short: "true_div",
		code:  by{"f": "{0} / {1}", "c": "@divide_c"},
		doc:   "Divide the first by the second; of integers floating point.",
		shows: "[7, -7]; [2, 2] = array([ 3.5, -3.5])"},
	{name: "floor_divide", args: 2, vector: "quotient", short: "floor_div int_div", doc: "Divide, and round down.",
		shows: "[7, -7]; [2, 2] = array([ 3, -4])",
		code:  by{"i": "@floor_divide_i", "u": "{1} ? {0} / {1} : ({T})opw_by_zero()", "f": "@floor_divide_f"}},
	{name: "remainder", args: 2, vector: "quotient", also: "mod", doc: "Give the rest of `floor_divide`, of the divisor's sign.",
		shows: "[7, -7]; [2, 2] = array([1, 1])",
		code:  by{"i": "@remainder_i", "u": "{1} ? {0} % {1} : ({T})opw_by_zero()", "f": "@remainder_f"}},
	{name: "divmod", parts: "floor_divide remainder", doc: "Give `floor_divide` and `remainder`.",
		shows: "[7, -7]; [2, 2] = [array([ 3, -4]), array([1, 1])]"},
	{name: "fmod", args: 2, vector: "quotient", doc: "Give the rest of a division that rounds towards zero, of the dividend's sign.",
		shows: "[7.0, -7.0]; [2.0, 2.0] = array([ 1., -1.])",
		code: by{"i": "{1} == 0 ? ({T})opw_by_zero() : {1} == -1 ? 0 : {0} % {1}", "u": "{1} ? {0} % {1} : ({T})opw_by_zero()",
			"f": "fmod{F}({0}, {1})"}},
	{name: "power", args: 2, rounds: always, vector: "power", also: "pow", doc: "Raise the first to the power of the second.",
		shows: "[2, 3]; [3, 2] = array([8, 9])",
		code:  by{"i": "$power_i", "u": "$power_u", "f": "pow{F}({0}, {1})", "c": "@power_c multiply_c divide_c"}},
	{name: "float_power", args: 2, rounds: always, vector: "power", doc: "Raise to a power, in float64 or complex128 at least.",
		shows: "[2, 3]; [0.5, 2.0] = array([1.41421356, 9.        ])",
		code:  by{"f": "pow{F}({0}, {1})", "c": "@power_c multiply_c divide_c"}},
	{name: "negative", args: 1, simple: true, keeps: true, short: "neg", doc: "Change the sign.",
		shows: "[-2, 0, 3] = array([ 2,  0, -3])",
		code:  by{"iuf": "-{0}", "c": "@negative_c"}},
	{name: "positive", args: 1, simple: true, keeps: true, code: by{"iufc": "{0}"}, doc: "Give a copy, of numbers.",
		shows: "[-2, 0, 3] = array([-2,  0,  3])"},
	{name: "absolute", args: 1, simple: true, gives: part, rounds: inComplex, keeps: true, also: "abs",
		code:  by{"bu": "{0}", "i": "{0} < 0 ? -{0} : {0}", "f": "fabs{F}({0})", "c": "@absolute_c"},
		doc:   "Give the absolute value.",
		shows: "[-2, 0, 3] = array([2, 0, 3])"},
	{name: "fabs", args: 1, simple: true, keeps: true,
		code:  by{"f": "fabs{F}({0})"},
		doc:   "Give the absolute value in floating point; not of complex numbers.",
		shows: "[-1.5, 2.0] = array([1.5, 2. ])"},
	{name: "sign", args: 1, rounds: inComplex, keeps: true, short: "sgn",
		code:  by{"i": "({0} > 0) - ({0} < 0)", "u": "{0} != 0", "f": "{0} > 0 ? 1 : {0} < 0 ? -1 : {0} == 0 ? 0 : {0}", "c": "@sign_c"},
		doc:   "Give -1, 0 or 1; of a complex number x / abs(x).",
		shows: "[-2, 0, 3] = array([-1,  0,  1])"},
	{name: "heaviside", args: 2, doc: "Give 0 below zero, 1 above, the second where the first is zero.",
		shows: "[-1.0, 0.0, 2.0]; [0.5, 0.5, 0.5] = array([0. , 0.5, 1. ])",
		code:  by{"f": "{0} == 0 ? {1} : {0} < 0 ? 0 : {0} > 0 ? 1 : {0}"}},
	{name: "conjugate", args: 1, keeps: true, also: "conj", doc: "Give the complex conjugate.",
		shows: "[1 + 2j] = array([1.-2.j])",
		code:  by{"iuf": "{0}", "c": "@conjugate_c"}},
	{name: "square", args: 1, simple: true, rounds: inComplex, short: "sqr", doc: "Give x * x.",
		shows: "[-2, 0, 3] = array([4, 0, 9])",
		code:  by{"iuf": "{0} * {0}", "c": "@square_c"}},
	{name: "reciprocal", args: 1, simple: true, rounds: inComplex, doc: "Give 1 / x; of integers rounded towards zero.",
		shows: "[2.0, 4.0] = array([0.5 , 0.25])",
		code:  by{"iu": "@reciprocal_i", "f": "1 / {0}", "c": "@reciprocal_c"}},

	// functions of math.h
	{name: "exp", args: 1, rounds: always, vector: "exp", code: ofMath("exp"), doc: "Give e to the power of x.",
		shows: "[0.0, 1.0] = array([1.        , 2.71828183])"},
	{name: "log", args: 1, rounds: always, vector: "log", code: ofMath("log"), doc: "Give the natural logarithm.",
		shows: "[1.0, 100.0] = array([0.        , 4.60517019])"},
	{name: "sqrt", args: 1, simple: true, rounds: inComplex, code: ofMath("sqrt"), doc: "Give the square root.",
		shows: "[1.0, 100.0] = array([ 1., 10.])"},
	{name: "sin", args: 1, rounds: always, vector: "circle", code: ofMath("sin"), doc: "Give the sine of an angle in radians.",
		shows: "[0.0, 1.0] = array([0.        , 0.84147098])"},
	{name: "cos", args: 1, rounds: always, vector: "circle", code: ofMath("cos"), doc: "Give the cosine of an angle in radians.",
		shows: "[0.0, 1.0] = array([1.        , 0.54030231])"},
	{name: "tan", args: 1, rounds: always, vector: "circle", code: ofMath("tan"), doc: "Give the tangent of an angle in radians.",
		shows: "[0.0, 1.0] = array([0.        , 1.55740772])"},
	{name: "sinh", args: 1, rounds: always, vector: "exp", code: ofMath("sinh"), doc: "Give the hyperbolic sine.",
		shows: "[0.0, 1.0] = array([0.        , 1.17520119])"},
	{name: "cosh", args: 1, rounds: always, vector: "exp", code: ofMath("cosh"), doc: "Give the hyperbolic cosine.",
		shows: "[0.0, 1.0] = array([1.        , 1.54308063])"},
	{name: "tanh", args: 1, rounds: always, vector: "exp", code: ofMath("tanh"), doc: "Give the hyperbolic tangent.",
		shows: "[0.0, 1.0] = array([0.        , 0.76159416])"},
	{name: "exp2", args: 1, rounds: always, vector: "exp", doc: "Give 2 to the power of x.",
		shows: "[0.0, 1.0] = array([1., 2.])",
		code:  by{"f": "exp2{F}({0})", "c": "@exp2_c"}},
	{name: "log2", args: 1, rounds: always, vector: "log", doc: "Give the logarithm to base 2.",
		shows: "[1.0, 100.0] = array([0.        , 6.64385619])",
		code:  by{"f": "log2{F}({0})", "c": "@log2_c"}},
	{name: "log10", args: 1, rounds: always, vector: "log", doc: "Give the logarithm to base 10.",
		shows: "[1.0, 100.0] = array([0., 2.])",
		code:  by{"f": "log10{F}({0})", "c": "@log10_c"}},
	{name: "expm1", args: 1, rounds: always, vector: "exp", doc: "Give exp(x) - 1, exact near zero.",
		shows: "[0.0, 1.0] = array([0.        , 1.71828183])",
		code:  by{"f": "expm1{F}({0})", "c": "@expm1_c"}},
	{name: "log1p", args: 1, rounds: always, vector: "log", doc: "Give log(1 + x), exact near zero.",
		shows: "[0.0, 1e-10] = array([0.e+00, 1.e-10])",
		code:  by{"f": "log1p{F}({0})", "c": "@log1p_c"}},
	{name: "erf", args: 1, rounds: always, vector: "error", code: by{"f": "erf{F}({0})"}},
	{name: "erfc", args: 1, rounds: always, vector: "error", code: by{"f": "erfc{F}({0})"}},
	{name: "cbrt", args: 1, rounds: always, vector: "root", code: by{"f": "cbrt{F}({0})"}, doc: "Give the cube root.",
		shows: "[1.0, 100.0] = array([1.        , 4.64158883])"},
	{name: "arcsin", args: 1, rounds: always, vector: "arc", also: "asin", doc: "Give the angle of a sine, in radians.",
		shows: "[0.0, 1.0] = array([0.        , 1.57079633])",
		code:  by{"f": "asin{F}({0})", "c": "@asin"}},
	{name: "arccos", args: 1, rounds: always, vector: "arc", also: "acos", doc: "Give the angle of a cosine, in radians.",
		shows: "[0.0, 1.0] = array([1.57079633, 0.        ])",
		code:  by{"f": "acos{F}({0})", "c": "@acos"}},
	{name: "arctan", args: 1, rounds: always, vector: "arc", also: "atan", doc: "Give the angle of a tangent, in radians.",
		shows: "[0.0, 1.0] = array([0.        , 0.78539816])",
		code:  by{"f": "atan{F}({0})", "c": "@atan"}},
	{name: "arcsinh", args: 1, rounds: always, vector: "log", also: "asinh", doc: "Give the inverse of the hyperbolic sine.",
		shows: "[0.0, 1.0] = array([0.        , 0.88137359])",
		code:  by{"f": "asinh{F}({0})", "c": "@asinh"}},
	{name: "arccosh", args: 1, rounds: always, vector: "log", also: "acosh", doc: "Give the inverse of the hyperbolic cosine.",
		shows: "[1.0, 2.0] = array([0.       , 1.3169579])",
		code:  by{"f": "acosh{F}({0})", "c": "@acosh"}},
	{name: "arctanh", args: 1, rounds: always, vector: "log", also: "atanh", doc: "Give the inverse of the hyperbolic tangent.",
		shows: "[0.0, 0.5] = array([0.        , 0.54930614])",
		code:  by{"f": "atanh{F}({0})", "c": "@atanh"}},
	{name: "arctan2", args: 2, rounds: always, vector: "arc", also: "atan2",
		code:  by{"f": "atan2{F}({0}, {1})"},
		doc:   "Give the angle of the point (x2, x1), in radians.",
		shows: "[3.0, 0.0]; [4.0, -1.0] = array([0.64350111, 3.14159265])"},
	{name: "hypot", args: 2, rounds: always, vector: "root", doc: "Give the length of the hypotenuse, sqrt(x1**2 + x2**2).",
		shows: "[3.0, 0.0]; [4.0, -1.0] = array([5., 1.])",
		code:  by{"f": "hypot{F}({0}, {1})"}},
	{name: "degrees", args: 1, rounds: always, doc: "Turn radians into degrees.",
		shows: "[1.0, 2.0] = array([ 57.29577951, 114.59155903])",
		code:  by{"f": "{0} * ({T})(180 / 3.14159265358979323846264338327950288L)"}},
	{name: "radians", args: 1, rounds: always, doc: "Turn degrees into radians.",
		shows: "[180.0, 90.0] = array([3.14159265, 1.57079633])",
		code:  by{"f": "{0} * ({T})(3.14159265358979323846264338327950288L / 180)"}},
	{name: "rad2deg", args: 1, rounds: always, doc: "Turn radians into degrees.",
		shows: "[1.0, 2.0] = array([ 57.29577951, 114.59155903])",
		code:  by{"f": "{0} * ({T})(180 / 3.14159265358979323846264338327950288L)"}},
	{name: "deg2rad", args: 1, rounds: always, doc: "Turn degrees into radians.",
		shows: "[180.0, 90.0] = array([3.14159265, 1.57079633])",
		code:  by{"f": "{0} * ({T})(3.14159265358979323846264338327950288L / 180)"}},
	{name: "logaddexp", args: 2, rounds: always, vector: "logadd", code: by{"f": "@logaddexp_f"}, doc: "Give log(exp(x1) + exp(x2)).",
		shows: "[-1000.0, 0.0]; [-1000.0, 1.0] = array([-999.30685282,    1.31326169])"},
	{name: "logaddexp2", args: 2, rounds: always, vector: "logadd", code: by{"f": "@logaddexp2_f"}, doc: "Give log2(2**x1 + 2**x2).",
		shows: "[-1000.0, 0.0]; [-1000.0, 1.0] = array([-999.       ,    1.5849625])"},

	// rounding, which compilers make vectors of where it is to the nearest, and the bits of floating point numbers
	{name: "floor", args: 1, even: true, vector: "whole", simple: true, keeps: true, code: by{"biu": "{0}", "f": "rint{F}({0}) - (__builtin_isgreater(rint{F}({0}), {0}) ? 1 : 0)"}, doc: "Round down.",
		shows: "[-1.5, 0.5, 2.7] = array([-2.,  0.,  2.])"},
	{name: "ceil", args: 1, even: true, vector: "whole", simple: true, keeps: true, code: by{"biu": "{0}", "f": "-(rint{F}(-{0}) - (__builtin_isgreater(rint{F}(-{0}), -{0}) ? 1 : 0))"}, doc: "Round up.",
		shows: "[-1.5, 0.5, 2.7] = array([-1.,  1.,  3.])"},
	{name: "trunc", args: 1, even: true, vector: "whole", simple: true, keeps: true, code: by{"biu": "{0}", "f": "copysign{F}(rint{F}(fabs{F}({0})) - (__builtin_isgreater(rint{F}(fabs{F}({0})), fabs{F}({0})) ? 1 : 0), {0})"}, doc: "Round towards zero.",
		shows: "[-1.5, 0.5, 2.7] = array([-1.,  0.,  2.])"},
	{name: "rint", args: 1, simple: true, keeps: true, doc: "Round to the nearest whole number, halves to even.",
		shows: "[-1.5, 0.5, 2.7] = array([-2.,  0.,  3.])",
		code:  by{"f": "rint{F}({0})", "c": "@rint_c"}},
	{name: "spacing", args: 1, keeps: true, doc: "Give the distance to the next number.",
		shows: "[1.0, 1e10] = array([2.22044605e-16, 1.90734863e-06])",
		code:  by{"e": "@spacing_e half", "f": "@spacing_f"}},
	{name: "nextafter", args: 2, keeps: true, vector: "next", doc: "Give the next number after the first towards the second.",
		shows: "[1.0, 0.0]; [2.0, 1.0] = array([1.e+000, 5.e-324])",
		code:  by{"e": "@nextafter_e half", "f": "nextafter{F}({0}, {1})"}},
	{name: "copysign", args: 2, keeps: true, doc: "Give the first with the sign of the second.",
		shows: "[1.0, 2.0]; [-0.0, 3.0] = array([-1.,  2.])",
		code:  by{"f": "copysign{F}({0}, {1})"}},
	{name: "signbit", args: 1, even: true, gives: boolean, vector: "kind", doc: "Say where the sign bit is set.",
		shows: "[-0.0, 1.0] = array([ True, False])",
		code:  by{"f": "sizeof({0}) == 4 ? signbit({0}) != 0 : copysign{F}(1, {0}) < 0"}},
	{name: "isnan", args: 1, even: true, gives: boolean, vector: "kind", doc: "Say where it is NaN.",
		shows: "[0.0, np.nan, np.inf] = array([False,  True, False])",
		code:  by{"biu": "0", "f": "{0} != {0}", "c": "@isnan_c"}},
	{name: "isinf", args: 1, even: true, gives: boolean, vector: "kind", doc: "Say where it is infinite.",
		shows: "[0.0, np.nan, np.inf] = array([False, False,  True])",
		code:  by{"biu": "0", "f": "fabs{F}({0}) == ({T})INFINITY", "c": "@isinf_c"}},
	{name: "isfinite", args: 1, even: true, gives: boolean, vector: "kind", doc: "Say where it is neither infinite nor NaN.",
		shows: "[0.0, np.nan, np.inf] = array([ True, False, False])",
		code:  by{"biu": "1", "f": "fabs{F}({0}) < ({T})INFINITY", "c": "@isfinite_c"}},
	{name: "ldexp", args: 2, even: true, gives: first, vector: "scale", doc: "Give x1 * 2**x2.",
		shows: "[0.5, 3.0]; [4, 1] = array([8., 6.])",
		code:  by{"f": "@ldexp_i ldexp_f", "l": "@ldexp_l ldexp_f"}},
	{name: "frexp_mantissa", args: 1, even: true, code: by{"f": "@frexp_mantissa_f frexp_f"}},
	{name: "frexp_exponent", args: 1, even: true, gives: intc, code: by{"f": "@frexp_exponent_f frexp_f"}},
	{name: "frexp", parts: "frexp_mantissa frexp_exponent", vector: "scale", doc: "Give mantissa and exponent.",
		shows: "[8.5, -0.75] = [array([ 0.53125, -0.75   ]), array([4, 0], dtype=int32)]"},
	{name: "modf_fraction", args: 1, even: true, code: by{"f": "@modf_fraction_f"}},
	{name: "modf_integer", args: 1, even: true, code: by{"f": "@modf_integer_f"}},
	{name: "modf", parts: "modf_fraction modf_integer", doc: "Give the fraction and the whole part.",
		shows: "[8.5, -0.75] = [array([ 0.5 , -0.75]), array([ 8., -0.])]"},

	// bits and whole numbers
	{name: "bitwise_and", args: 2, short: "and_", doc: "Give the bits that both have; of bool: both.",
		shows: "[12, 10]; [10, 3] = array([8, 2])",
		code:  by{"biu": "{0} & {1}"}},
	{name: "bitwise_or", args: 2, short: "or_", doc: "Give the bits that either has; of bool: either.",
		shows: "[12, 10]; [10, 3] = array([14, 11])",
		code:  by{"biu": "{0} | {1}"}},
	{name: "bitwise_xor", args: 2, short: "xor", doc: "Give the bits that one has and the other has not.",
		shows: "[12, 10]; [10, 3] = array([6, 9])",
		code:  by{"biu": "{0} ^ {1}"}},
	{name: "invert", args: 1, also: "bitwise_not bitwise_invert", doc: "Turn every bit; of bool: not.",
		shows: "[0, 6, 255] = array([  -1,   -7, -256])",
		code:  by{"b": "!{0}", "iu": "~{0}"}},
	{name: "left_shift", args: 2, also: "bitwise_left_shift", doc: "Shift bits to the left.",
		shows: "[1, 12]; [3, 2] = array([ 8, 48])",
		code:  by{"iu": "@left_shift"}},
	{name: "right_shift", args: 2, also: "bitwise_right_shift", doc: "Shift bits to the right.",
		shows: "[1, 12]; [3, 2] = array([0, 3])",
		code:  by{"i": "@right_shift", "u": "{1} < 8 * sizeof({0}) ? {0} >> {1} : 0"}},
	{name: "bitwise_count", args: 1, gives: count, doc: "Count the bits of the absolute value.",
		shows: "[0, 6, 255] = array([0, 2, 8], dtype=uint8)",
		code:  by{"i": "__builtin_popcountll((unsigned long long)({U})({0} < 0 ? -{0} : {0}))", "u": "__builtin_popcountll((unsigned long long){0})"}},
	{name: "gcd", args: 2, doc: "Give the greatest common divisor of integers.",
		shows: "[12, 7]; [18, 3] = array([6, 1])",
		code:  by{"i": "@gcd_i", "u": "@gcd_u"}},
	{name: "lcm", args: 2, doc: "Give the lowest common multiple of integers.",
		shows: "[12, 7]; [18, 3] = array([36, 21])",
		code:  by{"i": "@lcm_i gcd_i", "u": "@lcm_u gcd_u"}},

	// comparisons and choice
	{name: "less", args: 2, gives: boolean, short: "lt", doc: "Say where the first is less.",
		shows: "[1, 2, 3]; [3, 2, 1] = array([ True, False, False])",
		code:  comparison("<", "{0} < 0 || (npy_uint64){0} < {1}", "{1} >= 0 && {0} < (npy_uint64){1}", "@less_c")},
	{name: "less_equal", args: 2, gives: boolean, short: "le", doc: "Say where the first is less or equal.",
		shows: "[1, 2, 3]; [3, 2, 1] = array([ True,  True, False])",
		code:  comparison("<=", "{0} < 0 || (npy_uint64){0} <= {1}", "{1} >= 0 && {0} <= (npy_uint64){1}", "@less_equal_c")},
	{name: "greater", args: 2, gives: boolean, short: "gt", doc: "Say where the first is greater.",
		shows: "[1, 2, 3]; [3, 2, 1] = array([False, False,  True])",
		code:  comparison(">", "{0} >= 0 && (npy_uint64){0} > {1}", "{1} < 0 || {0} > (npy_uint64){1}", "@greater_c")},
	{name: "greater_equal", args: 2, gives: boolean, short: "ge", doc: "Say where the first is greater or equal.",
		shows: "[1, 2, 3]; [3, 2, 1] = array([False,  True,  True])",
		code:  comparison(">=", "{0} >= 0 && (npy_uint64){0} >= {1}", "{1} < 0 || {0} >= (npy_uint64){1}", "@greater_equal_c")},
	{name: "equal", args: 2, gives: boolean, short: "eq", doc: "Say where both are equal.",
		shows: "[1, 2, 3]; [3, 2, 1] = array([False,  True, False])",
		code:  comparison("==", "{0} >= 0 && (npy_uint64){0} == {1}", "{1} >= 0 && {0} == (npy_uint64){1}", "@equal_c")},
	{name: "not_equal", args: 2, gives: boolean, short: "neq", doc: "Say where they differ.",
		shows: "[1, 2, 3]; [3, 2, 1] = array([ True, False,  True])",
		code:  comparison("!=", "{0} < 0 || (npy_uint64){0} != {1}", "{1} < 0 || {0} != (npy_uint64){1}", "@not_equal_c")},
	{name: "logical_and", args: 2, gives: boolean, doc: "Say where both are true: not zero.",
		shows: "[0, 0, 2]; [0, 1, 1] = array([False, False,  True])",
		code:  by{"b": "{0} & {1}", "iuf": "({0} != 0) & ({1} != 0)", "c": "@logical_and_c"}},
	{name: "logical_or", args: 2, gives: boolean, doc: "Say where one is true: not zero.",
		shows: "[0, 0, 2]; [0, 1, 1] = array([False,  True,  True])",
		code:  by{"b": "{0} | {1}", "iuf": "({0} != 0) | ({1} != 0)", "c": "@logical_or_c"}},
	{name: "logical_xor", args: 2, gives: boolean, doc: "Say where one is true and the other is not.",
		shows: "[0, 0, 2]; [0, 1, 1] = array([False,  True, False])",
		code:  by{"biuf": "({0} != 0) != ({1} != 0)", "c": "@logical_xor_c"}},
	{name: "logical_not", args: 1, gives: boolean, doc: "Say where it is zero.",
		shows: "[0, 1, 2] = array([ True, False, False])",
		code:  by{"biuf": "{0} == 0", "c": "@logical_not_c"}},
	{name: "maximum", args: 2, even: true, simple: true, keeps: true, doc: "Give the larger; NaN where one is NaN.",
		shows: "[1.0, np.nan]; [2.0, 0.0] = array([ 2., nan])",
		code:  by{"biu": "{0} > {1} ? {0} : {1}", "f": "@maximum_f", "c": "@maximum_c"}},
	{name: "minimum", args: 2, even: true, simple: true, keeps: true, doc: "Give the smaller; NaN where one is NaN.",
		shows: "[1.0, np.nan]; [2.0, 0.0] = array([ 1., nan])",
		code:  by{"biu": "{0} < {1} ? {0} : {1}", "f": "@minimum_f", "c": "@minimum_c"}},
	{name: "fmax", args: 2, keeps: true, doc: "Give the larger; the other where one is NaN.",
		shows: "[1.0, np.nan]; [2.0, 0.0] = array([2., 0.])",
		code:  by{"biu": "{0} > {1} ? {0} : {1}", "f": "{0} >= {1} ? {0} : {1} != {1} ? {0} : {1}", "c": "@fmax_c"}},
	{name: "fmin", args: 2, keeps: true, doc: "Give the smaller; the other where one is NaN.",
		shows: "[1.0, np.nan]; [2.0, 0.0] = array([1., 0.])",
		code:  by{"biu": "{0} < {1} ? {0} : {1}", "f": "{0} <= {1} ? {0} : {1} != {1} ? {0} : {1}", "c": "@fmin_c"}},
	{name: "where", args: 3, keeps: true, code: by{"b": "{0} ? {1} : {2}"}},
	{name: "real", args: 1, gives: part, keeps: true, code: by{"c": "{0}.re", "biuf": "{0}"}},
	{name: "imag", args: 1, gives: part, keeps: true, code: by{"c": "{0}.im", "biuf": "0"}},
}
