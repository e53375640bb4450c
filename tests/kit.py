"""Ops, types and arrays that the tests share. Not a test; ``import kit`` finds it (pyproject.toml: pythonpath)."""

from __future__ import annotations

import functools
import gc
import importlib.util
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import opweld
from opweld import Apply, COp, Op
from opweld.compile.debugmode import DebugMode
from opweld.compile.modes import Compiled
from opweld.rewriting import Registry, rewrite_graph
from opweld.tensor import TensorType, as_tensor_variable

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *INTEGERS, "float16", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble")
MAX_NDIM = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0.dev0" else 32


def example(name):
    """A file of examples/ as a module; each is loaded once."""
    key = f"opweld_examples_{name}"
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, EXAMPLES / f"{name}.py")
        sys.modules[key] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[key]


def tensor(dtype, ndim=1, name=None):
    """A variable of unknown sizes."""
    return TensorType(np.dtype(dtype), (None,) * ndim)(name)


@functools.cache
def compiled(op, *types):
    """``op`` over tensors of these (dtype, ndim), as a function of x0, x1 …; each is built once."""
    inputs = [tensor(dtype, ndim, f"x{i}") for i, (dtype, ndim) in enumerate(types)]
    return opweld.function(inputs, op(*inputs))


def reference(op, *arrays):
    """What the op's Python makes of them."""
    node = op.make_node(*(tensor(a.dtype, a.ndim) for a in arrays))
    storage = [[None] for _ in node.outputs]
    op.perform(node, list(arrays), storage)
    return [cell[0] for cell in storage]


# -- ops ---------------------------------------------------------------------------------------------------------


class Strided(COp):
    """Element by element, by strides, any dtype and number of dimensions: ``"copy"`` or ``"negate"``.

    ``fresh``: store a new array, whatever is offered.
    """

    __props__ = ("what", "fresh")

    def __init__(self, what="negate", fresh=False):
        self.what = what
        self.fresh = fresh

    def make_node(self, x):
        x = as_tensor_variable(x)
        return Apply(self, [x], [TensorType(x.type.dtype, x.type.shape)()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        result = ~x if x.dtype.kind == "b" else -x
        output_storage[0][0] = np.array(x if self.what == "copy" else result, dtype=x.dtype)

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        ndim = node.inputs[0].type.ndim
        dtype = node.inputs[0].type.dtype
        change = {"bool": "!v", "float16": "v ^ 0x8000"}.get(dtype, "-v")
        keep = "0" if self.fresh else f"{z} != NULL && PyArray_SAMESHAPE({z}, {x})"
        return f"""
            if (!({keep})) {{
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY({ndim}, PyArray_DIMS({x}), type_num_{z}, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            {{
                const int ndim = {ndim};
                npy_intp at[{ndim} + 1], *dims = PyArray_DIMS({x});
                npy_intp *from = PyArray_STRIDES({x}), *to = PyArray_STRIDES({z});
                const char *x_at = PyArray_BYTES({x});
                char *z_at = PyArray_BYTES({z});
                int axis = PyArray_SIZE({x}) == 0 ? -1 : ndim;
                memset(at, 0, sizeof at);
                while (axis >= 0) {{
                    const dtype_{x} v = *(const dtype_{x} *)x_at;
                    *(dtype_{z} *)z_at = {"v" if self.what == "copy" else f"(dtype_{z})({change})"};
                    for (axis = ndim - 1; axis >= 0; axis--) {{
                        x_at += from[axis];
                        z_at += to[axis];
                        if (++at[axis] < dims[axis]) break;
                        x_at -= from[axis] * dims[axis];
                        z_at -= to[axis] * dims[axis];
                        at[axis] = 0;
                    }}
                }}
            }}
        """

    def c_code_cache_version(self):
        return (1,)


negate, copy, fresh = Strided(), Strided("copy"), Strided("negate", fresh=True)


class Address(COp):
    """Where the data of each input lies: a copy lies elsewhere."""

    __props__ = ()
    c_float16 = True

    def make_node(self, *inputs):
        return Apply(self, [as_tensor_variable(x) for x in inputs], [TensorType("uint64", (None,))()])

    def c_code(self, node, name, input_names, output_names, sub):
        (z,) = output_names
        fill = "".join(
            f"((npy_uint64 *)PyArray_DATA({z}))[{i}] = (npy_uint64)(size_t)PyArray_DATA({x});\n"
            for i, x in enumerate(input_names)
        )
        return f"""
            {{
                npy_intp n = {len(input_names)};
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_UINT64, 0);
                if ({z} == NULL) {sub["fail"]}
                {fill}
            }}
        """

    def c_code_cache_version(self):
        return (1,)


address = Address()


def data_of(array):
    """The address of an array's data, as Python sees it."""
    return array.__array_interface__["data"][0]


class InPlace(COp):
    """Add 1 to each element of a vector, in place."""

    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) *(dtype_{x} *)PyArray_GETPTR1({x}, i) += 1;
            Py_INCREF({x});
            Py_XSETREF({z}, {x});
        """

    def c_code_cache_version(self):
        return (1,)


class View(COp):
    """The same array reversed, as a view."""

    __props__ = ()
    view_map = {0: [0]}

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            {{
                npy_intp n = PyArray_DIM({x}, 0), stride = -PyArray_STRIDE({x}, 0);
                char *last = PyArray_BYTES({x}) + (n ? (n - 1) * PyArray_STRIDE({x}, 0) : 0);
                Py_CLEAR({z});
                Py_INCREF(PyArray_DESCR({x}));
                {z} = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR({x}), 1, &n, &stride, last,
                                                            PyArray_FLAGS({x}) & NPY_ARRAY_WRITEABLE, NULL);
                if ({z} == NULL) {sub["fail"]}
                Py_INCREF({x});
                if (PyArray_SetBaseObject({z}, (PyObject *){x}) < 0) {sub["fail"]}
            }}
        """

    def c_code_cache_version(self):
        return (1,)


class Split(COp):
    """Two outputs of one vector: itself negated, and its length."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type(), TensorType("int64", ())()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = -inputs[0]
        output_storage[1][0] = np.array(len(inputs[0]))

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z, n) = input_names, output_names
        return f"""
            if ({z} == NULL || !PyArray_SAMESHAPE({z}, {x})) {{
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS({x}), type_num_{z}, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            if ({n} == NULL) {{
                {n} = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_INT64, 0);
                if ({n} == NULL) {sub["fail"]}
            }}
            *(npy_int64 *)PyArray_DATA({n}) = PyArray_DIM({x}, 0);
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(dtype_{z} *)PyArray_GETPTR1({z}, i) = -*(dtype_{x} *)PyArray_GETPTR1({x}, i);
        """

    def c_code_cache_version(self):
        return (1,)


split = Split()


class Python(Op):
    """``call(*arrays)`` in Python, of the first input's type unless another is given."""

    def __init__(self, call, otype=None):
        self.call = call
        self.otype = otype

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [(self.otype or inputs[0].type)()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.call(*inputs)


class Scale(COp):
    """A vector times a number of a type of the user's (examples/double_type.py)."""

    __props__ = ()

    def make_node(self, x, factor):
        return Apply(self, [x, factor], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x, factor), (z,) = input_names, output_names
        return f"""
            if ({z} == NULL || !PyArray_SAMESHAPE({z}, {x})) {{
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS({x}), type_num_{z}, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(dtype_{z} *)PyArray_GETPTR1({z}, i) = {factor} * *(dtype_{x} *)PyArray_GETPTR1({x}, i);
        """

    def c_code_cache_version(self):
        return (1,)


# -- arrays ------------------------------------------------------------------------------------------------------


def values(dtype, shape, seed=0):
    """Values over the whole range of an integer, near 1 of a float."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.asarray(rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True))
    if dtype.kind == "c":
        return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return np.asarray(rng.normal(size=shape)).astype(dtype)


def misaligned(array):
    """The same values one byte off."""
    buffer = np.zeros(array.nbytes + 1, "u1")
    moved = buffer[1:].view(array.dtype)[: array.size].reshape(array.shape)
    moved[...] = array
    return moved


def swapped(array):
    """The same values in the other byte order."""
    return array.astype(array.dtype.newbyteorder())


def inside(array):
    """The same values inside a record: the stride is no multiple of the item's size."""
    records = np.zeros(array.shape, np.dtype([("a", array.dtype), ("b", "u1")], align=True))
    records["a"] = array
    return records["a"]


LAYOUTS = {
    "contiguous": lambda a: a,
    "fortran": np.asfortranarray,
    "reversed": lambda a: a[(slice(None, None, -1),) * a.ndim],
    "zero stride": lambda a: np.broadcast_to(a[..., :1] if a.ndim else a, a.shape),
    "sliced": lambda a: a[(slice(1, None, 2),) * a.ndim],
    "transposed": np.transpose,
    "empty": lambda a: a[..., :0] if a.ndim else a,
    "one element": lambda a: a[(slice(1),) * a.ndim],
    "record": inside,
    "read only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "misaligned": misaligned,
    "swapped": swapped,
}


@st.composite
def layouts(draw, array):
    """A view of the values, or of some of them, in any layout that NumPy can make."""
    for axis in range(array.ndim):
        step = draw(st.sampled_from([1, 1, 2, -1, -2, 0]))
        index = [slice(None)] * array.ndim
        if step == 0:
            length = array.shape[axis]
            index[axis] = slice(0, 1)
            shape = (*array.shape[:axis], length if array[tuple(index)].size else 0, *array.shape[axis + 1 :])
            array = np.broadcast_to(array[tuple(index)], shape)
        else:
            start = draw(st.integers(0, 1))
            index[axis] = slice(start if step > 0 else -1 - start, None, step)
            array = array[tuple(index)]
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    return draw(st.sampled_from([lambda a: a, lambda a: a, np.asfortranarray, inside, misaligned, swapped]))(array)


@st.composite
def arrays(draw, dtype, ndim):
    """An array of a dtype and number of dimensions, with any values, sizes and layout."""
    dtype = np.dtype(dtype)
    shape = draw(hnp.array_shapes(min_dims=ndim, max_dims=ndim, min_side=0, max_side=4)) if ndim else ()
    if dtype.char in "gG":  # hypothesis knows no values of these
        base = draw(hnp.arrays("f8" if dtype.char == "g" else "c16", shape)).astype(dtype)
    else:
        base = draw(hnp.arrays(dtype, shape))
    return draw(layouts(base))


# -- memory ------------------------------------------------------------------------------------------------------


def heard(call):
    """What a call warns of, in the order in which it does."""
    with warnings.catch_warnings(record=True) as said, np.errstate(all="warn"):
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in said]


def left_over(call, times, allowed):
    """How many blocks are left over after some calls: a leak is there each time, a cache is full in the end."""
    found = []
    while len(found) < 10 and (not found or found[-1] >= allowed):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(times):
            call()
        gc.collect()
        found.append(sys.getallocatedblocks() - before)
    return found[-1]


def flat(call, *watched):
    """Many calls move no count of these objects and leave no block a call; a cache becomes full, a leak grows on."""
    growth = []
    for _ in range(200):
        call()
    gc.collect()
    counts = [sys.getrefcount(item) for item in watched]
    while len(growth) < 6 and (not growth or growth[-1] >= 100):
        gc.collect()
        blocks = sys.getallocatedblocks()
        for _ in range(200):
            call()
        gc.collect()
        growth.append(sys.getallocatedblocks() - blocks)
    assert growth[-1] < 100, f"blocks in 200 calls, again and again: {growth}"
    assert [sys.getrefcount(item) for item in watched] == counts


PATIENCE = 300.0  # seconds: what takes longer hangs


def wait_until(condition):
    """Wait until the condition gives something true; give it. For what happens soon, on whatever machine."""
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {PATIENCE} seconds for what did not come to pass")
        time.sleep(0.01)
    return value


def calls(work):
    """How many Python functions are called while something is done: a measure of work that no busy machine changes."""
    count = 0

    def seen(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


# -- rewriters ---------------------------------------------------------------------------------------------------


class Own(Registry):
    """A registry of a test's own: what the test registers is nobody else's."""

    canonicalize = functools.partialmethod(Registry.register, "canonicalize")
    stabilize = functools.partialmethod(Registry.register, "stabilize")
    specialize = functools.partialmethod(Registry.register, "specialize")
    inplace = functools.partialmethod(Registry.register, "inplace")

    def mode(self, name="FAST_RUN", **options):
        """A standard mode, but with the rewriters of this registry."""
        base, tags = (DebugMode, ()) if name == "DebugMode" else (Compiled, (name.lower(),))
        rewrites = property(lambda made: self.rewrites.including(*tags or ("fast_run",)))
        return type(f"Own{base.__name__}", (base,), {"rewrites": rewrites})(*tags, **options)

    def function(self, inputs, outputs=None, mode="FAST_RUN", **options):
        """A function that is rewritten by this registry."""
        return opweld.function(inputs, outputs, mode=self.mode(mode) if isinstance(mode, str) else mode, **options)

    def run(self, graph):
        """Rewrite a graph, in every stage."""
        return rewrite_graph(graph, self.rewrites)
