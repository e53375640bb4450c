"""Params: one value or several as a struct, what shares a constant, literals, kept temporaries, check_input."""

import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, CType, FunctionGraph, engine, scalar, tensor
from opweld.compile.program import make_program
from opweld.enums import CEnumType, EnumList, EnumType
from opweld.generic import generic
from opweld.hooks.struct import Member, members
from opweld.params import Params, ParamsType
from opweld.tensor import TensorType

VECTOR = TensorType("float64", (None,))


class Text(CType):
    """A string, copied into memory of its own: what is not released leaks."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        if not isinstance(value, str):
            raise TypeError("expected a string")
        return value

    def c_declare(self, name, sub, check_input=True):
        return f"char *{name}, {name}_first[2]; /* a; b */ typedef char dtype_{name}; enum {{ e_{name} = 1 }};"

    def c_init(self, name, sub):
        return f"{name} = NULL;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"""
            const char* opw_text = PyUnicode_AsUTF8(py_{name});
            if (opw_text == NULL) {sub["fail"]}
            if (opw_text[0] == '!') {{ PyErr_SetString(PyExc_ValueError, "no"); {sub["fail"]} }}
            {name} = strdup(opw_text);
            {name}_first[0] = {name}[0];
            {name}_first[1] = 0;
        """

    def c_cleanup(self, name, sub):
        return f"free({name});"

    def c_code_cache_version(self):
        return (1,)


class CxxText(Text):
    """The same as a C++ class."""

    c_lang = "c++"

    def c_declare(self, name, sub, check_input=True):
        return f"std::string {name}; char {name}_first[2];"

    def c_init(self, name, sub):
        return f"{name}.clear();"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"""
            const char* opw_text = PyUnicode_AsUTF8(py_{name});
            if (opw_text == NULL) {sub["fail"]}
            if (opw_text[0] == '!') {{ PyErr_SetString(PyExc_ValueError, "no"); {sub["fail"]} }}
            {name} = opw_text;
            {name}_first[0] = {name}[0];
            {name}_first[1] = 0;
        """

    def c_cleanup(self, name, sub):
        return ""

    def c_headers(self):
        return ["<string>"]


class Affine(COp):
    """a * x + b[0] + (number of the text's first letter)."""

    __props__ = ("a", "text")
    params_type = ParamsType(a=scalar.float64, b=VECTOR, text=Text(), thing=generic)
    text_of = "{p}->text[0]"

    def __init__(self, a, b=(0.0,), text="\0", thing=None):
        self.a = a
        self.b = np.array(b, float)
        self.text = text
        self.thing = thing

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,), p = input_names, output_names, sub["params"]
        return f"""
            if ({z} == NULL || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), NPY_FLOAT64, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(double*)PyArray_GETPTR1({z}, i) = {p}->a * *(double*)PyArray_GETPTR1({x}, i)
                    + *(double*)PyArray_GETPTR1({p}->b, 0) + {p}->text_first[0] + (0 && {p}->thing == Py_None);
        """

    def c_code_cache_version(self):
        return (1,)


class AffineCxx(Affine):
    params_type = ParamsType(a=scalar.float64, b=VECTOR, text=CxxText(), thing=generic)


def program(inputs, outputs):
    return make_program(FunctionGraph(inputs, outputs))


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("base", [Affine, AffineCxx])
def test_several_values_as_a_struct(base, lang):
    cls = type("Affine", (base,), {"c_lang": lang})
    x = tensor.dvector("x")
    one, two = cls(2.0, [3.0], "A"), cls(-1.0, [0.5], "")
    f = opweld.function([x], [one(x), two(one(x))])
    first, second = f([0.0, 1.0])
    assert first.tolist() == [68, 70] and second.tolist() == [-67.5, -69.5]
    assert len(f.maker.program.data["kernels"]) == 1  # the values are no part of the text
    assert opweld.source(f).count(f"struct {cls.params_type.name} {{") == 1


@pytest.mark.parametrize("base", [Affine, AffineCxx])
def test_params_are_released(base):
    thing, b = object(), np.array([1.0])
    import sys

    op = base(1.0, text="Z", thing=thing)
    op.b = b
    before = sys.getrefcount(thing), sys.getrefcount(b)
    x = tensor.dvector("x")
    f = opweld.function([x], op(x))
    assert f([1.0]).tolist() == [1 + 1 + ord("Z")]
    assert sys.getrefcount(thing) > before[0]
    del f
    import gc

    gc.collect()
    assert (sys.getrefcount(thing), sys.getrefcount(b)) == before


@pytest.mark.parametrize("base", [Affine, AffineCxx])
def test_a_field_that_fails_releases_the_earlier_ones(base):
    import gc
    import sys

    b = np.array([1.0])
    op = base(1.0, text="!")
    op.b = b
    before = sys.getrefcount(b)
    x = tensor.dvector("x")
    for _ in range(3):
        with pytest.raises(ValueError, match=r"^no$"):
            opweld.function([x], op(x))
    gc.collect()
    assert sys.getrefcount(b) == before


def test_the_struct_has_a_name_of_its_content():
    one, two = (ParamsType(a=scalar.float64, b=VECTOR) for _ in range(2))
    assert one == two and hash(one) == hash(two) and one.name == two.name
    assert one.name.startswith("opw_params_")
    assert ParamsType(a=scalar.float32, b=VECTOR).name != one.name
    assert ParamsType(c=scalar.float64, b=VECTOR).name != one.name
    assert str(one) == "ParamsType(a=float64, b=TensorType(float64, (?,)))"
    parts = scalar.float64.c_code_cache_version(), VECTOR.c_code_cache_version()
    assert one.c_code_cache_version() == (1, *parts)
    assert ParamsType(a=scalar.float64, b=type("New", (Text,), {"c_code_cache_version": lambda self: ()})()
                      ).c_code_cache_version() == ()  # fmt: skip


def test_what_a_params_type_can_tell():
    one = ParamsType(b=VECTOR, a=scalar.float64)
    assert (one.fields, one.types, one.length) == (("a", "b"), (scalar.float64, VECTOR), 2)
    assert one.has_type(VECTOR) and not one.has_type(generic)
    assert one.get_type("a") == scalar.float64 and one.get_field(VECTOR) == "b"
    assert one.extended(c=generic).fields == ("a", "b", "c")

    class Holder:
        a, b = 1, [2.0]

    made = one.get_params(Holder(), a=3)
    assert (made.a, made["b"].tolist(), list(made)) == (3.0, [2.0], ["a", "b"])
    assert type(made.a) is np.float64
    assert one.filter({"a": 1.5, "b": [1.0]}).a == 1.5
    assert one.values_eq(made, made) and not one.values_eq(made, one.get_params(a=4, b=[2.0]))
    assert one.values_eq_approx(made, one.get_params(a=3.000000001, b=[2.0]))


def test_params_are_equal_by_content():
    one = ParamsType(b=VECTOR, a=scalar.float64)
    first, second = one.get_params(a=1, b=[2.0]), one.get_params(a=1, b=[2.0])
    assert first == second and hash(first) == hash(second)
    assert first != one.get_params(a=1, b=[3.0])
    assert one.get_params(a=0.0, b=[2.0]) != one.get_params(a=-0.0, b=[2.0])
    of_objects = ParamsType(a=generic)
    for zero, other in [(0.0, -0.0), ((1, 0.0), (1, -0.0)), (frozenset([0.0]), frozenset([-0.0])), (0j, -0j)]:
        assert of_objects.get_params(a=zero) == of_objects.get_params(a=zero) != of_objects.get_params(a=other)
    nan = of_objects.get_params(a=float("nan"))
    assert nan == of_objects.get_params(a=float("nan")) and hash(nan) == hash(of_objects.get_params(a=float("nan")))
    with pytest.raises(AttributeError, match="Params cannot be changed: 'a'"):
        first.a = 3
    with pytest.raises(AttributeError, match="Params has no field 'c'; there are a, b"):
        first.c  # noqa: B018
    again = pickle.loads(pickle.dumps(first))
    assert again == first and isinstance(again, Params)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ParamsType(), ValueError, "ParamsType needs a field: ParamsType(axis=opweld.scalar.int64)"),
        (lambda: ParamsType(a=3), TypeError, "ParamsType: the field 'a' must be a CType, got 3 (int)"),
        (
            lambda: ParamsType(int=generic),
            SyntaxError,
            "ParamsType: the field 'int' is no name for a C variable: it is a word of C",
        ),
        (
            lambda: ParamsType(**{"a b": generic}),
            AttributeError,
            "ParamsType: the field 'a b' is no name for a C variable",
        ),
        (lambda: ParamsType(a=generic).get_params(), TypeError, "ParamsType: no value for field 'a'"),
        (lambda: Params(ParamsType(a=generic), a=1, b=2), TypeError, "ParamsType: no field 'b'; there are a"),
        (lambda: ParamsType(a=generic).filter(3), TypeError, "ParamsType: no value for field 'a' in 3 (int)"),
        (lambda: ParamsType(a=Text()).filter({"a": 3}), TypeError, "field 'a': expected a string"),
        (lambda: ParamsType(a=Text()).filter(["x"], strict=True), TypeError, "expected Params, got ['x'] (list)"),
    ],
)
def test_what_a_params_type_refuses(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message


def test_declarations_that_become_members():
    def names(text):
        return [(member.text, member.names) for member in members(generic, text)]

    assert names("double a = 3, *b;") == [("double a, *b", ["a", "b"])]
    assert names("int (*f)(int, char); struct s { int x; } v[2][3];") == [
        ("int (*f)(int, char)", ["f"]), ("struct s { int x; } v[2][3]", ["v"])]  # fmt: skip
    assert names("typedef int t; enum { x = 1, y }; struct s { int x; };") == []
    with pytest.raises(TypeError) as caught:
        names("if (x) { }")
    assert str(caught.value) == (
        "Generic: c_declare gives 'if (x) { }', which cannot become a member of a struct in C: declare plain "
        "variables, or set c_lang = 'c++'"
    )


def test_declarations_that_only_a_grammar_reads():
    """A literal may hold what would end a declaration; what C would not take is refused here, not by the compiler."""
    for text, expected in (
        ("char c=';';", [("char c", ["c"])]),
        ('char *s = "/*", d[2]; int n; /* x; */', [("char *s, d[2]", ["s", "d"]), ("int n", ["n"])]),
        ("int a = f(1, 2), b = '\\'';", [("int a, b", ["a", "b"])]),
        ("int g(int), n;", [("int n", ["n"])]),
        ("const struct s *p;", [("const struct s *p", ["p"])]),
    ):
        assert [(member.text, member.names) for member in members(generic, text)] == expected
    for text in ("int a:3;", "static int x;", "return x;", "unsigned long;", "int", "#define x 1\nint y", "x * 3;"):
        told = re.escape(repr(" ".join(text.split())))
        with pytest.raises(TypeError, match=f"Generic: c_declare gives {told}, which cannot become a member"):
            members(generic, text)


@pytest.mark.parametrize(
    "text",
    ["int V;", VECTOR.c_declare("V", {"fail": ""}), scalar.bool.c_declare("V", {"fail": ""}), " ", "t a, *b[N][2];"],
)
def test_plain_declarations_are_read_as_the_grammar_reads_them(text):
    given = engine.members(text)
    assert given["refused"] == "" and members(generic, text) == [Member(**item) for item in given["members"]]


class Letter(CType):
    """One character; ``;`` until it is extracted."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        return str(value)

    def c_declare(self, name, sub, check_input=True):
        return f"char {name} = ';', *{name}_end = \"/*\";"

    def c_init(self, name, sub):
        return ""

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"if (PyUnicode_GetLength(py_{name}) == 1) {name} = (char)PyUnicode_ReadChar(py_{name}, 0);"

    def c_code_cache_version(self):
        return (1,)


class Begins(COp):
    """The code of a letter, and whether another variable of the same text has its value."""

    __props__ = ("letter",)
    params_type = ParamsType(letter=Letter())

    def __init__(self, letter):
        self.letter = letter

    def make_node(self):
        return Apply(self, [], [scalar.int64()])

    def c_code(self, node, name, input_names, output_names, sub):
        return f"{output_names[0]} = {sub['params']}->letter * 1000 + {sub['params']}->letter_end[1];"

    def c_code_cache_version(self):
        return (1,)


def test_a_field_begins_with_the_value_that_its_declaration_gives():
    for letter, expected in (("a", ord("a")), ("none", ord(";"))):
        assert opweld.function([], Begins(letter)())() == expected * 1000 + ord("*")


def test_a_second_process_reads_no_declaration(tmp_path):
    """What the grammar said is kept: Go is loaded by the first process only."""
    program = (
        "import sys\nfrom opweld.generic import generic\nfrom opweld.hooks.struct import Member, members\n"
        "print(*members(generic, \"char c=';';\")[0], 'opweld.engine' in sys.modules)"
    )
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "OPWELD_FLAGS": ""}
    run = [subprocess.check_output([sys.executable, "-c", program], text=True, env=environ) for _ in range(2)]
    assert run == ["char c ['c'] ['c'] True\n", "char c ['c'] ['c'] False\n"]


# -- params that are one value, and how ops come by them ---------------------------------------------------------------


class Plus(COp):
    """x + by, where `by` is params of one type."""

    __props__ = ("by",)
    params_type = scalar.float64

    def __init__(self, by):
        self.by = by

    def get_params(self, node):
        return self.by

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"{z} = {x} + {sub['params']};"

    def c_code_cache_version(self):
        return (1,)


def test_a_scalar_type_called_bool_hides_nothing():
    assert scalar.bool is scalar.get_scalar_type("bool")
    assert scalar.float64.values_eq(1.0, 1.0) is True


def test_one_value():
    x = scalar.float64("x")
    f = opweld.function([x], Plus(3)(Plus(4)(x)))
    assert f(1.0) == 8
    assert len(f.maker.program.data["kernels"]) == 1


def test_equal_params_are_one_constant():
    x = scalar.float64("x")
    made = program([x], [Plus(1)(Plus(2.0)(Plus(1.0)(x)))])
    assert [constant.data for constant in made.constants] == [1.0, 2.0]
    assert [step["params"] for step in made.data["steps"]] == [2, 4, 2]
    assert made.data["kernels"][0]["params"] == 0
    assert made.data["kernels"][0]["declares"][2].startswith("npy_float64 opw_VP;")


def test_params_type_may_be_of_the_instance_or_a_property():
    class Own(Plus):
        def __init__(self, by):
            self.by = by
            self.params_type = scalar.float64

    class Property(Plus):
        @property
        def params_type(self):
            return ParamsType(by=scalar.float64)

        get_params = COp.get_params

        def c_code(self, node, name, input_names, output_names, sub):
            return f"{output_names[0]} = {input_names[0]} + {sub['params']}->by;"

    x = scalar.float64("x")
    assert opweld.function([x], Own(3)(Property(4)(x)))(1.0) == 8


def test_no_params_where_get_params_is_not_written():
    class Without(Plus):
        get_params = COp.get_params

        def c_code(self, node, name, input_names, output_names, sub):
            assert "params" not in sub
            return f"{output_names[0]} = {input_names[0]};"

    x = scalar.float64("x")
    assert "params" not in program([x], [Without(1)(x)]).data["kernels"][0]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"params_type": 3}, TypeError, "Plus{by=1}: params_type must be a CType, got 3 (int)"),
        ({"params_type": generic, "get_params": lambda self, node: [1]}, TypeError,
         "Plus{by=1}: its params do not hash: [1] (list)"),
        ({"params_type": ParamsType(a=generic), "get_params": lambda self, node: {"a": [1]}}, TypeError,
         "Plus{by=1}: its params do not hash: field 'a': [1] (list)"),
        ({"params_type": ParamsType(axis=generic), "get_params": COp.get_params}, AttributeError,
         "Plus{by=1}: no attribute 'axis' for the field of that name in params_type; set it, or write get_params"),
        ({"params_type": Text()}, TypeError,
         "Plus{by=1}: get_params gave what its params_type refuses: expected a string"),
    ],
)  # fmt: skip
def test_params_that_are_wrong(change, error, message):
    op = type("Plus", (Plus,), change)(1)
    x = scalar.float64("x")
    with pytest.raises(error) as caught:
        program([x], [op(x)])
    assert str(caught.value) == message


@pytest.mark.parametrize("signature", ["node, inputs, storage, params", "node, inputs, storage, params=None", "*args"])
def test_perform_may_take_params(signature):
    space = {}
    exec(  # the three forms that are found in the wild
        f"def perform(self, {signature}):\n"
        + ("    node, inputs, storage, params = args\n" if "*" in signature else "")
        + "    storage[0][0] = inputs[0] + params\n",
        space,
    )
    op = type("InPython", (Plus,), {"perform": space["perform"], "c_code": COp.c_code})(4)
    x = scalar.float64("x")
    assert opweld.function([x], op(x))(1.0) == 5


def test_perform_need_not_take_params():
    class InPython(Plus):
        c_code = COp.c_code

        def perform(self, node, inputs, storage):
            storage[0][0] = inputs[0] + self.by

    x = scalar.float64("x")
    assert opweld.function([x], InPython(4)(x))(1.0) == 5


# -- enumerations -----------------------------------------------------------------------------------------------------


class Mode(COp):
    """x times what `mode` says."""

    __props__ = ("mode",)
    params_type = ParamsType(
        mode=EnumList(("TWICE", "double"), "THRICE", "WHOLE"), by=EnumType(SMALL=0.5, LARGE=(7, "l"))
    )

    def __init__(self, mode, by="l"):
        self.mode = mode
        self.by = by

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        return f"""
            switch ({sub["params"]}->mode) {{
            case TWICE: {output_names[0]} = 2 * {input_names[0]}; break;
            case THRICE: {output_names[0]} = 3 * {input_names[0]}; break;
            default: {output_names[0]} = {sub["params"]}->by == LARGE ? LARGE * {input_names[0]} : SMALL;
            }}
        """

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_enumerations(lang):
    cls = type("Mode", (Mode,), {"c_lang": lang})
    x = scalar.float64("x")
    ops = [cls("TWICE"), cls("double"), cls(1), cls(Mode.params_type.WHOLE), cls("WHOLE", "SMALL")]
    f = opweld.function([x], [op(x) for op in ops])
    assert [float(value) for value in f(10.0)] == [20, 20, 30, 70, 0.5]
    assert len(f.maker.program.data["kernels"]) == 1


def test_what_an_enumeration_can_tell():
    enum = EnumType(B=(2, "beta"), A=1, C=True)
    assert (enum.A, enum["B"], enum.C, list(enum), len(enum), "B" in enum) == (1, 2, 1, ["A", "B", "C"], 3, True)
    assert enum.fromalias("beta") == enum.fromalias("B") == 2
    assert enum.has_alias("beta") and enum.get_aliases() == ("beta",) and enum.aliases == {"beta": "B"}
    assert enum == EnumType(A=1, B=(2, "beta"), C=1) != EnumType(A=1, B=2, C=1)
    assert str(EnumList("X", "Y")) == "EnumList<int>(X:0, Y:1)"
    wrapper = ParamsType(e=enum, f=EnumList("ZERO", ("ONE", "unit")))
    assert (wrapper.A, wrapper.ONE, wrapper.get_enum("B"), wrapper.enum_from_alias("unit")) == (1, 1, 2, 1)
    assert wrapper.enum_from_alias("ZERO") == 0
    with pytest.raises(AttributeError, match="ParamsType has no attribute 'D'"):
        wrapper.D  # noqa: B018
    with pytest.raises(TypeError) as caught:
        enum.filter("gamma")
    assert str(caught.value) == "expected one of A, B, C, 'beta', got 'gamma'"
    assert pickle.loads(pickle.dumps(enum)) == enum and pickle.loads(pickle.dumps(wrapper)) == wrapper


def test_constants_of_c():
    class Limit(Plus):
        params_type = CEnumType("EDOM", "ERANGE")

        def c_headers(self):
            return ["<errno.h>"]

    import errno

    x = scalar.float64("x")
    f = opweld.function([x], [Limit("EDOM")(x), Limit(1)(x)])
    assert [float(value) for value in f(0.0)] == [errno.EDOM, errno.ERANGE]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: EnumType(a=1), AttributeError, "EnumType: a constant must be a C name in capital letters, got 'a'"),
        (lambda: EnumType(A="x"), TypeError, "EnumType: the constant 'A' must be a number, got 'x' (str)"),
        (lambda: EnumList("a"), AttributeError, "EnumList: a constant must be a C name in capital letters, got 'a'"),
        (lambda: EnumList("A", "A"), TypeError, "EnumList: the constant 'A' occurs twice"),
        (lambda: EnumList(("A", "B"), "B"), TypeError, "EnumList: 'B' is a constant and an alias"),
        (lambda: EnumList(("A", "x"), ("B", "x")), TypeError,
         "EnumList: 'x' cannot be an alias of 'B': a string, used once"),
    ],
)  # fmt: skip
def test_enumerations_that_are_wrong(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message
