"""What an op stores is what its type promises, or the call ends with the op's name: whoever reads it, a loop too."""

import sys

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, CType, Op, generic, shared
from opweld import tensor as T
from opweld.tensor import TensorType

x = T.dvector("x")
A = np.arange(3.0)


class Stores(COp):
    """Runs a text; OUT is its output, FAIL fails."""

    __props__ = ("text", "otype", "c_lang")

    def __init__(self, text, otype=x.type, c_lang="c"):
        self.text, self.otype, self.c_lang = text, otype, c_lang

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [self.otype()])

    def __str__(self):
        return "Stores"

    def c_code(self, node, name, input_names, output_names, sub):
        text = self.text.replace("OUT", output_names[0]).replace("FAIL", sub["fail"])
        return "{" + text.replace("GIVEN", input_names[0] if input_names else "") + "}"


class Python(Op):
    __props__ = ("call", "otype")

    def __init__(self, call, otype=x.type):
        self.call, self.otype = call, otype

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [self.otype()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.call(*inputs)


def put(made):
    return f"Py_XDECREF(OUT); OUT = (PyArrayObject*){made}; if (OUT == NULL) FAIL"


def zeros(number, *sizes):
    return f"npy_intp n[] = {{{', '.join(map(str, sizes)) or 0}}}; " + put(
        f"PyArray_ZEROS({len(sizes)}, n, {number}, 0)"
    )


def python(expression):
    """A text that stores what an expression of Python, of numpy as np, gives."""
    return (
        'PyObject* globals = Py_BuildValue("{s:N}", "np", PyImport_ImportModule("numpy")); if (globals == NULL) FAIL\n'
        f'PyObject* made = PyRun_String("{expression}", Py_eval_input, globals, globals); Py_DECREF(globals);\n'
    ) + put("made")


WRONG = {
    "float32": (zeros("NPY_FLOAT32", 4000), "float32 of shape (4000,)"),
    "int64": (zeros("NPY_INT64", 3), "int64 of shape (3,)"),
    "two dimensions": (zeros("NPY_FLOAT64", 2, 2), "float64 of shape (2, 2)"),
    "no dimensions": (zeros("NPY_FLOAT64"), "float64 of shape ()"),
    "objects": (zeros("NPY_OBJECT", 3), "object of shape (3,)"),
    "swapped": (python("np.zeros(3, np.dtype(float).newbyteorder())"), "byte-swapped"),
    "misaligned": (python("np.zeros(25, 'i1')[1:].view(float)"), "misaligned"),
    "fields": (python("np.zeros(3, [('a', float)])"), "of shape (3,)"),
    "masked": (python("np.ma.masked_array([1.0, 2.0], [0, 1])"), "masked float64"),
    "a list": (python("[1.0, 2.0]"), "list [1.0, 2.0]"),
    "a number": (python("1.5"), "float 1.5"),
    "a type": (python("np.ndarray"), "type <class 'numpy.ndarray'>"),
}
READERS = {
    "nobody": lambda v: v,
    "elementwise": lambda v: T.exp(v),
    "elementwise, second": lambda v: x + v,
    "reduction": lambda v: T.sum(v),
    "C": lambda v: Stores(put("PyArray_NewCopy(GIVEN, NPY_CORDER)"))(v),
    "Python": lambda v: Python(lambda a: a)(v),
    "a view": lambda v: v[::-1] * 1.5,
    "a copy": lambda v: [v, v],
}


def chosen(texts):
    """A text that runs one of several, by the first element of the op's input."""
    cases = "".join(f"case {i}: {{ {text} }} break;\n" for i, text in enumerate(texts))
    return f"switch ((int)*(double*)PyArray_DATA(GIVEN)) {{\n{cases}}}"


@pytest.mark.parametrize("reader", READERS)
def test_what_is_stored_is_what_is_promised(reader):
    """Each wrong value is told, and costs no reference."""
    f = opweld.function([x], READERS[reader](Stores(chosen([text for text, _ in WRONG.values()]))(x)))
    for i, (what, (_, came)) in enumerate(WRONG.items()):
        given = np.array([i, 0.0, 0.0])
        count = sys.getrefcount(given)
        for _ in range(3):
            with pytest.raises(TypeError) as caught:
                f(given)
            message = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
            assert message.startswith("Stores: c_code stored "), what
            assert came in message.split("\n")[0], what
            assert " in output 0; make_node promised float64 of shape (?,)" in message, what
            assert f"f(): Stores(x), made at {__file__}:" in message, what
            assert "input 0, x: float64, shape (3,), strides (8,)" in message, what
        del caught
        assert sys.getrefcount(given) == count


@pytest.mark.parametrize("c_lang", ["c", "c++"])
@pytest.mark.parametrize("reader", ["nobody", "elementwise", "reduction", "C", "Python"])
def test_an_output_that_is_never_set(reader, c_lang):
    z = Stores(chosen(["", "Py_CLEAR(OUT);", put("Py_NewRef(Py_None)")]), c_lang=c_lang)(x)
    z.name = "speed"
    f = opweld.function([x], READERS[reader](z), name="g")
    for i in range(3):
        with pytest.raises(RuntimeError) as caught:
            f([i])
        message = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        start = "Stores: c_code did not set output 0, speed: store float64 of shape (?,), "
        assert message.startswith(start) and "or use sub['fail']" in message
        assert f"g(): Stores(x), made at {__file__}:" in message


def test_the_output_is_named_by_its_number():
    class Two(COp):
        __props__ = ()

        def make_node(self, v):
            return Apply(self, [v], [v.type(), T.fmatrix("m")])

        def c_code(self, node, name, input_names, output_names, sub):
            (v,), z = input_names, output_names[0]
            return f"Py_XDECREF({z}); {z} = (PyArrayObject*)Py_NewRef((PyObject*){v});"

    first, second = Two()(x)
    with pytest.raises(RuntimeError, match=r"did not set output 1, m: store float32 of shape \(\?, \?\)"):
        opweld.function([x], [T.exp(first), second])(A)


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_an_output_that_nobody_reads_may_stay_unset(lang):
    class First(COp):
        """Sets the first of two outputs."""

        __props__ = ()

        def make_node(self, v):
            return Apply(self, [v], [v.type(), v.type()])

        def c_code(self, node, name, input_names, output_names, sub):
            (v,), z = input_names, output_names[0]
            return f"Py_XDECREF({z}); {z} = (PyArrayObject*)PyArray_NewCopy({v}, NPY_CORDER);"

    op = First()
    op.c_lang = lang
    first, second = op(x)
    f = opweld.function([x], T.exp(first) + first)
    for _ in range(20):
        np.testing.assert_allclose(f(A), np.exp(A) + A)
    for read in ([first, second], [T.exp(second)]):
        with pytest.raises(RuntimeError, match="c_code did not set output 1: store float64"):
            opweld.function([x], read)(A)


def test_an_exception_that_is_set_stays():
    f = opweld.function([x], T.exp(Stores('PyErr_SetString(PyExc_OSError, "mine");')(x)))
    with pytest.raises(OSError, match=r"^mine"):
        f(A)


@pytest.mark.parametrize("out", [None, "given"])
def test_what_is_as_good_is_taken(out):
    """Other strides, other spellings of a dtype, read-only arrays, subclasses that are arrays like any."""
    fits = {
        "np.arange(6.0)[::-2]": [5, 3, 1],
        "np.broadcast_to(2.0, 3)": [2, 2, 2],
        "np.arange(3.0).view(np.recarray)": [0, 1, 2],
    }
    z = Stores(chosen([python(text) for text in fits]))(x)
    f = opweld.function([x], [T.exp(z), z])
    for i, want in enumerate(fits.values()):
        given = None if out is None else [np.empty(3), None]
        first, second = f([i], out=given)
        np.testing.assert_allclose(first, np.exp(want))
        assert second.tolist() == want and (out is None or first is given[0])
    i = T.lvector("i")
    f = opweld.function([i], Stores(zeros("NPY_LONGLONG", 3), i.type)(i) + 1)
    assert f([1]).tolist() == [1, 1, 1]


def test_debugmode_says_so_too():
    f = opweld.function([x], T.exp(Stores(WRONG["float32"][0])(x)), mode="DebugMode")
    with pytest.raises(Exception, match="c_code stored float32"):
        f(A)


# -- what a type's own filter and c_extract let through ------------------------------------------------------------


class Lax(TensorType):
    """Takes what comes."""

    def filter(self, value, strict=False, allow_downcast=None):
        return value


class Deep(TensorType):
    """Reads another array than the one that it is given."""

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"{name} = (PyArrayObject*)PyArray_ZEROS(0, NULL, NPY_INT8, 0);"


@pytest.mark.parametrize("checks", [True, False])
def test_a_filter_that_lets_everything_through(checks):
    lax = Lax("float64", (None,))
    f = opweld.function([], T.exp(Python(lambda: np.zeros(3, "f4"), lax)()))
    with pytest.raises(TypeError, match="float64"):
        f()
    v = lax("v")
    reader = type("Reader", (Stores,), {"check_input": checks})(put("PyArray_NewCopy(GIVEN, NPY_CORDER)"))
    n = generic.generic("n")
    functions = [opweld.function([v], reader(v)), opweld.function([v], T.exp(v))]
    functions.append(opweld.function([n], reader(Python(lambda a: a, lax)(n))))
    for value in (np.zeros(3, "f4"), np.zeros((3, 3)), np.arange(3), np.zeros(3, ">f8")):
        for f in functions:
            with pytest.raises(TypeError, match="float64"):
                f(value)
    assert opweld.function([v], T.exp(v))(np.zeros(2)).tolist() == [1, 1]
    with pytest.raises(TypeError, match="float64"):
        opweld.function([], reader(lax.make_constant(np.zeros(3, "f4"))))


def test_a_c_extract_that_takes_something_else():
    deep = Deep("float64", (None,))
    v = deep("v")
    message = r"Deep.c_extract took an array of dtype int8 and ndim 0, .* promises dtype float64 and ndim 1"
    with pytest.raises(TypeError, match=message):
        opweld.function([v], T.exp(v))(A)
    with pytest.raises(TypeError, match=message):
        opweld.function([x], T.exp(Python(lambda a: a, deep)(x)))(A)


# -- None ----------------------------------------------------------------------------------------------------------


class Maybe(CType):
    """A number or None; a PyObject* in C."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        return None if value is None else float(value)

    def c_declare(self, name, sub, check_input=True):
        return f"PyObject* {name};"

    def c_init(self, name, sub):
        return f"{name} = NULL;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"{name} = py_{name}; Py_INCREF({name});"

    def c_sync(self, name, sub):
        return f"Py_XDECREF(py_{name}); py_{name} = {name} ? {name} : Py_None; Py_INCREF(py_{name});"

    def c_cleanup(self, name, sub):
        return f"Py_XDECREF({name});"


class Always(Maybe):
    """The same without None."""

    def filter(self, value, strict=False, allow_downcast=None):
        return float(value)


class NothingType(generic.Generic):
    """None and nothing else, as PyTensor's NoneTypeT."""

    def filter(self, value, strict=False, allow_downcast=None):
        if value is not None:
            raise TypeError("expected None")
        return value


@pytest.mark.parametrize("kind", [generic.Generic, Maybe, NothingType])
def test_none_is_a_value_where_the_filter_takes_it(kind):
    type_ = kind()
    unset = Stores("", type_)(x)
    assert opweld.function([x], unset)(A) is None
    assert opweld.function([x], [unset, x])(A)[0] is None
    assert opweld.function([x], Python(lambda a: 7.0 if a is None else -1.0, generic.generic)(unset))(A) == 7.0
    n = type_("n")
    assert opweld.function([n], Python(lambda a: a, type_)(n))(None) is None
    nothing = type_.make_constant(None)
    assert opweld.function([], Python(lambda a: a is None, generic.generic)(nothing))() is True
    if kind is generic.Generic:
        kept = shared("first")
        opweld.function([x], None, updates=[(kept, unset)])(A)
        assert kept.get_value() is None


def test_none_is_an_error_where_the_filter_refuses_it():
    unset = Stores("", Always())(x)
    for result in (unset, Python(lambda a: a, generic.generic)(unset)):
        with pytest.raises(RuntimeError) as caught:
            opweld.function([x], result)(A)
        message = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        assert message.startswith("Stores: c_code did not set output 0: store a value of type Always")
        assert f"f(): Stores(x), made at {__file__}:" in message
