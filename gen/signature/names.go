package signature

import (
	"slices"
	"strings"

	"opweld/gen/pattern"
)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// dtypes are those that have a C type, and whether they can be sizes.
var dtypes = map[string]bool{
	"bool": false, "int8": true, "int16": true, "int32": true, "int64": true, "uint8": true, "uint16": true, "uint32": true,
	"uint64": true, "float16": false, "float32": false, "float64": false, "longdouble": false, "complex64": false,
	"complex128": false, "clongdouble": false, Function: false,
}

// Function stands where a dtype does: the argument is a function of C, given as a capsule.
const Function = "function"

// groups are what bounds may be called by. float16 has no arithmetic in C: it comes by its name only.
var groups = map[string][]string{
	"int":      strings.Fields("int8 int16 int32 int64 uint8 uint16 uint32 uint64"),
	"signed":   strings.Fields("int8 int16 int32 int64"),
	"unsigned": strings.Fields("uint8 uint16 uint32 uint64"),
	"float":    strings.Fields("float32 float64 longdouble"),
	"complex":  strings.Fields("complex64 complex128 clongdouble"),
	"number":   strings.Fields("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 longdouble complex64 complex128 clongdouble"),
}

// anything is what a type variable may be of which nothing is said.
var anything = append([]string{"bool"}, groups["number"]...)

// meant says, for what people call dtypes elsewhere, what it is here.
var meant = map[string]string{
	"double": "float64", "single": "float32", "half": "float16", "long": "int64", "short": "int16", "char": "int8",
	"byte": "uint8", "npy_intp": "int64", "intp": "int64", "size_t": "uint64", "uint": "uint64", "float128": "longdouble",
	"complex256": "clongdouble", "str": "", "object": "", "f8": "float64", "f4": "float32", "i8": "int64", "i4": "int32",
}

// reserved are words that C or C++ keeps, and macros of the headers that every body sees.
var reserved = words(`
	auto break case char const continue default do double else enum extern float for goto if inline int long register restrict
	return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex _Imaginary asm typeof
	alignas alignof and and_eq bitand bitor bool catch class compl constexpr const_cast decltype delete dynamic_cast explicit
	export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
	reinterpret_cast static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor
	xor_eq`)

var macros = words(`
	NULL EOF NAN INFINITY HUGE_VAL errno stdin stdout stderr assert unix linux complex isnan isinf isfinite signbit isnormal
	fpclassify isgreater isless offsetof fail BUFSIZ FILENAME_MAX L_tmpnam TMP_MAX RAND_MAX EXIT_SUCCESS EXIT_FAILURE MB_CUR_MAX
	SEEK_SET SEEK_CUR SEEK_END INT_MAX INT_MIN CHAR_BIT DBL_MAX DBL_MIN FLT_MAX FLT_MIN T_INT`)

var kept = pattern.New(`^(opw|Py|_Py|NPY_|npy_|PY_|M_|MP_|INT\d|UINT\d|_[A-Z_])`)

// syntax are the words of a signature that no name can be.
var syntax = words("inout strided work where in out min max")

// checkName refuses what no argument, size or type variable can be called.
func checkName(t token, what string) error {
	switch {
	case syntax[t.text]:
		return t.fail("%q is a word of signatures: call the %s otherwise", t.text, what)
	case reserved[t.text]:
		return t.fail("%q is a word of C or C++: call the %s otherwise", t.text, what)
	case macros[t.text]:
		return t.fail("%q is a macro in C: call the %s otherwise", t.text, what)
	case kept.MatchString(t.text):
		return t.fail("names like %q belong to Python, NumPy, C or opweld: call the %s otherwise", t.text, what)
	}
	return nil
}

// checkDtype refuses what is no dtype and can be no type variable.
func checkDtype(t token) error {
	if _, known := dtypes[t.text]; known {
		return nil
	}
	if members, known := groups[t.text]; known {
		return t.fail("%q is a bound, not a dtype: write %s, or T with `where T: %s` at the end", t.text, likely(members), t.text)
	}
	if instead, known := meant[t.text]; known {
		if instead == "" {
			return t.fail("%q has no C type here: dtypes are %s", t.text, listed())
		}
		return t.fail("%q is no dtype: write %s", t.text, instead)
	}
	if near := nearest(t.text); near != "" {
		return t.fail("unknown dtype %q; did you mean %s?", t.text, near)
	}
	if strings.ToUpper(t.text[:1]) != t.text[:1] {
		return t.fail("unknown dtype %q: dtypes are %s; a type variable begins with a capital, as T", t.text, listed())
	}
	return checkName(t, "type variable")
}

func likely(members []string) string {
	for _, name := range []string{"float64", "int64"} {
		if slices.Contains(members, name) {
			return name
		}
	}
	return members[min(1, len(members)-1)]
}

func listed() string { return strings.Join(anything, ", ") + " and float16" }

// nearest is the dtype that differs from a word in one letter, or in capitals.
func nearest(text string) string {
	names := append(slices.Clone(anything), "float16")
	for _, name := range names {
		if strings.EqualFold(name, text) || len(text) > 3 && oneOff(name, strings.ToLower(text)) {
			return name
		}
	}
	return ""
}

// oneOff tells whether one letter added, left out or changed, or two swapped, make one word of the other.
func oneOff(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return swapped || i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i+1:] == b[i:]
}
