package cc

import (
	"strings"

	"opweld/gen/pattern"
	"opweld/npyapi"
)

// hints say what to do about messages that do not tell by themselves; of several that fit, the first counts.
var hints = []struct {
	c       bool             // only where the text is C
	hook    string           // only of this hook's texts; empty: any
	message *pattern.Pattern // what the compiler says
	text    *pattern.Pattern // what stands in the line; nil: anything
	hint    string           // $1 is what the message's, or else the line's, first group found
}{
	{message: pattern.New(`expected|undeclared`), text: pattern.New(`\{([A-Za-z_]\w*)\}`),
		hint: "{$1} reached C as it is: is the f before the string missing, or are there two braces for one?"},
	{c: true, message: pattern.New(`'std' undeclared|undeclared identifier 'std'|(?:unknown type name|undeclared identifier) '(?:class|template|using|namespace|typename|constexpr)'|'(?:static_cast|reinterpret_cast|const_cast|dynamic_cast|nullptr|new|delete|throw|try)' undeclared`),
		hint: cxxHint},
	{c: true, message: pattern.New(``), text: pattern.New(`\b(?:std::|template\s*<|static_cast<|reinterpret_cast<|nullptr\b|class\s+\w+\s*[{:]|namespace\b|new\s+\w+[\[(]|delete(?:\[\])?\s+\w|throw\b)`),
		hint: cxxHint},
	{c: true, message: pattern.New(`before '&' token|expected identifier or '\('|expected`), text: pattern.New(`\b\w+\s*&\s*\w+\s*=`),
		hint: cxxHint},
	{c: true, message: pattern.New(`'?\b(?:vector|iostream|algorithm|string|map|memory|cmath|cstdio|cstdlib|cstring|numeric|utility|array|set|complex)(?:: No such file|' file not found)`),
		hint: cxxHint},
	{message: pattern.New(`^[^:-]+: No such file or directory$|' file not found`), text: pattern.New(`^\s*#\s*include\b|^$`),
		hint: "install what it comes with, and name its folder in c_header_dirs"},
	{message: pattern.New(`^cannot find -l|unable to find library`), hint: "install what it comes with, and name its folder in c_lib_dirs"},
	{hook: "c_support_code", message: pattern.New(`redefinition of '(\w+)'`),
		hint: "the texts of all ops share one file: give $1 another name, or write it in c_support_code_apply as ${1}_{name}"},
	{message: pattern.New(`implicit declaration of function|implicitly declaring|call to undeclared (?:library )?function`),
		hint: "name the header that declares it in c_headers, or write it in c_support_code"},
	{message: pattern.New(`missing terminating|^expected expression$`), text: unended,
		hint: `where the C is to have \n, Python's string needs \\n, or an r before it`},
	{message: pattern.New(`type 'PyArrayObject'|to 'PyArrayObject'|subscripted value`),
		hint: arrayHint},
	{message: pattern.New(`^(?:incompatible pointer types )?.*npy_intp \*.*(?:incompatible pointer|'int \*'|'long \*')|'int \*' from incompatible pointer type 'npy_intp \*'`),
		hint: "sizes and strides are npy_intp, not int"},
	{message: pattern.New(`incompatible pointer type`), hint: "write the pointer's own type, or a cast if it is meant"},
	{message: pattern.New(`makes (?:pointer from integer|integer from pointer)|incompatible (?:pointer to integer|integer to pointer) conversion`),
		hint: "a pointer and a number are taken for one another: is a * or an index missing?"},
}

// unended is a line in which a string begins that does not end: clang only warns of it, and stumbles over what follows.
var unended = pattern.New(`^(?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*"(?:[^"\\]|\\.)*$`)

const arrayHint = "that is the array object: its elements are *(dtype *)PyArray_GETPTR1(x, i), or ((dtype *)PyArray_DATA(x))[i] where it is contiguous"

const cxxHint = `this is C++: write c_lang = "c++" in the class`

// hidden finds a member that NumPy keeps to itself.
var hidden = pattern.New(`(PyArray_Descr|PyArrayObject)\b.*no member named '(\w+)'|[Nn]o member named '(\w+)' in '\w*(PyArray_Descr|PyArrayObject)`)

// instead is what to write for a member that NumPy keeps to itself; empty: the message is of no such.
func instead(message string) string {
	m := hidden.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	write := npyapi.Members[m[1]+m[4]][m[2]+m[3]]
	if write == "" {
		return ""
	}
	return "write " + write
}

// shortWords are what the hooks of an op are called where it is a short form.
var shortWords = strings.NewReplacer(`write c_lang = "c++" in the class`, `write lang="c++"`, "c_header_dirs", "header_dirs=",
	"c_lib_dirs", "lib_dirs=", "c_headers", "headers=", "c_support_code", "support=", arrayHint, "an array's element is x[i], or x(i, j); a number has no index")

// hinted adds what to do to what the compiler says.
func hinted(ds []Diagnostic, cxx bool) {
	for i := range ds {
		if ds[i].Severity == "error" {
			ds[i].Hint = ds[i].hint(cxx)
			if strings.HasSuffix(ds[i].File, "/body") || strings.HasSuffix(ds[i].File, "/support") {
				ds[i].Hint = shortWords.Replace(ds[i].Hint)
			}
		}
	}
}

// hint is what to do; empty: the message says it.
func (d *Diagnostic) hint(cxx bool) string {
	for _, h := range hints {
		m := h.message.FindStringSubmatchIndex(d.Message)
		if m == nil || h.c && cxx || h.hook != "" && h.hook != d.Hook {
			continue
		}
		if h.text == nil {
			return string(h.message.ExpandString(nil, h.hint, d.Message, m))
		}
		if at := h.text.FindStringSubmatchIndex(d.Text); at != nil {
			return string(h.text.ExpandString(nil, h.hint, d.Text, at))
		}
	}
	return instead(d.Message)
}
