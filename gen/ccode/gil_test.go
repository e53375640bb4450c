package ccode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const failHere = "{ opw_failure = 1; goto opw_fail; }"

func released(code string, support ...string) []Breach {
	p := Place{Body: true, Fails: true, CXX: true, Fail: failHere, Label: "opw_fail", Released: true, Support: support}
	return breaches(p, code)
}

func TestReleasedCodeThatNeedsTheGIL(t *testing.T) {
	for code, want := range map[string]string{
		"Py_XDECREF(V1);": "1: `Py_XDECREF` needs the GIL, which gil = 'released' has given up",
		"int n = 0;\nV1 = (PyArrayObject*)PyArray_NewCopy(V0, NPY_CORDER);\nif (!V1) FAIL": "2: `PyArray_NewCopy` needs",
		"if (V0 < 0) { PyErr_SetString(PyExc_ValueError, \"x\"); FAIL }":                   "1: `PyErr_SetString` needs",
		"PyErr_Occurred ();":                                 "1: `PyErr_Occurred` needs",
		"Py_INCREF(Py_None);":                                "1: `Py_INCREF` needs",
		"Py_SETREF(V1, V0);":                                 "1: `Py_SETREF` needs",
		"PyMem_Malloc(8);":                                   "1: `PyMem_Malloc` needs",
		"PyObject *x = _PyObject_New(t);":                    "1: `_PyObject_New` needs",
		"PyNothingEverHeardOf(1);":                           "1: `PyNothingEverHeardOf` needs",
		"NpyIter_New(V0, 0, 0, 0, 0);":                       "1: `NpyIter_New` needs",
		"PyArray_SETITEM(V1, p, o);":                         "1: `PyArray_SETITEM` needs",
		"Py_BEGIN_ALLOW_THREADS\nn++;\nPy_END_ALLOW_THREADS": "1: `Py_BEGIN_ALLOW_THREADS` gives the GIL up",
		"NPY_BEGIN_THREADS_DEF; NPY_BEGIN_THREADS;":          "1: `NPY_BEGIN_THREADS` gives the GIL up",
		"PyGILState_STATE s = PyGILState_Ensure();\nPyGILState_Release(s);\nPy_DECREF(x);":                                               "3: `Py_DECREF` needs",
		"PyGILState_STATE s = PyGILState_Ensure();\nif (x) { PyGILState_Release(s); n++; }\nPy_DECREF(x);":                               "3: `Py_DECREF` needs",
		"PyGILState_STATE s = PyGILState_Ensure();\nPy_BEGIN_ALLOW_THREADS\nPy_DECREF(x);\nPy_END_ALLOW_THREADS\nPyGILState_Release(s);": "3: `Py_DECREF` needs",
		"PyGILState_STATE s = PyGILState_Ensure();\nPyErr_NoMemory();\nFAIL":                                                             "3: fail takes the GIL, which is held here already",
		"NPY_ALLOW_C_API_DEF\nNPY_ALLOW_C_API\nPy_DECREF(x);\nNPY_DISABLE_C_API\nPy_DECREF(y);":                                          "5: `Py_DECREF` needs",
		"#define DROP(x) Py_XDECREF(x)\nDROP(V1);":                                                                                       "2: `DROP` runs without the GIL here, and in it `Py_XDECREF` needs",
		"#define DROP(x) \\\n    Py_XDECREF(x)\nDROP(V1);":                                                                               "3: `DROP` runs without the GIL here",
		"auto f = [&] { Py_DECREF(x); }; f();":                                                                                           "1: `Py_DECREF` needs",
	} {
		found := released(strings.ReplaceAll(code, "FAIL", failHere))
		if assert.Len(t, found, 1, code) {
			line, msg, _ := strings.Cut(want, ": ")
			assert.Equal(t, line, string(rune('0'+found[0].Line)), code)
			assert.True(t, strings.HasPrefix(found[0].Msg, msg), "%s: %s", code, found[0].Msg)
		}
	}
}

func TestReleasedCodeThatNeedsNoGIL(t *testing.T) {
	for _, code := range []string{
		"for (npy_intp i = 0; i < PyArray_DIM(V0, 0); i++) *(double*)PyArray_GETPTR1(V1, i) = npy_sqrt(*(double*)PyArray_GETPTR1(V0, i));",
		"char *p = PyArray_BYTES(V0); npy_intp *s = PyArray_STRIDES(V0), n = PyArray_SIZE(V0); int f = PyArray_ISCARRAY(V0) && PyArray_IS_C_CONTIGUOUS(V0);",
		"memcpy(PyArray_DATA(V1), PyArray_DATA(V0), PyArray_NBYTES(V0));",
		"if (V0 < 0) FAIL",
		"void *p = PyMem_RawMalloc(8); PyMem_RawFree(p); malloc(8);",
		"PyGILState_STATE s = PyGILState_Ensure();\nPyErr_SetString(PyExc_ValueError, \"x\");\nPyGILState_Release(s);\nFAIL",
		"PyGILState_STATE s = PyGILState_Ensure();\nif (x) { PyErr_NoMemory(); PyGILState_Release(s); FAIL }\nPy_DECREF(x);\nPyGILState_Release(s);",
		"for (;;) { PyGILState_STATE s = PyGILState_Ensure(); if (x) { PyGILState_Release(s); break; } Py_DECREF(x); PyGILState_Release(s); }",
		"NPY_ALLOW_C_API_DEF\nNPY_ALLOW_C_API;\nPyErr_Clear();\nNPY_DISABLE_C_API;",
		"PyGILState_STATE s = PyGILState_Ensure();\nPy_BEGIN_ALLOW_THREADS\nn++;\nPy_END_ALLOW_THREADS\nPy_DECREF(x);\nPyGILState_Release(s);",
		"/* Py_DECREF(x); */ // PyErr_Clear()\nputs(\"PyErr_Clear()\");",
		"#define DROP(x) Py_XDECREF(x)\nn++;",
		"PyObject *(*f)(PyObject *) = 0; PyArrayObject *x = (PyArrayObject *)(V0); Py_ssize_t (n) = 3;",
		"V1 = Py_MAX(V0, 1) + Py_MIN(V0, 2); (void)Py_TYPE(V0);",
		"PyThread_acquire_lock(lock, 1); PyThread_release_lock(lock);",
		"Pyramid(1); CopyPyArray(2);",
		"#if 0\nPy_DECREF(V0);\n#endif\nn++;",
	} {
		assert.Empty(t, released(strings.ReplaceAll(code, "FAIL", failHere)), code)
	}
	p := Place{Body: true, Fails: true, Fail: failHere, Label: "opw_fail"}
	assert.Empty(t, breaches(p, "Py_XDECREF(V1);"), "with the GIL")
}

func TestReleasedCodeThatCallsSupportCode(t *testing.T) {
	const support = "static void drop(PyObject *x) { Py_XDECREF(x); }\n" +
		"static void through(PyObject *x)\n{\n    drop(x);\n}\n" +
		"static int APPLY_SPECIFIC(work)(PyArrayObject *x, npy_intp (*f)(npy_intp)) { if (x) { through(0); } return 0; }\n" +
		"static double twice(double x) { return 2 * x; }\n" +
		"static int again(int n) { return n ? again(n - 1) : 0; }\n" +
		"static void safe(PyObject *x) { PyGILState_STATE s = PyGILState_Ensure(); drop(x); PyGILState_Release(s); }\n" +
		"#define TWICE(x) twice(x)\n#define DROPPING(x) through(x)\n"
	for code, ok := range map[string]bool{
		"V1 = twice(V0) + TWICE(V0) + again(3); safe(x);": true,
		"drop(x);":                     false,
		"through(x);":                  false,
		"DROPPING(x);":                 false,
		"APPLY_SPECIFIC(work)(V0, 0);": false,
		"PyGILState_STATE s = PyGILState_Ensure(); through(x); PyGILState_Release(s);": true,
		"not_known(x);": true,
	} {
		found := released(code, support)
		assert.Equal(t, ok, len(found) == 0, "%s: %v", code, found)
		if !ok && len(found) > 0 {
			assert.Contains(t, found[0].Msg, "`Py_XDECREF` needs the GIL")
		}
	}
}

func TestReleasedCodeThatTakesTheGILThroughItsOwn(t *testing.T) {
	const support = "#define LOCK PyGILState_STATE held = PyGILState_Ensure()\n#define UNLOCK do { PyGILState_Release(held); } while (0)\n" +
		"static PyGILState_STATE lock(void) { if (0) { abort(); } PyGILState_STATE s = PyGILState_Ensure(); return s; }\n" +
		"static auto unlock(PyGILState_STATE s) -> void { PyGILState_Release(s); }\n" +
		"static auto clear() -> void { PyErr_Clear(); }\n" +
		"struct Gil { PyGILState_STATE s; Gil() : s(PyGILState_Ensure()) {} ~Gil() { PyGILState_Release(s); } };\n" +
		"struct Braced { PyGILState_STATE s; int n; Braced() : s{PyGILState_Ensure()}, n{1} { n++; }\n ~Braced() { PyGILState_Release(s); } };\n" +
		"struct Clears { int n; Clears(int m) : n(m) { PyErr_Clear(); } };\n"
	for code, ok := range map[string]bool{
		"LOCK; PyErr_Clear(); UNLOCK; n++;":                           true,
		"LOCK; PyErr_Clear(); UNLOCK; PyErr_Clear();":                 false,
		"PyGILState_STATE s = lock(); PyErr_Clear(); unlock(s); n++;": true,
		"PyGILState_STATE s = lock(); unlock(s); PyErr_Clear();":      false,
		"PyGILState_STATE s = lock(); PyErr_NoMemory(); FAIL":         false,
		"if (n) { Gil g; PyErr_NoMemory(); FAIL } n++;":               true,
		"if (n) { { Gil g; PyErr_NoMemory(); } FAIL } n++;":           true,
		"{ Gil g; clear(); } n++;":                                    true,
		"{ Gil g; } clear();":                                         false,
		"{ Braced g; clear(); } n++;":                                 true,
		"{ Braced g; } clear();":                                      false,
		"{ Gil g; PyGILState_STATE s = PyGILState_Ensure(); FAIL }":   false,
		"Clears c(1);": false,
		"clear();":     false,
		"unlock(s);":   false,
		"for (;;) { Gil g; if (n) { PyErr_NoMemory(); break; } PyErr_Clear(); }": true,
	} {
		found := released(strings.ReplaceAll(code, "FAIL", failHere), support)
		assert.Equal(t, ok, len(found) == 0, "%s: %v", code, found)
	}
}
