package scalar

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"opweld/npyapi"
	"opweld/templates"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loop is one of NumPy's, as an instruction: testdata/loops.txt, which tests/test_loops.py compares with NumPy.
type loop struct {
	op   string
	args []string
	out  string
}

func loops(t *testing.T) []loop {
	t.Helper()
	data, err := os.ReadFile("testdata/loops.txt")
	require.NoError(t, err)
	var found []loop
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		words := strings.Fields(line)
		require.GreaterOrEqual(t, len(words), 3, line)
		found = append(found, loop{words[0], words[1 : len(words)-1], words[len(words)-1]})
	}
	return found
}

func typesOf(t *testing.T, dtypes ...string) []Type {
	t.Helper()
	var found []Type
	for _, dtype := range dtypes {
		found = append(found, mustBe(t, dtype))
	}
	return found
}

func mustBe(t *testing.T, dtype string) Type {
	t.Helper()
	found, ok := TypeOf(dtype)
	require.True(t, ok, dtype)
	return found
}

var (
	names = []string{"v0", "v1", "v2"}
	call  = regexp.MustCompile(`\bopw_[a-z]\w*`)
	hole  = regexp.MustCompile(`\{\w+\}`)
)

// TestEachOfNumPysLoopsHasC writes every loop: its text speaks of each argument, and names no helper that it does not ask for.
func TestEachOfNumPysLoopsHasC(t *testing.T) {
	seen := map[string]bool{}
	var helpers []Helper
	for _, l := range loops(t) {
		seen[l.op] = true
		args := typesOf(t, l.args...)
		require.NoError(t, Check(l.op, args, l.out), "%v", l)
		c := Of(l.op, args, mustBe(t, l.out), names)
		assert.Equal(t, c.Fails, strings.Contains(c.Text, "{out}"), "%v: %s", l, c.Text)
		text := strings.ReplaceAll(c.Text, "{out}", "v9")
		assert.Empty(t, hole.FindString(text), "%v: %s", l, text)
		for i := range args {
			constant := args[i].Class != 'f' && args[i].Class != 'e' && (l.op == "isnan" || l.op == "isinf" || l.op == "isfinite")
			assert.Equal(t, !constant || args[i].Class == 'c', strings.Contains(text, names[i]), "%v: %s", l, text)
		}
		helpers = append(helpers, c.Helpers...)
		asked := map[string]bool{}
		for _, h := range c.Helpers {
			asked[h.C()] = true
		}
		for _, name := range call.FindAllString(text, -1) {
			given := strings.HasPrefix(name, "opw_half_") || name == "opw_by_zero" // by a helper of another name, by loop.h
			one := asked[strings.TrimSuffix(name, "_one")]                         // a vector function, of one number
			assert.True(t, asked[name] || given || one, "%v: %s is not asked for", l, name)
		}
	}
	written(t, helpers)
	for _, name := range Names() {
		assert.True(t, seen[name] || ops[name].doc == "", name) // NumPy has a loop, if it has a ufunc
	}
}

// written checks that each helper has a template, and comes after those that it calls.
func written(t *testing.T, helpers []Helper) {
	t.Helper()
	all, err := templates.All()
	require.NoError(t, err)
	done := map[string]bool{}
	for _, h := range helpers {
		text := all.Lookup(h.Path())
		require.NotNil(t, text, h.Path())
		for _, other := range calls[h.Template] {
			assert.True(t, done[Helper{other, other, h.Type}.C()], "%s before %s", h.Template, other)
		}
		if h.Type.Class == 'c' && h.Template != "complex" {
			assert.True(t, done["opw_value_"+h.Type.Suffix], "%s before its type", h.Template)
		}
		for _, m := range regexp.MustCompile(`opw_(\w+)_\{\{`).FindAllStringSubmatch(text.Root.String(), -1) {
			assert.Contains(t, calls[h.Template], m[1], "%s calls it", h.Template)
		}
		done[h.C()] = true
	}
}

func TestWhereTakesAnyValuesOfOneDType(t *testing.T) {
	for _, d := range npyapi.DTypes {
		args := typesOf(t, "bool", d.Name, d.Name)
		require.NoError(t, Check("where", args, d.Name))
		assert.Contains(t, Of("where", args, args[1], names).Text, "v0 ? v1 : v2")
		for _, op := range []string{"real", "imag"} {
			want := d.Name
			if part, ok := parts[want]; ok {
				want = part
			}
			require.NoError(t, Check(op, args[1:2], want))
			assert.EqualError(t, Check(op, args[1:2], "object"), op+" of "+d.Name+" gives "+want+", not object")
		}
	}
}

func TestEveryDTypeIsCastToEvery(t *testing.T) {
	var helpers []Helper
	for _, a := range npyapi.DTypes {
		for _, b := range npyapi.DTypes {
			from, to := mustBe(t, a.Name), mustBe(t, b.Name)
			require.NoError(t, Check("cast", []Type{from}, b.Name))
			c := Of("cast", []Type{from}, to, names)
			assert.Contains(t, c.Text, "v0")
			assert.False(t, c.Fails)
			if a.Name == b.Name {
				assert.Equal(t, "v0", c.Text)
			}
			helpers = append(helpers, c.Helpers...)
		}
	}
	written(t, helpers)
}

func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct {
		op   string
		args []string
		out  string
		want string
	}{
		{"plus", []string{"int8"}, "int8", `no scalar operation "plus"`},
		{"add", nil, "int8", "add takes 2 arguments, got 0"},
		{"add", []string{"int8"}, "int8", "add takes 2 arguments, got 1"},
		{"sin", []string{"float64", "float64"}, "float64", "sin takes 1 arguments, got 2"},
		{"cast", nil, "int8", "cast takes 1 argument, got 0"},
		{"cast", []string{"int8", "int8"}, "int8", "cast takes 1 argument, got 2"},
		{"add", []string{"int8", "int16"}, "int16", "add has no loop for int8, int16; cast the arguments to the dtypes of one of NumPy's"},
		{"add", []string{"int8", "int8"}, "int16", "add of int8, int8 gives int8, not int16"},
		{"subtract", []string{"bool", "bool"}, "bool", "subtract has no loop for bool, bool; cast the arguments to the dtypes of one of NumPy's"},
		{"sin", []string{"int64"}, "float64", "sin has no loop for int64; cast the arguments to the dtypes of one of NumPy's"},
		{"floor", []string{"complex64"}, "complex64", "floor has no loop for complex64; cast the arguments to the dtypes of one of NumPy's"},
		{"less", []string{"float32", "float32"}, "float32", "less of float32, float32 gives bool, not float32"},
		{"less", []string{"int64", "uint32"}, "bool", "less has no loop for int64, uint32; cast the arguments to the dtypes of one of NumPy's"},
		{"add", []string{"int64", "uint64"}, "uint64", "add has no loop for int64, uint64; cast the arguments to the dtypes of one of NumPy's"},
		{"absolute", []string{"complex64"}, "complex64", "absolute of complex64 gives float32, not complex64"},
		{"where", []string{"int8", "int8", "int8"}, "int8", "where has no loop for int8, int8, int8; cast the arguments to the dtypes of one of NumPy's"},
		{"where", []string{"bool", "int8", "int16"}, "int16", "where has no loop for bool, int8, int16; cast the arguments to the dtypes of one of NumPy's"},
		{"ldexp", []string{"float64", "uint8"}, "float64", "ldexp has no loop for float64, uint8; cast the arguments to the dtypes of one of NumPy's"},
		{"ldexp", []string{"int32", "int32"}, "int32", "ldexp has no loop for int32, int32; cast the arguments to the dtypes of one of NumPy's"},
		{"bitwise_count", []string{"int64"}, "int64", "bitwise_count of int64 gives uint8, not int64"},
		{"frexp_exponent", []string{"float64"}, "float64", "frexp_exponent of float64 gives int32, not float64"},
	} {
		assert.EqualError(t, Check(c.op, typesOf(t, c.args...), c.out), c.want)
	}
}

func TestPatternsDoNotOverlap(t *testing.T) {
	for name, o := range ops {
		seen := map[rune]bool{}
		for classes := range o.code {
			for _, class := range classes {
				assert.False(t, seen[class], "%s has C for %c twice", name, class)
				seen[class] = true
			}
		}
	}
}

func TestTypesOfUnknownNames(t *testing.T) {
	for _, name := range []string{"", "float", "object", "float128", "Bool", "int64 "} {
		_, ok := TypeOf(name)
		assert.False(t, ok, name)
	}
}

func TestWhatLoopsOfOneFunctionCall(t *testing.T) {
	called := map[string]string{}
	for _, args := range [][]string{{"ldexp", "float64", "int32"}, {"ldexp", "float32", "int32"}, {"ldexp", "float64", "int64"},
		{"ldexp", "float16", "int32"}, {"ldexp", "longdouble", "int32"}, {"exp", "float32"}, {"frexp_mantissa", "float64"}, {"add", "float64", "float64"},
		{"isnan", "float64"}, {"signbit", "float32"}, {"isinf", "float16"}, {"isfinite", "longdouble"}, {"isnan", "complex128"}, {"isfinite", "int64"}} {
		if h, known := Alone(args[0], typesOf(t, args[1:]...)); known {
			called[strings.Join(args, " ")] = h.C() + " of " + h.Vector()
		}
	}
	assert.Equal(t, map[string]string{
		"ldexp float64 int32": "opw_ldexp_f64 of scale", "ldexp float32 int32": "opw_ldexp_f32 of scale", "exp float32": "opw_exp_f32 of exp",
		"isnan float64": "opw_isnan_f64 of kind", "signbit float32": "opw_signbit_f32 of kind",
	}, called)
	for _, name := range []string{"float64", "float32", "float16", "longdouble"} {
		h, known := Together([]string{"frexp_mantissa", "frexp_exponent"}, typesOf(t, name)[0])
		assert.Equal(t, strings.HasPrefix(name, "float") && name != "float16", known, name)
		assert.Equal(t, "scale", h.Vector())
	}
	for _, names := range [][]string{nil, {"frexp_mantissa"}, {"floor_divide", "remainder"}, {"frexp_exponent", "frexp_mantissa", "add"}} {
		_, known := Together(names, typesOf(t, "float64")[0])
		assert.False(t, known, "%v", names)
	}
	_, among := Vector("ldexp", typesOf(t, "float64")[0])
	assert.False(t, among, "with others compilers make vectors of it")
}
