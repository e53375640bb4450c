"""When things end and what they share: garbage with a module in it, exceptions of C++, objects inside code."""

import gc
import os
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, CType, In
from opweld.tensor import as_tensor_variable, vector


class Fill(COp):
    """A vector full of what an expression gives."""

    __props__ = ("before", "value")

    def __init__(self, before, value):
        self.before, self.value = before, value

    def make_node(self, x):
        return Apply(self, [x, as_tensor_variable(np.ones(3))], [vector()])

    def c_code(self, node, name, inputs, outputs, sub):
        (out,) = outputs
        return f"""
        {self.before}
        Py_XDECREF({out});
        {out} = (PyArrayObject*)PyArray_NewLikeArray({inputs[0]}, NPY_CORDER, NULL, 0);
        if ({out} == NULL) {sub["fail"]}
        {{
            PyObject* value = PyFloat_FromDouble({self.value});
            int failed = value == NULL || PyArray_FillWithScalar({out}, value);
            Py_XDECREF(value);
            if (failed) {sub["fail"]}
        }}
        """

    def c_code_cache_version(self):
        return (1,)


def test_garbage_with_function_and_module_in_it():
    """The collector clears a type's module before it comes to the type's instances."""
    script = f"""
    import gc, sys
    sys.path[:0] = {[entry for entry in sys.path if entry]!r}
    import numpy as np
    import opweld
    from test_lifetimes import Fill
    from opweld.compile import builder
    x = opweld.tensor.vector("x")
    for value in range(3):
        f = opweld.function([x], Fill("", str(value))(x))
        assert f(np.zeros(2)).tolist() == [value, value]
        f.me = f
        builder._loaded.clear()
        del f
        gc.collect()
    g = opweld.function([x], Fill("", "7")(x))
    g.me = g  # goes with the interpreter
    print("done")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONMALLOC": "debug"},
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


@pytest.mark.parametrize(
    ("before", "calls"),
    [
        ("static int calls = 0; calls++;", [1, 1, 2, 2]),
        ("static const int one = 1; int calls = one;", [1, 1, 1, 1]),
    ],
)
def test_an_object_that_lasts_belongs_to_an_apply(before, calls):
    x, y = vector("x"), vector("y")
    op = Fill(before, "calls")
    f = opweld.function([x, y], [op(x), op(y)])
    zero = np.zeros(1)
    assert [float(a[0]) for _ in range(2) for a in f(zero, zero)] == calls


HELPERS = {
    "member": "struct S_NAME { inline static int n = 0; }; static int next_NAME() { return ++S_NAME::n; }",
    "template": "template <class T> static T of_NAME(T by) { static T n = 0; return n += by; }\n"
    "static int next_NAME() { return of_NAME(1); }",
    "variable template": "template <class T> T n_NAME = 0; static int next_NAME() { return ++n_NAME<int>; }",
    "method": "struct S_NAME { int f() { static int n; return ++n; } };\n"
    "static int next_NAME() { return S_NAME().f(); }",
    "lambda": "static int next_NAME() { auto f = [] { static int n; return ++n; }; return f(); }",
    "pointee": "static int *const p_NAME = new int(0); static int next_NAME() { return ++*p_NAME; }",
    "macro": "static int next_NAME() { COUNTER; return ++n; }",
    "thread": "thread_local int n_NAME = 0; static int next_NAME() { return ++n_NAME; }",
    "namespace": "namespace { int n_NAME = 0; } static int next_NAME() { return ++n_NAME; }",
}


@pytest.mark.parametrize("kind", HELPERS)
def test_an_object_that_lasts_somewhere_in_cxx_belongs_to_an_apply(kind):
    class Counting(Fill):
        c_lang = "c++"

        def c_support_code(self):
            return "#define COUNTER STORED int n\n#define STORED static"

        def c_support_code_apply(self, node, name):
            return HELPERS[kind].replace("NAME", name)

        def c_code(self, node, name, inputs, outputs, sub):
            return super().c_code(node, name, inputs, outputs, sub).replace("next()", f"next_{name}()")

    x, y = vector("x"), vector("y")
    op = Counting("", "next()")
    f = opweld.function([x, y], [op(x), op(y)])
    zero = np.zeros(1)
    assert [float(a[0]) for _ in range(2) for a in f(zero, zero)] == [1, 1, 2, 2]


class Throwing(CType):
    """A C++ type, one of whose texts throws."""

    __props__ = ("hook",)
    c_lang = "c++"

    def __init__(self, hook):
        self.hook = hook

    def filter(self, value, strict=False, allow_downcast=None):
        return float(value)

    def _text(self, hook, text):
        return text + (f' throw std::runtime_error("{hook}");' if hook == self.hook else "")

    def c_headers(self):
        return ["<stdexcept>", "<vector>"]

    def c_declare(self, name, sub, check_input=True):
        return f"std::vector<double> {name};"

    def c_init(self, name, sub):
        return self._text("init", f"{name}.clear();")

    def c_extract(self, name, sub, check_input=True):
        return self._text("extract", f"{name}.assign(1, PyFloat_AsDouble(py_{name}));")

    def c_sync(self, name, sub):
        return self._text("sync", f"Py_XDECREF(py_{name}); py_{name} = PyFloat_FromDouble({name}.at(0));")

    def c_cleanup(self, name, sub):
        return self._text("cleanup", f"{name}.clear();")

    def c_code_cache_version(self):
        return (1,)


class Same(COp):
    __props__ = ("code", "cleanup", "gil")
    c_lang = "c++"

    def __init__(self, code="", cleanup="", gil="held"):
        self.code, self.cleanup, self.gil = code, cleanup, gil

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return f"std::vector<double> mine({inputs[0]}); {self.code} {outputs[0]} = mine;"

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return self.cleanup

    def c_code_cache_version(self):
        return (1,)


def test_a_cpp_type_works():
    x = Throwing("")("x")
    assert opweld.function([x], Same(cleanup="mine.clear();")(x))(2) == 2.0


@pytest.mark.parametrize("hook", ["init", "extract", "sync", "cleanup"])
def test_exceptions_of_types(hook):
    x = Throwing(hook)("x")
    f = opweld.function([x], Same()(x))
    for _ in range(2):
        with pytest.raises(RuntimeError, match=rf"(?m)^C\+\+ exception: {hook}$"):
            f(2)


@pytest.mark.parametrize("gil", ["held", "released"])
@pytest.mark.parametrize("cleanup", ["", "mine.clear();", 'throw std::runtime_error("late");'])
def test_exceptions_of_code_with_and_without_clean_up(cleanup, gil):
    x = Throwing("")("x")
    code = "" if "late" in cleanup else 'throw std::runtime_error("early");'
    f = opweld.function([x], Same(code, cleanup, gil)(x))
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"(?m)^C\+\+ exception: (early|late)$"):
            f(2)


def test_a_clean_up_of_a_constant_that_throws(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda caught: seen.append(str(caught.exc_value)))
    type_ = Throwing("cleanup")
    x = Throwing("")("x")

    class Two(Same):
        def make_node(self, x):
            return Apply(self, [x, type_.make_constant(1.0)], [x.type()])

    f = opweld.function([x], Two()(x))
    assert f(3) == 3.0
    del f
    gc.collect()
    assert seen == ["C++ exception: cleanup"]


class Listed(Throwing):
    """A value that points into itself, and one that wants more than a slot's alignment."""

    def c_headers(self):
        return ["<list>"]

    def c_support_code(self):
        return """
        struct alignas(64) wide {
            double value;
            wide() : value(0) {}
            wide(const wide &other) : value(other.value) {}
            wide &operator=(const wide &other) { value = other.value; return *this; }
        };
        """

    def c_declare(self, name, sub, check_input=True):
        return f"std::list<wide> {name}; wide {name}_wide;"

    def c_init(self, name, sub):
        return ""

    def c_extract(self, name, sub, check_input=True):
        return f"{name}_wide.value = PyFloat_AsDouble(py_{name}); {name}.push_back({name}_wide);"

    def c_sync(self, name, sub):
        return f"Py_XDECREF(py_{name}); py_{name} = PyFloat_FromDouble({name}.front().value * (double){name}.size());"

    def c_cleanup(self, name, sub):
        return ""


class Second(Same):
    """The second input, a constant."""

    def make_node(self, x):
        return Apply(self, [x, x.type.make_constant(5.0)], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[1]}; if ((size_t)&{inputs[1]}_wide % 64) {sub['fail']}"


def test_a_cpp_constant_that_points_into_itself():
    x = Listed("")("x")
    f = opweld.function([x], Second()(x))
    assert [f(1), f(2)] == [5.0, 5.0]


class Tied(COp):
    """Zeros, in an array that owns its memory and has an object as its base."""

    __props__ = ()

    def make_node(self, x, held):
        return Apply(self, [x, held], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x, held), (out,) = inputs, outputs
        return f"""
        Py_XDECREF({out});
        {out} = (PyArrayObject*)PyArray_ZEROS(1, PyArray_DIMS({x}), NPY_DOUBLE, 0);
        if ({out} == NULL) {sub["fail"]}
        Py_INCREF({held});
        if (PyArray_SetBaseObject({out}, {held})) {sub["fail"]}
        """


def test_what_a_temporary_holds_ends_with_the_call():
    """Storage is kept between calls; not an array that has a base, though it owns its memory."""
    x, held = vector("x"), opweld.generic.generic("held")
    f = opweld.function([x, held], opweld.tensor.sum(Tied()(x, held)))
    for _ in range(3):
        thing = Tied()
        watched = weakref.ref(thing)
        assert f(np.ones(4), thing) == 0
        del thing
        gc.collect()
        assert watched() is None


def test_a_default_is_a_copy_whatever_array_it_came_as():
    class Sub(np.ndarray):
        pass

    x = vector("x")
    for view in (lambda a: a, lambda a: a.view(Sub), memoryview):
        given = np.arange(3.0)
        f = opweld.function([In(x, value=view(given))], x)
        given[:] = 9
        assert f().tolist() == [0, 1, 2]


class Split(COp):
    """As many outputs as it is told; the text is the same however many of the variables are inputs."""

    __props__ = ("outputs",)

    def __init__(self, outputs):
        self.outputs = outputs

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [vector() for _ in range(self.outputs)])

    def c_code(self, node, name, inputs, outputs, sub):
        return "".join(
            f"if ({v} == NULL) {{ npy_intp one = 1; {v} = (PyArrayObject*)PyArray_ZEROS(1, &one, NPY_DOUBLE, 0); }}\n"
            for v in (*inputs, *outputs)
        )

    def c_code_cache_version(self):
        return (1,)


def test_equal_texts_with_other_outputs_share_nothing():
    x, y = vector("x"), vector("y")
    f = opweld.function([x, y], [Split(1)(x, y), *Split(2)(x)])
    assert [result.tolist() for result in f([1.0], [1.0])] == [[0.0]] * 3


class Repr(COp):
    """What its params are, as text."""

    params_type = opweld.generic.generic

    def __init__(self, value):
        self.value = value

    def get_params(self, node):
        return self.value

    def make_node(self, x):
        return Apply(self, [x], [opweld.generic.generic()])

    def c_code(self, node, name, inputs, outputs, sub):
        out = outputs[0]
        return f"Py_XDECREF({out}); {out} = PyObject_Repr({sub['params']}); if ({out} == NULL) {sub['fail']}"

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize(
    "values", [(1, 1.0, True), ((1,), (1.0,), (True,)), (((0.0,),), ((-0.0,),)), (0j, -0j), ({1}, {1.0}, {True})]
)
def test_params_that_only_python_takes_for_equal(values):
    values = [frozenset(value) if isinstance(value, set) else value for value in values]
    x = vector("x")
    f = opweld.function([x], [Repr(value)(x) for value in values])
    assert f(np.zeros(1)) == [repr(value) for value in values]


class Headed(COp):
    """A number that a header of the user's holds."""

    __props__ = ("folder",)

    def __init__(self, folder):
        self.folder = folder

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_headers(self):
        return ["opweld_number.h"]

    def c_header_dirs(self):
        return [self.folder]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (out,) = inputs, outputs
        return f"""
        Py_XDECREF({out});
        {out} = (PyArrayObject*)PyArray_NewLikeArray({x}, NPY_CORDER, NULL, 0);
        if ({out} == NULL) {sub["fail"]}
        PyArray_FILLWBYTE({out}, NUMBER);
        """

    def c_code_cache_version(self):
        return (1,)


def test_a_header_that_changes_while_the_process_runs(tmp_path):
    x = opweld.tensor.tensor("uint8", (None,), name="x")
    made = []

    for number in (1, 2, 2, 1):
        (tmp_path / "opweld_number.h").write_text(f"#define NUMBER {number}\n")
        made.append(opweld.function([x], Headed(str(tmp_path))(x)))
        assert made[-1](np.zeros(1, "uint8")) == number
    assert made[1].maker.built is made[2].maker.built
    assert [int(f(np.zeros(1, "uint8"))[0]) for f in made] == [1, 2, 2, 1]


def opened_below(folder, make):
    """What a call opens below a folder."""
    seen = []

    def hook(event, arguments):
        if listening and event == "open" and str(arguments[0]).startswith(str(folder)):
            seen.append(str(arguments[0]))

    listening = True
    sys.addaudithook(hook)
    try:
        return make(), seen
    finally:
        listening = False


def test_a_loaded_module_is_looked_at_without_the_cache(tmp_path):
    x = opweld.tensor.tensor("uint8", (None,), name="x")
    header = tmp_path / "opweld_number.h"
    header.write_text("#define NUMBER 1\n")
    header_as_it_was = header.stat()
    made = [opweld.function([x], Headed(str(tmp_path))(x)) for _ in range(2)]
    cache = opweld.compile.store.path(opweld.config.compiledir)
    again, seen = opened_below(cache, lambda: opweld.function([x], Headed(str(tmp_path))(x)))
    assert seen == []
    assert again.maker.built is made[0].maker.built

    header.write_text("#define NUMBER 2\n")  # as long as before, and said to be as old
    os.utime(header, ns=(header_as_it_was.st_atime_ns, header_as_it_was.st_mtime_ns))
    changed = opweld.function([x], Headed(str(tmp_path))(x))
    assert changed(np.zeros(1, "uint8")) == 2
    header.unlink()
    with pytest.raises(opweld.CompileError, match="opweld_number"):
        opweld.function([x], Headed(str(tmp_path))(x))
    assert again(np.zeros(1, "uint8")) == 1


def test_a_header_that_comes_first_from_now_on(tmp_path):
    class Twice(Headed):
        def c_header_dirs(self):
            return [f"{self.folder}/first", f"{self.folder}/second"]

    x = opweld.tensor.tensor("uint8", (None,), name="x")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    (tmp_path / "second" / "opweld_number.h").write_text("#define NUMBER 2\n")
    for _ in range(3):
        assert opweld.function([x], Twice(str(tmp_path))(x))(np.zeros(1, "uint8")) == 2
    (tmp_path / "first" / "opweld_number.h").write_text("#define NUMBER 1\n")
    assert opweld.function([x], Twice(str(tmp_path))(x))(np.zeros(1, "uint8")) == 1


class Flagged(COp):
    """A number that a file of arguments holds."""

    __props__ = ("file",)

    def __init__(self, file):
        self.file = file

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_compile_args(self):
        return [f"@{self.file}"]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (out,) = inputs, outputs
        return f"""
        Py_XDECREF({out});
        {out} = (PyArrayObject*)PyArray_NewLikeArray({x}, NPY_CORDER, NULL, 0);
        if ({out} == NULL) {sub["fail"]}
        PyArray_FILLWBYTE({out}, NUMBER);
        """

    def c_code_cache_version(self):
        return (1,)


def test_a_file_of_arguments_that_changes(tmp_path):
    x = opweld.tensor.tensor("uint8", (None,), name="x")
    file = tmp_path / "flags.txt"
    for number in (1, 2, 2):
        file.write_text(f"-DNUMBER={number}")
        assert opweld.function([x], Flagged(str(file))(x))(np.zeros(1, "uint8")) == number


class Asleep(COp):
    """Tells by the file that the input names that it runs, and goes on when the interpreter has ended."""

    __props__ = ("gil", "cleanup")
    c_lang = "c++"

    def __init__(self, gil, cleanup):
        self.gil, self.cleanup = gil, cleanup

    def make_node(self, x):
        return Apply(self, [x], [vector()])

    def c_headers(self):
        return ["<semaphore.h>", "<time.h>", "<unistd.h>"]

    def c_code(self, node, name, inputs, outputs, sub):
        wait = f"opw_test_wait((int)*(double *)PyArray_DATA({inputs[0]}));"
        return wait if self.gil == "released" else f"Py_BEGIN_ALLOW_THREADS {wait} Py_END_ALLOW_THREADS"

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return self.cleanup

    def c_support_code(self):  # the process outlives its interpreter until the thread has ended
        return """
            static sem_t opw_test_over, opw_test_ended;
            struct opw_test_last { ~opw_test_last() { sem_post(&opw_test_ended); } };
            static void opw_test_linger(void)
            {
                struct timespec end;
                clock_gettime(CLOCK_REALTIME, &end);
                end.tv_sec += 300;
                sem_post(&opw_test_over);
                if (sem_timedwait(&opw_test_ended, &end))
                    _exit(3);
            }
            static void opw_test_wait(int file)
            {
                static thread_local opw_test_last last;
                (void)&last;
                if (write(file, "x", 1) == 1)
                    sem_wait(&opw_test_over);
            }
        """

    def c_init_code(self):
        return "sem_init(&opw_test_over, 0, 0); sem_init(&opw_test_ended, 0, 0); atexit(opw_test_linger);"

    def c_code_cache_version(self):
        return (2,)


@pytest.mark.parametrize("cleanup", ["", "(void)0;"])
@pytest.mark.parametrize("gil", ["held", "released"])
def test_a_thread_that_python_ends_in_cpp_code(gil, cleanup):
    script = f"""
    import os, sys, threading
    sys.path[:0] = {[entry for entry in sys.path if entry]!r}
    import numpy as np
    import opweld
    from test_lifetimes import Asleep
    x = opweld.tensor.vector("x")
    f = opweld.function([x], Asleep({gil!r}, {cleanup!r})(x))
    told, tells = os.pipe()
    threading.Thread(target=f, args=(np.array([float(tells)]),), daemon=True).start()
    os.read(told, 1)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
