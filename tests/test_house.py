"""The layers of the Python rooms: an arrow goes only downwards, nothing goes in a circle, little is imported late.

The floors are read from docs/architecture.md, "Python, floor by floor", which is the one place that names them.
"""

import ast
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest

from opweld.compile.sharedvalue import CONSTRUCTORS
from opweld.rewriting.standard import STANDARD

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "opweld"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")

LATE_AT_MOST = 36  # imports of the library's own modules
OTHERS_LATE_AT_MOST = 60  # of modules that are not the library's own
FOR_TYPES_AT_MOST = 12
ONLY_TYPES = {"hooks.protocols", "schema", "tensor.likes"}  # names for annotations: only a checker loads them


class Arrow(NamedTuple):
    """One module's import of another; names are without ``opweld.``, and the package's own is empty."""

    source: str
    target: str
    line: int
    kind: str  # "now"; "late": inside a function, or by `late`; "types": for a type checker only


def modules():
    """Each module of the library and its file."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        found[".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")] = path
    return found


MODULES = modules()
BOUND = {"_argument", "_dispatch", "_engine", "_engine_id", "_threads", "_ufunc"}  # made by the build
DOORS = {name for name, path in MODULES.items() if path.name == "__init__.py"}


def imports(tree):
    """What a module imports, as (module, name or None, line, kind)."""

    def visit(node, late, types):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None, node.lineno, kind(late, types)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                yield node.module, alias.name, node.lineno, kind(late, types)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "late":
            yield ast.literal_eval(node.args[0]), None, node.lineno, "late"
        inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        checked = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.iter_child_nodes(node):
            yield from visit(child, late or inside, types or (checked and child in node.body))

    def kind(late, types):
        return "types" if types else "late" if late else "now"

    yield from visit(tree, False, False)


def arrows():
    """Every arrow between two modules of the library, and every late import of another's."""
    own, others = [], []
    for source, path in MODULES.items():
        for module, name, line, kind in imports(ast.parse(path.read_text("utf-8"))):
            top, _, rest = module.partition(".")
            if top != "opweld":
                if kind == "late":
                    others.append((source, line))
                continue
            inner = f"{rest}.{name}".lstrip(".")
            own.append(Arrow(source, inner if name and inner in BOUND | MODULES.keys() else rest, line, kind))
    return own, others


OWN, OTHERS = arrows()


def floors():
    """The patterns of each floor, the lowest first."""
    section = PAGE.partition("## Python, floor by floor\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\w ]+) \| (`.+`) \|$", section, re.MULTILINE)
    return [(name, re.findall(r"`([^`]+)`", patterns)) for name, patterns in reversed(rows)]


FLOORS = floors()


def floor_of(module):
    """A module's floor: the most exact pattern counts."""
    fitting = [
        (len(pattern.rstrip("*")), "*" not in pattern, number)
        for number, (_, patterns) in enumerate(FLOORS)
        for pattern in patterns
        if fnmatchcase(module or "opweld", pattern)
    ]
    return max(fitting)[2] if fitting else None


def ways_up():
    """The arrows upwards that the page names: ``from`` -> ``to``."""
    return set(re.findall(r"^\* `([\w.]+)` -> `([\w.]+)`:", PAGE, re.MULTILINE))


def circles(pairs):
    """The sets of modules that reach one another."""
    reach = {}
    for source, target in pairs:
        reach.setdefault(source, set()).add(target)

    def below(module):
        seen, stack = set(), [module]
        while stack:
            for target in reach.get(stack.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return seen

    under = {module: below(module) for module in reach}
    return {
        frozenset(other for other in seen if module in under.get(other, ()))
        for module, seen in under.items()
        if module in seen
    }


def test_every_module_has_a_floor():
    assert [name for name, _ in FLOORS][::7] == ["ground", "face"]
    assert [module for module in MODULES if floor_of(module) is None] == []
    patterns = [pattern for _, patterns in FLOORS for pattern in patterns]
    real = [module or "opweld" for module in [*MODULES, *BOUND]]
    assert [p for p in patterns if not any(fnmatchcase(module, p) for module in real)] == []


def test_an_arrow_goes_only_downwards():
    up = [
        f"{source} -> {target} (line {line})"
        for source, target, line, kind in OWN
        if kind != "types" and source not in DOORS and floor_of(source) < floor_of(target)
        and (source, target) not in ways_up()
    ]  # fmt: skip
    assert up == []
    real = {(arrow.source, arrow.target) for arrow in OWN if arrow.kind == "late"}
    assert ways_up() <= real, "a way up that the page names and nobody takes"


def test_nothing_goes_in_a_circle():
    """Those inside functions count; those for a type checker do not."""
    found = circles({(a.source, a.target) for a in OWN if a.kind != "types" and (a.source, a.target) not in ways_up()})
    assert found == set()


def test_doors_import_nothing_but_the_ground():
    """A package's ``__init__`` is for users; the library's modules import modules. Two do something when imported."""
    inner = [a for a in OWN if a.source in DOORS and a.kind == "now" and a.source not in ("compat", "pytensor")]
    assert {floor_of(arrow.target) for arrow in inner} == {0}
    through = [a for a in OWN if a.target in DOORS and (a.source, a.target) not in ways_up() and a.kind != "types"]
    allowed = {
        "cli",
        "commands.cache",
        "commands.checks",
        "compilers",
        "doctor",
        "trial",
    }  # they ask for the version, or do as users do
    assert [a for a in through if a.source not in allowed] == []


def test_files_can_be_held_in_the_head():
    """None has more than 400 lines but for tables, and names that `make stubs` lists."""
    tables = {"npyapi/functions.go", "python/opweld/compat/table.py", "python/opweld/tensor/__init__.pyi"}
    rooms = [ROOT / room for room in ("gen", "npyapi", "pyext", "python", "refcount", "templates")]
    files = [
        path
        for room in rooms
        for path in room.rglob("*.*")
        if path.suffix in {".c", ".go", ".h", ".py", ".pyi", ".tmpl"}
    ]
    files = [
        path
        for path in files
        if not path.name.endswith("_test.go") and "_gopy" not in path.parts and "testdata" not in path.parts
    ]
    assert len(files) > 400
    long = {str(path.relative_to(ROOT)) for path in files if path.read_text("utf-8").count("\n") > 400}
    assert long <= tables


def test_what_is_imported_by_name_lies_below_too():
    """Doors, `late`, and two tables: of rewriters, and of what carries shared values; `suggest` asks doors.

    What users name by an address is theirs.
    """
    by_name = {module for module, path in MODULES.items() if "import_module(" in path.read_text("utf-8")}
    assert by_name - {"addresses"} == {"together", "compat", "rewriting.basic", "compile.sharedvalue", "suggest"}
    homes = [("rewriting.standard", f"tensor.{row[1].partition(':')[0]}") for row in STANDARD]
    homes += [("compile.sharedvalue", home.partition(":")[0].removeprefix("opweld.")) for _, home in CONSTRUCTORS]
    assert [(table, home) for table, home in homes if floor_of(table) < floor_of(home) or home not in MODULES] == []


def test_little_is_imported_late():
    """Each of the library's own that is, is so for a reason, which stands there."""
    late = {(a.source, a.line) for a in OWN if a.kind == "late"}
    assert len(late) <= LATE_AT_MOST, sorted(late)
    for source, line in sorted(late):
        lines = MODULES[source].read_text("utf-8").splitlines()
        while line > 1 and "= late(" in lines[line - 2]:  # one reason for those that stand together
            line -= 1
        assert "#" in lines[line - 1] or lines[line - 2].lstrip().startswith("#"), f"{source}:{line}: no reason"
    assert len(set(OTHERS)) <= OTHERS_LATE_AT_MOST
    types = {(a.source, a.target) for a in OWN if a.kind == "types" and a.target not in ONLY_TYPES}
    assert len(types) <= FOR_TYPES_AT_MOST


@pytest.mark.parametrize(
    ("module", "others"),
    [
        ("graph", {"hooks", "params", "enums", "generic", "scalar", "tensor", "rewriting", "compile"}),
        ("tensor", {"compile", "engine"}),
        ("scalar", {"compile"}),
        ("rewriting", {"tensor", "scalar", "compile"}),
    ],
)
def test_what_a_room_does_not_know(module, others):
    known = {a.target.partition(".")[0] for a in OWN if a.source.partition(".")[0] == module}
    assert known & others == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import opweld.graph.op", [("opweld.graph.op", None, 1, "now")]),
        ("def f():\n    from opweld import engine", [("opweld", "engine", 2, "late")]),
        ("class C:\n    def f(self):\n        import heapq", [("heapq", None, 3, "late")]),
        ("if TYPE_CHECKING:\n    import opweld.a\nelse:\n    import opweld.b", [
            ("opweld.a", None, 2, "types"), ("opweld.b", None, 4, "now"),
        ]),
        ("x = late('opweld.params')", [("opweld.params", None, 1, "late")]),
    ],
)  # fmt: skip
def test_what_counts_as_an_import(text, expected):
    assert list(imports(ast.parse(text))) == expected


def test_circles_are_found():
    assert circles({("a", "b"), ("b", "c")}) == set()
    assert circles({("a", "b"), ("b", "c"), ("c", "b"), ("d", "d")}) == {frozenset("bc"), frozenset("d")}
