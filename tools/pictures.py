"""Draw the pictures of docs/how-it-works.md from what they are pictures of.

python tools/pictures.py [FOLDER]

The table of a call and its frame are read from the C of a function, the moments of ownership from reference counts
that C reads, the lines of a key from the cache's entry, the boxes of the way name files that are there. Without FOLDER
the pictures in docs/ are drawn anew; tests/test_reference.py compares.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

import opweld
import opweld.tensor as T

ROOT = Path(__file__).resolve().parent.parent
INK, PALE, LINE = "#1e293b", "#64748b", "#94a3b8"
BLUE, YELLOW, GREEN, VIOLET, GREY = "#e0f2fe", "#fef3c7", "#dcfce7", "#ede9fe", "#f1f5f9"


class Drawing:
    """Shapes and words, in the order in which they are drawn."""

    def __init__(self, width: int, height: int, says: str) -> None:
        self.width, self.height, self.says = width, height, says
        self.parts: list[str] = []

    def box(self, x: float, y: float, w: float, h: float, fill: str, stroke: str = LINE) -> None:
        """Draw a box with round corners."""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="5" fill="{fill}" stroke="{stroke}"/>')

    def text(self, x: float, y: float, text: str, size: float = 13, fill: str = INK, **more: str) -> None:
        """Write a line; `anchor`, `weight` and `family` as SVG has them."""
        said = "".join(f' {"text-anchor" if k == "anchor" else "font-" + k}="{v}"' for k, v in more.items())
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{said}>{escape(text)}</text>')

    def code(self, x: float, y: float, text: str, size: float = 12, fill: str = INK) -> None:
        """Write a line of code."""
        self.text(x, y, text, size, fill, family="monospace")

    def arrow(self, *points: tuple[float, float], stroke: str = PALE) -> None:
        """Draw a line through points, with a tip at its end."""
        way = " L ".join(f"{x} {y}" for x, y in points)
        self.parts.append(
            f'<path d="M {way}" fill="none" stroke="{stroke}" stroke-width="1.6" marker-end="url(#tip)"/>'
        )

    def svg(self) -> str:
        """Give the picture's text."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" font-family="sans-serif" role="img">\n<title>{escape(self.says)}</title>\n'
            '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M 0 0 L 8 4 L 0 8 z" fill="{PALE}"/></marker>\n'
            f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>\n'
        )
        return head + "\n".join(self.parts) + "\n</svg>\n"


# ---- the way of a function -----------------------------------------------------------------------------------

WAY = (
    ("your op, type or signature", "python/opweld/graph", BLUE),
    ("a graph, copied and rewritten", "python/opweld/rewriting", BLUE),
    ("Program: plain data, canonical names", "python/opweld/compile/program.py", BLUE),
    ("is it in the cache?", "python/opweld/compile/cache.py", YELLOW),
    ("checked, fused, planned", "gen", GREEN),
    ("written as C", "templates", GREEN),
    ("compiled, in a private folder", "gen/cc", GREEN),
    ("published by a rename", "gen/cache", GREEN),
    ("imported, bound to values", "python/opweld/compile/making.py", BLUE),
    ("called: f(x, y)", "templates/runtime/vectorcall.c", VIOLET),
)


def way() -> str:
    """The way of a function, from the fragment to the call."""
    tall = 46
    d = Drawing(640, len(WAY) * tall + 20, "The way of a function, from the fragment to the call")
    for i, (what, where, fill) in enumerate(WAY):
        if not (ROOT / where).exists():
            raise SystemExit(f"pictures: there is no {where}")
        y = 12 + i * tall
        d.box(60, y, 270, 30, fill)
        d.text(195, y + 20, what, anchor="middle")
        d.code(350, y + 20, where, 11, PALE)
        if i:
            d.arrow((195, y - 16), (195, y - 1))
    hit, imported = 12 + 3 * tall + 15, 12 + 8 * tall + 15
    d.arrow((60, hit), (28, hit), (28, imported), (59, imported))
    d.text(20, (hit + imported) / 2, "yes: neither engine nor compiler", 12, PALE, anchor="middle")
    turned = f'transform="rotate(-90 20 {(hit + imported) / 2})" '
    d.parts[-1] = d.parts[-1].replace("<text ", f"<text {turned}", 1)
    d.text(205, 12 + 4 * tall - 4, "no", 12, PALE)
    return d.svg()


# ---- a frame and its table -----------------------------------------------------------------------------------


class Interval(opweld.CType):
    """A pair in Python, two doubles in C."""

    __props__ = ()

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Take a pair of numbers."""
        low, high = map(float, value)
        return low, high

    def c_declare(self, name: str, sub: Any, check_input: bool = True) -> str:
        """Two doubles."""
        return f"double {name}_low, {name}_high;"

    def c_init(self, name: str, sub: Any) -> str:
        """Nothing yet."""
        return f"{name}_low = {name}_high = 0;"

    def c_extract(self, name: str, sub: Any, check_input: bool = True, **kwargs: Any) -> str:
        """The parts of a pair."""
        return f'if (!PyArg_ParseTuple(py_{name}, "dd", &{name}_low, &{name}_high)) {sub["fail"]}'

    def c_sync(self, name: str, sub: Any) -> str:
        """A new pair."""
        return f"""PyObject *made_{name} = Py_BuildValue("(dd)", {name}_low, {name}_high);
            if (made_{name} == NULL) {sub["fail"]}
            Py_SETREF(py_{name}, made_{name});"""

    def c_cleanup(self, name: str, sub: Any) -> str:
        """Own nothing."""
        return ""


interval = Interval()


class Plus(opweld.COp):
    """Adds ends."""

    __props__ = ()
    itypes, otypes = [interval, interval], [interval]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Add."""
        (a, b), (z,) = inputs, outputs
        return f"{z}_low = {a}_low + {b}_low; {z}_high = {a}_high + {b}_high;"


class Twice(Plus):
    """Doubles."""

    itypes, otypes = [interval], [interval]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Double."""
        (a,), (z,) = inputs, outputs
        return f"{z}_low = 2 * {a}_low; {z}_high = 2 * {a}_high;"


def table(source: str) -> list[tuple[str, str, bool]]:
    """Read the table of a function's C: of each entry what it is for, the text that runs, and whether it is undone."""
    slots = re.search(r"opw_f0_slot_table\[\] = \{\n(.*?)\n\};", source, re.DOTALL)
    steps = re.search(r"opw_f0_steps\[\] = \{\n(.*?)\n\};", source, re.DOTALL)
    assert slots and steps
    whats = re.findall(r"/\* (.*?) \*/", slots[1])
    rows = re.findall(r'\{(\w+), (\w+), \d+, "([^"]*)"', steps[1])
    assert len(whats) == len(rows), (whats, rows)
    return [(what, text, undo != "NULL") for what, (_, undo, text) in zip(whats, rows, strict=True)]


def frame() -> str:
    """The frame of a call, and the table that is walked over it."""
    a, b = interval("a"), interval("b")
    rows = table(opweld.source(opweld.function([a, b], Plus()(Twice()(a), b), name="f")))
    entered = [what for what, _, undone in rows if undone]
    d = Drawing(860, max(len(rows) * 34 + 90, len(entered) * 62 + 130), "The frame of a call, and the table over it")
    d.text(20, 28, "the frame: memory of one call", weight="bold")
    d.box(20, 44, 250, 26, GREY)
    d.text(30, 62, "head, and a place for each out=", 12)
    for i, what in enumerate(entered):
        y = 78 + i * 62
        d.box(20, y, 250, 54, BLUE if what.startswith("input") else YELLOW)
        d.text(30, y + 16, f"slot: {what}", 12, PALE)
        d.box(30, y + 23, 100, 24, "#ffffff")
        d.code(38, y + 40, "py_V")
        d.box(132, y + 23, 128, 24, "#ffffff")
        d.code(140, y + 40, "V_low  V_high")
    left = 340
    d.text(left, 28, "the table: entries, each with what runs and how it is undone", weight="bold")
    for i, (what, text, undone) in enumerate(rows):
        y = 50 + i * 34
        d.box(left, y, 400, 28, GREEN if "c_code" in text else GREY)
        d.text(left + 10, y + 18, what, 12)
        d.code(left + 190, y + 18, text, 11, PALE)
        d.text(left + 388, y + 18, "undo" if undone else "", 11, PALE, anchor="end")
    top, bottom = 50, 50 + len(rows) * 34
    d.arrow((left - 18, top), (left - 18, bottom - 6))
    d.arrow((left + 422, bottom - 6), (left + 422, top))
    d.text(left - 20, bottom + 22, "down: each entry runs. Where one fails, and at the end:", 12, PALE)
    d.text(left + 434, bottom + 22, "up: what was reached is undone", 12, PALE, anchor="end")
    d.parts[-1] = d.parts[-1].replace(f'y="{bottom + 22}"', f'y="{bottom + 40}"')
    return d.svg()


# ---- who owns what -------------------------------------------------------------------------------------------

MOMENTS = (
    "before the call",
    "c_code begins",
    "the new array is made",
    "c_code ends",
    "after the call",
    "result dropped",
)
#: Who holds a reference from which moment to which: of the argument, then of the result.
HOLDERS = (
    ("argument", "the caller", 0, 5),
    ("result", "the output's variable", 2, 3),
    ("result", "the caller", 4, 4),
)


class Counts(opweld.COp):
    """A copy, which notes how many references there are."""

    __props__ = ()
    itypes, otypes = [T.dvector], [T.dvector]

    def c_support_code(self) -> str:
        """Somewhere to note it."""
        return "static long seen[4]; static void note(int i, PyObject *o) { seen[i] = o ? (long)Py_REFCNT(o) : 0; }"

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Copy."""
        (x,), (z,) = inputs, outputs
        return f"""
            note(0, (PyObject *){x});
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if ({z} == NULL) {sub["fail"]}
            note(1, (PyObject *){z});
            note(2, (PyObject *){x});
            PyObject *list = Py_BuildValue("[lll]", seen[0], seen[1], seen[2]);
            if (list == NULL) {sub["fail"]}
            const int failed = PySys_SetObject("opweld_seen", list);
            Py_DECREF(list);
            if (failed) {sub["fail"]}
        """


def owns() -> str:
    """Who holds a reference, at each moment of a call; the counts are read in C."""
    x = T.dvector("x")
    f = opweld.function([x], Counts()(x))
    given = np.ones(3)
    before = sys.getrefcount(given)
    result = f(given)
    seen: Any = sys.opweld_seen  # type: ignore[attr-defined]
    held = sys.getrefcount(given), sys.getrefcount(result)
    # getrefcount counts its own argument; a call lends its argument to the op, and owns no reference of it.
    if seen[1] != 1 or held != (before, 2) or seen[0] != seen[2] or not before - 1 <= seen[0] <= before + 1:
        raise SystemExit(f"pictures: ownership is drawn otherwise: {before}, {seen}, {held}")
    width, first, row = 120, 200, 34
    d = Drawing(first + width * len(MOMENTS) + 20, 70 + row * len(HOLDERS) + 50, "Who holds a reference at each moment")
    for i, moment in enumerate(MOMENTS):
        at = first + i * width
        d.text(at + width / 2, 28, moment, 12, anchor="middle")
        d.parts.append(f'<path d="M {at} 40 L {at} {60 + row * len(HOLDERS)}" stroke="{GREY}"/>')
    for i, (what, who, start, end) in enumerate(HOLDERS):
        y = 50 + i * row
        d.text(first - 12, y + 18, f"{what}: {who}", 12, anchor="end")
        fill = BLUE if what == "argument" else YELLOW
        d.box(first + start * width + 4, y, (end - start + 1) * width - 8, 26, fill)
    y = 70 + row * len(HOLDERS) + 20
    d.text(
        20,
        y,
        "The argument is lent to the op, which gives nothing up. The result it makes and owns; the call hands it on.",
        12,
        PALE,
    )
    return d.svg()


# ---- what a key is made of -----------------------------------------------------------------------------------


def parts_of_a_key() -> tuple[list[str], list[str]]:
    """Give the labels of the lines that the key of a function's module is made of, and the fields of its entry."""
    x = T.dvector("x")
    built = opweld.function([x], Counts()(x)).maker.built
    path = Path(built.path).parents[2] / "entry" / built.key[:2] / built.key
    entry = json.loads(path.read_text("utf-8").partition("\n")[2])
    return list(dict.fromkeys(line.split(" ")[0] for line in entry["key_lines"])), list(entry)


#: What the lines of a key say, by their labels.
SAYS = {
    "opweld-key": "the format of these lines",
    "text": "sha256 of the C that was written",
    "lang": "C or C++",
    "argv": "each argument of the compiler",
    "tool": "each program of the compiler: path and sha256",
    "target": "the machine it compiles for",
    "resolved": "what flags such as -march=native mean here",
    "python": "version and kind of the CPython",
    "numpy": "version and folder of NumPy",
    "object": "the runtime that is linked: sha256",
    "version": "what c_code_cache_version of each op and type gives",
}
#: What a hit looks at besides, by the fields of the entry (docs/cache.md).
CHECKED = {
    "files": "what the compiler read: headers, libraries",
    "absent": "where it looked before, and found nothing",
    "found": "programs that it found on PATH",
    "tools": "its own programs",
    "sha256": "of the module itself",
}


def key() -> str:
    """What a key is made of, and what a hit looks at besides."""
    labels, fields = parts_of_a_key()
    if set(labels) - {"processor", "env", "cpu"} != set(SAYS) or not set(CHECKED) <= set(fields):
        raise SystemExit(f"pictures: a key is made otherwise: {labels}, {fields}")
    d = Drawing(860, 60 + 27 * len(SAYS) + 30, "What a key is made of, and what a hit looks at besides")
    d.text(20, 28, "labelled lines", weight="bold")
    for i, (label, what) in enumerate(SAYS.items()):
        y = 42 + i * 27
        d.box(20, y, 430, 23, BLUE)
        d.code(28, y + 16, label)
        d.text(112, y + 16, what, 12, PALE)
    middle = 42 + 27 * len(SAYS) / 2
    d.arrow((452, middle), (478, middle))
    d.text(520, middle - 24, "sha256", 12, PALE, anchor="middle")
    d.box(480, middle - 16, 80, 32, YELLOW)
    d.text(520, middle + 5, "key", weight="bold", anchor="middle")
    d.text(600, 28, "a hit looks at besides", weight="bold")
    for i, (field, what) in enumerate(CHECKED.items()):
        y = 42 + i * 44
        d.box(600, y, 246, 38, GREEN)
        d.code(608, y + 15, field)
        d.text(608, y + 31, what, 11, PALE)
    return d.svg()


# ---- what fusion does ----------------------------------------------------------------------------------------


def unfused(fuse: bool = False) -> str:
    """A variance, node by node."""
    x = T.dmatrix("x")
    d = x - x.mean(axis=0)
    f = opweld.function([x], T.sqrt((d * d).mean(axis=0)), name="spread", options={"fuse": fuse})
    return opweld.picture.picture(f).svg.replace(f"{ROOT}/", "")


def fused() -> str:
    """The same in loops."""
    return unfused(True)


PICTURES = {"way": way, "frame": frame, "owns": owns, "key": key, "unfused": unfused, "fused": fused}


def main() -> None:
    """Draw them."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs"
    for name, draw in PICTURES.items():
        (folder / f"{name}.svg").write_text(draw(), "utf-8")


if __name__ == "__main__":
    main()
