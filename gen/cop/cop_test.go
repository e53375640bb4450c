package cop

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// The C of two short forms, to be read: one that checks and copies, one of C++ without the GIL.
func TestGolden(t *testing.T) {
	for name, r := range map[string]*Request{
		"checked.txt": {Name: "csr", Check: true, Signature: `data: T[nnz], indptr: int64[r + 1], x: strided T[c, 2], z: inout T[r], k: int64
			-> y: T[r - k] = -1, s: T, w: work T[r, 2] = 0`, Body: "if (r == 0) return;\ns = data[indptr[0]];\nw(0, 1) = x(0, 1);\n"},
		"ufunc.txt": {Name: "lag", Ufunc: true, Signature: "x: strided T[n], k: T[r + 1] -> y: T[n - r] = -1, s: T, w: work T[n, 2] = 0",
			Body: "if (!n) fail(ValueError, \"nothing\");\ns = y[0] = x(0) + k[0] + w(0, 1);"},
		"elements.txt": {Name: "hypot", Ufunc: true, Signature: "x: T, y: T -> z: T where T: float", Body: "z = sqrt(x*x + y*y);"},
		"callback.txt": {Name: "middle", Callback: "int f(double *x, npy_intp n, double *y, void *data)", Success: 1,
			Signature: "x: T[n], k: T = 2 -> y: T, s: work T[n] = 0", Body: "if (!n) fail(ValueError, \"nothing\");\ny = k * x[0] + s[0];"},
		"threads.txt": {Name: "mean", CXX: true, Nogil: true, Signature: "x: complex64[n] -> m: complex64", Body: "for (npy_intp i = 0; i < n; i++) m += x[i];"},
	} {
		form, err := Make(r)
		require.NoError(t, err)
		text := form.Text + "/* " + form.Call + " */\n"
		path := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), text, name)
		assert.NotContains(t, form.Text, "{{")
	}
}

func TestWhatCheckCannotSee(t *testing.T) {
	form, err := Make(&Request{Signature: "x: T[n] -> y: T[n]", Name: "f", Check: true, Body: "const T *p = x;\ny[0] = x[1] + p[9];"})
	require.NoError(t, err)
	assert.Equal(t, []Unseen{{"x", 1, "const T *p = x;"}}, form.Unseen)
	assert.Contains(t, form.Text, "y[opw_cop_at((0), y)] = x[opw_cop_at((1), x)] + p[9];")
}

func TestABodyThatTheGrammarDoesNotFollowIsLeftToTheCompiler(t *testing.T) {
	for _, body := range []string{"y[0] = ;", "EACH(i, n) y[i] = 0;;\n", "if (n) y[0] = 1 else y[0] = 2;"} {
		form, err := Make(&Request{Signature: "x: T[n] -> y: T[n]", Name: "f", Body: body})
		require.NoError(t, err, body)
		assert.True(t, strings.Contains(form.Text, body), body)
	}
}

func TestReturnsOfFunctionsInsideStay(t *testing.T) {
	form, err := Make(&Request{Signature: "x: T[n] -> y: T[n]", Name: "f", CXX: true,
		Body: "auto g = [](T v) { if (v) return v; return v + 1; };\nif (n) return;\ny[0] = g(x[0]);"})
	require.NoError(t, err)
	assert.Contains(t, form.Text, "if (v) return v; return v + 1; };\nif (n) goto opw_cop_end;\n")
}

func TestAFunctionThatExists(t *testing.T) {
	w, err := Wrap("int f(const double *x, int n, double k)", "x: float64[n], # data\n k: float64\n  -> int32 where")
	require.Error(t, err)
	require.Nil(t, w)
	w, err = Wrap("int f(const double *x, int n, double k)", "x: float64[n], # data\n k: float64\n  -> int32")
	require.NoError(t, err)
	assert.Equal(t, &Wrapped{"f", "x: float64[n], # data\n k: float64\n  -> value: int32",
		"if ((npy_intp)(int)n != n) fail(OverflowError, \"n is %zd, which is no int\", n);\nvalue = f((const double *)x, (int)n, k);", map[string]string{}}, w)
	w, err = Wrap("double sum(double (*f)(const double *x, void *), void *data, double a)", "f: function, a: float64 -> float64")
	require.NoError(t, err)
	assert.Equal(t, "value = sum((double (*)(const double *x, void *))f, opw_data_f, a);", w.Body)
	assert.Equal(t, map[string]string{"f": "double (double *, void *)"}, w.Functions)
}
