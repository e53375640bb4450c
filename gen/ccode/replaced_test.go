package ccode

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReplaced(t *testing.T) {
	const fail = "{ f = 1; goto g; }"
	for text, cxx := range map[string][2]bool{ // whether V is replaced, in C and in C++
		"":                                {},
		"W = V + 1;":                      {},
		"W = (V);":                        {},
		"Wide(W); W = PyArray_DIM(V, 0);": {},
		"double x = *(double *)PyArray_DATA(V), *y = (double *)PyArray_GETPTR1(V, 0);": {},
		"if (!V) " + fail: {},
		"for (i = 0; i < V[0]; i++) *V = V->n + W[V[1]];": {},
		"Py_INCREF(V); Py_XDECREF(W); W = V;":             {},
		"/* V = 1; */ puts(\"V = 1\"); W = 1;":            {},
		"W = V ? V : 0;":                                  {},
		"int V_2 = 3; V_2 = 4;":                           {},
		"W = pow(V, 2);":                                  {},
		"#define FAIL " + fail + "\nif (!V) FAIL":         {},
		"V = 1;":                         {true, true},
		"(V) = 1;":                       {true, true},
		"W = V = 1;":                     {true, true},
		"V += 1;":                        {true, true},
		"V++;":                           {true, true},
		"--V;":                           {true, true},
		"V[1] = 0;":                      {true, true},
		"V.re = 0;":                      {true, true},
		"W = V.re;":                      {},
		"Py_XDECREF(V);":                 {true, true},
		"Py_CLEAR(V);":                   {true, true},
		"change(&V);":                    {true, true},
		"CHANGE(V);":                     {true, true},
		"#define INPUT V\nCHANGE_INPUT;": {true, true},
		"CHANGE V;":                      {true, true},
		"if (W) { Py_XDECREF((PyObject *)V); V = W; }": {true, true},
		"for (V = 0; V < 3; W++) ;":                    {true, true},
		"Py_SETREF(V, W);":                             {true, true},
		"PyTuple_SET_ITEM(t, 0, (PyObject *)V);":       {true, true},
		"PyList_SetItem(t, 0, V);":                     {true, true},
		"PyTuple_SET_ITEM(V, 0, W);":                   {},
		"PyList_Append(t, (PyObject *)V);":             {},
		"if (!looks(V, 1)) " + fail:                    {},
		"W = turns((PyArrayObject *)V);":               {},
		"W = counts(V);":                               {false, true}, // the type may be a reference's name
		"W = masks(V);":                                {true, true},
		"#define looks(x) (x = 0)\nlooks(V, 1);":       {true, true},
		"looks_on(V);":                                 {true, true},
		"twice(V);":                                    {true, true},
		"declares(V);":                                 {true, true},
		"NEITHER(V);":                                  {true, true},
		"hides(V);":                                    {true, true},
		"W.looks(V);":                                  {true, true},
		"looks(&V, 1);":                                {true, true},
		"asm(\"\" : \"+r\"(V));":                       {true, true},
	} {
		for i, lane := range []bool{false, true} {
			p := Place{Body: true, CXX: lane, Fail: fail, Label: "g"}
			assert.Equal(t, cxx[i], replaced(p, text, []string{"V"})["V"], "%q, C++ %t", text, lane)
		}
	}
	p := Place{Body: true, CXX: true}
	for text, want := range map[string]bool{
		"auto &r = V; r = 1;":           true,
		"auto r = V; r = 1;":            false,
		"V.swap(W);":                    true,
		"W = V->size();":                false,
		"auto f = [&] { V = W; };":      true,
		"auto f = [&V] { change(V); };": true,
		"(T &)V = W;":                   true,
		"W = reinterpret_cast<T *>(V);": false,
		"static_cast<T &>(V) = W;":      true,
		"change(V);":                    true,
		"for (auto &x : V) x = 1;":      true,
		"(W ? V : V) = W;":              true,
		"std::swap(V, W);":              true,
		"T r(V);":                       true,
		"T r{V};":                       true,
	} {
		assert.Equal(t, want, replaced(p, text, []string{"V"})["V"], text)
	}
}
