"""Every hook at once: in what order they run, on success and after a failure at each place; what shares a kernel."""

import sys

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, FunctionGraph, tensor
from opweld.compile.program import make_program
from opweld.params import ParamsType
from opweld.tensor import TensorType

NOTE = """
/* Appends to sys.opw_log; 1 where that makes it as long as sys.opw_stop says. An exception that is set stays. */
static int opw_note(const char* what)
{
    PyObject *type, *value, *traceback, *log = PySys_GetObject("opw_log"), *text = PyUnicode_FromString(what);
    PyErr_Fetch(&type, &value, &traceback);
    PyList_Append(log, text);
    Py_DECREF(text);
    PyErr_Restore(type, value, traceback);
    return PyList_Size(log) == PyLong_AsLong(PySys_GetObject("opw_stop"));
}
"""


def note(what, fail=None):
    """A statement that records a place, and may fail there."""
    if fail is None:
        return f'(void)opw_note("{what}");\n'
    return f'if (opw_note("{what}")) {{ PyErr_SetString(PyExc_ValueError, "{what}"); {fail} }}\n'


class Traced(TensorType):
    """Vectors whose every hook leaves a note."""

    __props__ = ()

    def __init__(self):
        super().__init__("float64", (None,))

    def clone(self, dtype=None, shape=None):
        return self

    def c_declare(self, name, sub, check_input=True):
        return super().c_declare(name, sub, check_input)

    def c_init(self, name, sub):
        return super().c_init(name, sub) + note("init", sub["fail"])

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return super().c_extract(name, sub, check_input) + note("extract", sub["fail"])

    def c_extract_out(self, name, sub, check_input=True):
        taken = TensorType.c_extract(self, name, sub, check_input)
        return f"if (py_{name} == Py_None) {name} = NULL; else {{ {taken} }}" + note("extract_out", sub["fail"])

    def c_sync(self, name, sub):
        return note("sync", sub["fail"]) + super().c_sync(name, sub)

    def c_cleanup(self, name, sub):
        return note("cleanup") + super().c_cleanup(name, sub)

    def c_accept(self, name, writeable=False):
        return super().c_accept(name, writeable)

    def c_support_code(self):
        return NOTE

    def c_init_code(self):
        return note("type init_code", "return NULL;")


class Number(opweld.scalar.ScalarType):
    """A number whose life leaves notes."""

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return super().c_extract(name, sub, check_input) + note("params extract", sub["fail"])

    def c_cleanup(self, name, sub):
        return note("params cleanup")

    def c_support_code(self):
        return NOTE


class All(COp):
    """x + by, with every hook of an op."""

    __props__ = ("by", "tag")
    params_type = ParamsType(by=Number("float64"))

    def __init__(self, by, tag, lang):
        self.by = by
        self.tag = tag
        self.c_lang = lang

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_support_code(self):
        return [NOTE, "static int opw_shared = 1;"]

    def c_init_code(self):
        return [note("op init_code", "return NULL;")]

    def c_support_code_apply(self, node, name):
        return f"static double add_{name}(double x, double by) {{ return x + by * opw_shared; }}"

    def c_init_code_apply(self, node, name):
        return note(f"init_code_apply {self.tag}", "return NULL;")

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            if ({z} == NULL || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), NPY_FLOAT64, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            {note(f"code {self.tag}", sub["fail"])}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(double*)PyArray_GETPTR1({z}, i) = add_{name}(*(double*)PyArray_GETPTR1({x}, i), {sub["params"]}->by);
        """

    def c_code_cleanup(self, node, name, input_names, output_names, sub):
        return note(f"code_cleanup {self.tag}")

    def c_headers(self, c_compiler):
        return ["<stddef.h>", "stdint.h"]

    def c_header_dirs(self, **kwargs):
        return ["/usr/include"]

    def c_libraries(self):
        return ["m"]

    def c_lib_dirs(self, compiler):
        return []

    def c_compile_args(self):
        return ["-DOPW_ARGUMENT=1", "-DOPW_UNWANTED"]

    def c_no_compile_args(self):
        return ["-DOPW_UNWANTED"]

    def c_code_cache_version(self):
        return (1, self.tag)


class AllStruct(All):
    """The same with the state of each instance."""

    def c_support_code_struct(self, node, name):
        return f"int opw_members_{name};"

    def c_init_code_struct(self, node, name, sub):
        return f"opw_members_{name} = 3; if ({sub['params']}->by < 0) {sub['fail']}\n" + note(
            f"init_code_struct {self.tag}", sub["fail"]
        )

    def c_cleanup_code_struct(self, node, name):
        return note(f"cleanup_code_struct {self.tag}")

    def c_code(self, node, name, *args):
        return f"if (opw_members_{name} != 3) {args[2]['fail']}" + super().c_code(node, name, *args)


class Log:
    """What was noted, and at which note to fail."""

    def __init__(self):
        sys.opw_log = []
        sys.opw_stop = 0

    def stop(self, number):
        """Fail at this note; 0: nowhere."""
        sys.opw_log = []
        sys.opw_stop = number

    def taken(self):
        found, sys.opw_log = sys.opw_log, []
        return found


@pytest.fixture
def log():
    found = Log()
    yield found
    del sys.opw_log, sys.opw_stop


LANES = [("c", All), ("c++", All), ("c++", AllStruct)]
LOADED = ["type init_code", "op init_code", "init_code_apply one", "init_code_apply two"]
PARAMS = ["params extract", "params extract"]
STRUCTS = ["init_code_struct one", "init_code_struct two"]
# the output is entered just before the op that makes it: what it is offered may lie in what the others read
FIRST = ["extract", "init", "code one", "code_cleanup one", "init", "code two", "code_cleanup two"]
LATER = ["extract", "extract_out", *FIRST[2:]]  # what the temporary held is offered again
ENTERED = ("extract", "init", "extract_out")
# the output; the temporary, whose array is kept; the argument
END = ["sync", "cleanup", "sync", "cleanup", "cleanup"]


def build(lang, cls):
    x = Traced()("x")
    first, second = cls(1.0, "one", lang), cls(10.0, "two", lang)
    return opweld.function([x], second(first(x)))


@pytest.mark.parametrize(("lang", "cls"), LANES)
def test_the_order_of_everything(log, lang, cls):
    structs = cls is AllStruct
    f = build(lang, cls)
    made = log.taken()
    assert made[-2 - 2 * structs :] == PARAMS + STRUCTS * structs
    assert made[: -2 - 2 * structs] in (LOADED, [])  # a module is loaded once a process
    for work in (FIRST, LATER, LATER):
        assert f([1.0, 2.0]).tolist() == [12, 13]
        assert log.taken() == work + END
    f([1.0, 2.0], out=np.zeros(2))
    assert log.taken() == ["extract", "extract_out", *FIRST[2:4], "extract_out", *FIRST[5:], *END]
    del f
    drops = ["cleanup_code_struct two", "cleanup_code_struct one"]
    assert log.taken() == drops * structs + ["params cleanup"] * 2


@pytest.mark.parametrize(("lang", "cls"), LANES)
@pytest.mark.parametrize("again", [False, True])
def test_a_failure_at_each_place_of_a_call(log, lang, cls, again):
    x = np.array([1.0, 2.0])
    work = [*(LATER if again else FIRST), "sync"]
    for number, place in enumerate(work, 1):
        if place.startswith("code_cleanup"):
            continue
        f = build(lang, cls)
        if again:
            f(x)
        before = sys.getrefcount(x)
        log.stop(number)
        with pytest.raises(ValueError, match=rf"(?m)^{place}$"):
            f(x)
        assert sys.getrefcount(x) == before
        own = [place.replace("code", "code_cleanup")] if place.startswith("code") else []
        entered = sum(reached in ENTERED for reached in work[:number])
        assert log.taken() == work[:number] + own + ["cleanup"] * entered
        log.stop(0)
        assert f(x).tolist() == [12, 13]
        kept = again and number == 1  # else what was kept is given up with the call that failed
        assert log.taken() == (LATER if kept else FIRST) + END


def test_a_temporary_that_cannot_be_kept_is_a_failure(log):
    f = build("c", All)
    log.stop(len(FIRST) + 3)
    with pytest.raises(ValueError, match=r"(?m)^sync$"):
        f([1.0, 2.0])
    assert log.taken() == FIRST + END
    log.stop(0)
    assert f([1.0, 2.0]).tolist() == [12, 13]
    assert log.taken() == FIRST + END


@pytest.mark.parametrize(("lang", "cls"), LANES)
def test_a_failure_while_an_instance_is_made(log, lang, cls):
    build(lang, cls)
    making = PARAMS + (STRUCTS if cls is AllStruct else [])
    for number, place in enumerate(making, 1):
        log.stop(number)
        with pytest.raises(ValueError, match=f"^{place}$"):
            build(lang, cls)
        dropped = ["cleanup_code_struct two", "cleanup_code_struct one"][4 - number :] if number > 2 else []
        assert log.taken() == making[:number] + dropped + ["params cleanup"] * min(number, 2)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("lang", ["c", "c++"])
def test_a_failure_while_the_module_is_loaded(log, lang, number):
    place = LOADED[number]
    cls = type("Loaded", (All,), {"c_support_code": lambda self: [NOTE, f"/* {place} */ static int opw_shared = 1;"]})
    log.stop(number + 1)
    with pytest.raises(opweld.LoadError, match=rf"failed while the module was imported \(.*\): ValueError: {place}$"):
        build(lang, cls)
    assert log.taken() == LOADED[: number + 1]
    log.stop(0)
    assert build(lang, cls)([1.0]).tolist() == [12]


# -- what shares a kernel, and what shares a module --------------------------------------------------------------------


class Arithmetic(COp):
    """Two vectors, element by element."""

    __props__ = ("sign",)
    static = ""

    def __init__(self, sign):
        self.sign = sign

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type()])

    def c_support_code_apply(self, node, name):
        return self.static.replace("NAME", name)

    def c_code(self, node, name, input_names, output_names, sub):
        (x, y), (z,) = input_names, output_names
        return f"""
            if ({z} == NULL || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), NPY_FLOAT64, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            {f"seen_{name}++;" if self.static else ""}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(double*)PyArray_GETPTR1({z}, i) = *(double*)PyArray_GETPTR1({x}, i) {self.sign}
                    *(double*)PyArray_GETPTR1({y}, i) {f"+ 100 * seen_{name}" if self.static else ""};
        """

    def c_code_cache_version(self):
        return (1,)


class Counted(Arithmetic):
    """The same, with a count of its runs for each apply."""

    static = "static int seen_NAME = 0;"


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_two_wirings_of_the_same_nodes_share_no_module(lang):
    cls = type("Wired", (Arithmetic,), {"c_lang": lang})
    add, mul, div = cls("+"), cls("*"), cls("/")
    x, y = tensor.dvector("x"), tensor.dvector("y")

    def wired(turned):
        a = add(x, y)
        b = mul(a, y)
        return opweld.function([x, y], div(b, a) if turned else div(a, b))

    f, g = wired(False), wired(True)
    assert f.maker.built.module is not g.maker.built.module
    assert f.maker.program.bytes != g.maker.program.bytes
    assert f([6.0], [3.0]).tolist() == [9 / 27] and g([6.0], [3.0]).tolist() == [27 / 9]
    again = wired(False)
    assert again.maker.built.module is f.maker.built.module
    assert again([6.0], [3.0]).tolist() == [9 / 27]


def kernels_of(f):
    """How often the C holds a kernel of each op."""
    text = opweld.source(f)
    return {label: text.count(f"/* ---- {label} */") for label in ("Arithmetic", "Counted", "ReadOnly", "WithStruct")}


def test_equal_applies_share_a_kernel():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    add = Arithmetic("+")
    f = opweld.function([x, y], add(add(add(x, y), x), y))
    assert len(f.maker.program.data["kernels"]) == 1 and kernels_of(f)["Arithmetic"] == 1
    assert f([1.0], [2.0]).tolist() == [6]
    f = opweld.function([x], add(add(add(x, x), x), x))  # where a variable stands twice, the text is another one
    assert len(f.maker.program.data["kernels"]) == 2 and kernels_of(f)["Arithmetic"] == 2
    assert f([1.0]).tolist() == [4]


def test_applies_with_static_state_do_not():
    x = tensor.dvector("x")
    add = Counted("+")
    f = opweld.function([x], [add(x, x), add(add(x, x), x)])
    count = len(f.maker.fgraph.toposort())
    assert kernels_of(f)["Counted"] == count
    first, second = f([0.0])
    again, _ = f([0.0])
    assert first.tolist() == [100] and again.tolist() == [200]  # each counts for itself
    assert second.tolist() == [100 + 100]


def test_constants_with_static_storage_are_no_state():
    cls = type("ReadOnly", (Counted,), {"static": "static const int seen_NAME = 1;"})
    cls.c_code = lambda self, *args: Counted.c_code(self, *args).replace(f"seen_{args[1]}++;", "")
    x, y = tensor.dvector("x"), tensor.dvector("y")
    add = cls("+")
    f = opweld.function([x, y], add(add(x, y), x))
    assert kernels_of(f)["ReadOnly"] == 1 and f([1.0], [1.0]).tolist() == [203]


def test_params_do_not_split_a_kernel():
    x = Traced()("x")
    made = make_program(FunctionGraph([x], [All(2.0, "one", "c")(All(1.0, "one", "c")(x))]))
    assert len(made.data["kernels"]) == 1
    assert [constant.data.by for constant in made.constants] == [1.0, 2.0]
    assert [step["params"] for step in made.data["steps"]] == [2, 4]


# -- what fragments may rely on ----------------------------------------------------------------------------------------


class HoldsGIL(COp):
    """1 where the fragment runs with the global lock; a negative input fails without an exception."""

    __props__ = ("gil", "c_lang")

    def __init__(self, gil, lang):
        self.gil = gil
        self.c_lang = lang

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        return f"{output_names[0]} = PyGILState_Check(); if ({input_names[0]} < 0) {sub['fail']}"

    def c_code_cleanup(self, node, name, input_names, output_names, sub):
        return f"{output_names[0]} += 10 * PyGILState_Check();"


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize(("gil", "held"), [("held", 1), ("released", 0), ("free-threaded", 1)])
def test_the_global_lock(gil, held, lang):
    x = opweld.scalar.float64("x")
    f = opweld.function([x], HoldsGIL(gil, lang)(x))
    assert f(1.0) == held + 10
    with pytest.raises(RuntimeError, match=r"HoldsGIL\.c_code failed without setting an exception"):
        f(-1.0)
    assert f(1.0) == held + 10


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_storage_and_pointers_by_the_names_in_sub(lang):
    class Stored(TensorType):
        c_lang = lang

        def c_sync(self, name, sub):
            return (
                f"if (PyList_Size({sub['stor_ptr']}) != 1) {sub['fail']}\n"
                f"PyObject* same = py_{name};\n"
                f"if ({sub['py_ptr']} != same || {sub['failure_var']}) {sub['fail']}\n"
                f"{super().c_sync(name, sub)}"
            )

        def c_code_cache_version(self):
            return (1,)

    x = Stored("float64", (None,))("x")
    f = opweld.function([x], Arithmetic("+")(x, x))
    assert f([1.0]).tolist() == [2]


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_texts_stand_in_order(lang):
    class First(TensorType):
        c_lang = lang

        def c_support_code(self):
            return "static int opw_first = 1;"

    class Second(Arithmetic):
        c_lang = lang

        def c_support_code(self):
            return ["static int opw_second(void) { return opw_first + 1; }"]

    class Third(Arithmetic):
        c_lang = lang

        def c_support_code(self):
            return "static int opw_third(void) { return opw_second() + opw_first; }"

        def c_support_code_apply(self, node, name):
            return f"static int fourth_{name}(void) {{ return opw_third() + opw_second(); }}"

        def c_code(self, node, name, *args):
            return f"if (fourth_{name}() != 5) {args[2]['fail']}" + super().c_code(node, name, *args)

    x = First("float64", (None,))("x")
    f = opweld.function([x], Third("*")(Second("+")(x, x), x))
    assert f([3.0]).tolist() == [18]
