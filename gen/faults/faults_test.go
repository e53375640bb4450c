package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"opweld/gen/ccode"
	"opweld/npyapi"
	"opweld/templates"
)

const failHere = "{ opw_failure = 1; goto opw_fail; }"

// marked is what a text becomes.
func marked(text string) string {
	written, _ := Mark(strings.ReplaceAll(text, "FAILS", failHere), 7, "opweld.c")
	return strings.ReplaceAll(written, failHere, "FAILS")
}

func TestPlacesAreWritten(t *testing.T) {
	for text, want := range map[string]string{
		"x = PyList_New(0);":                                 "x = (opw_forced(7) ? 0 : PyList_New(0));",
		"if (PyList_Append(a, b) < 0) r = 1;":                "if ((opw_forced(7) ? opw_minus_one() : PyList_Append(a, b)) < 0) r = 1;",
		"d = PyFloat_AsDouble(PyList_New(1));":               "d = (opw_forced(7) ? opw_minus_one() : PyFloat_AsDouble((opw_forced(8) ? 0 : PyList_New(1))));",
		"p = (int *)malloc(f(3, 4));":                        "p = (int *)(opw_denied(7) ? 0 : malloc(f(3, 4)));",
		"PyArg_ParseTuple(a, \"i)\", &n);":                   "(opw_forced(7) ? 0 : PyArg_ParseTuple(a, \"i)\", &n));",
		"PyTuple_SetItem(t, 0, o);":                          "opw_unsaid(7, PyTuple_SetItem(t, 0, o));",
		"o = PyArray_FromAny(x, d, 0, 0, 0, NULL);":          "o = opw_undone(7, PyArray_FromAny(x, d, 0, 0, 0, NULL));",
		"#define NEW(n) PyList_New(n)\nNEW(2);":              "#define NEW(n) (opw_forced(7) ? 0 : PyList_New(n))\nNEW(2);",
		"/* PyList_New(0) */ puts(\"malloc(1)\");":           "/* PyList_New(0) */ puts(\"malloc(1)\");",
		"static void *malloc(int n);":                        "static void *malloc(int n);",
		"a->malloc(3); a.malloc(4);":                         "a->malloc(3); a.malloc(4);",
		"y = n * malloc(4);":                                 "y = n * (opw_denied(7) ? 0 : malloc(4));",
		"n(malloc(1)); /* opweld-check: off: of a pool */":   "n(malloc(1)); /* opweld-check: off: of a pool */",
		"if (k < 0) fail(IndexError, \"(%d\", k); else g();": "if (opw_branch(7) || (k < 0)) do { opw_reached(7); fail(IndexError, \"(%d\", k); } while (0); else g();",
		"FAILS":                                                               "{ opw_reached(7); FAILS }",
		"if (!x) { y(); FAILS }":                                              "if (!x) { y(); { opw_reached(7); FAILS } }",
		"if (a < b) { PyErr_SetNone(E); FAILS }":                              "if (opw_branch(7) || (a < b)) { PyErr_SetNone(E); { opw_reached(7); FAILS } }",
		"if (a) x(); else { PyErr_NoMemory(); FAILS }":                        "if (!opw_branch(7) && (a)) x(); else { PyErr_NoMemory(); { opw_reached(7); FAILS } }",
		"if (a) x(); else if (b) { PyErr_NoMemory(); FAILS }":                 "if (!opw_branch(7) && (a)) x(); else if (opw_branch(7) || (b)) { PyErr_NoMemory(); { opw_reached(7); FAILS } }",
		"switch (t) { case A: g(); break; default: PyErr_NoMemory(); FAILS }": "switch (opw_branch(7) ? (2147480001) : (t)) { case A: g(); break; default: PyErr_NoMemory(); { opw_reached(7); FAILS } }",
		"switch (t) { case 'i': PyErr_NoMemory(); FAILS }":                    "switch (opw_branch(7) ? ('i') : (t)) { case 'i': PyErr_NoMemory(); { opw_reached(7); FAILS } }",
		"if (auto p = f()) { PyErr_NoMemory(); FAILS }":                       "if (auto p = f()) { PyErr_NoMemory(); { opw_reached(7); FAILS } }",
		"if (!agree(x, y)) FAILS":                                             "if (opw_answered(7) || (!agree(x, y))) { opw_reached(7); FAILS }",
		"if (!(p = made(x))) FAILS":                                           "if (!(p = made(x))) { opw_reached(7); FAILS }",
		"while (a) { if (b) { PyErr_NoMemory(); FAILS } }":                    "while (a) { if (opw_branch(7) || (b)) { PyErr_NoMemory(); { opw_reached(7); FAILS } } }",
		"if (a) { PyErr_NoMemory(); done: FAILS }":                            "if (opw_branch(7) || (a)) { PyErr_NoMemory(); done: { opw_reached(7); FAILS } }",
	} {
		assert.Equal(t, want, marked(text), text)
	}
}

func TestUnfinishedTextsAreBorne(t *testing.T) {
	for _, text := range []string{"malloc(", "if", "if (", "switch (x) {", "case", "else FAIL", "{{{", "}}", "switch(x) { case", "#define", "do", "\\", "if (a", "x ? y : z", ""} {
		assert.NotPanics(t, func() { Mark(text, 0, "x") }, text)
	}
}

func TestPlacesKnowWhereTheyAre(t *testing.T) {
	_, places := Mark("a();\n#line 1 \"Op.c_code\"\n/* é */\n  x = PyList_New(0);\n#line 9 \"opweld.c\"\nPyList_New(1);", 4096, "opweld.c")
	require.Len(t, places, 2)
	assert.Equal(t, Place{4096, Call, "PyList_New", "Op.c_code", 2, "  x = PyList_New(0);", false}, places[0])
	assert.Equal(t, Place{4097, Call, "PyList_New", "opweld.c", 9, "PyList_New(1);", false}, places[1])
}

// As many places are numbered as a count of names and of `fail` finds, in the runtime and in every unit of the goldens.
func TestEveryPlaceIsNumbered(t *testing.T) {
	texts := map[string]string{}
	runtime, err := templates.Plain("runtime.c")
	require.NoError(t, err)
	texts["the runtime"] = runtime
	files, err := filepath.Glob("../testdata/render_*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, unit, _ := strings.Cut(string(text), "-- unit.c")
		texts[file] = unit
	}
	calls := regexp.MustCompile(`(->)?\b([A-Za-z_]\w*)\s*\(`)
	found := 0
	for name, text := range texts {
		code, want := ccode.Blank(text), strings.Count(text, failHere)
		for _, at := range calls.FindAllStringSubmatch(code, -1) {
			f, known := npyapi.Lookup(at[2])
			if !known {
				f, known = npyapi.Library(at[2])
			}
			if at[1] == "" && !slices.Contains(never, at[2]) && (known && f.Fails != npyapi.Never && f.Fails != npyapi.Always || at[2] == "realloc") {
				want++
			}
		}
		want -= strings.Count(text, "opweld-check: off")
		_, places := Mark(text, 0, "opweld.c")
		assert.Equal(t, want, len(places), name)
		found += len(places)
	}
	assert.Greater(t, found, 200)
}

func TestTheRuntimesPlacesAreItsOwn(t *testing.T) {
	text, err := templates.Plain("runtime.c")
	require.NoError(t, err)
	written, err := Runtime(text)
	require.NoError(t, err)
	own := written[strings.Index(written, ownBegins):strings.Index(written, ownEnds)]
	assert.NotContains(t, own, "(opw_forced(")
	for i := range strings.Count(written, `\"number\"`) {
		assert.Contains(t, written, fmt.Sprintf(`{\"number\":%d,`, i))
	}
	_, err = Runtime("int x;")
	assert.ErrorContains(t, err, "does not say what forces its places")
}

func TestAUnitNeedsItsFirstLine(t *testing.T) {
	_, err := Unit("int x;", "opweld.c")
	assert.ErrorContains(t, err, `a unit has no line "/* ---- loops */"`)
	_, err = Unit(begins+strings.Repeat("PyList_New(0);", MostOfUnit+1), "opweld.c")
	assert.ErrorContains(t, err, "12289 places can fail, more than the 12288 that can be numbered")
}
