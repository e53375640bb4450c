package ccode

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeepsState(t *testing.T) {
	for text, want := range map[string]bool{
		"":                              false,
		"int count_K;":                  true,
		"static int count_K = 0;":       true,
		"static const int limit_K = 3;": false,
		"static const double table_K[] = {1, 2};":                                      false,
		"const char *name_K = 0;":                                                      true, // the pointer can change
		"extern int elsewhere;":                                                        false,
		"int f_K(int x);":                                                              false,
		"static int f_K(int x) { int y = x; return y; }":                               false,
		"static int f_K(void) { static int calls; return ++calls; }":                   true,
		"static int f_K(int x) { if (x) { static double last; last = x; } return 0; }": true,
		"typedef struct { int a; } pair_K;\nenum { A_K, B_K };\n#define X_K 1\n":       false,
		"#define APPLY_SPECIFIC(str) str##_K\nvoid APPLY_SPECIFIC(mul)(DTYPE_INPUT_0* x, int n) {\nfor (int i = 0; i < n; i++) x[i] *= x[i]; }": false,
		"#define APPLY_SPECIFIC(str) str##_K\nstatic int APPLY_SPECIFIC(count);":                                                                true,
		"struct { int a; } shared_K;":   true,
		"#ifdef X\nint only_K;\n#endif": true,
		"int broken( {":                 true,
	} {
		assert.Equal(t, want, keepsState(text, false), text)
	}
	assert.True(t, keepsState("static std::vector<int> seen_K;", true))
	assert.False(t, keepsState("template <class T> T twice_K(T x) { return x + x; }", true))
}

func TestCodeKeepsState(t *testing.T) {
	for text, want := range map[string]bool{
		"V1 = V0 + 1;":                               false,
		"static int calls;\nV1 = V0 + ++calls;":      true,
		"if (V0) { static double last; last = V0; }": true,
		"static const double table[] = {1, 2};\nV1 = table[V0]; { opw_failure = 1; goto opw_fail; }": false,
		"_Thread_local int calls; calls++;": true,
		"/* static */ V1 = V0;":             false,
	} {
		assert.Equal(t, want, codeKeepsState(text, false), text)
	}
	assert.True(t, codeKeepsState("thread_local int calls; calls++;", true))
	assert.False(t, codeKeepsState("V1 = static_cast<double>(V0);", true))
}

func TestPublic(t *testing.T) {
	assert.Equal(t, "int a;  public: int b;    public : int c; // private: d", Public("int a; private: int b; protected : int c; // private: d"))
	assert.Equal(t, "struct S : private B { int privates; };", Public("struct S : private B { int privates; };"))
}
