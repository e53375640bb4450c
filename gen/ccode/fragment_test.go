package ccode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const failText = "{ opw_failure = 1; goto opw_fail; }"

func place() Place { return Place{Body: true, Fails: true, Fail: failText, Label: "opw_fail"} }

// told lists breaches as line:column: message.
func told(p Place, text string) []string {
	out := []string{}
	for _, b := range breaches(p, strings.ReplaceAll(text, "@", failText)) {
		out = append(out, fmt.Sprintf("%d:%d: %s", b.Line, b.Column, b.Msg))
	}
	return out
}

func TestWhatAFragmentMayNotDo(t *testing.T) {
	for text, want := range map[string]string{
		"V1 = V0;\nreturn;":                          "2:1: `return` would leave without clean-up: use fail after setting an exception, or let the fragment end",
		"if (V0) goto done;":                         "1:9: `goto done` leads out of the fragment: only labels of its own may be jumped to",
		"if (V0) { break; }":                         "1:11: `break` stands outside a loop or switch of the fragment",
		"switch (V0) { case 1: continue; }":          "1:23: `continue` stands outside a loop of the fragment",
		"if (V0) goto opw_fail;":                     "1:9: `goto opw_fail` by hand looks like success: use sub['fail']",
		"opw_fail: V1 = 0;":                          "1:1: the label opw_fail is the glue's: choose another name",
		"a: V1 = 0; a: V1 = 1;":                      "1:12: the label a is defined twice: give each fragment's labels names of their own",
		"V1 = V0 ? V0 : 0 || @;":                     "1:21: fail is a statement and may not stand inside an expression",
		"if (V0) @; else V1 = 0;":                    "1:9: `if (...) fail; else` does not compile, for fail is a statement in braces: leave the semicolon out",
		"#define FAIL @\nif (V0) FAIL; else V1 = 0;": "2:9: `if (...) fail; else` does not compile, for fail is a statement in braces: leave the semicolon out",
		"V1 = {'opw_V0'};":                           "1:7: 'opw_V0' is text: an f-string makes it of { {x} }, which it takes for a set; write {x}",
		"int f = NPY_ARRAY_UPDATEIFCOPY;":            "1:9: NumPy 2 has no NPY_ARRAY_UPDATEIFCOPY: write NPY_ARRAY_WRITEBACKIFCOPY, and PyArray_ResolveWritebackIfCopy before the array is released",
	} {
		assert.Equal(t, []string{want}, told(place(), text), text)
	}
	for _, text := range []string{ // whatever else the text holds
		"const char *s = \"kernel; { \";\nreturn 0;", "char c = '\\n', d = 'k';\nreturn;", "PyErr_SetString(PyExc_ValueError, \"k\");\nreturn 0;",
		"Py_BEGIN_ALLOW_THREADS\nreturn 0;\nPy_END_ALLOW_THREADS", "NPY_BEGIN_THREADS_DEF; NPY_BEGIN_THREADS;\nreturn 0;\nNPY_END_THREADS;",
		"MY_LOOP(i, 3) V1 += i;\nreturn 0;", "OPEN_BRACE\nreturn 0; }",
	} {
		told := told(place(), text)
		assert.Len(t, told, 1, text)
		assert.Contains(t, strings.Join(told, ""), "2:1: `return` would leave", text)
	}
}

func TestWhatAFragmentMayDo(t *testing.T) {
	for _, text := range []string{
		"", "V1 = V0; // return here\n/* goto x; break; */ const char *s = \"return; NPY_ARRAY_UPDATEIFCOPY\";",
		"for (;;) { if (V0) break; else continue; }", "switch (V0) { case 1: break; default: while (1) continue; }",
		"if (!V0) @ else V1 = 0;", "if (!V0) { @; } else V1 = 0;", "if (!V0) @;", "again: if (V0) goto again;",
		"#define FAIL @\nif (!V0) FAIL\nelse V1 = 0;\nif (V1) {FAIL;}", "({ @ });",
		"#ifdef NPY_ARRAY_UPDATEIFCOPY\nV1 = NPY_ARRAY_UPDATEIFCOPY;\n#endif",
		"MY_MACRO(V0) V1 = 0; return_early(V0);", "do { @ } while (0);", "PyErr_Format(e, \"%d\", V0); @",
		"#define CHECK(x) if (!(x)) @\nCHECK(V0)", "#define GIVE(x) \\\n return x\nODD_MACRO { V1 = 0;", "int W = 3; @; int X = 4;",
	} {
		assert.Empty(t, told(place(), text), text)
	}
	cxx := place()
	cxx.CXX = true
	assert.Empty(t, told(cxx, "auto f = [](int x) { return x; }; struct S { int g() { return 1; } }; V1 = f(V0); @; int X = 4;"))
}

func TestWhereFailMayNotStand(t *testing.T) {
	p := place()
	p.Fails = false
	assert.Equal(t, []string{"1:9: fail may not stand here: this text runs where nothing can fail any more"}, told(p, "if (V0) @"))
	shared := place()
	shared.CXX, shared.Scope = true, true
	assert.Equal(t, []string{"2:1: fail before it would jump over this declaration's initialiser, which C++ forbids: declare it before the first fail, or open a brace"},
		told(shared, "if (V0) @\nint n = 3;\nint m = 4;"))
	assert.Empty(t, told(shared, "int n = 3;\nif (V0) @\n{ int m = 4; }\nint o; o = 5;"))
	assert.Empty(t, told(Place{}, "static int f(int x) { return x; }"), "file scope")
}
