package ccode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(found []Declared) []string {
	out := []string{}
	for _, d := range found {
		name := d.Name
		if d.Const {
			name += " const"
		}
		if d.Initialised {
			name += " ="
		}
		out = append(out, name)
	}
	return out
}

func TestDeclarations(t *testing.T) {
	for text, want := range map[string][]string{
		"double V;": {"V"},
		"  ":        {},
		"PyArrayObject* V; typedef npy_int8 d_V;":                                               {"V"},
		"PyArrayObject* V; enum { t_V = NPY_BOOL };":                                            {"V"},
		"int V, *V_p, V_a[3][4], (*V_f)(int, char *);":                                          {"V", "V_p", "V_a", "V_f"},
		"int V_f(int); struct V_s; struct V_s { int a, b; } V;":                                 {"V"},
		"const int V_c = 3; const char *V_s = 0; char *const V_k = 0;":                          {"V_c const =", "V_s =", "V_k const ="},
		"double V = 0.0, V_w; // one\n/* two */ unsigned long long V_n;":                        {"V =", "V_w", "V_n"},
		"#define W_V 3\nint V[W_V];\n#undef W_V":                                                {"V"},
		"npy_intp V_shape[NPY_MAXDIMS]; struct { double re, im; } V;":                           {"V_shape", "V"},
		"_Alignas(32) double V[4]; volatile int V_v; enum colour_V { R_V, G_V } V_c; union U V": nil,
	} {
		found, err := declarations(text, false)
		if want == nil {
			assert.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, want, names(found), text)
	}
}

func TestDeclarationsCXX(t *testing.T) {
	found, err := declarations("std::vector<double> V; bool V_done{false}; using t_V = int;", true)
	require.NoError(t, err)
	assert.Equal(t, []string{"V", "V_done ="}, names(found))
	found, err = declarations("T V = {1, 2}, *V_p = nullptr, V_q(3, 4); int V_a[2] = {1}; const double V_c{1e-6}; std::vector<int> V_b(4);", true)
	require.NoError(t, err)
	var written []string
	for _, d := range found {
		written = append(written, d.Name+d.Initialiser)
	}
	assert.Equal(t, []string{"V= {1, 2}", "V_p= nullptr", "V_q(3, 4)", "V_a= {1}", "V_c{1e-6}", "V_b(4)"}, written)
	assert.Equal(t, []bool{false, true, true}, []bool{found[2].Array, found[3].Array, found[4].Const})
	_, err = declarations("std::vector<int> V(V_n);", true)
	assert.EqualError(t, err, "may be a function or a variable: give a variable's arguments in braces, name a function's (line 1, near \"V(V_n)\")")
	_, err = declarations("int V_f(int), V_g(void), V_h(npy_intp n);", true)
	assert.NoError(t, err)
}

func TestDeclarationsThatCannotBeKept(t *testing.T) {
	for text, want := range map[string]string{
		"static int V;":     "declares with `static`, which has no place in a call's frame: leave the word out (line 1, near \"static int V;\")",
		"int V; V = 3;":     "holds a statement: declare here, set values in c_init or c_extract (line 1, near \"V = 3;\")",
		"if (1) { int V; }": "holds a if statement: write plain declarations (line 1, near \"if (1) { int V; }\")",
	} {
		_, err := declarations(text, false)
		assert.EqualError(t, err, want)
	}
}
