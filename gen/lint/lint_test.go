package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const fail = "{ opw_failure = 1; goto opw_fail; }"

// given are the variables of the fragments here: two inputs and an output, all of one dimension, and an output that is a number.
func given() []Variable {
	return []Variable{{Name: "x", Array: true, NDim: 1}, {Name: "y", Array: true, NDim: 1}, {Name: "z", Array: true, NDim: 1, Output: true}}
}

// found lints a fragment, FAIL standing for fail, and gives "rule:line" of each finding.
func found(f Fragment) []string {
	f.Name, f.Fail, f.Label = "Op.c_code", fail, "opw_fail"
	if f.Variables == nil {
		f.Variables = given()
	}
	said := []string{}
	for _, one := range Check(&f) {
		said = append(said, fmt.Sprintf("%s:%d", one.Rule, one.Line))
	}
	return said
}

// made is how most of the fragments here begin: line 1 gives z an array.
const made = "Py_XDECREF(z); z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0); if (!z) FAIL\n"

type example struct {
	name string
	text string // begins behind made, in line 2
	want string // "rule:line" of each finding, with blanks between; empty: it is silent
}

func check(t *testing.T, examples []example) {
	for _, e := range examples {
		for _, cxx := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", e.name, cxx), func(t *testing.T) {
				assert.Equal(t, e.want, strings.Join(found(Fragment{Text: made + e.text, CXX: cxx}), " "))
			})
		}
	}
}

func TestReferences(t *testing.T) {
	check(t, []example{
		{"released", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nPy_DECREF(a);\n", ""},
		{"not released at the end", "PyObject *a = PyList_New(0);\nif (!a) FAIL\n", "leaked-reference:3"},
		{"not released before fail", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nPyObject *b = PyList_New(1);\nif (!b) FAIL\nPy_DECREF(a); Py_DECREF(b);\n",
			"leaked-reference:5"},
		{"released before fail", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nPyObject *b = PyList_New(1);\nif (b == NULL) { Py_DECREF(a); FAIL }\nPy_DECREF(a); Py_DECREF(b);\n", ""},
		{"both by X", "PyObject *a = PyList_New(0), *b = PyList_New(0);\nif (!a || !b) { Py_XDECREF(a); Py_XDECREF(b); FAIL }\nPy_DECREF(a); Py_DECREF(b);\n", ""},
		{"overwritten", "PyObject *a = PyList_New(0);\nif (!a) FAIL\na = PyList_New(1);\nif (!a) FAIL\nPy_DECREF(a);\n", "lost-reference:4"},
		{"dropped", "PyList_New(0);\n", "exception-without-fail:2 lost-reference:2"},
		{"a temporary that is appended", "PyObject *l = PyList_New(0);\nif (!l) FAIL\nPyObject *n = PyLong_FromLong(3);\nif (!n || PyList_Append(l, n) < 0) { Py_XDECREF(n); Py_DECREF(l); FAIL }\nPy_DECREF(n); Py_DECREF(l);\n", ""},
		{"a temporary that is lost", "PyObject *l = PyList_New(0);\nif (!l) FAIL\nif (PyList_Append(l, Py_BuildValue(\"i\", 3)) < 0) { Py_DECREF(l); FAIL }\nPy_DECREF(l);\n",
			"lost-reference:4 unchecked-null:4"},
		{"stolen", "PyObject *t = PyTuple_New(1);\nif (!t) FAIL\nPyObject *n = PyLong_FromLong(3);\nif (!n) { Py_DECREF(t); FAIL }\nPyTuple_SET_ITEM(t, 0, n);\nPy_DECREF(t);\n", ""},
		{"stolen and released", "PyObject *t = PyTuple_New(1);\nif (!t) FAIL\nPyObject *n = PyLong_FromLong(3);\nif (!n) { Py_DECREF(t); FAIL }\nPyTuple_SET_ITEM(t, 0, n);\nPy_DECREF(n);\nPy_DECREF(t);\n", "double-release:7"},
		{"released twice", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nPy_DECREF(a);\nPy_DECREF(a);\n", "double-release:5"},
		{"borrowed and released", "PyObject *d = (PyObject *)PyArray_DESCR(x);\nPy_DECREF(d);\n", "borrowed-release:3"},
		{"borrowed and kept", "PyObject *d = (PyObject *)PyArray_DESCR(x);\nPy_INCREF(d);\nPy_DECREF(d);\n", ""},
		{"borrowed and stolen", "PyObject *v = PyArray_View(x, PyArray_DESCR(x), NULL);\nif (!v) FAIL\nPy_DECREF(v);\n", "borrowed-release:2"},
		{"kept and stolen", "Py_INCREF(PyArray_DESCR(x));\nPyObject *v = PyArray_View(x, PyArray_DESCR(x), NULL);\nif (!v) FAIL\nPy_DECREF(v);\n", ""},
		{"used after its release", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nPy_DECREF(a);\nif (PyList_GET_SIZE(a)) {}\n", "use-after-release:5"},
		{"a flag says who owns it", "PyObject *a = (PyObject *)x; int own = 0;\nif (PyArray_NDIM(x) == 2) { a = PyArray_NewCopy(x, NPY_CORDER); if (!a) FAIL own = 1; }\nif (own) Py_DECREF(a);\n", ""},
		{"the same test twice", "PyObject *a = NULL;\nif (PyArray_NDIM(x) == 2) { a = PyList_New(0); if (!a) FAIL }\nif (PyArray_NDIM(x) == 2) { Py_DECREF(a); }\n", ""},
		{"in a loop", "for (int i = 0; i < 3; i++) { PyObject *a = PyList_New(0); if (!a) FAIL Py_DECREF(a); }\n", ""},
		{"in a loop, lost", "for (int i = 0; i < 3; i++) {\n PyObject *a = PyList_New(0);\n if (!a) FAIL\n}\n", "leaked-reference:2 lost-reference:3"},
		{"by goto", "PyObject *a = PyList_New(0), *b = NULL;\nif (!a) FAIL\nb = PyList_New(1);\nif (!b) goto out;\nPy_DECREF(b);\nout: Py_DECREF(a);\nif (PyErr_Occurred()) FAIL\n", ""},
		{"what is not known may keep it", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nkeep_it(a);\n", ""},
	})
}
