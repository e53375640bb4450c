package npyapi

// library are functions of C's library, which set no exception and hold no reference.
var library = func() map[string]Function {
	found := map[string]Function{}
	for _, name := range []string{"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strcpy", "strncpy",
		"strcat", "strchr", "strstr", "printf", "fprintf", "snprintf", "sprintf", "puts", "putchar", "fflush", "assert", "abort", "exit",
		"abs", "labs", "llabs", "fabs", "fabsf", "sqrt", "sqrtf", "cbrt", "exp", "expf", "exp2", "expm1", "log", "logf", "log1p", "log2",
		"log10", "pow", "powf", "sin", "sinf", "cos", "cosf", "tan", "tanf", "asin", "acos", "atan", "atan2", "atan2f", "sinh", "cosh",
		"tanh", "tanhf", "asinh", "acosh", "atanh", "floor", "floorf", "ceil", "ceilf", "round", "rint", "trunc", "nearbyint", "lrint",
		"fmod", "fmodf", "remainder", "fmin", "fmax", "fminf", "fmaxf", "fma", "hypot", "ldexp", "frexp", "modf", "copysign", "nextafter",
		"erf", "erfc", "tgamma", "lgamma", "isnan", "isinf", "isfinite", "signbit", "npy_isnan", "npy_isinf", "npy_isfinite",
		"npy_half_to_float", "npy_float_to_half", "npy_half_to_double", "npy_double_to_half", "qsort", "bsearch", "atoi", "strtol",
		"strtod", "isdigit", "isalpha", "tolower", "toupper", "time", "clock", "rand", "srand", "offsetof"} {
		found[name] = Function{NoGIL: true}
	}
	for _, name := range []string{"malloc", "calloc", "strdup", "aligned_alloc"} {
		found[name] = Function{Fails: Null, Silent: true, Memory: true, NoGIL: true}
	}
	return found
}()

// Library finds a function of C's library by its name.
func Library(name string) (Function, bool) {
	f, ok := library[name]
	f.Name = name
	return f, ok
}

// Format says where a function's format stands, behind which come the values.
type Format struct {
	At     int
	Python bool // it is one of CPython's, which know less than C's
}

var printers = map[string]Format{
	"PyErr_Format": {1, true}, "PyUnicode_FromFormat": {0, true}, "PyBytes_FromFormat": {0, true}, "PyErr_WarnFormat": {2, true},
	"PySys_FormatStderr": {0, true}, "printf": {0, false}, "fprintf": {1, false}, "sprintf": {1, false}, "snprintf": {2, false},
	"PyOS_snprintf": {2, false},
}

// Printer finds a function that prints by a format.
func Printer(name string) (Format, bool) {
	f, ok := printers[name]
	return f, ok
}
