"""How many faults the lint finds that are put into right C: what ``make score`` prints.

A fragment of ``tests/lint_corpus`` is right, and the lint is silent on it. Each kind of fault below changes it in one
place so that something breaks; the lint has found it if it then says anything that is more than a note. Fragments whose
names begin with ``aside_``, and the kinds in `ASIDE`, were set aside before the rules were tuned and count apart.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from opweld import engine

CORPUS = pathlib.Path(__file__).parents[1] / "tests" / "lint_corpus"
FAIL = "{ opw_failure = 1; goto opw_fail; }"
ASIDE = ("inverted test", "released too early", "failure ignored")  # kinds that no rule was written for

# Faults that break nothing, as "fragment/kind/line": why.
EQUIVALENT = {
    "owned_flag/contiguity assumed/3": "elements are taken by strides all the same",
}


class Fragment(NamedTuple):
    """A text of the corpus, and what its first line says of it."""

    name: str
    text: str
    cxx: bool
    file: bool
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    destroys: tuple[tuple[str, str], ...]
    views: tuple[tuple[str, str], ...]

    def request(self) -> dict[str, Any]:
        """As the engine takes it."""
        names = [name for name, _ in self.inputs]
        variables = [
            {
                "name": name, "array": True, "ndim": ndim, "output": (name, ndim) in self.outputs,
                "destroyed": any(name == of for _, of in self.destroys),
                "views": [names.index(of) for out, of in (*self.views, *self.destroys) if out == name],
            }
            for name, ndim in (*self.inputs, *self.outputs)
        ]  # fmt: skip
        return {
            "name": self.name, "text": self.text, "cxx": self.cxx, "file": self.file, "variables": variables,
            "entry": self.name if self.file else "", "fail": "" if self.file else FAIL,
            "label": "" if self.file else "opw_fail",
        }  # fmt: skip


def corpus() -> list[Fragment]:
    """Read the corpus."""
    found = []
    for path in sorted(CORPUS.glob("*.c*")):
        for part in re.split(r"^//// ", path.read_text(), flags=re.M)[1:]:
            head, text = part.split("\n", 1)
            found.append(_fragment(head, text, path))
    return found


def _fragment(head: str, text: str, path: pathlib.Path) -> Fragment:
    name, _, said = head.partition(": ")
    first, *maps = said.split("; ")
    inputs, outputs = (
        tuple((one.split(": ")[0], int(one[-2])) for one in side.split(", ")) for side in first.split(" -> ")
    )
    pairs = [(m.split()[0], (m.split()[1], m.split()[2])) for m in maps]
    destroys, views = (tuple(pair for kind, pair in pairs if kind == wanted) for wanted in ("destroys", "views"))
    return Fragment(name, text, path.suffix == ".cpp", "functions" in path.stem, inputs, outputs, destroys, views)


# -- the faults ---------------------------------------------------------------------------------------------------

Faults = Iterator[tuple[int, str]]  # where, and the text with the fault
_EXIT = r"(?:FAIL|return -?1;)"
_TEST = r"if \((?:!\*?\w+|\*?\w+ == (?:NULL|nullptr)|NULL == \w+|NPY_UNLIKELY\(!\w+\))\) "
_BLOCK = rf"(?:{_EXIT}\n|\{{\n(?:[^{{}}]*\n)? *{_EXIT}\n *\}}\n)"


def _cut(pattern: str, text: str, put: str | Callable[[re.Match[str]], str] = "") -> Faults:
    for match in re.finditer(pattern, text, re.M):
        instead = put if isinstance(put, str) else put(match)
        yield match.start(), text[: match.start()] + instead + text[match.end() :]


def dropped_release(f: Fragment) -> Faults:
    """A Py_DECREF is left out: the reference leaks."""
    yield from _cut(r"^ *Py_X?DECREF\((?!\*?[zw]\))[^;\n]*\);\n", f.text)


def dropped_output_release(f: Fragment) -> Faults:
    """What an output held is not released: it leaks at the second call."""
    if not f.destroys:
        yield from _cut(r"^ *(?:Py_XDECREF|Py_CLEAR)\(\*?[zw]\);\n", f.text)


def doubled_release(f: Fragment) -> Faults:
    """A Py_DECREF stands twice: somebody else's reference is released."""
    yield from _cut(r"^ *Py_X?DECREF\((?!\*?[zw]\))[^;\n]*\);\n", f.text, lambda m: m[0] + m[0])


def dropped_test(f: Fragment) -> Faults:
    """A comparison with NULL is left out: NULL is used, or handed on, without fail."""
    yield from _cut(rf"^ *{_TEST}{_BLOCK}", f.text)


def dropped_fail(f: Fragment) -> Faults:
    """A fail is left out behind an exception: the text goes on with it set."""
    released = r"((?: *(?:Py_X?DECREF|free|PyMem_Free)\([^\n]*\n)*)"
    yield from _cut(rf"(?<=\);\n){released} *{_EXIT}(?=\n *\}})", f.text, lambda m: m[1])


def dropped_exception(f: Fragment) -> Faults:
    """A fail without an exception: SystemError."""
    yield from _cut(r"^ *PyErr_(?:SetString|Format|NoMemory)\([^;]*\);\n(?= *(?:FAIL|return|Py_DECREF|free))", f.text)


def failed_early(f: Fragment) -> Faults:
    """One more way to fail, which forgets what was made until then."""
    more = 'if (PyArray_NDIM(x) > 7) {\n    PyErr_SetString(PyExc_ValueError, "too many");\n    %s\n}\n'
    leave = "return 1;" if f.file else "FAIL"
    test = r"^( *)if \((?:!|NPY_UNLIKELY\(!)?(?!z\b|w\b|\*)(\w+)(?: == NULL)?\)?\) (?:FAIL|return -?1;)\n"
    pattern = test + r"(?=(?:.|\n)*\b(?:Py_DECREF|free)\(\2\))"
    yield from _cut(pattern, f.text, lambda m: m[0] + more % leave)


def kept_what_was_stolen(f: Fragment) -> Faults:
    """What a function has taken is released."""
    pattern = r"^( *)Py\w+_SET_ITEM\(\w+, \w+, (?:\(PyObject \*\))?(\w+)\);\n"
    yield from _cut(pattern, f.text, lambda m: f"{m[0]}{m[1]}Py_DECREF({m[2]});\n")


def dropped_incref(f: Fragment) -> Faults:
    """A Py_INCREF is left out: a reference is given away that is not one's own."""
    yield from _cut(r"^ *Py_INCREF\([^;\n]*\);\n", f.text)


def forgot_output(f: Fragment) -> Faults:
    """An output gets no value."""
    yield from _cut(r"^ *\*?[zw] = (?!NULL)[^;\n]*;\n", f.text)


def narrowed(f: Fragment) -> Faults:
    """An int for an npy_intp: it overflows beyond 2**31."""
    bound = r"(?:PyArray|n\b|count\b|len\b|rows|columns|shape)"
    yield from _cut(rf"\b(?:const )?npy_intp (?=\w+ = (?:PyArray_\w+\(|\d+; \w+ <=? {bound}))", f.text, "int ")


def ignored_stride(f: Fragment) -> Faults:
    """An element is taken as if the array were contiguous."""
    where = r"\*\(double \*\)PyArray_GETPTR1\((x|y), (\w+)\)"
    yield from _cut(where, f.text, lambda m: f"((double *)PyArray_DATA({m[1]}))[{m[2]}]")


def assumed_contiguous(f: Fragment) -> Faults:
    """The test whether an array is contiguous is left out."""
    yield from _cut(r"^if \(!PyArray_IS_C_CONTIGUOUS\(\w+\)\) \{\n(?:[^{}]|\n)*?^\}\n", f.text)
    yield from _cut(r"PyArray_GETCONTIGUOUS\(x\)", f.text, "x; Py_INCREF(x)")


def undeclared_destroy(f: Fragment) -> Iterator[tuple[int, Fragment]]:
    """destroy_map does not say what is written over."""
    if f.destroys:
        yield 0, f._replace(destroys=())


def undeclared_view(f: Fragment) -> Iterator[tuple[int, Fragment]]:
    """view_map does not say whose memory an output has."""
    if f.views:
        yield 0, f._replace(views=())


def wrote_input(f: Fragment) -> Faults:
    """The input is written, not the output."""
    if not f.destroys:
        yield from _cut(r"^(.*)\*\(double \*\)PyArray_GETPTR(\d)\((?:z|\*z|made), ([^)]*)\) (\+?=)", f.text,
                        lambda m: f"{m[1]}*(double *)PyArray_GETPTR{m[2]}(x, {m[3]}) {m[4]}")  # fmt: skip


def wrong_format(f: Fragment) -> Faults:
    """%d for an npy_intp: what is printed is read as an int."""
    yield from _cut(r"%zd", f.text, "%d")
    yield from _cut(r'(?<=")([^"\n]*)%zd([^"\n]*)(?=")', f.text, lambda m: m[0] + " %s")


def python_without_lock(f: Fragment) -> Faults:
    """Python's API is used while the lock is released."""
    call = "PyErr_CheckSignals();\n"
    yield from _cut(r"^(?:NPY_BEGIN_THREADS;|Py_BEGIN_ALLOW_THREADS)\n", f.text, lambda m: m[0] + call)
    yield from _cut(r"^NPY_END_THREADS;\n", f.text)


def past_the_end(f: Fragment) -> Faults:
    """A loop goes one element too far."""
    bound = r"(PyArray_\w+\([^;]*\)|n|count|len|rows|columns|shape\[\d\]|bins)"
    yield from _cut(rf"(?<=; )(\w+) < {bound}(?=;)", f.text, lambda m: f"{m[1]} <= {m[2]}")


def dropped_free(f: Fragment) -> Faults:
    """A free is left out: the memory leaks."""
    yield from _cut(r"^ *(?:free|PyMem_Free)\(\w+\);\n", f.text)


def returned(f: Fragment) -> Faults:
    """A return leaves without clean-up."""
    if not f.file:
        yield from _cut(r"\bFAIL\b", f.text, "return;")


def used_after_release(f: Fragment) -> Faults:
    """What was released is asked for something."""
    leave = "return 1;" if f.file else "FAIL"
    pattern = r"^( *)Py_DECREF\((?!\*?[zw]\))(\w+)\);\n(?! *(?:FAIL|return))"
    yield from _cut(pattern, f.text, lambda m: f"{m[0]}{m[1]}if (PyObject_IsTrue((PyObject *){m[2]}) < 0) {leave}\n")


def inverted_test(f: Fragment) -> Faults:
    """A comparison with NULL is the wrong way round."""
    yield from _cut(rf"if \(!(\w+)\) (?={_EXIT}|\{{\n)", f.text, lambda m: f"if ({m[1]}) ")
    yield from _cut(rf"if \((\w+) == NULL\) (?={_EXIT}|\{{\n)", f.text, lambda m: f"if ({m[1]} != NULL) ")


def released_too_early(f: Fragment) -> Faults:
    """A Py_DECREF stands one statement too early, before the last use."""
    for match in re.finditer(r"^( *(?!Py_X?DECREF)[^\n{}]*;\n)( *Py_DECREF\((\w+)\);\n)", f.text, re.M):
        if re.search(rf"[(&, ]{match[3]}\b", match[1]) and not re.search(rf"\b{match[3]} =", match[1]):
            yield match.start(), f.text[: match.start()] + match[2] + match[1] + f.text[match.end() :]


def failure_ignored(f: Fragment) -> Faults:
    """A call that may fail is made, and nobody looks whether it did."""
    yield from _cut(rf"^( *)if \((\w+\([^;\n]*\)) < 0\) {_BLOCK}", f.text, lambda m: f"{m[1]}{m[2]};\n")
    yield from _cut(rf"^ *if \([^\n]*PyErr_Occurred\(\)\) {_EXIT}\n", f.text)


KINDS: dict[str, Callable[[Fragment], Iterator[tuple[int, Any]]]] = {
    "release left out": dropped_release, "output's release left out": dropped_output_release,
    "release twice": doubled_release, "NULL test left out": dropped_test, "fail left out": dropped_fail,
    "exception left out": dropped_exception, "failed early": failed_early, "stolen and released": kept_what_was_stolen,
    "Py_INCREF left out": dropped_incref, "output forgotten": forgot_output, "int for npy_intp": narrowed,
    "stride ignored": ignored_stride, "contiguity assumed": assumed_contiguous,
    "destroy_map left out": undeclared_destroy, "view_map left out": undeclared_view, "input written": wrote_input,
    "wrong format": wrong_format,
    "lock released": python_without_lock, "past the end": past_the_end, "free left out": dropped_free,
    "return": returned, "used after release": used_after_release, "inverted test": inverted_test,
    "released too early": released_too_early, "failure ignored": failure_ignored,
}  # fmt: skip


class Mutant(NamedTuple):
    """A fragment with a fault."""

    kind: str
    line: int
    fragment: Fragment

    @property
    def name(self) -> str:
        """By which it is spoken of."""
        return f"{self.fragment.name}/{self.kind}/{self.line}"


def mutants(fragments: list[Fragment]) -> list[Mutant]:
    """Put every fault into every fragment."""
    found = []
    for fragment in fragments:
        for kind, make in KINDS.items():
            for at, changed in make(fragment):
                new = changed if isinstance(changed, Fragment) else fragment._replace(text=changed)
                found.append(Mutant(kind, fragment.text.count("\n", 0, at) + 1, new))
    return [mutant for mutant in found if mutant.name not in EQUIVALENT]


def linted(fragments: list[Fragment]) -> list[list[dict[str, Any]]]:
    """What the lint says of each that is more than a note."""
    answer = engine.lint(fragments=[fragment.request() for fragment in fragments])
    return [[one for one in found if one["severity"] != "note"] for found in answer["findings"]]


def score(rows: list[tuple[Mutant, bool]]) -> dict[str, tuple[int, int]]:
    """Of each kind how many were found, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for mutant, hit in rows:
        hits, count = found.get(mutant.kind, (0, 0))
        found[mutant.kind] = (hits + hit, count + 1)
    return found


def main() -> int:
    """Print the score; 1 where it is too low."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="list the faults that were not found")
    parser.add_argument(
        "--check", action="store_true", help="let opweld check look for those that the lint does not find"
    )
    options = parser.parse_args()
    fragments = corpus()
    alarms = [(f.name, one) for f, found in zip(fragments, linted(fragments)) for one in found]
    for name, one in alarms:
        print(f"false alarm: {name}:{one['line']}: {one['message']} [{one['rule']}]")
    made = mutants(fragments)
    rows = list(zip(made, map(bool, linted([mutant.fragment for mutant in made]))))
    if options.check:
        rows = [(mutant, hit or _checked(mutant)) for mutant, hit in rows]
    if options.missed:
        for mutant in [mutant for mutant, hit in rows if not hit]:
            print(f"missed: {mutant.name}")
    least = 1.0 if options.check else 0.85
    return max([bool(alarms), *[_table(title, part, least) for title, part in parts(rows)]])


def _checked(mutant: Mutant) -> bool:
    """Whether ``opweld check`` finds a fault; it says what it has found."""
    from checked import checked

    found = checked(mutant.fragment).said
    print(f"check: {mutant.name}: {found or 'nothing'}", flush=True)
    return bool(found)


def parts(rows: list[tuple[Mutant, bool]]) -> list[tuple[str, list[tuple[Mutant, bool]]]]:
    """Part what was set aside from the rest."""
    aside = [row for row in rows if row[0].fragment.name.startswith("aside_") or row[0].kind in ASIDE]
    return [("written for", [row for row in rows if row not in aside]), ("set aside", aside)]


def _table(title: str, rows: list[tuple[Mutant, bool]], least: float) -> int:
    print(f"\n{title}")
    kinds = score(rows)
    for kind, (hits, count) in sorted(kinds.items()):
        print(f"  {kind:26} {hits:4} of {count:4}  {hits / count:4.0%}")
    hits, count = sum(hits for hits, _ in kinds.values()), len(rows)
    print(f"  {'all':26} {hits:4} of {count:4}  {hits / count:4.0%}")
    return int(hits < least * count or any(2 * hits < count for hits, count in kinds.values()))


if __name__ == "__main__":
    sys.exit(main())
