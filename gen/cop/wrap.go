package cop

import (
	"errors"
	"fmt"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/signature"
)

// Wrapped is a function that exists as a short form.
type Wrapped struct {
	Name      string `json:"name"`
	Signature string `json:"signature"` // in which what the function returns has a name
	Body      string `json:"body"`

	Functions map[string]string `json:"functions"` // of each argument that is a function its types
}

// value is what the short form calls the value of the function.
const value = "value"

// Wrap checks a prototype against a signature, and writes the body that calls it. What a user can cause is an *Error.
func Wrap(prototype, text string) (*Wrapped, error) {
	p, err := ccode.ReadPrototype(prototype)
	if err != nil {
		return nil, &Error{"prototype", err.Error(), 1, 0}
	}
	s, err := signature.Parse(text)
	var fault *signature.Error
	if errors.As(err, &fault) {
		return nil, &Error{"signature", fault.Message, fault.Line, fault.Column}
	}
	if err != nil {
		return nil, err
	}
	var arguments, checks []string
	functions := map[string]string{}
	for _, one := range p.Parameters {
		if one.Calls != "" {
			functions[one.Name] = one.Calls
		}
	}
	for i, parameter := range p.Parameters {
		argument, wrong := passed(s, parameter, p.Parameters)
		if wrong != "" {
			return nil, &Error{"prototype", fmt.Sprintf("parameter %d of %s, %s: %s", i+1, p.Name, shown(parameter), wrong), 1, 0}
		}
		arguments = append(arguments, argument)
		if narrow := fmt.Sprintf("(%s)%s", parameter.Type, parameter.Name); argument == narrow && !strings.HasSuffix(ctypes[parameter.Type], "64") {
			checks = append(checks, fmt.Sprintf("if ((npy_intp)%s != %s) fail(OverflowError, \"%s is %%zd, which is no %s\", %s);\n",
				narrow, parameter.Name, parameter.Name, parameter.Type, parameter.Name))
		}
	}
	if unused := leftOut(s, p); unused != "" {
		return nil, &Error{"prototype", fmt.Sprintf("%s has no parameter %q, which the signature has", p.Name, unused), 1, 0}
	}
	call := fmt.Sprintf("%s(%s)", p.Name, strings.Join(arguments, ", "))
	w, err := finish(p, s, text, call, len(functions) > 0)
	if err == nil {
		w.Body, w.Functions = strings.Join(checks, "")+w.Body, functions
	}
	return w, err
}

// finish writes the statement about the call: its value is the output without a name, or a code that is 0 where it succeeded.
func finish(p *ccode.Prototype, s *signature.Signature, text, call string, calls bool) (*Wrapped, error) {
	w := &Wrapped{Name: p.Name, Signature: text}
	last := len(s.Outputs) - 1
	switch whole := ctypes[p.Result]; {
	case last >= 0 && s.Outputs[last].Name == "":
		if want := s.Outputs[last].Dtype; whole != want {
			return nil, &Error{"prototype", fmt.Sprintf("%s returns %s, and the signature says %s", p.Name, p.Result, want), 1, 0}
		}
		line, column := s.Outputs[last].Place()
		w.Signature = inserted(text, line, column, value+": ")
		w.Body = value + " = " + call + ";"
	case p.Result == "void":
		w.Body = call + ";"
	case whole != "" && strings.Contains(whole, "int"):
		w.Body = "long long opw_code = (long long)" + call + ";\n" + codeFails(p.Name, calls)
	default:
		return nil, &Error{"prototype", fmt.Sprintf("%s returns %s: write what it is after the arrow of the signature", p.Name, p.Result), 1, 0}
	}
	return w, nil
}

// codeFails is the statement that makes an exception of a code. What was called back and has set one says more than the code.
func codeFails(name string, calls bool) string {
	fail := fmt.Sprintf("fail(RuntimeError, \"%s returned %%lld\", opw_code);", name)
	if !calls {
		return "if (opw_code) " + fail
	}
	return `if (opw_code) {
    PyGILState_STATE opw_held = PyGILState_Ensure();
    bool opw_said = PyErr_Occurred() != NULL;
    PyGILState_Release(opw_held);
    if (!opw_said) ` + fail + "\n}"
}

// inserted puts a text into a line, at a column.
func inserted(text string, line, column int, what string) string {
	lines := strings.Split(text, "\n")
	row := []rune(lines[line-1])
	lines[line-1] = string(row[:column-1]) + what + string(row[column-1:])
	return strings.Join(lines, "\n")
}

func shown(p ccode.Parameter) string {
	constant := ""
	if p.Const {
		constant = "const "
	}
	if p.Calls != "" {
		return strings.Replace(p.Cast, "(*", "(*"+p.Name, 1)
	}
	return strings.TrimSpace(constant + p.Type + " " + strings.Repeat("*", p.Pointer) + p.Name)
}

// ctypes are the dtypes of C's types, on the machines that opweld runs on.
var ctypes = map[string]string{
	"bool": "bool", "_Bool": "bool", "char": "int8", "signed char": "int8", "unsigned char": "uint8", "short": "int16",
	"unsigned short": "uint16", "int": "int32", "unsigned": "uint32", "unsigned int": "uint32", "long": "int64", "long int": "int64",
	"unsigned long": "uint64", "long long": "int64", "long long int": "int64", "unsigned long long": "uint64", "size_t": "uint64", "ssize_t": "int64",
	"ptrdiff_t": "int64", "intptr_t": "int64", "Py_ssize_t": "int64", "npy_intp": "int64", "int8_t": "int8", "int16_t": "int16", "int32_t": "int32",
	"int64_t": "int64", "uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64", "float": "float32",
	"double": "float64", "long double": "longdouble",
}

// passed is the C that stands for a parameter, or what is wrong with it.
func passed(s *signature.Signature, p ccode.Parameter, all []ccode.Parameter) (argument, wrong string) {
	dtype, known := ctypes[p.Type]
	a, input := find(s, p.Name)
	switch {
	case p.Name == "":
		return "", "give it the name that it has in the signature"
	case p.Calls != "" && (a == nil || a.Dtype != signature.Function):
		return "", fmt.Sprintf("that is a function: write `%s: function` in the signature", p.Name)
	case p.Calls != "":
		return fmt.Sprintf("(%s)%s", p.Cast, p.Name), ""
	case a == nil && p.Type == "void" && p.Pointer == 1 && owner(all) != "":
		return "opw_data_" + owner(all), ""
	case a != nil && a.Dtype == signature.Function:
		return "", "the signature has it as a function, which is a pointer to one: `double (*" + p.Name + ")(double)`"
	case !known && !(p.Type == "void" && p.Pointer == 1):
		return "", fmt.Sprintf("%q is no type that a dtype stands for", p.Type)
	case p.Pointer > 1:
		return "", "a pointer to pointers or a function is nothing that a signature has"
	}
	if a == nil {
		return sizePassed(s, p, dtype)
	}
	pointer, written := len(a.Dims) > 0 || !input, !input || a.Inout
	switch {
	case a.Strided:
		return "", "the signature has it strided, and a pointer knows no strides"
	case pointer && p.Pointer == 0:
		return "", fmt.Sprintf("the signature has an array or output %s, which is a pointer", p.Name)
	case !pointer && p.Pointer == 1:
		return "", fmt.Sprintf("the signature has a number %s, which is no pointer", p.Name)
	case p.Type != "void" && dtype != a.Dtype:
		return "", fmt.Sprintf("that is %s, and the signature says %s", dtype, a.Dtype)
	case pointer && !written && !p.Const:
		return "", fmt.Sprintf("the function may write into it: make it `%s: inout` in the signature, or const in the prototype", p.Name)
	case !input && p.Const:
		return "", "the signature has it as an output, and the function cannot write into it"
	case !input && len(a.Dims) == 0:
		return "&" + p.Name, ""
	case pointer:
		return fmt.Sprintf("(%s%s *)%s", map[bool]string{true: "const "}[p.Const], p.Type, p.Name), ""
	}
	return p.Name, ""
}

// owner is the one function among parameters, whose data a void pointer is that the signature does not have; empty: there is none,
// or several.
func owner(all []ccode.Parameter) string {
	found := ""
	for _, one := range all {
		if one.Calls != "" && found != "" {
			return ""
		} else if one.Calls != "" {
			found = one.Name
		}
	}
	return found
}

// sizePassed is a size that a function is told.
func sizePassed(s *signature.Signature, p ccode.Parameter, dtype string) (argument, wrong string) {
	for _, size := range s.Sizes {
		if size.Name != p.Name {
			continue
		}
		switch {
		case p.Pointer > 0:
			return "", "a size is no pointer"
		case !strings.Contains(dtype, "int"):
			return "", fmt.Sprintf("a size is an integer, not %s", p.Type)
		}
		return fmt.Sprintf("(%s)%s", p.Type, p.Name), ""
	}
	return "", fmt.Sprintf("the signature has no %q", p.Name)
}

func find(s *signature.Signature, name string) (found *signature.Argument, input bool) {
	for i := range s.Inputs {
		if s.Inputs[i].Name == name {
			return &s.Inputs[i], true
		}
	}
	for i := range s.Outputs {
		if s.Outputs[i].Name == name {
			return &s.Outputs[i], false
		}
	}
	return nil, false
}

// leftOut is an argument of the signature that the function is not given; empty: none. What is only a size may be.
func leftOut(s *signature.Signature, p *ccode.Prototype) string {
	given := map[string]bool{"": true}
	for _, parameter := range p.Parameters {
		given[parameter.Name] = true
	}
	for _, size := range s.Sizes {
		given[size.Name] = given[size.Name] || size.Axis < 0
	}
	for _, list := range [][]signature.Argument{s.Inputs, s.Outputs} {
		for _, a := range list {
			if !given[a.Name] {
				return a.Name
			}
		}
	}
	return ""
}
