"""What C++ lends to ops: state of each instance (`_struct` hooks), complex numbers with arithmetic."""

import threading

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, scalar
from opweld.tensor import TensorType


class Walk(COp):
    """A random walk: each call adds a step to what the instance remembers."""

    __props__ = ("seed",)
    params_type = scalar.uint64

    def __init__(self, seed):
        self.seed = seed

    def get_params(self, node):
        return self.seed

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_headers(self):
        return ["<vector>"]

    def c_support_code_struct(self, node, name):
        return """
            std::vector<npy_float64> places;
            npy_uint64 state = 1;
            npy_uint64 next() { return state = state * 6364136223846793005ull + 1442695040888963407ull; }
        """

    def c_init_code_struct(self, node, name, sub):
        return f"""
            state += {sub["params"]};
            if ({sub["params"]} == 13) {{ PyErr_SetString(PyExc_ValueError, "unlucky"); {sub["fail"]} }}
            if ({sub["params"]} == 14) {sub["fail"]}
            if ({sub["params"]} == 15) throw std::runtime_error("thrown");
        """

    def c_code(self, node, name, input_names, output_names, sub):
        return f"""
            places.push_back((npy_float64)(next() >> 60) + {input_names[0]});
            {output_names[0]} = 0;
            for (npy_float64 place : places) {output_names[0]} += place;
        """

    def c_cleanup_code_struct(self, node, name):
        return "places.clear();"

    def c_code_cache_version(self):
        return (1,)


def walk(seed, calls):
    state, places = 1 + seed, []
    for _ in range(calls):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        places.append(float(state >> 60))
    return list(np.cumsum(places))


def made(*seeds):
    x = scalar.float64("x")
    return opweld.function([x], [Walk(seed)(x) for seed in seeds])


def test_state_belongs_to_an_instance_and_an_apply():
    f, g = made(3, 3, 4), made(3)
    runs = [f(0.0) for _ in range(4)]
    assert [list(map(float, places)) for places in zip(*runs)] == [walk(3, 4), walk(3, 4), walk(4, 4)]
    assert [float(g(0.0)[0]) for _ in range(4)] == walk(3, 4)
    assert f.maker.program.data["kernels"][0]["lang"] == "c++"


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        (13, ValueError, "^unlucky$"),
        (14, RuntimeError, r"Walk\.c_init_code_struct failed without setting an exception"),
        (15, RuntimeError, r"^C\+\+ exception: thrown$"),
    ],
)
def test_an_instance_that_cannot_be_made(seed, error, message):
    for _ in range(3):
        with pytest.raises(error, match=message):
            made(1, seed, 2)
    assert float(made(1)(0.0)[0]) == walk(1, 1)[0]


def test_calls_of_an_instance_with_state_take_turns():
    f = made(5)
    seen = []

    def work():
        for _ in range(500):
            seen.append(float(f(0.0)[0]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == sorted(walk(5, 2000))


class Complex(COp):
    """(x * y + 2 * x) / y - 1, over complex numbers."""

    __props__ = ("c_lang",)

    def __init__(self, lang):
        self.c_lang = lang

    def make_node(self, x, y):
        out = TensorType(opweld.scalar.upcast(x.type.dtype, y.type.dtype), (None,))
        return Apply(self, [x, y], [out()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x, y), (z,) = input_names, output_names
        return f"""
            if ({z} == NULL || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), type_num_{z}, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) {{
                dtype_{x} a = *(dtype_{x}*)PyArray_GETPTR1({x}, i);
                dtype_{y} b = *(dtype_{y}*)PyArray_GETPTR1({y}, i);
                dtype_{z} c = (a * b + 2 * a) / b;
                c -= 1;
                *(dtype_{z}*)PyArray_GETPTR1({z}, i) = c;
            }}
        """

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize(
    "dtypes", [("complex64", "complex64"), ("complex128", "complex128"), ("complex64", "complex128"),
               ("clongdouble", "clongdouble"), ("complex128", "complex64")]
)  # fmt: skip
def test_complex_arithmetic(dtypes, lang):
    variables = [TensorType(dtype, (None,))(name) for dtype, name in zip(dtypes, "xy")]
    f = opweld.function(variables, Complex(lang)(*variables))
    x = (np.arange(5) + 1j * np.arange(5, 0, -1)).astype(dtypes[0])
    y = (np.arange(1, 6) * 0.5 - 3j).astype(dtypes[1])
    result, wanted = f(x, y), (x * y + 2 * x) / y - 1
    assert result.dtype == wanted.dtype and np.allclose(result, wanted, rtol=1e-6)


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_complex_scalars(lang):
    class Square(COp):
        c_lang = lang

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def c_code(self, node, name, input_names, output_names, sub):
            return f"{output_names[0]} = {input_names[0]} * {input_names[0]};"

    x = scalar.complex128("x")
    assert opweld.function([x], Square()(x))(1 + 2j) == (1 + 2j) ** 2


def test_the_names_of_pytensor():
    class Named(COp):
        c_lang = "c++"

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def c_code(self, node, name, input_names, output_names, sub):
            return f"""
                pytensor_complex64 z = {input_names[0]};
                z.set_real(z.real + 1);
                npy_complex64 plain = z;
                {output_names[0]} = plain;
            """

    x = scalar.complex64("x")
    assert opweld.function([x], Named()(x))(1 + 2j) == 2 + 2j
    assert TensorType("complex64", ()).dtype_specs()[1] == "opw_complex64"
