"""Short forms for C that calls back: capsules, as SciPy's functions take them."""

import ctypes
import gc
import subprocess
import sys

import numpy as np
import pytest

import opweld

bell = opweld.cop("x: T, a: T = 1 -> y: T where T: float", "y = exp(-a*x*x);")
middle = opweld.cop("x: float64[n] -> m: float64, s: work float64[n]", """
    for (npy_intp i = 0; i < n; i++) {
        npy_intp j = i;
        if (x[i] < 0) fail(ValueError, "x[%zd] is %g", i, x[i]);
        for (; j > 0 && s[j-1] > x[i]; j--) s[j] = s[j-1];
        s[j] = x[i];
    }
    m = s[n/2];
""")  # fmt: skip
DOUBLE, VOID = ctypes.c_double, ctypes.c_void_p


def name_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(capsule).decode()


def called(capsule, result, *arguments):
    """The C function of a capsule."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = VOID, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.PYFUNCTYPE(result, *arguments)(get(capsule, name_of(capsule).encode()))


def test_a_function_of_numbers():
    capsule = bell.capsule("double f(double x)")
    assert name_of(capsule) == "double (double)" and called(capsule, DOUBLE, DOUBLE)(2.0) == np.exp(-4)
    single = bell.capsule("float g(float x, const float *a)")  # T is what the prototype says
    assert name_of(single) == "float (float, float *)"
    half = ctypes.c_float(0.5)
    f = called(single, ctypes.c_float, ctypes.c_float, ctypes.POINTER(ctypes.c_float))
    assert np.float32(f(1.0, half)) == np.exp(np.float32(-0.5))
    assert called(bell.capsule("void f(double *y, const double *x)"), None, VOID, VOID)(
        ctypes.byref(made := DOUBLE()), ctypes.byref(DOUBLE(1.0))
    ) is None and made.value == np.exp(-1.0)  # fmt: skip


def test_arrays_sizes_memory_and_codes():
    x, y = np.array([3.0, 1, 2]), DOUBLE()
    for success, (good, bad) in {1: (1, 0), 0: (0, -1)}.items():
        capsule = middle.capsule("int f(const double *x, npy_intp n, double *m, void *data)", success=success)
        assert name_of(capsule) == "int (double *, npy_intp, double *, void *)"
        f = called(capsule, ctypes.c_int, VOID, ctypes.c_ssize_t, VOID, VOID)
        assert f(x.ctypes.data, 3, ctypes.addressof(y), None) == good and y.value == 2
        with pytest.raises(ValueError, match=r"x\[0\] is -3"):
            f((-x).ctypes.data, 3, ctypes.addressof(y), None)
        assert bad == success - 1
    grid = opweld.cop("x: strided T[n, 3] -> y: T[n] = 0, z: T[2] = 5, total: T", """
        for (npy_intp i = 0; i < n; i++) y[i] += x(i, 0) + 10 * x(i, 2), z[0] += y[i], total += y[i];
    """)  # fmt: skip
    f = called(grid.capsule("double f(int n, double *x, double *y, double *z)"), DOUBLE, ctypes.c_int, VOID, VOID, VOID)
    x, y, z = np.arange(6.0), np.ones(2), np.ones(2)
    assert f(2, x.ctypes.data, y.ctypes.data, z.ctypes.data) == 73 and (y.tolist(), z.tolist()) == ([20, 53], [78, 5])


def test_a_wrapped_function():
    power = opweld.wrap("double pow(double x, double y)", signature="x: float64, y: float64 -> float64")
    assert called(power.capsule("double f(double x, double y)"), DOUBLE, DOUBLE, DOUBLE)(2, 5) == 32
    cxx = opweld.cop("x: float64 -> y: float64", "throw 1;", lang="c++", name="thrown")
    with pytest.raises(RuntimeError):
        called(cxx.capsule("double f(double x)"), DOUBLE, DOUBLE)(2)


def test_it_outlives_what_it_is_of():
    made = opweld.cop("x: float64 -> y: float64", "y = x + 41;", name="gone")
    f = called(capsule := made.capsule("double f(double x)"), DOUBLE, DOUBLE)
    del made
    gc.collect()
    assert f(1) == 42 and name_of(capsule) == "double (double)"


SAYS = "and T may be float32, float64, longdouble"
WRONG = [
    ("double f(double z)", 'parameter 1 of f, double z: the signature has no "z"'),
    ("double f(int x)", f"parameter 1 of f, int x: that is int32, {SAYS}"),
    ("float f(double x)", "f returns float: that is float32, and T is float64 already"),
    ("double f(float x)", "f returns double: that is float64, and T is float32 already"),
    ("double f(FILE *x)", f"parameter 1 of f, FILE *x: that is no dtype, {SAYS}"),
    ("void f(double x)", "f returns void: that is where y belongs, unless a pointer has its name"),
    ("double f()", 'f has no parameter "x", which the signature has'),
    ("double f(double x, double y)",
     "parameter 2 of f, double y: the signature has it as an output, and the function cannot write into it"),
    ("double f(double x, double *y)",
     "f returns double: the signature has no output left for that; a code is an integer"),
    ("int f(void *x, void *y)", "f does not say what T is: give a parameter of that a type other than void"),
    ("double f(double **x)",
     "parameter 1 of f, double **x: a pointer to pointers or a function is nothing that a signature has"),
    ("double", "expected one function's declaration, as `int f(const double *x, long n)`"),
]  # fmt: skip


@pytest.mark.parametrize(("prototype", "message"), WRONG)
def test_what_does_not_fit(prototype, message):
    with pytest.raises(opweld.SignatureError) as caught:
        bell.capsule(prototype)
    assert str(caught.value) == f"bell: prototype, line 1: {message}\n    {prototype}"


def test_sizes_that_nobody_tells():
    with pytest.raises(opweld.SignatureError, match='f has no parameter "n", a size of the signature'):
        middle.capsule("double f(double *x)")
    with pytest.raises(opweld.SignatureError, match="parameter 2 of f, double n: a size is an integer"):
        middle.capsule("double f(double *x, double n)")
    with pytest.raises(TypeError, match=r"bell\.capsule: prototype must be a string, got 3"):
        bell.capsule(3)


SUM = """
static double sum(double (*f)(double, void *), void *data, double a, double b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += f(a + (i + 0.5) * (b - a) / n, data);
    return s * (b - a) / n;
}
"""
PROTOTYPE = "double sum(double (*f)(double, void *), void *data, double a, double b, int n)"
SIGNATURE = "f: function, a: float64, b: float64, n: int32 = 1000 -> float64"


@pytest.fixture(scope="module")
def integral():
    return opweld.wrap(PROTOTYPE, signature=SIGNATURE, support=SUM)


class LowLevelCallable(tuple):
    """As SciPy's: the capsule, with the user's data as its context, comes first, and [0] is refused."""

    def __new__(cls, capsule, data):
        set_ = ctypes.pythonapi.PyCapsule_SetContext
        set_.argtypes = [ctypes.py_object, VOID]
        assert set_(capsule, ctypes.addressof(data)) == 0
        return tuple.__new__(cls, (capsule, data))

    def __getitem__(self, place):
        raise ValueError


def test_a_wrapped_function_takes_one(integral):
    square = opweld.cop("x: float64 -> y: float64", "y = x * x;")
    capsule = square.capsule("double f(double x, void *data)")
    assert np.isclose(integral(capsule, 0, 1), 1 / 3)
    assert np.isclose(integral(f=capsule, a=0, b=3, n=5000), 9)
    scaled = opweld.cop("x: float64, k: float64 -> y: float64", 'if (x > 2) fail(ValueError, "beyond 2");\ny = k * x;')
    f = LowLevelCallable(scaled.capsule("double f(double x, const void *k)"), three := DOUBLE(3.0))
    assert np.isclose(integral(f, 0, 2), 6)
    three.value = 5
    assert np.isclose(integral(f, 0, 2), 10)
    with pytest.raises(ValueError, match=r"^beyond 2$"):  # though nothing says so to the function that called it
        integral(f, 0, 3)
    before = sys.getrefcount(capsule)
    for _ in range(20):
        integral(capsule, 0, 1)
    assert sys.getrefcount(capsule) == before
    assert "f : function" in integral.__doc__ and repr(integral).startswith("<opweld.cop sum(f: function, a: float64")


def test_what_it_says_is_more_than_a_code():
    """The function that calls gives a code up, which is no reason to forget what was said."""
    strict = opweld.cop("x: float64 -> y: float64", 'if (x > 2) fail(ValueError, "beyond 2");\ny = x;', name="strict")
    prototype = "int twice(int (*f)(double, double *), double x, double *y)"
    text = "{ double z; if (x < 0) return 5; int bad = f(x, &z); return bad ? bad : f(z, y); }"
    for nogil in (False, True):
        made = opweld.wrap(
            prototype,
            signature="f: function, x: float64 -> y: float64",
            support=f"static {prototype} {text}",
            nogil=nogil,
        )
        f = strict.capsule("int f(double x, double *y)", success=0)
        assert made(f, 1.5) == 1.5
        with pytest.raises(ValueError, match=r"^beyond 2$"):
            made(f, 3)
        with pytest.raises(RuntimeError, match=r"^twice returned 5$"):
            made(f, -1)


def test_what_is_no_such_function(integral):
    other = bell.capsule("double f(double x, double a)")
    with pytest.raises(
        TypeError, match=r'^sum: f is a function "double \(double, double\)", and the prototype calls "double \(double'
    ):
        integral(other, 0, 1)
    with pytest.raises(
        TypeError, match=r"^sum: f is function, expected a capsule or scipy\.LowLevelCallable of a function \"d"
    ):
        integral(lambda x: x, 0, 1)
    for prototype, signature, message in (
        (
            PROTOTYPE,
            SIGNATURE.replace("function", "float64"),
            "that is a function: write `f: function` in the signature",
        ),
        (
            "double sum(double f)",
            "f: function -> float64",
            "the signature has it as a function, which is a pointer to one",
        ),
        ("double sum(double (*f)(int), double (*g)(int), void *d)", "f: function, g: function -> float64", 'no "d"'),
    ):
        with pytest.raises(opweld.SignatureError) as caught:
            opweld.wrap(prototype, signature=signature, support=SUM)
        assert message in str(caught.value)
    said = {"f: function -> y: T": "an input of it", "f: function[n] -> y: int8": "without sizes and default"}
    for signature, message in {**said, "f: function -> y: int8": "which opweld.wrap takes"}.items():
        with pytest.raises(opweld.SignatureError) as caught:
            opweld.cop(signature, ";", name="f")
        assert message in str(caught.value)


def test_in_a_graph(integral):
    capsule = opweld.cop("x: float64 -> y: float64", "y = x * x;").capsule("double f(double x, void *data)")
    a = opweld.tensor.dscalar("a")
    f = opweld.function([a], integral(capsule, 0.0, a * 3, 5000))
    assert np.isclose(f(1.0), 9)


def test_in_a_graph_beside_others(integral):
    """What short forms share stands once, whichever of them stand beside each other."""
    capsule = opweld.cop("x: float64 -> y: float64", "y = x * x;").capsule("double f(double x, void *data)")
    v = opweld.tensor.dvector("v")
    doubled = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = 2 * x[i];", name="doubled")
    plus = opweld.cop("x: T, y: T -> z: T", "z = x + y;", ufunc=True, name="plus")
    steps = opweld.cop("x: T[n] -> d: T[n - 1]", "for (npy_intp i = 1; i < n; i++) d[i-1] = x[i] - x[i-1];",
                       ufunc=True, name="steps")  # fmt: skip
    f = opweld.function([v], [integral(capsule, 0.0, v.sum(), 5000), doubled(v), plus(v, v), steps(v)])
    area, twice, same, apart = f([1.0, 2.0])
    assert np.isclose(area, 9) and twice.tolist() == same.tolist() == [2, 4] and apart.tolist() == [1]
    assert f.maker.source().count("static void opw_cop_fail(") == 1


SCIPY = """
import ctypes, sys
import numpy as np, opweld
from scipy import LowLevelCallable, integrate, ndimage
bell = opweld.cop("x: float64, a: float64 = 1 -> y: float64", "y = exp(-a*x*x);", name="bell")
assert np.isclose(integrate.quad(LowLevelCallable(bell.capsule("double f(double x)")), -10, 10)[0], np.pi**.5)
two = ctypes.c_double(2.0)
given = LowLevelCallable(bell.capsule("double f(double x, void *a)"), ctypes.cast(ctypes.pointer(two), ctypes.c_void_p))
assert np.isclose(integrate.quad(given, -10, 10)[0], (np.pi / 2)**.5)
middle = opweld.cop("x: float64[n] -> m: float64, s: work float64[n]", '''
    for (npy_intp i = 0; i < n; i++) {
        npy_intp j = i;
        if (x[i] < 0) fail(ValueError, "%g", x[i]);
        for (; j > 0 && s[j-1] > x[i]; j--) s[j] = s[j-1];
        s[j] = x[i];
    }
    m = s[n/2];
''', name="middle")
f = LowLevelCallable(middle.capsule("int f(const double *x, npy_intp n, double *m, void *data)"))
image = np.random.default_rng(0).random((20, 20))
assert np.array_equal(ndimage.generic_filter(image, f, 3), ndimage.median_filter(image, 3))
total = opweld.wrap(
    "double total(double (*f)(double, void *), void *d, double a)", signature="f: function, a: float64 -> float64",
    support="static double total(double (*f)(double, void *), void *d, double a) { return f(a, d) + f(2 * a, d); }",
)
assert np.isclose(total(given, 1.0), np.exp(-2) + np.exp(-8))
try:
    ndimage.generic_filter(image - 1, f, 3)
except ValueError:
    print("done")
"""


def test_scipy():
    pytest.importorskip("scipy")
    ended = subprocess.run([sys.executable, "-c", SCIPY], capture_output=True, text=True)
    assert ended.stdout == "done\n", ended.stderr
