"""Names: what the pages and docstrings call by a dotted name is there; what is misspelt is told; variables' names."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import In, compat, printing
from opweld import tensor as T
from opweld.rewriting import node_rewriter, register_canonicalize

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(opweld.__file__).resolve().parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def called():
    """Each dotted name that a page, an example, a docstring or a message mentions, and where."""
    texts = [(path, path.read_text()) for path in [*PAGES, *sorted((ROOT / "examples").glob("*.py"))]]
    for path in sorted(PACKAGE.rglob("*.py")):
        strings = [n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)]
        texts.append((path, "\n".join(text for text in strings if isinstance(text, str))))
    found = {}
    for path, text in texts:
        for name in re.findall(r"(?<![\w./-])opweld(?:\.[A-Za-z_]\w*)+", text):
            if name not in NOT_THERE:
                found.setdefault(name, path.name)
        if path.suffix == ".md":
            for name in re.findall(r"(?<![\w./-])T(?:\.[A-Za-z_]\w*)+", text):
                if name not in NOT_THERE:
                    found.setdefault(f"opweld.tensor{name[1:]}", path.name)
    return found


NOT_THERE = {"T.dvectors", "opweld.c", "opweld.cc"}  # says the page; files of a build


def missing(names):
    """Those of the names that a fresh process does not find from ``import opweld`` alone."""
    program = """
import sys
import opweld
for name in sys.stdin.read().split():
    found = opweld
    for part in name.split(".")[1:]:
        try:
            found = getattr(found, part)
        except AttributeError as err:
            print(name, err)
            break
"""
    ended = subprocess.run([sys.executable, "-c", program], input=" ".join(names), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_every_name_that_is_mentioned_is_there():
    names = called()
    assert len(names) > 150
    assert {"opweld.compile.debugmode", "opweld.enums.EnumList", "opweld.tensor.shapes"} <= set(names)
    assert [(line, names[line.split()[0]]) for line in missing(sorted(names))] == []


def test_every_module_is_an_attribute():
    """Each one first: what another module imported does not count."""
    modules = [
        ".".join(["opweld", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        for path in PACKAGE.rglob("*.py")
    ]
    others = {"opweld.config", "opweld.debugger.show"}  # an object of that name; what gdb's own Python loads
    public = sorted(name for name in modules if not re.search(r"\._", name) and name not in others)
    assert len(public) > 90 and missing(public) == []
    for name in ("opweld.compile.debugmode.BadThunkOutput", "opweld.enums.EnumType", "opweld.picture.picture"):
        assert missing([name]) == []


PACKAGES = ["", ".compat", ".compile", ".graph", ".picture", ".rewriting", ".scalar", ".tensor"]


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_not_there(package):
    module = sys.modules.get(f"opweld{package}") or __import__(f"opweld{package}", fromlist=["x"])
    for name in ("nonsense", "__wrapped__", "_private", "not.dotted"):
        with pytest.raises(AttributeError, match=f"module 'opweld{package}' has no attribute {name!r}"):
            getattr(module, name)


def test_completion():
    assert {"enums", "picture", "CompileError", "function", "config"} <= set(dir(opweld))
    assert {"exp", "dmatrix", "vector", "tensor", "CAReduce"} <= set(dir(T))
    assert {"float64", "add", "expr", "int_types", "ScalarOp"} <= set(dir(opweld.scalar))
    for module in (T, opweld.scalar, opweld):
        assert [name for name in dir(module) if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", [p for p in [*PACKAGES, ".hooks"] if p != ".compat"])
def test_every_name_is_listed_offered_and_there(package):
    """One table: what completion shows, what ``import *`` brings, and what is found are the same names."""
    program = f"""
import opweld{package} as room
listed, offered = set(room.__all__), set(dir(room))
here = {{}}
exec("from opweld{package} import *", here)
print(sorted(listed - offered), sorted(listed ^ (here.keys() - {{"__builtins__"}})), len(listed) == len(room.__all__))
print([name for name in sorted(offered) if not hasattr(room, name)])
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (told.stdout, told.stderr) == ("[] [] True\n[]\n", "")


def test_what_is_written_in_c_is_found_beside_the_graph():
    assert (opweld.graph.COp, opweld.graph.CType) == (opweld.COp, opweld.CType)


def test_a_function_is_a_function():
    x = T.dvector("x")
    for f in (opweld.function([x], x + 1), opweld.function([x], x + 1, mode="DebugMode")):
        assert isinstance(f, opweld.Function) and issubclass(type(f), opweld.Function)
    for other in (len, opweld, None, x, object(), test_completion):
        assert not isinstance(other, opweld.Function)
    with pytest.raises(TypeError, match="abstract"):
        opweld.Function()


# -- T.tensor ----------------------------------------------------------------------------------------------------

FLOAT = opweld.config.floatX


@pytest.mark.parametrize(
    "args, options, name, dtype, shape",
    [
        (("x",), {"shape": (None, 3)}, "x", FLOAT, (None, 3)),
        (("x",), {"dtype": "int8", "shape": (None,)}, "x", "int8", (None,)),
        (("x", "float32", (2,)), {}, "x", "float32", (2,)),
        (("x", np.float32, (2,)), {}, "x", "float32", (2,)),
        ((), {"dtype": "int8", "shape": (2,), "name": "n"}, "n", "int8", (2,)),
        ((), {"shape": ()}, None, FLOAT, ()),
        (("float64", (None, 3)), {}, None, "float64", (None, 3)),
        (("float64", (False, True)), {}, None, "float64", (None, 1)),
        (("float64", [False, True], "x"), {}, "x", "float64", (None, 1)),
        (("d", (None,)), {}, None, "float64", (None,)),
        (("float16",), {"shape": (3,), "name": "x"}, "x", "float16", (3,)),
        (("float16",), {"shape": (3,)}, None, "float16", (3,)),
        (("float16",), {"shape": (3,), "dtype": "int8"}, "float16", "int8", (3,)),
        (("i",), {"shape": (3,), "dtype": "int8"}, "i", "int8", (3,)),
        ((np.dtype("i4"),), {"shape": ()}, None, "int32", ()),
        ((float, ()), {}, None, "float64", ()),
        (("floatX", ()), {}, None, FLOAT, ()),
        (("x",), {"broadcastable": (True, False)}, "x", FLOAT, (1, None)),
    ],
)
def test_tensor(args, options, name, dtype, shape):
    made = T.tensor(*args, **options)
    assert (made.name, made.type) == (name, T.TensorType(dtype, shape))


@pytest.mark.parametrize(
    "args, options, message",
    [
        (("x",), {}, r'^tensor\(\) needs a shape: tensor\("x", dtype="float64", shape=\(None, 3\)\)$'),
        (("d",), {"shape": ()}, r"^tensor\('d'\): is that the name or the dtype\? .*name='d', .*dtype='float64'"),
        (("i1",), {"shape": ()}, r"is that the name or the dtype\?"),
        (("double",), {"shape": ()}, r"is that the name or the dtype\?"),
        (("x",), {"name": "y", "dtype": "int8", "shape": ()}, r"^tensor\(\) got dtype twice: 'int8' and 'x'$"),
        (("x",), {"name": "y", "shape": ()}, r"^'x' is no dtype"),
        (("float64", (2,)), {"shape": (2,)}, r"^tensor\(\) got shape twice"),
        (("float64", (2,), "x", 1), {}, r"up to 3 positional arguments, got 4$"),
        (("x",), {"shap": ()}, r"unexpected keyword argument 'shap'"),
        (("x",), {"shape": (2,), "broadcastable": (True,)}, r"shape or broadcastable, and not both"),
    ],
)
def test_tensor_that_is_refused(args, options, message):
    with pytest.raises(TypeError, match=message):
        T.tensor(*args, **options)


# -- rounding ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [1.5, "1", None, [1], np.float64(1), np.array([1]), T.lscalar("n")])
def test_decimals_that_are_no_integer(decimals):
    with pytest.raises(TypeError) as caught:
        T.round(T.dvector("x"), decimals)
    if not isinstance(decimals, opweld.Variable):
        with pytest.raises(TypeError) as theirs:
            np.round(np.ones(2), decimals)
        assert str(caught.value) == str(theirs.value)
    if decimals is not None:
        with pytest.raises(TypeError):
            round(T.dvector("x"), decimals)


def test_decimals():
    x, values = T.dvector("x"), np.array([1 / 3, -2.5, 0.0, 1234.5678])
    decimals = [True, np.int64(2), np.array(3), -2, 0, 308, 309, 400, -309]
    found = opweld.function([x], [T.round(x, n) for n in decimals])(values)
    for n, got in zip(decimals, found, strict=True):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(got, np.round(values, n), str(n))


# -- keywords that nobody knows ----------------------------------------------------------------------------------


def test_misspelt_keywords():
    x = T.dvector("x")
    with pytest.raises(TypeError) as caught:
        printing.debugprint(x, print_typ=True)
    assert str(caught.value) == "debugprint() got an unexpected keyword argument 'print_typ'; is 'print_type' meant?"
    with pytest.raises(TypeError, match=r"debugprint\(\) .* 'zzz'; it takes depth, print_type, "):
        printing.debugprint(x, zzz=1)
    with pytest.raises(TypeError, match=r"pydotprint\(\) .* 'outfil'; is 'outfile' meant\?"):
        printing.pydotprint(x, outfil="a.svg")
    rewriter = node_rewriter(None)(lambda node: None)
    for given in (rewriter, None, "tag"):
        with pytest.raises(TypeError, match=r"register_canonicalize\(\) .* 'nmae'; is 'name' meant\?"):
            register_canonicalize(given, nmae="x")


def test_keywords_of_others():
    x = T.dvector("x")
    assert printing.debugprint(x, file="str", print_op_info=True, done=None, used_ids={}) == "x [id A]\n"
    assert "<svg" in printing.pydotprint(x + 1, with_ids=True, scan_graphs=False).svg
    assert register_canonicalize("tag", use_db_name_as_tag=False) is not None


# -- names of arguments ------------------------------------------------------------------------------------------


def test_two_inputs_of_one_name():
    a, b = T.dvector("x"), T.dvector("x")
    f = opweld.function([a, b], a - b)
    assert f([3.0], [1.0]).tolist() == [2]
    for name in ("x", "y"):
        with pytest.raises(TypeError) as caught:
            f([1.0], **{name: [1.0]})
        assert str(caught.value) == (
            f"f() got an unexpected keyword argument '{name}'; it takes out, and 2 by position only, which have no "
            "name or share one: In(variable, name=...) names one"
        )
    g = opweld.function([In(a, name="p"), b], a - b)
    assert g(p=[3.0], x=[1.0]).tolist() == [2] and g([3.0], x=[1.0]).tolist() == [2]


@pytest.mark.parametrize(
    "first, second, message",
    [
        ("y", "y", r"^inputs\[0\] is named 'y', and so is inputs\[1\]: name one of them otherwise, as by In"),
        (None, "x", r"^inputs\[1\] is named 'x', and so is inputs\[0\]"),
        ("x", None, r"^inputs\[0\] is named 'x', and so is inputs\[1\]"),
        ("out", None, r"^inputs\[0\] is named 'out', by which a call takes storage: give it another name$"),
    ],
)
def test_names_that_were_asked_for_and_cannot_be_used(first, second, message):
    a, b = T.dvector("x"), T.dvector("x")
    with pytest.raises(ValueError, match=message):
        opweld.function([In(a, name=first), In(b, name=second)], a + b)


def test_a_name_that_is_none():
    with pytest.raises(TypeError, match=r"^In\(x\): name must be a string, got 3"):
        In(T.dvector("x"), name=3)
    assert compat.theano is sys.modules["opweld.compat.theano"]
