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
	f.Name, f.Fail, f.Label, f.Support = "Op.c_code", fail, "opw_fail", []string{"static int even(int n) { return n % 2; }"}
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
		{"of one that is an input already", "PyObject *d = (PyObject *)x;\nif ((PyObject *)z != d) { Py_XDECREF(z); Py_INCREF(d); z = (PyArrayObject *)d; }\n", "undeclared-view:3"},
		{"of a slot", "py_v = Py_BuildValue(\"(dd)\", 1.0, 2.0);\nif (!py_v) FAIL\n", ""},
		{"of a slot, exchanged", "Py_XSETREF(py_v, Py_BuildValue(\"(dd)\", 1.0, 2.0));\nif (!py_v) FAIL\n", ""},
		{"of a slot, not looked at", "py_v = Py_BuildValue(\"(dd)\", 1.0, 2.0);\n", "exception-without-fail:2"},
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
		{"the same name of another variable", "{ int n = PyArray_NDIM(x); if (n > 3) { PyErr_SetNone(PyExc_ValueError); FAIL } }\n" +
			"{ int n = PyArray_NDIM(y); if (n > 3) { PyObject *a = PyList_New(0); if (!a) FAIL } }\n", "leaked-reference:3"},
		{"in a loop", "for (int i = 0; i < 3; i++) { PyObject *a = PyList_New(0); if (!a) FAIL Py_DECREF(a); }\n", ""},
		{"in a loop, lost", "for (int i = 0; i < 3; i++) {\n PyObject *a = PyList_New(0);\n if (!a) FAIL\n}\n", "leaked-reference:2 lost-reference:3"},
		{"by goto", "PyObject *a = PyList_New(0), *b = NULL;\nif (!a) FAIL\nb = PyList_New(1);\nif (!b) goto out;\nPy_DECREF(b);\nout: Py_DECREF(a);\nif (PyErr_Occurred()) FAIL\n", ""},
		{"what is not known may keep it", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nkeep_it(a);\n", ""},
	})
}

func TestMemory(t *testing.T) {
	const get = "double *p = (double *)malloc(8);\nif (!p) { PyErr_NoMemory(); FAIL }\n"
	check(t, []example{
		{"freed", get + "free(p);\n", ""},
		{"not freed", get, "leaked-memory:3"},
		{"freed twice", get + "free(p);\nfree(p);\n", "double-release:5"},
		{"used when freed", get + "free(p);\np[0] = 1;\n", "use-after-release:5"},
		{"not freed before fail", get + "if (PyArray_NDIM(x) > 3) { PyErr_SetNone(PyExc_ValueError); FAIL }\nfree(p);\n", "leaked-memory:4"},
		{"not tested", "double *p = (double *)malloc(8);\np[0] = 1;\nfree(p);\n", "unchecked-null:3"},
		{"realloc", get + "double *q = (double *)realloc(p, 16);\nif (!q) { free(p); PyErr_NoMemory(); FAIL }\nfree(q);\n", ""},
		{"realloc in place", get + "p = (double *)realloc(p, 16);\nif (!p) { PyErr_NoMemory(); FAIL }\nfree(p);\n", "leaked-memory:4"},
	})
}

// Memory that something else is to free: c_code_cleanup, an array that comes to own it, a capsule.
func TestMemoryThatIsHandedOn(t *testing.T) {
	const get = "double *p = (double *)malloc(8);\nif (!p) { PyErr_NoMemory(); FAIL }\n"
	const over = get + "npy_intp n = 1;\nPyObject *a = PyArray_SimpleNewFromData(1, &n, NPY_DOUBLE, p);\nif (!a) { free(p); FAIL }\n"
	const taken = "Py_SETREF(z, (PyArrayObject *)a);\n"
	check(t, []example{
		{"an array that owns it", over + "PyArray_ENABLEFLAGS((PyArrayObject *)a, NPY_ARRAY_OWNDATA);\n" + taken, ""},
		{"an array that does not", over + taken, "leaked-memory:7"},
		{"an array of another kind of flag", over + "PyArray_ENABLEFLAGS((PyArrayObject *)a, NPY_ARRAY_WRITEABLE);\n" + taken, "leaked-memory:8"},
		{"another array", get + "PyArray_ENABLEFLAGS(z, NPY_ARRAY_OWNDATA);\n", "leaked-memory:4"},
		{"a capsule", get + "PyObject *c = PyCapsule_New(p, NULL, release);\nif (!c) { free(p); FAIL }\nPy_DECREF(c);\n", ""},
	})
	cleaned := Fragment{Text: made + "void *a = malloc(8), *b = malloc(8);\nif (!a || !b) { PyErr_NoMemory(); FAIL }\n", Cleanup: "free(a);"}
	assert.Equal(t, []string{"leaked-memory:3", "leaked-memory:3"}, found(cleaned), "of b, at fail and at the end")
	cleaned.Cleanup = "free(a); free(b);"
	assert.Empty(t, found(cleaned))
}

func TestNewAndDelete(t *testing.T) {
	in := func(text string) []string { return found(Fragment{Text: made + text, CXX: true}) }
	const fails = "if (PyArray_NDIM(x) > 3) { PyErr_SetNone(PyExc_ValueError); FAIL }\n"
	assert.Empty(t, in("double *p = new double[3];\np[0] = 1;\ndelete[] p;\n"))
	assert.Empty(t, in("std::unique_ptr<double[]> p(new double[3]);\n"+fails))
	assert.Empty(t, in("char room[8]; double *p = new (room) double;\n*p = 1;\n"))
	assert.Equal(t, []string{"leaked-memory:3"}, in("double *p = new double[3];\n"+fails+"delete[] p;\n"))
	assert.Equal(t, []string{"leaked-memory:2"}, in("Thing *p = new Thing(3);\n"))
	assert.Equal(t, []string{"double-release:3"}, in("double *p = new double;\ndelete p; delete p;\n"))
	assert.Equal(t, []string{"use-after-release:3"}, in("double *p = new double;\ndelete p; *p = 1;\n"))
	assert.Equal(t, []string{"exception-without-fail:2"}, in("try { PyErr_SetNone(PyExc_ValueError); } catch (int) { throw; }\n"))
	assert.Empty(t, in("try { Py_CLEAR(z); z = make(); } catch (int) { PyErr_NoMemory(); }\nif (!z) FAIL\n"), "z is NULL then")
}

func TestOutputsThatHoldNothingYet(t *testing.T) {
	in := func(text string) string { return strings.Join(found(Fragment{Text: text}), " ") }
	const get = "z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);\nif (!z) FAIL"
	assert.Equal(t, "unchecked-null:1", in("Py_DECREF(z);\n"+get))
	assert.Equal(t, "unchecked-null:1", in("if (PyArray_DIM(z, 0) != PyArray_DIM(x, 0)) Py_CLEAR(z);\nif (!z) { "+get+" }"))
	for _, right := range []string{"if (z) Py_DECREF(z);\n", "if (z != NULL && PyArray_DIM(z, 0)) Py_DECREF(z); else Py_XDECREF(z);\n",
		"int there = z != NULL;\nif (there) Py_DECREF(z);\n", "Py_XDECREF(z);\n"} {
		assert.Empty(t, in(right+get), right)
	}
	two := append(given(), Variable{Name: "w", Array: true, NDim: 1, Output: true})
	assert.Equal(t, []string{"undeclared-view:4"}, found(Fragment{Text: made + "Py_XDECREF(w);\nPy_INCREF(z);\nw = z;", Variables: two}))
}

func TestExceptions(t *testing.T) {
	check(t, []example{
		{"fail without one", "if (PyArray_NDIM(x) > 3) FAIL\n", "fail-without-exception:2"},
		{"fail behind malloc", "void *p = malloc(3);\nif (!p) FAIL\nfree(p);\n", "fail-without-exception:3"},
		{"what is not known may set one", "if (odd(x)) FAIL\n", ""},
		{"a helper that sets none", "if (even(3)) FAIL\n", "fail-without-exception:2"},
		{"set and no fail", "PyErr_SetString(PyExc_ValueError, \"no\");\n", "exception-without-fail:2"},
		{"a failure that nobody looks at", "PyArray_CopyInto(z, x);\n", "exception-without-fail:2"},
		{"a failure that is cleared", "if (PyArray_CopyInto(z, x) < 0) PyErr_Clear();\n", ""},
		{"by PyErr_Occurred", "long n = PyLong_AsLong((PyObject *)y);\nif (n == -1 && PyErr_Occurred()) FAIL\n", ""},
		{"by -1.0", "double n = PyFloat_AsDouble((PyObject *)y);\nif (n == -1.0 && PyErr_Occurred()) FAIL\n", ""},
		{"a success that is not 0", "int is = PyObject_IsTrue((PyObject *)y);\nif (is < 0) FAIL\nif (is) z = z;\n", ""},
		{"kept in a member", "struct { PyObject *a; } s;\ns.a = PyList_New(0);\nif (!s.a) FAIL\n", ""},
		{"kept in an element", "PyObject *a[2];\na[0] = PyList_New(0);\nif (!a[0]) FAIL\nPy_DECREF(a[0]);\n", ""},
		{"kept in a member, one way or the other", "struct { PyObject *a; } s;\ns.a = PyArray_NDIM(x) ? PyList_New(0) : PyList_New(1);\nif (!s.a) FAIL\n", ""},
		{"kept in a member, by another variable", "struct { PyObject *a; } s;\nPyObject *a = PyList_New(0);\ns.a = a;\nif (!s.a) FAIL\n", ""},
		{"a constant in a member", "struct { PyObject *a; } s;\ns.a = NULL;\nif (PyArray_NDIM(x)) FAIL\n", "fail-without-exception:4"},
		{"flags that are joined", "int bad = 0;\nbad |= PyArray_CopyInto(z, x);\nbad |= PyArray_CopyInto(z, y);\nif (bad) FAIL\n", ""},
		{"arithmetic on what a call gives", "int bad = PyArray_CopyInto(z, x) * 2;\nif (bad < 0) FAIL\n", ""},
		{"a value that is -1 and no failure", "long n = PyLong_AsLong((PyObject *)y);\nif (n == -1) FAIL\n", "fail-without-exception:3"},
		{"the wrong way round", "PyObject *a = PyList_New(0);\nif (a) FAIL\nPy_DECREF(a);\n", "fail-without-exception:3 leaked-reference:3 unchecked-null:4"},
	})
}

func TestOutputsAndInputs(t *testing.T) {
	plain := func(text string) string { return strings.Join(found(Fragment{Text: text}), " ") }
	assert.Equal(t, "lost-reference:1", plain("z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);\nif (!z) FAIL\n"))
	assert.Equal(t, "unset-output:1", plain("if (PyArray_NDIM(x) > 1) { Py_XDECREF(z); z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER); if (!z) FAIL }"))
	assert.Equal(t, "borrowed-release:2 undeclared-view:2", plain("Py_XDECREF(z);\nz = x;"))
	assert.Equal(t, "undeclared-view:2", plain("Py_XDECREF(z); Py_INCREF(x);\nz = x;"))
	assert.Equal(t, "double-release:2", plain("Py_XDECREF(z);\nif (!PyArray_Check(x)) { PyErr_SetNone(PyExc_TypeError); FAIL }\nz = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);\nif (!z) FAIL")[:16])
	declared := given()
	declared[2].Views = []int{0}
	view := "Py_XDECREF(z); Py_INCREF(x);\nz = x;\n"
	assert.Empty(t, found(Fragment{Text: view, Variables: declared}))
	write := "*(double *)PyArray_GETPTR1(x, 0) = 1;\n"
	assert.Equal(t, []string{"input-written:3"}, found(Fragment{Text: view + write, Variables: declared}))
	declared[0].Destroyed = true
	assert.Empty(t, found(Fragment{Text: view + write, Variables: declared}))
	check(t, []example{
		{"memset", "memset(PyArray_DATA(x), 0, sizeof(double));\n", "input-written:2"},
		{"by a pointer", "double *p = (double *)PyArray_GETPTR1(x, 1);\np[0]++;\n", "input-written:3"},
		{"CopyInto", "if (PyArray_CopyInto(x, y) < 0) FAIL\n", "input-written:2"},
		{"of a copy", "PyArrayObject *c = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);\nif (!c) FAIL\n*(double *)PyArray_DATA(c) = 1;\nPy_DECREF(c);\n", ""},
		{"of what may be the input", "PyArrayObject *c = (PyArrayObject *)PyArray_GETCONTIGUOUS(x);\nif (!c) FAIL\n*(double *)PyArray_DATA(c) = 1;\nPy_DECREF(c);\n", "input-written:4"},
		{"given away by address", "PyArrayObject **all[] = {&z}; fill(all);\n", ""},
	})
	chosen := Fragment{Text: "if (P->inplace) { Py_XDECREF(z); Py_INCREF(x); z = x; }\nelse { Py_XDECREF(z); z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER); if (!z) FAIL }", Params: "P"}
	assert.Empty(t, found(chosen))
}

func TestSizesAndFormats(t *testing.T) {
	check(t, []example{
		{"a size in an int", "int n = PyArray_DIM(x, 0);\n", "narrow-int:2"},
		{"a cast", "int n = (int)PyArray_DIM(x, 0);\n", ""},
		{"BLAS wants its address", "int n = PyArray_DIM(x, 0);\ndaxpy_(&n);\n", ""},
		{"a number of dimensions", "int n = PyArray_NDIM(x);\n", ""},
		{"a counter", "for (int i = 0; i < PyArray_SIZE(x); i++) {}\n", "narrow-int:2"},
		{"one too many", "for (npy_intp i = 0; i <= PyArray_DIM(x, 0); i++) *(double *)PyArray_GETPTR1(z, i) = 0;\n", "past-the-end:2"},
		{"from one on", "for (npy_intp i = 1; i <= PyArray_DIM(x, 0); i++) *(double *)PyArray_GETPTR1(z, i - 1) = 0;\n", ""},
		{"right format", "if (!PyArray_Check(x)) { PyErr_Format(PyExc_ValueError, \"%zd of %s %d%%\", PyArray_DIM(x, 0), \"x\", PyArray_NDIM(x)); FAIL }\n", ""},
		{"wrong format", "if (!PyArray_Check(x)) { PyErr_Format(PyExc_ValueError, \"%d\", PyArray_DIM(x, 0)); FAIL }\n", "format-mismatch:2"},
		{"a macro's format", "if (!PyArray_Check(x)) { PyErr_Format(PyExc_ValueError, \"%\" NPY_INTP_FMT, PyArray_DIM(x, 0)); FAIL }\n", ""},
		{"too few", "printf(\"%d %d\", 1);\n", "format-mismatch:2"},
		{"what CPython does not know", "double v = 1;\nif (!PyArray_Check(x)) { PyErr_Format(PyExc_ValueError, \"%g\", v); FAIL }\n", "format-mismatch:3"},
	})
}

func TestStrides(t *testing.T) {
	const walk = "double s = 0;\nfor (npy_intp i = 0; i < PyArray_DIM(x, 0); i++) s += ((double *)PyArray_DATA(x))[i];\n"
	check(t, []example{
		{"ignored", walk, "strides-ignored:3"},
		{"tested", "if (!PyArray_IS_C_CONTIGUOUS(x)) { PyErr_SetNone(PyExc_ValueError); FAIL }\n" + walk, ""},
		{"by strides", "char *p = PyArray_BYTES(x);\nnpy_intp step = PyArray_STRIDE(x, 0);\nfor (int i = 0; i < 3; i++, p += step) {}\n", ""},
		{"moved along", "double *p = (double *)PyArray_DATA(x);\nfor (int i = 0; i < 3; i++) p++;\n", "strides-ignored:3"},
		{"of a new array", "double *p = (double *)PyArray_DATA(z);\nfor (int i = 0; i < 3; i++) p[i] = 0;\n", ""},
		{"a block", "memcpy(PyArray_DATA(z), PyArray_DATA(x), PyArray_NBYTES(x));\n", "contiguity-assumed:2"},
	})
	scalar := Fragment{Text: "double v = ((double *)PyArray_DATA(x))[at];\nz = v;", Variables: []Variable{{Name: "x", Array: true}, {Name: "z", Output: true}}}
	assert.Empty(t, found(scalar))
	own := Fragment{Text: "l = PyList_New(0);\nif (!l) FAIL\nPy_INCREF(l);", Variables: []Variable{{Name: "l", Output: true}}}
	assert.Empty(t, found(own), "who owns it is the type's to say")
}

func TestLock(t *testing.T) {
	check(t, []example{
		{"nothing of Python's", "Py_BEGIN_ALLOW_THREADS\nsqrt(2);\nPy_END_ALLOW_THREADS\n", ""},
		{"a release", "PyObject *a = PyList_New(0);\nif (!a) FAIL\nPy_BEGIN_ALLOW_THREADS\nPy_DECREF(a);\nPy_END_ALLOW_THREADS\n", "python-without-gil:5"},
		{"fail", "NPY_BEGIN_THREADS_DEF;\nNPY_BEGIN_THREADS;\nif (odd(1)) FAIL\nNPY_END_THREADS;\n", "python-without-gil:4"},
		{"never taken again", "NPY_BEGIN_THREADS_DEF;\nNPY_BEGIN_THREADS;\nsqrt(2);\n", "python-without-gil:4"},
	})
}

func TestWhatIsNotUnderstoodIsSaid(t *testing.T) {
	assert.Equal(t, []string{"not-understood:1"}, found(Fragment{Text: "EACH(x, i) {"}))
	assert.Equal(t, []string{"contract:1"}, found(Fragment{Text: "return;", Variables: []Variable{}}))
	many := strings.Repeat("if (f(x)) a = g(); if (a) b = g(); if (b) c = h(a); if (c) d = 1; else d = 2; if (d == 1) e = 0; if (e) a = 0;\n", 40)
	assert.Subset(t, []string{"not-understood:1"}, found(Fragment{Text: "int a = 0, b = 0, c = 0, d = 0, e = 0;\n" + many, Variables: []Variable{}}))
}

// Of twenty arguments that may each fail, or not, one expression makes a million states.
func TestManyPathsInOneExpression(t *testing.T) {
	const twenty = 20
	for _, text := range []string{"f(" + strings.Repeat("PyList_New(0), ", twenty) + "1);", "a[0] = " + strings.Repeat("(g(1) ? 1 : 2) + ", twenty) + "1;"} {
		check(t, []example{{text, text, "not-understood:1"}})
	}
}

// Of an exception that a call of an unknown function left, the question for it is what is known.
func TestExceptionThatIsAskedFor(t *testing.T) {
	check(t, []example{
		{"and left", "int n = 0;\nlook(x);\nif (PyErr_Occurred()) n = 1;\n", "exception-without-fail:4"},
		{"and cleared", "int n = 0;\nlook(x);\nif (PyErr_Occurred()) { PyErr_Clear(); n = 1; }\n", ""},
		{"and failed for", "look(x);\nif (PyErr_Occurred()) FAIL\n", ""},
		{"after it was put back", "look(x);\nPyObject *t, *v, *b; PyErr_Fetch(&t, &v, &b); PyErr_Restore(t, v, b);\nif (PyErr_Occurred()) { ; }\n", "exception-without-fail:4"},
	})
}

// A function in a file is entered with what the op hands over, under its own names.
func TestEntry(t *testing.T) {
	text := "static int work(PyArrayObject *a, PyArrayObject **out)\n{\n    Py_XDECREF(*out);\n    *out = (PyArrayObject *)PyArray_NewCopy(a, NPY_CORDER);\n" +
		"    if (!*out) return 1;\n    *(double *)PyArray_GETPTR1(a, 0) = 1;\n    if (PyArray_NDIM(a) > 3) return 1;\n    return 0;\n}\n"
	f := Fragment{Text: text, File: true, Entry: "work", Variables: []Variable{{Name: "V0", Array: true, NDim: 1}, {Name: "V1", Array: true, NDim: 1, Output: true}}}
	f.Name = "work.c"
	said := []string{}
	for _, one := range Check(&f) {
		said = append(said, fmt.Sprintf("%s:%d: %s", one.Rule, one.Line, one.Message))
	}
	assert.Equal(t, []string{"input-written:6: the input a is written, and destroy_map does not name it",
		"fail-without-exception:7: no exception is set where fail is reached"}, said)
}

// Macros for one word are written out, and what is found stands where the user wrote it.
func TestMacros(t *testing.T) {
	text := "#define INPUT_0 x\n#define OUTPUT_0 z\nPy_XDECREF(OUTPUT_0); OUTPUT_0 = (PyArrayObject *)PyArray_NewCopy(INPUT_0, NPY_CORDER); if (!OUTPUT_0) { }\n#undef OUTPUT_0\n"
	f := Fragment{Name: "Op.c_code", Text: text, Fail: fail, Label: "opw_fail", Variables: given()}
	said := Check(&f)
	assert.Equal(t, "exception-without-fail", said[0].Rule)
	assert.Equal(t, []int{3, 51}, []int{said[0].Line, said[0].Column})
}

// A macro that defines functions is read where it stands, with its parameters for names; its uses are not.
func TestMacrosThatDefineFunctions(t *testing.T) {
	const body = " static PyObject *t##_pair(T *x) \\\n{ \\\n    PyObject *one = PyList_New(0); \\\n    if (x == NULL) return NULL; \\\n    return one; \\\n}"
	file := func(text string) Fragment { return Fragment{Text: text, File: true, Open: true} }
	assert.Equal(t, []string{"leaked-reference:5"}, found(file("#define PAIR(t, T) \\\n"+body)))
	assert.Equal(t, []string{"leaked-reference:6"}, found(file("int a;\n#define PAIR(t, T) \\\n"+body+"\n#define BOTH(T) PAIR(one, T) \\\n    PAIR(two, T)\nPAIR(d, double)\nPAIR(f, float)\nBOTH(T);\n#undef PAIR\n")))
	leaking := file("#define PAIR(t, T) \\\n" + body + "\n")
	assert.Equal(t, leaking.Text, Mend(&leaking).New, "what stands in a macro is not mended as other text")
	assert.Empty(t, found(file("#define SIZE(x) do { if (x) f(x); } while (0)\n#define EACH(x) for (x = 0; x < 3; x++) {\n#define TEXT(x) static const char *x(void) { return #x; }\nint a;\n")))
	assert.Empty(t, found(file("#define LAST(x) x")), "a last line without an end")
}

// Of what asks whether it is C++ one branch is read.
func TestTheOtherLanguageIsLeftOut(t *testing.T) {
	const text = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n#if N\nint f(void);\n#else\nint g(void);\n#endif\n#ifdef __cplusplus\n}\ntemplate <class T> struct pair { T x; };\n#else\nstruct pair { int x; };\n#endif\n#if !N\n#endif\n"
	assert.Empty(t, found(Fragment{Text: text, File: true}))
	assert.Empty(t, found(Fragment{Text: text, File: true, CXX: true}))
	assert.Equal(t, []string{"not-understood:1"}, found(Fragment{Text: "#ifndef __cplusplus\nint int {\n#endif\n", File: true}))
	assert.Empty(t, found(Fragment{Text: "#ifndef __cplusplus\nint int {\n#endif\n", File: true, CXX: true}))
}
