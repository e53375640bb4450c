package cc

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sources is where the user of the tests below keeps the fragments.
var sources = map[string]Source{
	"Twice.c_code":         {File: "/home/u/ops.py", Line: 41},
	"Twice.c_support_code": {File: "/home/u/ops.py", Line: 30},
	"Twice/twice.c":        {File: "/home/u/twice.c", Line: 1, Exact: true},
}

func TestClangIsToldOfAStringWithoutEnd(t *testing.T) {
	for text, want := range map[string]bool{`v[0] = strlen("abc`: true, `f("a\"b", '"', "c`: true, `f("a", '"');`: false, `f(1)`: false} {
		ds := []Diagnostic{{Severity: "error", Message: "expected expression", Text: text}}
		hinted(ds, false)
		require.Equal(t, want, ds[0].Hint != "", text)
	}
}

// mistakes are a text each, with the message of gcc and of clang; "-": not tried.
var mistakes = []struct {
	name, text, gcc, clang string
	libs, args             []string
}{
	{
		name: "an unknown name in a method's text",
		text: "int glue;\n#line 1 \"Twice.c_code\"\nint f(int x) {\n\treturn 2 * y;\n}\n#line 6 \"opweld.c\"\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n" +
			"  'y' undeclared (first use in this function)\n     2 |  return 2 * y;\n       |             ^\nthe whole output: /log",
		clang: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n" +
			"  use of undeclared identifier 'y'\n     2 |  return 2 * y;\n       |             ^\nthe whole output: /log",
	},
	{
		name: "an unknown name in a file, after letters of two bytes",
		text: "#line 7 \"Twice/twice.c\"\nint f(int x) {\n    /* é */ return y;\n}\n",
		gcc: "Twice does not compile: /home/u/twice.c:8:21\n  'y' undeclared (first use in this function)\n" +
			"     8 |     /* é */ return y;\n       |                    ^\nthe whole output: /log",
		clang: "Twice does not compile: /home/u/twice.c:8:21\n  use of undeclared identifier 'y'\n" +
			"     8 |     /* é */ return y;\n       |                    ^\nthe whole output: /log",
	},
	{
		name: "a missing semicolon",
		text: "#line 1 \"Twice.c_code\"\nint f(int x) {\n    x = x + 1\n}\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n  expected ';' before '}' token\n" +
			"     2 |     x = x + 1\n       |              ^\nthe whole output: /log",
		clang: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n  expected ';' after expression\n" +
			"     2 |     x = x + 1\n       |              ^\nthe whole output: /log",
	},
	{
		name: "several errors, and a warning",
		text: "#line 1 \"Twice.c_code\"\nint f(void) { int u; return a; }\nint g(void) { return b; }\nint h(void) { return c; }\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n" +
			"  'a' undeclared (first use in this function)\n     1 | int f(void) { int u; return a; }\n" +
			"       |                             ^\nand 2 further errors\nthe whole output: /log",
		clang: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n" +
			"  use of undeclared identifier 'a'\n     1 | int f(void) { int u; return a; }\n" +
			"       |                             ^\nand 2 further errors\nthe whole output: /log",
	},
	{
		name: "a missing header",
		text: "#line 1 \"Twice.c_support_code\"\n\n#include <nothing_of_this_name.h>\n",
		gcc: "Twice.c_support_code does not compile: /home/u/ops.py:30 (line 2 of the fragment)\n" +
			"  nothing_of_this_name.h: No such file or directory\n     2 | #include <nothing_of_this_name.h>\n" +
			"       |          ^\n  install what it comes with, and name its folder in c_header_dirs\nthe whole output: /log",
		clang: "Twice.c_support_code does not compile: /home/u/ops.py:30 (line 2 of the fragment)\n" +
			"  'nothing_of_this_name.h' file not found\n     2 | #include <nothing_of_this_name.h>\n" +
			"       |          ^\n  install what it comes with, and name its folder in c_header_dirs\nthe whole output: /log",
	},
	{
		name: "a call of something undeclared",
		text: "#line 1 \"Twice.c_code\"\nint f(int x) { return tweice(x); }\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n" +
			"  implicit declaration of function 'tweice'\n     1 | int f(int x) { return tweice(x); }\n" +
			"       |                       ^\n" +
			"  name the header that declares it in c_headers, or write it in c_support_code\nthe whole output: /log",
		clang: "-", // each version has words of its own
	},
	{
		name: "an error in the glue",
		text: "int f(void) { return nothing; }\n",
		gcc: "the glue does not compile: opweld.c:1\n  'nothing' undeclared (first use in this function)\n" +
			"     1 | int f(void) { return nothing; }\n       |                      ^\nthe whole output: /log",
		clang: "the glue does not compile: opweld.c:1\n  use of undeclared identifier 'nothing'\n" +
			"     1 | int f(void) { return nothing; }\n       |                      ^\nthe whole output: /log",
	},
	{
		name: "a brace that is left open",
		text: "int a;\n#line 1 \"Twice.c_code\"\nint f(int x) { if (x) {\n#line 7 \"opweld.c\"\n}\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n  this { is never closed\n" +
			"     1 | int f(int x) { if (x) {\n       |                       ^\nthe whole output: /log",
		clang: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n  this { is never closed\n" +
			"     1 | int f(int x) { if (x) {\n       |                       ^\nthe whole output: /log",
	},
	{
		name: "a brace too many",
		text: "int a;\nint g(void) {\n#line 1 \"Twice.c_code\"\nif (a) { a = 1; } }\n// } {\na = '{';\n#line 7 \"opweld.c\"\n}\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n  this } closes no brace of the fragment\n" +
			"     1 | if (a) { a = 1; } }\n       |                   ^\nthe whole output: /log",
		clang: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n  this } closes no brace of the fragment\n" +
			"     1 | if (a) { a = 1; } }\n       |                   ^\nthe whole output: /log",
	},
	{
		name: "a comment that is left open",
		text: "int a;\nint g(void) {\n#line 1 \"Twice.c_code\"\na = 1;\na = 2; /* or\n#line 7 \"opweld.c\"\n}\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n  this comment is never closed\n" +
			"     2 | a = 2; /* or\n       |        ^\nthe whole output: /log",
		clang: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n  this comment is never closed\n" +
			"     2 | a = 2; /* or\n       |        ^\nthe whole output: /log",
	},
	{
		name: "a brace that a macro closes, and another mistake",
		text: "#line 1 \"Twice.c_code\"\n#define END }\nint f(int x) { return y; END\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n" +
			"  'y' undeclared (first use in this function)\n     2 | int f(int x) { return y; END\n" +
			"       |                       ^\nthe whole output: /log",
		clang: "Twice.c_code does not compile: /home/u/ops.py:41 (line 2 of the fragment)\n" +
			"  use of undeclared identifier 'y'\n     2 | int f(int x) { return y; END\n" +
			"       |                       ^\nthe whole output: /log",
	},
	{
		name: "C++ in C",
		text: "#line 1 \"Twice.c_code\"\nint f(int x) { return static_cast<int>(x); }\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n" +
			"  'static_cast' undeclared (first use in this function)\n     1 | int f(int x) { return static_cast<int>(x); }\n" +
			"       |                       ^\n  this is C++: write c_lang = \"c++\" in the class\nand 1 further error\nthe whole output: /log",
		clang: "-",
	},
	{
		name: "a pointer of another type",
		text: "#line 1 \"Twice.c_code\"\nint f(double *x) { int *y = x; return *y; }\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n" +
			"  initialization of 'int *' from incompatible pointer type 'double *'\n     1 | int f(double *x) { int *y = x; return *y; }\n" +
			"       |                             ^\n  write the pointer's own type, or a cast if it is meant\nthe whole output: /log",
		clang: "-",
	},
	{
		name: "a number for a pointer",
		text: "#line 1 \"Twice.c_code\"\nint f(void) { int *y = 5; return *y; }\n",
		gcc: "Twice.c_code does not compile: /home/u/ops.py:41 (line 1 of the fragment)\n" +
			"  initialization of 'int *' from 'int' makes pointer from integer without a cast\n" +
			"     1 | int f(void) { int *y = 5; return *y; }\n       |                        ^\n" +
			"  a pointer and a number are taken for one another: is a * or an index missing?\nthe whole output: /log",
		clang: "-",
	},
	{
		name: "a library that is not there",
		text: "int x;\n",
		libs: []string{"nothing_of_this_name"},
		gcc: "the module does not build:\n  cannot find -lnothing_of_this_name\n" +
			"  install what it comes with, and name its folder in c_lib_dirs\n" +
			"the whole output: /log",
		clang: "-",
	},
	{
		name:  "an argument that the compiler does not know",
		text:  "int x;\n",
		args:  []string{"-fno-such-thing"},
		gcc:   "the module does not build:\n  unrecognized command-line option '-fno-such-thing'\nthe whole output: /log",
		clang: "-",
	},
}

// versions irons out how the messages of gcc's and binutils' versions differ.
var versions = regexp.MustCompile(`; did you mean [^\n]*|(-lnothing_of_this_name): No such file or directory`)

func TestMessages(t *testing.T) {
	for _, name := range []string{"gcc", "clang"} {
		t.Run(name, func(t *testing.T) {
			tool := toolOf(t, name)
			for _, m := range mistakes {
				want := m.gcc
				if name == "clang" {
					want = m.clang
				}
				if want == "-" {
					continue
				}
				_, err := compile(t, &Job{Tool: tool, Text: m.text, Flags: []string{"-Wall"}, Libs: m.libs, Args: m.args})
				var refusal *Error
				require.ErrorAs(t, err, &refusal, m.name)
				got := Message(Map(refusal.Diagnostics, sources), "/log")
				require.Equal(t, want, versions.ReplaceAllString(got, "$1"), m.name)
			}
		})
	}
}

func TestUndefinedAndDoubleSymbols(t *testing.T) {
	job := &Job{Tool: toolOf(t, "gcc"), Text: "int nothing(void); int f(void) { return nothing(); }\n", Args: []string{"-Wl,-z,defs"}}
	_, err := compile(t, job)
	require.EqualError(t, err, "undefined reference to `nothing'")
}

func TestWarnings(t *testing.T) {
	for _, name := range []string{"gcc", "clang"} {
		t.Run(name, func(t *testing.T) {
			job := &Job{Tool: toolOf(t, name), Text: "#line 3 \"Twice/twice.c\"\nint f(void) { int u; return 0; }\n", Flags: []string{"-Wall"}}
			c, err := compile(t, job)
			require.NoError(t, err)
			require.Equal(t, []Diagnostic{{Severity: "warning", Op: "Twice", File: "/home/u/twice.c", Line: 3, Exact: true,
				FragmentLine: 3, Column: 19, Message: "unused variable 'u'", Text: "int f(void) { int u; return 0; }",
				Option: "-Wunused-variable"}}, Map(c.Warnings, sources))
		})
	}
}

func TestErrorInAUsersHeaderNamesTheOp(t *testing.T) {
	dir := t.TempDir()
	header := filepath.Join(dir, "x.h")
	require.NoError(t, os.WriteFile(header, []byte("\n\nint x = nothing;\n"), 0o666))
	job := &Job{Tool: toolOf(t, "gcc"), Text: "#line 1 \"Twice.c_support_code\"\n\n#include <x.h>\n", Headers: []string{dir}}
	_, err := compile(t, job)
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	message := Message(Map(refusal.Diagnostics, sources), "")
	require.Equal(t, "Twice.c_support_code does not compile: "+header+":3 (included by line 2 of the fragment)\n"+
		"  'nothing' undeclared here (not in a function)", message)
}

// An includer stands for the errors of its header, all of them, and for nothing that comes after.
func TestErrorsAfterThoseOfAHeaderHaveOwnersOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.h"), []byte("#include \"deep.h\"\nint x1 = nothing1;\nint x2 = nothing2;\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deep.h"), []byte("int deep = nothing3;\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "y.h"), []byte("int y = nothing4;\n"), 0o666))
	text := "#line 1 \"Twice.c_support_code\"\n\n#include <x.h>\n#line 4 \"opweld.c\"\nint glue = nothing5;\n" +
		"#line 1 \"Thrice.c_support_code\"\n#include <y.h>\nint own = nothing6;\n#line 9 \"opweld.c\"\n#include <z.h>\nint more = nothing7;\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "z.h"), []byte("int z = nothing8;\n"), 0o666))
	for _, name := range []string{"gcc", "clang"} {
		t.Run(name, func(t *testing.T) {
			_, err := compile(t, &Job{Tool: toolOf(t, name), Text: text, Headers: []string{dir}})
			var refusal *Error
			require.ErrorAs(t, err, &refusal)
			owners := map[string]string{}
			for _, d := range refusal.Diagnostics {
				owners[regexp.MustCompile(`nothing\d`).FindString(d.Message)] = d.Op
			}
			require.Equal(t, map[string]string{"nothing1": "Twice", "nothing2": "Twice", "nothing3": "Twice", "nothing4": "Thrice",
				"nothing5": "", "nothing6": "Thrice", "nothing7": "", "nothing8": ""}, owners)
		})
	}
}

func TestLongLinesAreCutRoundTheCaret(t *testing.T) {
	text := strings.Repeat("a", 300) + "HERE" + strings.Repeat("b", 300)
	message := Message([]Diagnostic{{Severity: "error", Op: "T", Hook: "c_code", File: "T.c_code", FragmentLine: 1, Line: 1,
		Column: 301, Message: strings.Repeat("m", 5000), Text: text}}, "/log")
	lines := strings.Split(message, "\n")
	require.LessOrEqual(t, len(lines), 12)
	require.Equal(t, strings.Index(lines[3], "^"), strings.Index(strings.ReplaceAll(lines[2], "…", "."), "HERE"))
	for _, line := range lines {
		require.Less(t, len(line), 700)
	}
}

func TestOneNameForSeveralKernelsFindsTheRightLine(t *testing.T) {
	m := newTextMap(SourceC, "#line 1 \"T.c_code\"\nfloat z = x;\n#line 1 \"T.c_code\"\ndouble z = yy;\n")
	ds := []Diagnostic{{File: "T.c_code", Line: 1, Column: 12, Message: "'yy' undeclared"}}
	m.place(ds)
	require.Equal(t, "double z = yy;", ds[0].Text)
}
