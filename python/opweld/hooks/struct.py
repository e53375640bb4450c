"""The C of a `ParamsType`: a struct with what each field's type declares, and how it is filled and released."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from opweld.answers import answer, engine
from opweld.hooks.asking import ABSENT, ask, text

__all__ = ["members", "struct_text"]

_ANSWERED = frozenset(("members", "refused"))
_FAIL = "{ opw_failed = 1; goto opw_done; }"
_LEFT_OUT = re.compile(r"\b(?:typedef\s+\w+\s+\w+|enum\s*\{[\w\s=,]*\})\s*;")
_FIRST = re.compile(r"\s*[^\W\d]\w*(?:\s+[^\W\d]\w*)*(?:\s+|\s*\*[\s*]*)([^\W\d]\w*)(?:\[\w+\])*\s*")
_FURTHER = re.compile(r"[\s*]*([^\W\d]\w*)(?:\[\w+\])*\s*")
# Where one of these stands, the grammar is asked: it is no declaration of variables, or not all of one.
_NO_DECLARATION = frozenset(
    "auto break case const continue default do else enum extern for goto if inline register return sizeof static "
    "struct switch typedef typeof union volatile while".split()
)
_NO_NAME = frozenset("_Bool _Complex char double float int long restrict short signed unsigned void".split())

_FIELD = """\
static inline int {struct}_take_{field}({struct}* opw_p, PyObject* py_{field})
{{
    int opw_failed = 0;
{declare}
{begin}
    {{
{extract}
    }}
    goto opw_done;
opw_done:
{save}
    return opw_failed || PyErr_Occurred() ? -1 : 0;
}}

static inline void {struct}_drop_{field}({struct}* opw_p)
{{
{declare}
{load}
    {{
{cleanup}
    }}
}}
"""

_CXX_FIELD = """\
    int opw_take_{field}(PyObject* py_{field})
    {{
        int opw_failed = 0;
        {{
{extract}
        }}
        goto opw_done;
    opw_done:
        return opw_failed || PyErr_Occurred() ? -1 : 0;
    }}

    void opw_drop_{field}()
    {{
{cleanup}
    }}
"""

_CXX_CALLS = """\
static inline int {struct}_take_{field}({struct}* opw_p, PyObject* py) {{ return opw_p->opw_take_{field}(py); }}
static inline void {struct}_drop_{field}({struct}* opw_p) {{ opw_p->opw_drop_{field}(); }}
"""

_TAKE = """\
    opw_field = PyObject_GetAttrString(py_params, "{field}");
    if (opw_field != NULL) {{
        opw_reached = {number};
        opw_failed = {struct}_take_{field}(opw_p, opw_field);
        Py_DECREF(opw_field);
    }}
    if (opw_field == NULL || opw_failed) {{
        {struct}_release(opw_p, opw_reached);
        return NULL;
    }}
"""

_WHOLE = """\
/* Releases the first `reached` fields, last first, and the struct. */
static inline void {struct}_release({struct}* opw_p, int opw_reached)
{{
{drops}
    {delete}
}}

static inline void {struct}_free({struct}* opw_p)
{{
    if (opw_p != NULL) {struct}_release(opw_p, {count});
}}

/* Makes a struct of an object's attributes. NULL: failed, with an exception set. */
static inline {struct}* {struct}_make(PyObject* py_params)
{{
    PyObject* opw_field;
    int opw_failed = 0, opw_reached = 0;
    {struct}* opw_p = {new};
    if (opw_p == NULL) {{
        PyErr_NoMemory();
        return NULL;
    }}
{takes}
    return opw_p;
}}
"""


def struct_text(struct: str, fields: tuple[str, ...], types: tuple[Any, ...], cxx: bool) -> str:
    """Write a struct with its functions ``<struct>_make`` and ``<struct>_free``.

    Parameters
    ----------
    struct : str
        Its name.
    fields : tuple of str
        The members.
    types : tuple of CType
        Their types.
    cxx : bool
        The types are C++: their values are built and destroyed in place. Else the text is C, and C++ too.

    Returns
    -------
    str
        What stands at file scope.
    """
    written = [_texts(field, type_) for field, type_ in zip(fields, types)]
    parts = _cxx(struct, fields, written) if cxx else _c(struct, fields, types, written)
    drops = [
        f"    if (opw_reached >= {i}) {struct}_drop_{field}(opw_p);" for i, field in reversed([*enumerate(fields, 1)])
    ]
    takes = [_TAKE.format(struct=struct, field=field, number=i) for i, field in enumerate(fields, 1)]
    parts.append(
        _WHOLE.format(
            struct=struct,
            drops="\n".join(drops),
            takes="".join(takes),
            count=len(fields),
            new=f"new (std::nothrow) {struct}()" if cxx else f"({struct}*)calloc(1, sizeof({struct}))",
            delete="delete opw_p;" if cxx else "free(opw_p);",
        )
    )
    return "\n".join(parts)


def _texts(field: str, type_: object) -> dict[str, str]:
    sub = {
        "fail": _FAIL, "failure_var": "opw_failed", "id": 0, "py_ptr": f"py_{field}", "stor_ptr": f"storage_{field}"
    }  # fmt: skip
    answers = {
        "declare": ask(type_, "c_declare", field, sub, check_input=True),
        "extract": ask(type_, "c_extract", field, sub, check_input=True),
        "cleanup": ask(type_, "c_cleanup", field, sub),
    }
    return {
        hook: "" if answer is ABSENT else text(type_, f"c_{hook}", answer, needed=hook != "cleanup")
        for hook, answer in answers.items()
    }


def _c(struct: str, fields: tuple[str, ...], types: tuple[Any, ...], written: list[dict[str, str]]) -> list[str]:
    body, functions = [], []
    for field, type_, texts in zip(fields, types, written):
        found = members(type_, texts["declare"])
        body += [f"    {member.text};" for member in found]
        names = [name for member in found for name in member.names]
        given = {name for member in found for name in member.given}
        loads = {n: f"    memcpy((void*)&{n}, (void*)&opw_p->{n}, sizeof({n}));" for n in names}
        functions.append(
            _FIELD.format(
                struct=struct,
                field=field,
                begin="\n".join([line for name, line in loads.items() if name not in given]),
                load="\n".join(loads.values()),
                save="\n".join(f"    memcpy((void*)&opw_p->{n}, (void*)&{n}, sizeof({n}));" for n in names),
                **texts,
            )
        )
    return ["\n".join([f"typedef struct {struct} {{", *body, f"}} {struct};\n"]), *functions]


def _cxx(struct: str, fields: tuple[str, ...], written: list[dict[str, str]]) -> list[str]:
    body = [f"struct {struct} {{"]
    body += [texts["declare"] for texts in written]
    body += [_CXX_FIELD.format(field=field, **texts) for field, texts in zip(fields, written)]
    return ["\n".join([*body, "};\n"]), *(_CXX_CALLS.format(struct=struct, field=field) for field in fields)]


class Member(NamedTuple):
    """A declaration of variables as a struct of C can have it."""

    text: str  # without initialisers
    names: list[str]  # of the variables
    given: list[str]  # of those that the declaration gives a value


def members(type_: object, declaration: str) -> list[Member]:
    """Read what a C declaration declares, to make struct members of it.

    Parameters
    ----------
    type_ : CType
        Whose declaration, for messages.
    declaration : str
        What its `c_declare` gave.

    Returns
    -------
    list of Member
        Each declaration of variables. Typedefs, enums and prototypes are left out.

    Raises
    ------
    TypeError
        If it cannot be read; a type with ``c_lang = "c++"`` need not be.

    Notes
    -----
    The engine's grammar reads it, once for each text and engine. What nearly all types declare needs no grammar.
    """
    found = _plain(declaration)
    if found is not None:
        return found
    given = answer("decl", 1, {"text": declaration}, _ANSWERED, lambda: engine.members(declaration))
    if given["refused"]:
        raise TypeError(
            f"{type_}: c_declare gives {' '.join(declaration.split())!r}, which cannot become a member of a struct in "
            f"C: declare plain variables, or set c_lang = 'c++'"
        )
    return [Member(**item) for item in given["members"]]


def _plain(declaration: str) -> list[Member] | None:
    """What a text declares that is made of ``type a, *b[3];``, typedefs of a name and enums; None: it is not."""
    found = []
    *statements, rest = _LEFT_OUT.sub("", declaration).split(";")
    if rest.strip():
        return None
    for statement in statements:
        first, *others = statement.split(",")
        match = _FIRST.fullmatch(first)
        if match is None or not _NO_DECLARATION.isdisjoint(re.findall(r"\w+", statement)):
            return None
        further = [_FURTHER.fullmatch(piece) for piece in others]
        if not all(further):
            return None
        names = [match[1], *[piece[1] for piece in further if piece]]
        if not _NO_NAME.isdisjoint(names):
            return None
        found.append(Member(", ".join([first.strip(), *[piece.strip() for piece in others]]), names, []))
    return found
