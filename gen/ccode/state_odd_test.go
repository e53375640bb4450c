package ccode

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Texts at file scope; those of the first list share an object if they are shared.
var (
	keepsC = []string{
		"_Thread_local int n_K;",
		"__thread int n_K;",
		"static _Thread_local double n_K;",
		"static NPY_TLS int n_K;",
		"static int (*hook_K)(int);",
		"static const char *names_K[] = {\"a\"};",
		"static int *const p_K = (int[]){0, 0};",
		"static int buffer_K[4], *const p_K = buffer_K;",
		"static const struct S_K s_K = {(int[]){1}};",
		"static volatile const int v_K = 3;",
		"static const _Atomic int a_K;",
		"_Atomic int a_K;",
		"extern int n_K = 5;",
		"int n_K; extern int n_K;",
		"static n_K = 0;",
		"sta\\\ntic int n_K;",
		"double f_K(double x) { sta\\\n  tic int n; return x + n++; }",
		"double f_K(double x) { sta??/\ntic int n; return x + n++; }",
		"int f_K(a, b) int a; double b; { static int n; return n++; }",
		"#define STATE static int n\nint f_K(void) { STATE; return n++; }",
		"#define INNER static\n#define OUTER INNER int n\nint f_K(void) { OUTER; return n++; }",
		"#define DECLARE(n) double n[16]\nDECLARE(buffer_K);",
		"#define DECLARE(n) double n[16];\nDECLARE(buffer_K)\nint f_K(void) { return 1; }",
		"#define PAIR(x) int x##_n; int x(void)\nPAIR(f_K) { return f_K_n++; }",
		"#include \"pieces.inc\"",
		"#include \"pieces.c\"",
		"#define FILE \"x.h\"\n#include FILE",
		"#if A\n#if B\nstatic int n_K;\n#endif\n#endif",
		"#if A\n#elif B\nint n_K;\n#endif",
		"#ifndef A\n#else\nint n_K;\n#endif",
		"__attribute__((aligned(64))) double b_K[4];",
		"static __attribute__((aligned(64))) double b_K[4];",
		"_Alignas(16) static double b_K[4];",
		"__asm__(\".comm n_K, 8\");",
		"Py_LOCAL(int) n_K;",
		"int f_K(void) { Py_LOCAL(int) n; return n++; }",
		"PyDoc_STRVAR(doc_K, \"x\");",
		"static PyTypeObject Type_K = {PyVarObject_HEAD_INIT(NULL, 0)};",
		"enum { A_K } e_K;",
		"int f_K(void) { for (;;) { static int n; n++; } }",
		"int f_K(void) { int m = ({ static int n; n++; }); return m; }",
		"int f_K(void) { int g(void) { static int n; return n++; } return g(); }",
	}
	stateless = []string{
		"static const int limit_K = 3;",
		"const static int limit_K = 3;",
		"int const static limit_K = 3;",
		"static const unsigned long limit_K = 3;",
		"static const npy_intp limit_K = 3;",
		"static const char *const names_K[] = {\"a\", \"b\"};",
		"static int (*const chosen_K)(int) = other_K;",
		"static inline double f_K(double x) { return x; }",
		"extern int n_K;",
		"extern double f_K(double);",
		"int f_K(int a[static 4]);",
		"/* static int n; */ // static int m\nint f_K(void) { puts(\"static int n;\"); return 1; }",
		"#include <math.h>\n#include \"numpy/npy_math.h\"\nint f_K(int x);",
		"#define STATE static int n\nint f_K(int x) { return x; }",
		"#define LIMIT_K 3\n#undef LIMIT_K\n#pragma GCC diagnostic push\n",
		"#if defined(A) && B > 2\nint f_K(int x);\n#else\nint g_K(int x);\n#endif",
		"struct S_K { int n; };\ntypedef int (*hook_K)(int);\nenum E_K { A_K };",
		"_Static_assert(sizeof(int) == 4, \"x\");",
		"static int f_K(PyArrayObject*, npy_intp);",
		"static double sum_K(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
	}
	keepsCXX = []string{
		"struct S_K { inline static int n = 0; };",
		"struct S_K { static inline int n = 0; };",
		"struct S_K { static int n; };",
		"struct S_K { static thread_local int n; };",
		"struct S_K { inline static const int *p = nullptr; };",
		"struct S_K { int f() { static int n; return n++; } };",
		"struct S_K { struct T { static inline int n; }; };",
		"struct S_K { S_K() { static int n; n++; } ~S_K() {} };",
		"struct S_K { int operator()(int x) { static int n; return x + n++; } };",
		"struct S_K { operator int() { static int n; return n++; } };",
		"class C_K { public: template <class T> T f(T x) { static int n; return x + n++; } };",
		"template <class T> T f_K(T x) { static T n = 0; return n += x; }",
		"template <class T> struct S_K { static T n; }; template <class T> T S_K<T>::n = 0;",
		"template <class T> T cell_K = 0;",
		"template <class T> inline T cell_K = 0;",
		"template <> int S_K<int>::n = 0;",
		"template int cell_K<int>;",
		"template <class T> auto f_K(T x) { return [=] { static int n; return x + n++; }(); }",
		"namespace { int n_K; }",
		"namespace a { namespace b { static int n_K; } }",
		"namespace a::b { int n_K; }",
		"inline namespace v { inline int n_K = 0; }",
		"namespace { union { int a_K; double b_K; }; }",
		"extern \"C\" { int n_K; }",
		"extern \"C\" { static int f_K(void) { static int n; return n++; } }",
		"extern \"C\" int n_K = 3;",
		"inline int n_K = 0;",
		"[[maybe_unused]] static int n_K;",
		"alignas(64) static double b_K[4];",
		"constinit static int n_K = 3;",
		"thread_local int n_K;",
		"int f_K() { thread_local int n = 0; return n++; }",
		"auto f_K = [] { static int n; return n++; };",
		"auto f_K = [n = 0]() mutable { return n++; };",
		"static auto n_K = 0;",
		"static const auto cell_K = std::make_shared<int>(0);",
		"static const std::unique_ptr<int> p_K(new int(0));",
		"static const std::mutex m_K;",
		"static double *const buffer_K = new double[4];",
		"static int &n_K = *new int(0);",
		"static std::vector<int> seen_K(10);",
		"static Seen seen_K(size);",
		"Seen seen_K{size};",
		"struct Cell_K { constexpr Cell_K() {} mutable int n = 0; };\nconstexpr Cell_K cell_K;",
		"static auto [a_K, b_K] = pair();",
		"int Other::count = 0;",
		"int f_K() { if (static int n = 0; n) return n; return n++; }",
		"int f_K(int x = [] { static int n; return n++; }()) { return x; }",
		"static union { int a_K; float b_K; };",
		"struct S_K { union { int a; }; static S_K *instance() { static S_K one; return &one; } };",
	}
	statelessCXX = []string{
		"struct S_K { static const int n = 3; static constexpr double x[] = {1, 2}; int m = 0; mutable int k; };",
		"struct S_K { static int f(int x) { return x; } static int g(); friend int h(int); };",
		"static constexpr int n_K = 3;",
		"constexpr static std::array<int, 2> n_K = {1, 2};",
		"inline constexpr int n_K = 3;",
		"template <class T> constexpr T pi_K = T(3.14);",
		"template <class T, int N = 3> struct S_K { T x[N]; T f(T y) { return y; } };",
		"template <class T> T twice_K(T x) { static constexpr int two = 2; return two * x; }",
		"namespace { const int n_K = 3; int f_K(int x) { return x; } }",
		"extern \"C\" { int f_K(int); }\nextern \"C\" int g_K(int);\nextern \"C\" int elsewhere_K;",
		"using V_K = std::vector<int>; using namespace std; using std::vector; namespace alias_K = std;",
		"static_assert(sizeof(int) == 4, \"x\");\nenum class E_K { A };",
		"static const int &limit_K = 3;",
		"static int f_K(const Seen& x);\nstatic Seen g_K(Seen *x, int n);\nvoid h_K(Seen);",
		"int f_K() { auto twice = [](int x) { return 2 * x; }; return twice(static_cast<int>(2.0)); }",
		"struct S_K { S_K() : n(0) {} explicit S_K(int m) : n(m) {} ~S_K() {} bool operator==(const S_K& o) const { return n == o.n; } int n; };",
	}
)

func TestKeepsStateOfOddTexts(t *testing.T) {
	for _, text := range keepsC {
		assert.True(t, keepsState(text, false), text)
	}
	for _, text := range append(keepsCXX, "static int n_K;", "std::string n_K;") {
		assert.True(t, keepsState(text, true), text)
	}
	for _, text := range stateless {
		assert.False(t, keepsState(text, false), text)
	}
	for _, text := range statelessCXX {
		assert.False(t, keepsState(text, true), text)
	}
}

func TestCodeKeepsStateOfOddTexts(t *testing.T) {
	for _, text := range []string{
		"auto f = [&] { static int n = 0; return n++; }; V1 = f();",
		"struct L { int f() { static int n; return n++; } }; V1 = L().f();",
		"struct L { static int f() { thread_local int n; return n++; } }; V1 = L::f();",
		"sta\\\ntic int n; V1 = n++;",
		"static std::map<int, int> seen; V1 = seen[V0]++;",
		"static const std::shared_ptr<int> n(new int(0)); V1 = (*n)++;",
		"static int *const n = new int(0); V1 = (*n)++;",
		"#include \"work.inc\"\n",
		"#define N static int n\nN; V1 = n++;",
		"static union { int a; float b; } u; V1 = u.a++;",
		"for (static int n = 0; n < 3; n++) V1 = n;",
		"V1 = ({ static int n; n++; });",
		"static int n; FAIL_AGAIN V1 = n++;",
	} {
		assert.True(t, codeKeepsState(text, true), text)
	}
	for _, text := range []string{
		"static constexpr int n = 3; V1 = n;",
		"auto f = [](int x) { static const int two = 2; return two * x; }; V1 = f(V0);",
		"// static int n;\nV1 = V0;",
		"V1 = reinterpret_cast<int>(V0) + static_cast<int>(V0);",
		"struct L { static int f(int x) { return x; } static constexpr int two = 2; }; V1 = L::f(V0) * L::two;",
	} {
		assert.False(t, codeKeepsState(text, true), text)
	}
}

// What the support code of an op defines reaches its other texts.
func TestKeepsStateThroughMacrosOfEarlierTexts(t *testing.T) {
	const before = "#define COUNTER(n) STORED int n = 0\n#define STORED static\n#define LIMIT 3\n"
	assert.True(t, codeKeepsState("COUNTER(n); V1 = n++;", false, before))
	assert.True(t, keepsState("int f_K(void) { COUNTER(n); return n++; }", false, "", before))
	assert.False(t, codeKeepsState("V1 = LIMIT;", false, before))
	assert.False(t, keepsState("int f_K(void) { return LIMIT; }", false, before))
}
