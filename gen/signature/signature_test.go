package signature

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatASignatureSays(t *testing.T) {
	s, err := Parse("csr(data: T[nnz], indptr: I[r + 1], x: strided T[c, 2*nnz], k: int64 = -3) -> y: T[r] = 0, s: work T[k], c2: bool where I: int32 | signed")
	require.NoError(t, err)
	assert.Equal(t, "csr", s.Name)
	assert.Equal(t, []Bound{{"T", anything}, {"I", []string{"int32", "int8", "int16", "int64"}}}, s.Types)
	assert.Equal(t, []Size{{"k", 3, -1, 0}, {"nnz", 0, 0, 0}, {"c", 2, 0, 0}, {"r", 1, 0, 1}}, s.Sizes)
	assert.Equal(t, []bool{true, false}, []bool{s.Inputs[2].Strided, s.Outputs[0].Strided})
	assert.Equal(t, "-3", *s.Inputs[3].Value)
	assert.True(t, s.Outputs[1].Work)
	assert.Empty(t, s.Outputs[2].Dims)
	assert.Equal(t, []string{"data", "indptr", "x", "k", "y", "s", "c2", "nnz", "c", "r"}, s.Names())
}

func TestAFunctionsValueHasNoName(t *testing.T) {
	s, err := Parse("a: int32[n] -> int32")
	require.NoError(t, err)
	assert.Equal(t, "", s.Outputs[0].Name)
	assert.Equal(t, "int32", s.Outputs[0].Dtype)
}

func TestNothingIsNullInJSON(t *testing.T) {
	s, err := Parse("x: inout float64[3]")
	require.NoError(t, err)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	assert.JSONEq(t, `{"name": "", "inputs": [{"name": "x", "dtype": "float64", "dims": [{"op": "number", "number": 3}], "inout": true,
		"strided": false, "work": false, "value": null}], "outputs": [], "types": [], "sizes": []}`, string(text))
}

func TestSizesAsAPersonWritesThem(t *testing.T) {
	for text, want := range map[string]string{
		"n":                    "n",
		"2 * n":                "2*n",
		"(n+1)*2":              "(n + 1)*2",
		"n-(m-1)":              "n - (m - 1)",
		"n - m-1":              "n - m - 1",
		"n//2%m":               "n // 2 % m",
		"n//(2*m)":             "n // (2*m)",
		"min(n,max( m , 1))+1": "min(n, max(m, 1)) + 1",
		"((n))":                "n",
	} {
		s, err := Parse("x: T[n, m] -> y: T[" + text + "]")
		require.NoError(t, err, text)
		assert.Equal(t, want, s.Outputs[0].Dims[0].String(), text)
	}
}

// The texts of errors are pinned where people see them, in tests/test_cop.py; here is where they point to.
func TestWhereAFaultIs(t *testing.T) {
	for text, at := range map[string][2]int{
		"x: T[n],\n  y T[n]":                 {2, 5},
		"x: T[n] -> y: T[n] # good\n # z\n,": {3, 2},
		"x: T[99999999999999999999] -> y: T": {1, 6},
		"x: T[1.5] -> y: T":                  {1, 6},
		"x: T[n] -> y: T[min(n)]":            {1, 22},
		"x: T[n] -> y: T[(n]":                {1, 19},
		"x: T[n] -> y: T where":              {1, 22},
		"x: T[n] -> y: T = z":                {1, 19},
		"f(x: T[n] -> y: T":                  {1, 11},
		"é":                                  {1, 1},
	} {
		_, err := Parse(text)
		require.IsType(t, &Error{}, err, text)
		fault := err.(*Error)
		assert.Equal(t, at, [2]int{fault.Line, fault.Column}, "%q: %s", text, fault)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("smooth(x: T[n], a: T = 0.5) -> y: T[min(n, 2) - 1] = 0 where T: float | int8")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if (s == nil) == (err == nil) && err == nil {
			t.Fatal("neither a signature nor an error")
		}
		if fault, ok := err.(*Error); err != nil && (!ok || fault.Line < 1 || fault.Column < 1) {
			t.Fatalf("%q: no place: %v", text, err)
		}
	})
}
