"""The callable and its module: threads, recursion, finalizers, attributes, pickles, many functions, sanitizers."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import os
import pickle
import re
import subprocess
import sys
import textwrap
import threading
import weakref

import kit
import numpy as np
import pytest
from kit import compiled, tensor

import opweld
from opweld import COp, In, config, generic
from opweld.tensor import TensorType

times = kit.example("vector_times_vector").vector_times_vector


def in_threads(n, work):
    """Run ``work(i)`` in n threads that begin together; raise what one of them raised."""
    start, errors = threading.Barrier(n), []

    def body(i):
        try:
            start.wait()
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


# -- threads ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def busy():
    """Threads give way to each other as often as the interpreter can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_sixteen_threads_on_one_callable(busy):
    x, y = tensor("float64", name="x"), tensor("float64", name="y")
    # Python in the middle: each call is given up to other threads while it holds its temporaries.
    f = opweld.function([x, In(y, value=np.ones(40))], [times(kit.Python(lambda a: a + 1)(kit.negate(x)), y), x])

    def work(i):
        a, out = np.full(40, float(i)), [np.empty(40), np.empty(40)]
        for k in range(200):
            if k % 4 == 0:
                with pytest.raises(ValueError, match="x has 39 elements, y has 40"):
                    f(a[1:])
                continue
            got = f(a, out=out) if k % 4 == 1 else f(a, y=a) if k % 4 == 2 else f(x=a.astype("f4"))
            assert (got[0] == (1.0 - i) * (i if k % 4 == 2 else 1)).all() and (got[1] == i).all()
            if k % 4 == 1:
                assert got[0] is out[0] and got[1] is out[1]

    in_threads(16, work)


def test_sixteen_threads_make_one_function(own_cache):
    """Of one Program that nobody has built yet."""
    made = [None] * 16

    class Fresh(kit.Strided):
        pass

    def work(i):
        x = tensor("float64", name="only_here")
        made[i] = opweld.function([x], Fresh()(x))

    in_threads(16, work)
    assert all((f(np.ones(2)) == -1).all() for f in made)


def test_sixteen_threads_build_sixteen_functions(own_cache):
    def work(i):
        x = tensor("float32", 2, f"x{i}")
        z = x
        for _ in range(i % 4):
            z = kit.negate(z)
        assert (opweld.function([x], z)(np.ones((2, 2), "f4")) == (-1) ** (i % 4)).all()

    in_threads(16, work)


# -- calls within calls ----------------------------------------------------------------------------------------------


def test_a_perform_that_calls_the_same_function():
    x = tensor("float64", 0, "x")

    def factorial(n):
        return n * f(n - 1) if n > 1 else n

    f = opweld.function([x], kit.negate(kit.negate(kit.Python(factorial)(x))))
    assert f(10.0) == 3628800
    before = sys.getrefcount(f)
    assert f(30.0) == functools.reduce(lambda product, n: n * product, map(float, range(1, 31)))
    assert sys.getrefcount(f) == before


def test_recursion_without_end_is_a_recursion_error():
    code = """
        import kit, opweld
        x = kit.tensor("float64", 0, "x")
        f = opweld.function([x], kit.Python(lambda n: f(n + 1))(x))
        for _ in range(2):
            try:
                f(0.0)
            except RecursionError:
                print("recursion")
        g = opweld.function([x], kit.Python(lambda n: n)(x))
        print(g(1.0))
    """
    assert run_python(code).stdout.split() == ["recursion", "recursion", "1.0"]


def run_python(code, **environment):
    """A fresh interpreter that finds what this one finds and uses this session's cache."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            "OPWELD_FLAGS": f'compiledir="{config.compiledir}",cflags="{config.cflags}",cxxflags="{config.cxxflags}"',
            **environment,
        },
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def test_a_call_from_a_finalizer():
    f = compiled(kit.negate, ("float64", 1))
    seen = []

    class Last:
        def __init__(self):
            self.me = self

        def __del__(self):
            seen.append(f(np.ones(3)).tolist())

    Last()
    gc.collect()
    assert seen == [[-1, -1, -1]]


def test_a_call_while_the_interpreter_ends():
    code = """
        import atexit, numpy as np, kit
        f = kit.compiled(kit.negate, ("float64", 1))
        class Last:
            def __del__(self):
                print(f(self.a)[0])
        kept = Last()
        kept.a = np.ones(3)
        kept.me = kept
        atexit.register(lambda: print(f(np.zeros(1) + 2)[0]))
    """
    done = run_python(code)
    assert done.stdout.split()[0] == "-2.0" and "Traceback" not in done.stderr


def test_a_finalizer_inside_a_call():
    """A temporary's finalizer calls the function again while a call, that ended well or failed, gives it up."""
    x, last = generic.generic("x"), []

    class Last:
        def __init__(self, value):
            self.value = value

        def __del__(self):
            if self.value > 0:
                last.append(f(self.value - 1))

    def value(temporary):
        if temporary.value == 7:
            raise KeyError("seven")
        return temporary.value

    f = opweld.function([x], kit.Python(value, generic.generic)(kit.Python(Last)(x)))
    assert f(3) == 3 and last == [0, 1, 2]
    last.clear()
    with pytest.raises(KeyError, match="seven"):
        f(7)
    assert last == [0, 1, 2, 3, 4, 5, 6]


# -- attributes ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def product():
    x, y = tensor("float64", name="x"), TensorType("float64", (3,))("y")
    return opweld.function([x, In(y, value=[1.0, 2.0, 3.0])], times(x, y), name="product")


def test_attributes(product):
    assert product.name == product.__name__ == product.__qualname__ == "product"
    assert type(product).__name__ == "Function" and type(product).__module__ == "opweld"
    assert re.fullmatch(r"<opweld\.Function product at 0x[0-9a-f]+>", repr(product))
    assert [str(node.op) for node in product.maker.fgraph.toposort()] == ["VectorTimesVector"]
    assert os.path.isfile(product.maker.built.path)
    assert opweld.source(product).startswith("/* Made by opweld from the Program of product.")
    f = opweld.function([x := tensor("float64", name="x")], kit.negate(x))
    assert f.name is None and f.__name__ == "f"


def test_documentation(product):
    text = inspect.getdoc(product)
    for line in (
        "product(x, y, *, out=None)", "x : float64 array of shape (?,)", "y : float64 array of shape (3,), optional",
        "out : array or list, optional", "Returns",
    ):  # fmt: skip
        assert line in text.splitlines()


def test_signature(product):
    signature = inspect.signature(product)
    assert list(signature.parameters) == ["x", "y", "out"]
    kinds = [p.kind.name for p in signature.parameters.values()]
    assert kinds == ["POSITIONAL_OR_KEYWORD", "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"]
    assert signature.parameters["x"].default is inspect.Parameter.empty
    assert signature.parameters["out"].default is None
    bound = signature.bind(1, out=2)
    assert bound.arguments == {"x": 1, "out": 2}


def test_signatures_of_odd_inputs():
    def parameters(*inputs):
        variables = [i.variable if isinstance(i, In) else i for i in inputs]
        f = opweld.function(list(inputs), variables[0], on_unused_input="ignore")
        return f, [(p.name, p.kind.name) for p in inspect.signature(f).parameters.values()]

    f, seen = parameters(generic.generic(), generic.generic("b"))
    assert seen == [("arg0", "POSITIONAL_ONLY"), ("b", "POSITIONAL_OR_KEYWORD"), ("out", "KEYWORD_ONLY")]
    f, seen = parameters(In(generic.generic("a"), value=1), generic.generic("b"))
    assert seen == [("a", "POSITIONAL_OR_KEYWORD"), ("b", "KEYWORD_ONLY"), ("out", "KEYWORD_ONLY")]
    assert f(b=2) == 1
    f, seen = parameters(In(generic.generic(), value=1), generic.generic())
    assert [name for name, _ in seen[:2]] == ["arg0", "arg1"]
    # A name that two share, and `out`, name no argument.
    f, seen = parameters(generic.generic("out"), generic.generic("a"), generic.generic("a"))
    assert [kind for _, kind in seen[:3]] == ["POSITIONAL_ONLY"] * 3
    assert f(1, 2, 3) == 1
    with pytest.raises(TypeError, match="unexpected keyword argument 'a'"):
        f(1, 2, a=3)


def test_attributes_of_the_users_own():
    f = opweld.function([x := tensor("float64", name="x")], kit.negate(x))
    f.note = "mine"
    assert f.note == "mine" and vars(f)["note"] == "mine"
    del f.note
    with pytest.raises(AttributeError):
        f.note  # noqa: B018
    with pytest.raises(TypeError, match=r"cannot create|immutable|cannot set"):
        type(f).note = 1
    with pytest.raises(TypeError, match="cannot create"):
        type(f)()
    with pytest.raises(TypeError):

        class _(type(f)):
            pass


def test_a_weak_reference():
    f = opweld.function([x := tensor("float64", name="x")], kit.negate(x))
    gone = []
    reference = weakref.ref(f, gone.append)
    assert reference()(np.ones(1)) == -1
    assert weakref.getweakrefcount(f) == 1
    del f
    gc.collect()
    assert reference() is None and gone == [reference]


def test_called_in_every_way_that_python_has():
    f = compiled(kit.negate, ("float64", 1))
    a = np.ones(2)
    assert (type(f).__call__(f, a) == -1).all()
    assert (f.__call__(x0=a) == -1).all()
    assert [v.tolist() for v in map(f, [a, a])] == [[-1, -1]] * 2

    class Holder:
        method = f

    assert (Holder().method(a) == -1).all()  # no binding: it is a value, as NumPy's ufuncs are


def test_pickled_and_copied():
    f = compiled.__wrapped__(kit.negate, ("float64", 1))  # one made long ago may have been made under other settings
    for again in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        assert again is not f and type(again) is type(f)
        assert again(x0=[1.0, 2.0]).tolist() == [-1, -2]


# -- functions and modules -------------------------------------------------------------------------------------------


def test_one_program_twice_is_one_module_and_two_functions():
    def make():
        x = tensor("float64", name="x")
        return opweld.function([In(x, value=[2.0])], times(x, [3.0]))

    f, g = make(), make()
    assert f is not g and type(f) is type(g) and f.maker.built.module is g.maker.built.module
    f.note = 1
    assert not hasattr(g, "note")


def test_functions_of_one_module_hold_their_own_constants_and_defaults():
    def make(constant, default):
        x, y = tensor("float64", name="x"), tensor("float64", name="y")
        return opweld.function([x, In(y, value=default)], [times(x, constant), y])

    f, g = make(np.array([2.0, 3.0]), [1.0]), make(np.array([5.0, 7.0]), [4.0])
    assert type(f) is type(g)
    assert f(np.ones(2))[0].tolist() == [2, 3] and g(np.ones(2))[0].tolist() == [5, 7]
    assert f(np.ones(2))[1] == [1] and g(np.ones(2))[1] == [4]
    del f
    gc.collect()
    assert g(np.ones(2))[0].tolist() == [5, 7]


def test_functions_of_one_module_run_their_own_python():
    def make(call):
        x = tensor("float64", name="x")
        return opweld.function([x], kit.Python(call)(x))

    f, g = make(lambda a: a + 1), make(lambda a: a * 5)
    assert f(np.ones(1)) == 2 and g(np.ones(1)) == 5


def test_many_functions_alive_at_once():
    made = []
    for n in range(12):
        x = tensor("int64", name="x")
        z = x
        for _ in range(n):
            z = kit.negate(z)
        made.append(opweld.function([x], z))
    for n in reversed(range(12)):
        assert made[n](np.arange(3)).tolist() == [v * (-1) ** n for v in range(3)]
    assert len({type(f) for f in made}) == 12
    del made[::2]
    gc.collect()
    assert [f(np.array([1]))[0] for f in made] == [-1] * 6


def test_two_modules_keep_their_c_apart():
    """The same names at file scope, other meanings: nothing leaks from one module to another."""

    class Constant(COp):
        __props__ = ("value",)

        def __init__(self, value):
            self.value = value

        def make_node(self):
            return opweld.Apply(self, [], [TensorType("int64", ())()])

        def c_support_code(self):
            return f"long opw_test_value = {self.value};\nlong opw_test_get(void) {{ return opw_test_value; }}"

        def c_code(self, node, name, input_names, output_names, sub):
            (z,) = output_names
            return f"""
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_INT64, 0);
                if ({z} == NULL) {sub["fail"]}
                *(npy_int64 *)PyArray_DATA({z}) = opw_test_get();
            """

    f, g = (opweld.function([], Constant(n)()) for n in (1, 2))
    assert f() == 1 and g() == 2 and f() == 1


def test_a_fresh_process_finds_the_module():
    code = """
        import sys, numpy as np, kit
        f = kit.compiled(kit.negate, ("float64", 1))
        print(f(np.ones(2)).tolist(), f.maker.built.hit, "opweld._engine" in sys.modules, f.maker.built.path)
    """
    f = compiled.__wrapped__(kit.negate, ("float64", 1))  # with the flags of now, whoever else has made one
    assert run_python(code).stdout.strip() == f"[-1.0, -1.0] True False {f.maker.built.path}"


# -- under watch -----------------------------------------------------------------------------------------------------

WATCHED = """
    import gc, numpy as np, kit, opweld
    from opweld import In, config, generic
    from opweld.tensor import TensorType
    config.gcc__cxxflags = "{flags}"
    vtv = kit.example("vector_times_vector").vector_times_vector
    double = kit.example("double_type")
    x, y = kit.tensor("float64", name="x"), kit.tensor("float64", name="y")
    g, d = generic.generic("g"), double.double("d")
    p = kit.Python(lambda a: a + 1)
    f = opweld.function(
        [x, In(y, value=np.ones(500)), g, d],
        [vtv(p(kit.negate(x)), y), x, g, kit.View()(kit.Scale()(y, double.add(d, 2.0)))],
    )
    a, out = np.ones(500), np.empty(500)
    for k in range(20):
        f(a, a, [1], 2.0)
        f(a[::-1], g=None, d=1.0)
        f(kit.swapped(a), kit.misaligned(a), a, 3, out=[out, None, None, a])
        for wrong in (
            lambda: f(a, a[1:], [1], 2.0), lambda: f(a, a, [1], "2"), lambda: f(a), lambda: f(a, a, 1, 2, 3),
            lambda: f(a, a, 1, 2.0, out=[out[1:], None, None, None]),
            lambda: f(a, a, 1, 2.0, out=[out, out, None, None]),
            lambda: f(a, a, 1, 2.0, nonsense=1), lambda: f(a, x=a),
        ):
            try:
                wrong()
            except (TypeError, ValueError):
                continue
            raise SystemExit("no exception")
    for dtype in kit.DTYPES:
        h = kit.compiled(kit.negate, (dtype, 2))
        for make in kit.LAYOUTS.values():
            h(make(kit.values(dtype, (30, 40))))
    del f, h
    kit.compiled.cache_clear()
    gc.collect()
    print("done")
"""


def sanitizer(name):
    done = subprocess.run(["gcc", f"-print-file-name=lib{name}.so"], capture_output=True, text=True, check=True)
    path = done.stdout.strip()
    if not os.path.isabs(path):
        pytest.skip(f"gcc has no lib{name} on this machine")
    return path


def test_address_and_undefined_behaviour_sanitizers():
    """Modules alone are instrumented; the interpreter's own leaks are not asked for."""
    done = run_python(
        WATCHED.replace("{flags}", "-fsanitize=address,undefined -fno-sanitize-recover=undefined -g1 -O1"),
        LD_PRELOAD=f"{sanitizer('asan')} {sanitizer('ubsan')}",
        ASAN_OPTIONS="detect_leaks=0:abort_on_error=0",
        PYTHONMALLOC="malloc",
    )
    assert done.stdout.strip() == "done" and "runtime error" not in done.stderr and "Sanitizer" not in done.stderr


def test_the_sanitizers_see_a_write_beside_an_array():
    code = (
        WATCHED.split("vtv =")[0]
        + """
    class Wrong(kit.Strided):
        def c_code(self, node, name, input_names, output_names, sub):
            text = super().c_code(node, name, input_names, output_names, sub)
            return text + "((char *)PyArray_DATA(%s))[PyArray_NBYTES(%s)] = 1;" % (output_names[0], output_names[0])
    opweld.function([x := kit.tensor("float64", name="x")], Wrong()(x))(np.ones(500))
    """
    )
    with pytest.raises(AssertionError, match="heap-buffer-overflow"):
        run_python(
            code.replace("{flags}", "-fsanitize=address -g1 -O1"), LD_PRELOAD=sanitizer("asan"),
            ASAN_OPTIONS="detect_leaks=0", PYTHONMALLOC="malloc",
        )  # fmt: skip
