package lint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// mended is a fragment after Mend, and how many findings are gone.
func mended(text string) (string, int) {
	f := Fragment{Name: "Op.c_code", Text: text, Fail: fail, Label: "opw_fail", Variables: given()}
	m := Mend(&f)
	f.Text = m.New
	if second := Mend(&f); second.New != m.New || len(second.Fixed) > 0 {
		return "not the same a second time: " + second.New, 0
	}
	return m.New, len(m.Fixed)
}

// What is mended, by the rule. The output is none of these fragments' affair: its address is kept first.
func TestMend(t *testing.T) {
	const away = "PyArrayObject **all[] = {&z};\n"
	const list = "PyObject *a = PyList_New(0);\nif (!a) FAIL\n"
	const loop = "for (npy_intp i = 0; i %s PyArray_DIM(y, 0); i++) f(*(double *)PyArray_GETPTR1(y, i));\n"
	for _, e := range []struct {
		name, text, want string
		fixed            int
	}{
		{"a release before fail", list + "PyObject *b = PyList_New(1);\nif (!b) FAIL\nPy_DECREF(b);\nPy_DECREF(a);\n",
			list + "PyObject *b = PyList_New(1);\nif (!b) { Py_DECREF(a); FAIL }\nPy_DECREF(b);\nPy_DECREF(a);\n", 1},
		{"in a block", list + "if (PyArray_NDIM(x) > 3) {\n    PyErr_SetNone(PyExc_ValueError);\n    FAIL\n}\nPy_DECREF(a);\n",
			list + "if (PyArray_NDIM(x) > 3) {\n    PyErr_SetNone(PyExc_ValueError);\n    Py_DECREF(a);\n    FAIL\n}\nPy_DECREF(a);\n", 1},
		{"at the end", list, list + "Py_DECREF(a);\n", 1},
		{"memory, and the exception", "void *p = malloc(3);\nif (!p) FAIL // no\n", "void *p = malloc(3);\nif (!p) { PyErr_NoMemory(); FAIL } // no\nfree(p);\n", 2},
		{"a test, and what is held then", list + "PyObject *b = PyList_New(1);\nPyList_SET_ITEM(b, 0, a);\nPy_DECREF(b);\n",
			list + "PyObject *b = PyList_New(1);\nif (!b) { Py_DECREF(a); FAIL }\nPyList_SET_ITEM(b, 0, a);\nPy_DECREF(b);\n", 1},
		{"what nobody looks at", "PyList_Sort((PyObject *)x);\n", "if (PyList_Sort((PyObject *)x) < 0) FAIL\n", 1},
		{"an exception without fail", "if (PyArray_NDIM(x) > 3) {\n    PyErr_SetNone(PyExc_ValueError);\n}\n",
			"if (PyArray_NDIM(x) > 3) {\n    PyErr_SetNone(PyExc_ValueError);\n    FAIL\n}\n", 1},
		{"a release too many", list + "Py_DECREF(a);\nPy_DECREF(a);\n", list + "Py_DECREF(a);\n", 1},
		{"what is taken", "PyObject *v = PyArray_View(y, PyArray_DESCR(x), NULL);\nif (!v) FAIL\nPy_DECREF(v);\n",
			"Py_INCREF(PyArray_DESCR(x));\nPyObject *v = PyArray_View(y, PyArray_DESCR(x), NULL);\nif (!v) FAIL\nPy_DECREF(v);\n", 1},
		{"a size", "const int n = PyArray_DIM(x, 0);\n", "const npy_intp n = PyArray_DIM(x, 0);\n", 1},
		{"a counter", "for (int i = 0; i < PyArray_DIM(x, 0); i++) f(i);\n", "for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++) f(i);\n", 1},
		{"a size whose address BLAS is given", "int n = PyArray_DIM(x, 0), m = n;\ndaxpy_(&m);\n", "int n = PyArray_DIM(x, 0), m = n;\ndaxpy_(&m);\n", 0},
		{"one element too many", strings.ReplaceAll(loop, "%s", "<="), strings.ReplaceAll(loop, "%s", "<"), 1},
		{"a format", "printf(\"a\\n%5d of %s\", PyArray_DIM(x, 0), \"x\");\n", "printf(\"a\\n%5zd of %s\", PyArray_DIM(x, 0), \"x\");\n", 1},
		{"a number that is no text", "printf(\"%s\", PyArray_DIM(x, 0));\n", "printf(\"%s\", PyArray_DIM(x, 0));\n", 0},
		{"two hold it", list + "PyObject *b = a;\n", list + "PyObject *b = a;\n", 0},
		{"a test the wrong way round", "PyObject *a = PyList_New(0);\nif (a) FAIL\nPy_DECREF(a);\n", "PyObject *a = PyList_New(0);\nif (a) FAIL\nPy_DECREF(a);\n", 0},
		{"a reason keeps it back", list[:len(list)-1] + " // opweld-lint: off leaked-reference: it is kept\n", list[:len(list)-1] + " // opweld-lint: off leaked-reference: it is kept\n", 0},
	} {
		t.Run(e.name, func(t *testing.T) {
			got, fixed := mended(away + e.text)
			assert.Equal(t, away+e.want, got)
			assert.Equal(t, e.fixed, fixed)
		})
	}
	got, fixed := mended("z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);\nif (!z) FAIL\n")
	assert.Equal(t, "Py_XDECREF(z);\nz = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);\nif (!z) FAIL\n", got)
	assert.Equal(t, 1, fixed)
}
