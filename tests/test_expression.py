"""``opweld.scalar.expr``: what Python and NumPy make of the same text, and what is said of a text that is none."""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit import DTYPES, tensor, values

import opweld
from opweld import ExpressionError, config, engine
from opweld.compile import cache, store
from opweld.dtypes import dtype_of
from opweld.scalar import expr, float64
from opweld.tensor import Elemwise

NUMPY = {name: getattr(np, name) for name in "sin cos exp sqrt arctan2 maximum minimum logical_and where clip".split()}
NUMPY |= {name: getattr(np, name) for name in "rint isnan hypot add real imag conj floor remainder".split()}
NUMPY |= {"np": np, "abs": abs, "pow": pow, "pi": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan}


def numpy_value(text, **arrays):
    """What Python makes of the text with arrays for its names."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, {**NUMPY, **arrays})


def computed(text, **arrays):
    """What the expression's Python makes of them; its dtypes are those that it says."""
    op = expr(text, args=list(arrays))
    dtypes = op.output_dtypes(tuple([dtype_of(array.dtype).name for array in arrays.values()]))
    found = op.compute(list(arrays.values()), list(dtypes))
    assert [dtype_of(array.dtype).name for array in found] == list(dtypes)
    return found[0]


def same(found, wanted):
    """The same dtype, shape and values; what is less than 1 may be what a difference left of more."""
    wanted = np.asarray(wanted)
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    if wanted.dtype.kind in "fc":
        np.testing.assert_allclose(found, wanted, rtol=4 * (eps := np.finfo(wanted.dtype).eps), atol=eps)
    else:
        np.testing.assert_array_equal(found, wanted)


TEXTS = """
    x + y
    x*y + 1
    x*2.5 - y
    1 - x
    x / y
    x // y
    x % y
    x**2 + y
    2*x + 3j
    x*True
    -x + +y
    ~x ^ y
    x & y | 1
    x << 1 >> y
    x < y
    x <= 1
    (x == y) & (x != 0)
    x > 300
    -1 < x
    sin(x) + cos(y)*2
    sin(1) + x
    np.maximum(x, y) + np.pi
    where(x > 0, x, 1)
    where(x, y, 2.5)
    arctan2(x, 2)
    maximum(x, 3)
    clip(x, 0, 1)
    x**-1 * 1.0
    x**0.5
    x**3.0
    np.power(x, 2)
    abs(x) + abs(-3)
    hypot(x, y) * e
    sqrt(x)
    isnan(x) + y
    real(x) - imag(y)
    conj(x)*x
    add(1, 2)*x
    2**3 * x
    x + 1/4 + 7//2 + 7%4 + (2 < 3) + inf
    exp(-x**2)
    logical_and(x, y)
    0x10 + x
    x + (y + (x + y))
    x
""".strip().splitlines()


@pytest.mark.parametrize("text", [text.strip() for text in TEXTS])
def test_the_same_as_python_with_numpy(text):
    for dtype in DTYPES:
        for other in (dtype, "int16", "float32"):
            x, y = values(dtype, (3, 1), seed=1), values(other, (4,), seed=2)
            arrays = {"x": x, "y": y % 8 if "<<" in text and y.dtype.kind in "iu" else y}
            if "y" not in text:
                del arrays["y"]
            try:
                wanted = numpy_value(text, **arrays)
            except ValueError:  # at run time: an integer to a negative power
                continue
            except (TypeError, OverflowError) as err:
                kind = TypeError if isinstance(err, TypeError) else OverflowError
                with pytest.raises(kind, match="line 1, column"):
                    computed(text, **arrays)
                continue
            same(computed(text, **arrays), wanted)


def test_choices_have_pythons_meaning_element_by_element():
    x, y = np.array([0.0, 1.0, np.nan, 2.0]), np.array([3.0, 0.0, 5.0, 1.0])
    texts = """
        x and y; x or y; not x; x if y else 7; x < y < 3; x < 2 and y; y > x > 0 or not y; x and y or 5; 0 or x
        1 and x; 0 and x; x if 1 < 2 else y; not x == y; x or 0
    """
    for text in texts.strip().replace("\n", ";").split(";"):
        text = text.strip()
        found = computed(text, x=x, y=y)
        wanted = [eval(text, {"x": a, "y": b}) for a, b in zip(x.tolist(), y.tolist())]
        np.testing.assert_array_equal(found, wanted, err_msg=text)
    i = np.array([0, 5], "int8")
    assert computed("i and 3", i=i).dtype == "int8"
    assert computed("i or 2.5", i=i).dtype == np.result_type(i, 2.5)
    assert computed("i > 1 and i < 3", i=i).dtype == bool
    assert computed("1 if i else 2", i=i).dtype == np.where(i, 1, 2).dtype


def test_functions_that_only_python_has():
    x = np.array([1.5, -2.5, np.nan])
    np.testing.assert_array_equal(computed("round(x)", x=x), np.rint(x))
    np.testing.assert_array_equal(computed("min(x, 0, -1)", x=x), np.minimum(np.minimum(x, 0), -1))
    np.testing.assert_array_equal(computed("max(x, 0)", x=x), np.maximum(x, 0))
    assert computed("round(i) + round(2.5) + min(3, 1)", i=np.array([7], "int8")).tolist() == [10]
    assert computed("round(i)", i=np.array([7], "int8")).dtype == "int8"


# -- grammar -----------------------------------------------------------------------------------------------------

BINARY = "+ - * / // % ** << >> & | ^ < <= > >= == != and or".split()
LEAVES = st.sampled_from(["x", "y", "zz", "1", "2.5", "0x1f", "3j", "True", ".5", "1e3", "pi"])


def _grown(texts):
    return st.one_of(
        st.builds(lambda a, op, b: f"{a} {op} {b}", texts, st.sampled_from(BINARY), texts),
        st.builds(lambda a, op, b: f"{a}{op}{b}", texts, st.sampled_from(BINARY[:12]), texts),
        st.builds(lambda op, a: op + a, st.sampled_from(["-", "+", "~", "not "]), texts),
        st.builds("({})".format, texts),
        st.builds("{} if {} else {}".format, texts, texts, texts),
        st.builds("sin({})".format, texts),
        st.builds("np.maximum({},{} )".format, texts, texts),
    )


SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or", ast.UAdd: "+",
    ast.USub: "-", ast.Invert: "~", ast.Not: "not",
}  # fmt: skip


def by_python(node):
    """The tree that Python reads, as nested tuples."""
    match node:
        case ast.Name("pi"):
            return ("float", np.pi)
        case ast.Name(name):
            return name
        case ast.Constant(value):
            return (type(value).__name__, value)
        case ast.UnaryOp(op, a):
            return (SIGNS[type(op)], by_python(a))
        case ast.BinOp(a, op, b):
            return (SIGNS[type(op)], by_python(a), by_python(b))
        case ast.BoolOp(op, parts):
            made = by_python(parts[0])
            for part in parts[1:]:
                made = (SIGNS[type(op)], made, by_python(part))
            return made
        case ast.Compare(left, ops, others):
            parts = [by_python(part) for part in (left, *others)]
            tests = [(SIGNS[type(op)], a, b) for op, a, b in zip(ops, parts, parts[1:])]
            made = tests[0]
            for test in tests[1:]:
                made = ("and", made, test)
            return made
        case ast.IfExp(test, a, b):
            return ("if", by_python(test), by_python(a), by_python(b))
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name), args):
            return (name, *[by_python(arg) for arg in args])
    raise NotImplementedError(ast.dump(node))


def by_engine(answer):
    """What the engine reads, in the same form."""
    made = list(answer["args"])
    read = {"int": int, "float": float, "bool": "True".__eq__}
    for step in answer["body"]:
        if step["op"] != "constant":
            made.append((step["op"], *[made[arg] for arg in step["args"]]))
        elif step["kind"] == "imaginary":
            made.append(("complex", complex(0, float(step["value"]))))
        else:
            made.append((step["kind"], read[step["kind"]](step["value"])))
    (result,) = answer["results"]
    return made[result]


@settings(max_examples=300)
@given(st.recursive(LEAVES, _grown, max_leaves=8))
def test_the_tree_is_pythons(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "1if x": Python 3.12 warns of it
        try:
            wanted = by_python(ast.parse(text, mode="eval").body)
        except SyntaxError:
            wanted = None
    if wanted is None:
        with pytest.raises(ExpressionError):
            engine.parse(text)
    else:
        assert by_engine(engine.parse(text)) == wanted


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(st.sampled_from([*"xy12.,()[]{}=:;\\\n\t #'\"@!", *BINARY, "lambda", "if", "else", "sin", "np", " "]))
        .map("".join),
    )
)  # fmt: skip
def test_any_text_is_read_or_refused(text):
    try:
        op = expr(text)
    except (ExpressionError, TypeError, ZeroDivisionError, OverflowError, ValueError) as err:
        assert "opweld.scalar.expr: " in str(err)
    else:
        assert op.nin >= 1


# -- the op ------------------------------------------------------------------------------------------------------


def test_applied_to_tensors():
    x, y = tensor("float64", 2, "x"), tensor("int32", 1, "y")
    op = expr("x*y + sin(x)")
    assert isinstance(op(x, y).owner.op, Elemwise)
    both = opweld.function([x, y], [op(x, y), op(y=y, x=x), Elemwise(op)(x, y), op(x, 2)])
    a, b = values("float64", (3, 4)), values("int32", (4,))
    wanted = a * b + np.sin(a)
    for found in both(a, b)[:3]:
        same(found, wanted)
    same(both(a, b)[3], a * 2 + np.sin(a))


PAIRS = [("float64", "float64"), ("float32", "int8"), ("int64", "uint8"), ("complex128", "bool")]


@pytest.mark.parametrize("dtypes", PAIRS)
def test_compiled_the_same_as_in_python(dtypes):
    """The engine's loops: many expressions in one function."""
    x, y = tensor(dtypes[0], 2, "x"), tensor(dtypes[1], 1, "y")
    a, b = values(dtypes[0], (3, 4)), values(dtypes[1], (4,))
    if a.dtype.kind == "i":
        a, b = a % 100, b % 8  # NumPy's own shifts are C's, which say nothing of the rest
    ops, wanted = [], []
    for text in [*TEXTS, "x and y or 2", "x if y else 1.5", "x < y < 3", "not x", "lambda x, y: round(x)"]:
        op = expr(text.strip(), args=["x", "y"])
        try:
            wanted += op.compute([a, b], list(op.output_dtypes(dtypes)))
            ops.append(op)
        except (TypeError, OverflowError, ValueError):  # ValueError: an integer to a negative power
            pass
    assert len(ops) > 30
    for array, expected in zip(opweld.function([x, y], [op(x, y) for op in ops])(a, b), wanted):
        same(array, expected)


def test_float16_is_rounded_after_each_operation():
    """As NumPy's arrays are between two of its functions; in float32 the results would be 1 and 2."""
    x, y = tensor("float16", 1, "x"), tensor("float16", 1, "y")
    a, b = np.array([2048, 60000], "float16"), np.array([1, 60000], "float16")
    with np.errstate(over="ignore"):
        wanted = [(a + b) - a, (a + b) / b]
    assert wanted[0][0] == 0 and wanted[1][1] == np.inf
    f = opweld.function([x, y], [expr("(x + y) - x")(x, y), expr("(x + y) / y")(x, y)])
    for found, expected in zip(f(a, b), wanted):
        same(found, expected)


def test_applied_to_scalars():
    x = float64("x")
    z = expr("x*2 + 1")(x)
    assert z.type == float64
    assert expr("x*2 + 1").impl(np.float64(3)) == 7.0


def test_several_results():
    x = tensor("float32", 1, "x")
    op = expr("t = x + 1\nt, t < 2, 0, x")
    outputs = op(x)
    assert [z.type.dtype for z in outputs] == ["float32", "bool", "int64", "float32"]
    a = np.array([0, 5], "f4")
    found = opweld.function([x], outputs)(a)
    assert [z.tolist() for z in found] == [[1, 6], [True, False], [0, 0], [0, 5]]
    assert not np.shares_memory(found[3], a)


def test_a_result_has_the_shape_of_all_arguments():
    found = expr("x", args=["x", "y"]).compute([np.zeros((3, 1)), np.zeros(4)], ["float64"])
    assert found[0].shape == (3, 4)
    assert found[0].flags.writeable


BODIES = ["x*y + sin(x)", "x and y", "x > 300", "(x if y else 2.5) // 3", "x*1j + y", "round(x)**y", "x**2 + 1e300*y"]


@pytest.mark.parametrize("text", BODIES)
def test_the_body_computes_what_numpy_computes(text):
    """Instruction by instruction, with casts where docs/program.md wants them."""
    op = expr(text, args=["x", "y"])
    for dtypes in (("float32", "int8"), ("uint8", "float64"), ("bool", "int16"), ("int64", "bool")):
        x, y = [abs(values(dtype, 5)) for dtype in dtypes]
        body = op.body(dtypes)
        made, have = [x, y], list(dtypes)
        for step in body.instructions:
            arguments = [made[arg] for arg in step.get("args", ())]
            dtype = np.dtype(step["dtype"])
            if step["op"] == "constant":
                parts = [{"true": 1, "false": 0}.get(part) or float(part) for part in step["value"].split()]
                made.append(dtype.type(complex(*parts) if dtype.kind == "c" else parts[0]))
            elif step["op"] == "cast":
                made.append(arguments[0].astype(dtype))
            else:
                with np.errstate(all="ignore"):
                    made.append(getattr(np, step["op"])(*arguments))
                if step["op"] != "where":
                    loop = getattr(np, step["op"]).resolve_dtypes((*[np.dtype(have[a]) for a in step["args"]], None))
                    assert [d.name for d in loop] == [*[have[a] for a in step["args"]], step["dtype"]]
            assert made[-1].dtype == dtype
            have.append(step["dtype"])
        (found,) = op.compute([x, y], list(body.dtypes))
        np.testing.assert_array_equal(np.broadcast_to(made[body.results[0]], found.shape), found)


def test_equal_instructions_are_one_value():
    op = expr("x*x + x*x")
    assert [step.op for step in op.steps] == ["*", "+"]
    assert len(expr("(x + 1)*(x + 1.0)").body(("float32",)).instructions) == 3


def test_equality_is_of_what_is_computed():
    assert expr("x + y") == expr("(a +\n b)")
    assert hash(expr("x + y")) == hash(expr("a + b"))
    assert expr("x + y") != expr("y + x", args=["x", "y"])
    assert expr("x + 1") != expr("x + 1.0")
    assert expr("x + 1") != expr("x + True")
    assert expr("x + nan") == expr("y + nan")
    assert expr("x + 2*3") == expr("x + 6")


def test_pickle_and_text():
    op = expr("x*2 + y")
    op.output_dtypes(("float32", "int8"))
    again = pickle.loads(pickle.dumps(op))
    assert again == op
    assert (again.text, again.args) == ("x*2 + y", ("x", "y"))
    assert str(op) == "x*2 + y"
    assert str(expr(" t = x  # first\n\n (t +\n  1) * \\\n t")) == "t = x; (t + 1) * t"
    assert repr(expr("y + x", args=["x", "y"])) == "expr('y + x', args=['x', 'y'])"


def test_merge_and_debugmode():
    x = tensor("float64", 1, "x")
    outputs = [expr("x*2 + 1")(x), expr("y*2 + 1")(x)]
    found = opweld.function([x], outputs, mode="DebugMode")(np.arange(3.0))
    assert [z.tolist() for z in found] == [[1, 3, 5]] * 2


# -- what is refused ---------------------------------------------------------------------------------------------


OF_A_TEXT = {
    "x + sinn(x)": (
        ExpressionError,
        "line 1, column 5: no function 'sinn'; did you mean 'sin'?\n    x + sinn(x)\n        ^",
    ),
    "": (ExpressionError, "line 1, column 1: the expression is empty\n    \n    ^"),
    "t = x\n\té + t": (
        ExpressionError,
        "line 2, column 2: this line is indented otherwise than the first\n    \té + t\n    \t^",
    ),
    "é\t+ x[0]": (
        ExpressionError,
        "line 1, column 6: subscripts are not elementwise: index the array before it is given to the expression\n"
        "    é\t+ x[0]\n     \t   ^",
    ),
    "x + 1/0": (ZeroDivisionError, "line 1, column 6: division by zero\n    x + 1/0\n         ^"),
    "x + 2.0**9999": (
        OverflowError,
        "line 1, column 8: Numerical result out of range\n    x + 2.0**9999\n           ^",
    ),
    "x << (1 << 9999)": (
        OverflowError,
        "line 1, column 9: the integer is too large\n    x << (1 << 9999)\n            ^",
    ),
    "x + (1 << 4095) * 2": (
        OverflowError,
        "line 1, column 17: the integer is too large\n    x + (1 << 4095) * 2\n                    ^",
    ),
    "x + ~1.5": (
        TypeError,
        "line 1, column 5: bad operand type for unary ~: 'float'\n    x + ~1.5\n        ^",
    ),
}


@pytest.mark.parametrize("text", OF_A_TEXT)
def test_errors_show_the_place(text):
    kind, said = OF_A_TEXT[text]
    with pytest.raises(kind) as caught:
        expr(text)
    assert str(caught.value) == "opweld.scalar.expr: " + said


def test_dtypes_that_an_operation_does_not_take():
    x = tensor("float64", 1)
    with pytest.raises(TypeError) as caught:
        expr("y +\\\n  ~x")(x, x)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("opweld.scalar.expr: line 2, column 3: '~' cannot be applied to float64: ufunc 'invert'")
    assert lines[-2:] == ["      ~x", "      ^"]
    with pytest.raises(OverflowError, match=r"column 3: '\+' cannot be applied to uint8 and a Python int: "):
        expr("x + 300")(tensor("uint8", 1))
    with pytest.raises(TypeError, match="numpy boolean subtract"):
        expr("x - y")(tensor("bool", 1), tensor("bool", 1))


def test_long_lines_are_cut():
    with pytest.raises(ExpressionError) as caught:
        expr("x + " * 100 + "$ + x" * 100)
    _, shown, caret = str(caught.value).splitlines()
    assert len(shown) < 120
    assert shown[caret.index("^")] == "$"


def test_arguments():
    assert expr("y + x").args == ("y", "x")
    assert expr("y + x", args=["x", "y", "z"]).args == ("x", "y", "z")
    assert expr("lambda b, a: a").args == ("b", "a")
    for args, kind, said in (
        ("xy", TypeError, "args is the string 'xy', expected a list of names"),
        (["x", "x"], ValueError, "a name occurs twice"),
        (["lambda"], ValueError, "'lambda' is no name"),
        (["x y"], ValueError, "'x y' is no name"),
        ([1], ValueError, "1 is no name"),
    ):
        with pytest.raises(kind, match=said):
            expr("x + y", args=args)
    with pytest.raises(ExpressionError, match='"y" is neither an argument nor a constant'):
        expr("x + y", args=["x"])
    with pytest.raises(ExpressionError, match="has no argument"):
        expr("1 + 2")
    with pytest.raises(ExpressionError, match="write 'fi' for"):
        expr("\ufb01 + x")
    with pytest.raises(TypeError, match="expected the text of an expression, got 1"):
        expr(1)


def test_calls():
    x, op = tensor("float64", 1), expr("a + b")
    with pytest.raises(TypeError, match=r"takes 2 arguments \(a, b\), got 3"):
        op(x, x, x)
    with pytest.raises(TypeError, match="missing 'b'"):
        op(x)
    with pytest.raises(TypeError, match="argument 'a' is given twice"):
        op(x, a=x)
    with pytest.raises(TypeError, match="no argument 'c'; it has a, b"):
        op(x, c=x)
    assert op(x, b=x).type.dtype == "float64"


# -- the cache ---------------------------------------------------------------------------------------------------


def in_a_process(code, folder):
    """What a fresh process prints that has its cache in the folder."""
    environ = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


PARSE = """
    import sys
    from opweld.scalar import expr
    op = expr("x*y + 1")
    print(len(op.steps), *op.args, "opweld._engine" in sys.modules, "opweld.engine" in sys.modules)
"""


def test_a_second_process_loads_no_engine(tmp_path):
    assert in_a_process(PARSE, tmp_path) == ["2", "x", "y", "True", "True"]
    assert in_a_process(PARSE, tmp_path) == ["2", "x", "y", "False", "False"]


def test_a_function_is_found_by_a_second_process(tmp_path):
    code = """
        import sys
        import opweld
        from opweld.scalar import expr
        from opweld.tensor import vector
        x = vector("x")
        f = opweld.function([x], expr("x*x + 1")(x))
        print(f.maker.built.hit, "opweld._engine" in sys.modules, *f([1.0, 2.0]))
    """
    assert in_a_process(code, tmp_path) == ["False", "True", "2.0", "5.0"]
    assert in_a_process(code, tmp_path) == ["True", "False", "2.0", "5.0"]


def test_damage_is_a_miss(tmp_path):
    in_a_process(PARSE, tmp_path)
    (kept,) = (tmp_path / "opweld" / "v2" / "expr").glob("*/*")
    whole = kept.read_bytes()
    for damaged in (b"", whole[:-1], whole.replace(b'"x"', b'"z"'), b"opweld-cache 3 " + whole[15:]):
        kept.write_bytes(damaged)
        assert in_a_process(PARSE, tmp_path) == ["2", "x", "y", "True", "True"]
        assert kept.read_bytes() == whole
    assert not list((tmp_path / "opweld" / "v2" / "tmp").iterdir())
    assert store.clear(str(tmp_path / "opweld"))[0] == 1


def test_a_folder_that_cannot_be_written_is_left(tmp_path):
    (tmp_path / "v2").write_text("no folder")
    store.remember("expr", "0" * 64, {}, str(tmp_path))
    assert isinstance(cache.recall("expr", "0" * 64, str(tmp_path)), cache.Miss)


def test_a_forked_process_parses_too(tmp_path, monkeypatch):
    """Go's threads do not survive a fork: the child asks in a fresh process."""
    engine.parse("x")  # the engine is loaded here
    monkeypatch.setattr(config, "compiledir", str(tmp_path))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, expr("forked + 1").args[0].encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        assert answers.read() == "forked"
    assert os.waitpid(child, 0)[1] == 0
