"""What ops written for Theano, Aesara and PyTensor rely on: base hooks, bases, configuration, old names in C."""

import collections.abc
import sys
import warnings

import numpy as np
import opweld.compat.theano.scalar as scalar
import opweld.compat.theano.tensor as T
import pytest

import opweld
from opweld.compat import pytensor, theano
from opweld.compat.theano import gof
from opweld.errors import CompileError, ConfigError, MethodNotDefined, OpweldWarning


class Passed(gof.Op):
    """Gives its input, and runs some C before."""

    __props__ = ("text", "headers")

    def __init__(self, text="", headers=()):
        self.text = text
        self.headers = headers

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return gof.Apply(self, [x], [x.type()])

    def c_headers(self):
        return list(self.headers)

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return self.text.format(x=x, fail=sub["fail"]) + f"Py_XDECREF({z}); {z} = {x}; Py_INCREF({z});"

    def c_code_cache_version(self):
        return (1,)


def run(op, value=(1.0, 2.0)):
    x = T.dvector("x")
    return theano.function([x], op(x))(value)


# ---- classes ----


def test_scalar_ops_are_written_in_cpp():
    class Larger(scalar.BinaryScalarOp):
        def impl(self, x, y):
            return max(x, y)

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = std::max(static_cast<npy_float64>({inputs[0]}), {inputs[1]});"

    x, y = T.dvector("x"), T.dvector("y")
    larger = T.Elemwise(Larger(scalar.upcast_out, name="larger"))
    assert theano.function([x, y], larger(x, y))([1.0, 5.0], [3.0, 2.0]).tolist() == [3.0, 5.0]


@pytest.mark.parametrize(("base", "given", "wanted"), [
    (scalar.LogicalComparison, ("float64", "int8"), "bool"), (scalar.BinaryBitOp, ("int8", "uint8"), "int16"),
    (scalar.BinaryBitOp, ("bool", "bool"), "bool"), (scalar.UnaryBitOp, ("uint32",), "uint32"),
    (scalar.FixedLogicalComparison, ("float32",), "bool"), (scalar.BinaryBitOp, ("float32", "int8"), TypeError),
])  # fmt: skip
def test_output_types_of_scalar_helpers(base, given, wanted):
    inputs = [scalar.get_scalar_type(dtype)() for dtype in given]
    if wanted is TypeError:
        with pytest.raises(TypeError, match="expected bool or integers, got float32"):
            base().make_node(*inputs)
    else:
        assert base().make_node(*inputs).outputs[0].type.dtype == wanted


def test_base_hooks_take_what_those_of_the_packages_take():
    class Asks(Passed):
        def c_headers(self, **kwargs):
            return [*gof.CLinkerObject.c_headers(self, **kwargs), "<vector>"]

        def c_compile_args(self, c_compiler):
            return [*gof.CLinkerObject.c_compile_args(self, c_compiler), "-DPASSED=1"]

        def c_support_code(self, **kwargs):
            return gof.CLinkerObject.c_support_code(self, **kwargs) + "static std::vector<int> seen(PASSED);"

    class Modern(pytensor.link.c.op.COp):
        def c_headers(self, **kwargs):
            return [*super().c_headers(**kwargs), "<list>"]

        def c_lib_dirs(self, **kwargs):
            return super().c_lib_dirs(**kwargs)

    assert run(Asks()).tolist() == [1.0, 2.0]
    assert Modern().c_headers(c_compiler=None) == ["<list>"] and Modern().c_lib_dirs() == []


def test_every_hook_of_theanos_op_is_there():
    op, node = gof.Op(), None
    for hook in ("c_headers", "c_header_dirs", "c_libraries", "c_lib_dirs", "c_compile_args", "c_no_compile_args",
                 "c_compiler", "c_support_code"):  # fmt: skip
        with pytest.raises(MethodNotDefined, match=hook):
            getattr(op, hook)()
    for hook in ("c_code", "c_code_cleanup", "c_support_code_apply", "c_support_code_struct", "c_init_code_apply",
                 "c_init_code_struct", "c_cleanup_code_struct"):  # fmt: skip
        with pytest.raises(MethodNotDefined, match=hook):
            getattr(op, hook)(node, "name", [], [], {})
    assert op.c_code_cache_version() == () and op.c_code_cache_version_apply(node) == ()


def test_the_librarys_own_objects_are_instances_of_the_packages_bases():
    x, c = T.dvector("x"), T.constant(1.0)
    op = (x - c).owner.op
    types = [x.type, scalar.float64, gof.generic, gof.ParamsType(a=gof.generic), gof.EnumList("A")]
    for type_ in types:
        assert (
            isinstance(type_, gof.Type) and isinstance(type_, gof.CLinkerType) and isinstance(type_, gof.CLinkerObject)
        )
        assert isinstance(type_, pytensor.graph.type.Type) and isinstance(type_, pytensor.link.c.type.CType)
    for op_ in (op, op.scalar_op, T.dot(x, x).owner.op):
        assert isinstance(op_, gof.Op) and isinstance(op_, gof.CLinkerOp) and isinstance(op_, pytensor.link.c.op.COp)
    assert isinstance(op.scalar_op, scalar.ScalarOp) and isinstance(op.scalar_op, scalar.BinaryScalarOp)
    assert not isinstance(op.scalar_op, scalar.UnaryScalarOp) and not isinstance(op, gof.Type)
    assert issubclass(T.TensorType, gof.Type) and not issubclass(T.TensorType, gof.Op) and not isinstance(3, gof.Op)
    assert not isinstance(op, Passed) and isinstance(Passed(), gof.Op)

    class Plain(pytensor.graph.op.Op):
        pass

    class Sized(Passed, collections.abc.Sized):
        def __len__(self):
            return 3

    assert isinstance(Sized(), gof.Op) and len(Sized()) == 3 and not isinstance(op, Sized)

    assert not isinstance(Plain(), pytensor.link.c.op.COp) and not issubclass(opweld.Op, Passed)


def test_openmp_is_asked_for_where_the_configuration_says_so():
    class Counts(gof.OpenMPOp, Passed):
        def __init__(self, openmp=None):
            Passed.__init__(self, "if (omp_get_max_threads() < 1) {fail}")
            gof.OpenMPOp.__init__(self, openmp)

        def c_headers(self):
            return [*gof.OpenMPOp.c_headers(self), *self.headers]

    with theano.config.change_flags(openmp=True):
        op = Counts()
    assert op.openmp and op.c_compile_args() == ["-fopenmp"] and run(op).tolist() == [1.0, 2.0]
    assert not Counts().openmp and Counts().c_headers() == [] and gof.OpenMPOp.gxx_support_openmp is True


# ---- configuration ----


def test_configuration_that_means_something():
    config = theano.config
    assert config.cxx.endswith(("g++", "c++", "clang++")) and config.openmp_elemwise_minsize == 200_000
    assert config.compiledir and config.mode == "Mode" and isinstance(config.blas.ldflags, str)
    with config.change_flags(floatX="float32", **{"blas.ldflags": "-lmine"}):
        assert T.vector().dtype == "float32" and config.blas__ldflags == "-lmine"
    assert T.vector().dtype == "float64" and config.blas.ldflags != "-lmine"

    @theano.configparser.change_flags(optimizer="fast_run", mode="FAST_COMPILE")
    def inside():
        return opweld.config.optimizer, config.mode

    assert inside() == ("fast_run", "FAST_COMPILE") and config.mode == "Mode"
    with pytest.raises(ConfigError, match="floatX"), config.change_flags(openmp=True, floatX="float8"):
        pass
    assert config.openmp is False


def test_configuration_without_a_meaning_is_kept_and_told_of_once():
    config = type(theano.config)()
    with pytest.warns(OpweldWarning, match=r"config.compute_test_value has no meaning here: there are no test values"):
        config.compute_test_value = "warn"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.compute_test_value = "raise"
        config.scan.allow_gc = False
    assert config.compute_test_value == "raise" and config.exception_verbosity == "low"
    del config.compute_test_value
    assert config.compute_test_value == "off" and "linker" in dir(config)
    with pytest.raises(ConfigError, match=r"config\.linker: expected one of 'cvm', .* got 'fast'"):
        config.linker = "fast"
    with pytest.raises(ConfigError, match=r"config\.openmp: expected True or False, got 'perhaps'"):
        config.openmp = "perhaps"
    with pytest.raises(AttributeError, match="no configuration key 'gpu'"):
        config.gpu  # noqa: B018


# ---- errors ----


def test_enumerations_that_disagree():
    with pytest.raises(AttributeError, match="'A' is 1 in the field 'e' and 5 in the field 'f': give one of them"):
        gof.ParamsType(e=gof.EnumType(A=1), f=gof.EnumType(A=5))
    with pytest.raises(AttributeError, match="'x' is 1 in the field 'e' and 2 in the field 'f'"):
        gof.ParamsType(e=gof.EnumType(A=(1, "x")), f=gof.EnumType(B=(2, "x")))
    assert gof.ParamsType(e=gof.EnumType(A=1), f=gof.EnumType(A=1)).A == 1


def test_a_property_that_raises_keeps_its_own_words():
    class Own(Passed):
        @property
        def params_type(self):
            raise AttributeError("no params today")

    class Field(Passed):
        params_type = gof.ParamsType(axis=scalar.int64)

        @property
        def axis(self):
            raise AttributeError("no axis today")

    class Colour(gof.EnumType):
        @property
        def shade(self):
            raise AttributeError("no shade today")

    for op, words in ((Own(), "no params today"), (Field(), "no axis today")):
        with pytest.raises(AttributeError, match=words):
            run(op)
    with pytest.raises(AttributeError, match="no shade today"):
        Colour(RED=1).shade  # noqa: B018


# ---- names ----


@pytest.mark.parametrize("text", [
    "if (!(PyArray_FLAGS({x}) & NPY_C_CONTIGUOUS & NPY_CARRAY) || NPY_F_CONTIGUOUS == NPY_C_CONTIGUOUS) {fail}",
    "if (PyArray_TYPE({x}) != PyArray_DOUBLE || PyArray_INT64 == PyArray_FLOAT32) {fail}",
    "PyObject *o = PyInt_FromLong(3); if (!PyInt_Check(o) || PyInt_AS_LONG(o) != 3) {fail} Py_DECREF(o);",
])  # fmt: skip
def test_old_spellings_in_c_are_there(text):
    assert run(Passed(text)).tolist() == [1.0, 2.0]


def test_names_without_a_prefix_come_with_their_header():
    text = "intp n = 0; Bool yes = 1; Int32 most = MAX_INT32; ubyte b = 255; if (n + yes != 1 || most < b) {fail}"
    for header in ("<numpy/noprefix.h>", '"numpy/noprefix.h"', "numpy/noprefix.h"):
        op = Passed(text.replace("{fail}", "{{ {fail} }}"), (header, "<iostream>", "<numpy/old_defines.h>"))
        assert run(op).tolist() == [1.0, 2.0]
    with pytest.raises(CompileError, match="'intp' was not declared"):
        run(Passed(text))


@pytest.mark.parametrize(("text", "words"), [
    ("int size = PyArray_DESCR({x})->elsize; (void)size;", "write PyArray_ITEMSIZE(x) of an array"),
    ("void *f = PyArray_DESCR({x})->f; (void)f;", "write PyDataType_GetArrFuncs(descr)"),
    ("char *data = {x}->data; (void)data;", "write PyArray_DATA(x), or PyArray_BYTES(x)"),
    ("npy_intp n = {x}->dimensions[0]; (void)n;", "write PyArray_DIMS(x)"),
    ("PyArrayMapIterObject *it = NULL; (void)it;", "NumPy 2 has no PyArrayMapIterObject: write what it did in Python"),
    ("int n = NPY_INOUT_ARRAY; (void)n;", "NumPy 2 has no NPY_INOUT_ARRAY: write NPY_ARRAY_INOUT_ARRAY2"),
    ('PyObject *s = PyString_FromString("a"); Py_DECREF(s);', "CPython 3 has no PyString_FromString: write PyUn"),
])  # fmt: skip
def test_names_that_are_gone_say_what_to_write(text, words):
    with pytest.raises(CompileError) as caught:
        run(Passed(text))
    assert words in str(caught.value) and __file__ in str(caught.value)


@pytest.mark.parametrize(("compute", "error", "words"), [
    (lambda x: x * np.MAXDIMS, AttributeError, "in the place of that name write 64, NumPy 2's limit"),
    (lambda x: np.trapz(x) * x, AttributeError, "in the place of that name write np.trapezoid"),
    (lambda x: x[[slice(None)]], IndexError, "write x[tuple(index)]"),
    (lambda x: np.zeros((3, 3))[[slice(None), np.array([1, 2])]], (IndexError, ValueError), "write x[tuple(index)]"),
])  # fmt: skip
def test_python_for_numpy_1_is_told_what_to_write(compute, error, words):
    class Computes(gof.Op):
        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = compute(inputs[0])

    with pytest.raises(error) as caught:
        run(Computes())
    said = "".join(caught.value.__notes__) if sys.version_info >= (3, 11) else str(caught.value)
    assert words in said
