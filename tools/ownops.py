"""Every op that comes with the project, as functions that `opweld check` takes: what `tools/sweep.py` goes through.

Examples and the cookbook's programs are run, and so are the blocks of the docs' pages, of which only functions with ops
that the page writes itself count; the package that ``opweld new`` writes is written and imported; of the library's own
ops an expression each stands below, and classes that none of them uses are told. What the runtime does besides stands
in `ownruntime`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pathlib
import pkgutil
import re
import resource
import runpy
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import ownruntime

import opweld
import opweld.tensor as T
from opweld import addresses, scaffold
from opweld.checking import Call, Fault, Subject, distinct, found, recorded, recording, subject_of
from opweld.errors import OpweldError
from opweld.graph.op import Op

ROOT = pathlib.Path(__file__).parents[1]
#: Programs and pages of which nothing is to be checked, and why.
WITHOUT = {
    "demo": "it runs the other examples",
    "beside": "it times the other programs",
    "pytensor_op": "its graph is PyTensor's",
    "pytensor_model": "its graph is PyTensor's",
    "account.md": "its op leaks, which is shown",
}
#: Ops of pages that are wrong on purpose, by their names or those of their classes.
AMISS = frozenset({"wrong", "Forgets", "Differences", "Hasty", "last"})
#: Of a program that takes minutes, what is checked of it by name.
NAMED = {"old_digits": ("im2col", "max_pool", "max_pool_grad", "softmax"), "gray_scott": ("laplacian",)}
#: Bytes of address space that a process may take in which they run: sizes that are drawn may be of any size.
ROOM = 3 << 30
_BLOCK = re.compile(r"(?ms)^```+(?P<language>\w+)\n(?P<text>.*?)^```+$")
_FILE = re.compile(r"(?://|#) file: (\S+)\n")
_LIBRARY = ("opweld.tensor.", "opweld.scalar.", "opweld.hooks.", "opweld.compile.")

#: Inputs of the library's ops, by the names of variables: what most of them take, and what other paths are for.
VALUES: list[dict[str, Any]] = [
    {
        "v": np.arange(1.0, 5.0), "w": np.array([2.0, -1.0, 0.5, 3.0]), "m": np.arange(16.0).reshape(4, 4),
        "n": np.eye(4),
        "t": np.arange(24.0).reshape(2, 3, 4), "s": np.float64(1.5), "i": np.int64(1), "k": np.array([0, 2, 1]),
        "b": np.array([True, False, True, True]), "c": np.arange(4) + 1j, "o": [3, "a"],
        "z": np.arange(4, dtype="int8"),
    },
    {
        "v": np.arange(8.0)[::-2], "w": np.arange(4.0), "m": np.asfortranarray(np.ones((4, 4))),
        "n": np.ones((8, 4))[::2],
        "t": np.ones((4, 3, 2)).T, "s": np.float64(0.0), "i": np.int64(3), "k": np.array([3, 0, 3, 0])[::2],
        "b": np.zeros(4, bool), "c": np.zeros(8, complex)[::2], "o": None, "z": np.zeros(4, "int8"),
    },
    {
        "v": np.ones(0), "w": np.ones(0), "m": np.ones((0, 4)), "n": np.ones((4, 0)), "t": np.ones((0, 3, 4)),
        "s": np.float64(2.0), "i": np.int64(0), "k": np.array([], "int64"), "b": np.ones(0, bool),
        "c": np.ones(0, complex), "o": {}, "z": np.ones(0, "int8"),
    },
]  # fmt: skip

#: Of vectors v, w, matrices m, n, a tensor t, a number s of doubles; an integer i, integers k, booleans b, complex c,
#: int8 z, any object o.
EXPRESSIONS = """
    v + w
    T.exp(m) * n
    T.where(b, v, w)
    v // w
    T.clip(v, 0, 1)
    T.erf(v) + T.erfc(w)
    T.cast(v, "float16") * 2
    T.cast(v, "longdouble") + 1
    T.real(c) + T.imag(c)
    z // 2 + z % 3
    T.divmod(v, w)
    T.frexp(v)
    m.sum(0)
    m.prod(1)
    t.max((0, 2))
    m.mean(0, keepdims=True)
    t.var(1)
    T.any(b)
    T.argmax(m, axis=1)
    T.argmin(m)
    T.argmax(t, axis=0, keepdims=True)
    T.cumsum(v)
    T.cumprod(m, axis=1)
    T.exp(m).sum(1) / m.sum()
    T.concatenate([v, w])
    T.concatenate([m, n], axis=1)
    T.concatenate([v, k, z])
    T.stack([v, w])
    T.stack([s, s * 2, 3.0])
    T.stack([i, 2 * i])
    T.split(v, 2)
    T.split(m, [1, i], axis=1)
    m.reshape((-1,))
    m.reshape((i, -1))
    t.reshape((4, 6))
    T.ravel(m.T)
    m.T
    m.dimshuffle(1, "x", 0)
    T.specify_shape(v, (4,))
    T.specify_shape(m, (4, None))
    v.shape
    t.shape[1]
    T.shape(m)
    T.shape(T.exp(m))[::-1]
    T.size(m)
    T.alloc(s, i, 3)
    T.alloc(v, i, v.shape[0])
    T.zeros((i, i))
    T.full((i, 2), s)
    T.empty((i, 2)) * 0
    T.eye(i)
    T.eye(i, 3, 1)
    T.eye(i, 3, k=i)
    T.arange(i)
    T.arange(s, 5.0, 0.5)
    T.repeat(v, 2)
    T.repeat(m[:3], k, axis=0)
    T.repeat(v, i)
    T.tile(v, 3)
    T.broadcast_to(v, (3, v.shape[0]))
    T.broadcast_to(v[:1], (3, i))
    T.sort(v)
    T.sort(m, axis=0)
    T.sort(c)
    T.sort(T.ravel(m) + 0)
    T.argsort(v)
    T.argsort(m, axis=None)
    T.argsort(t, axis=1)
    T.diagonal(m)
    T.diag(v)
    T.trace(m)
    T.nonzero(v)
    T.nonzero(m > 1)
    T.nonzero(b)
    T.take(v, k)
    T.take(m, k, axis=1)
    T.take(m, i, axis=0, mode="wrap")
    T.take(v, k, mode="clip")
    T.bincount(k)
    T.histogram(v, 3)
    T.searchsorted(v, w)
    T.dot(v, w)
    T.dot(m, v)
    T.dot(m, n)
    T.dot(v, m)
    T.dot(c, c)
    T.dot(k, k)
    T.matmul(m, n)
    T.matmul(t, t.swapaxes(1, 2))
    T.matmul(v, w)
    T.tensordot(m, n, 1)
    T.tensordot(t, t, axes=([1, 2], [1, 2]))
    T.einsum("ij,jk->ik", m, n)
    T.outer(v, w)
    v[1:]
    v[::-1]
    v[i]
    v[i:]
    m[i, 1:]
    m[:, ::2]
    t[0, :, i]
    m[i:, :i]
    m[None, ..., ::i + 1]
    v[k]
    m[k]
    m[k, k]
    m[:, k]
    t[:, k, i]
    m[k, 1:]
    m[k, i:]
    v[b]
    m[b]
    m[None, k]
    m[..., k]
    T.set_subtensor(v[1:], s)
    T.set_subtensor(v[i], s)
    T.set_subtensor(m[0], v)
    T.set_subtensor(m[:, i], v)
    T.set_subtensor((v + 1)[1:], s)
    T.set_subtensor(v[k], s)
    T.set_subtensor(m[k], v)
    T.set_subtensor(m[k, k], s)
    T.set_subtensor((m + 1)[k, i:], s)
    T.inc_subtensor(v[1:], s)
    T.inc_subtensor(v[i], s)
    T.inc_subtensor(m[:, i], v)
    T.inc_subtensor((m + 1)[1:], v)
    T.inc_subtensor(v[k], s)
    T.inc_subtensor(m[k], v)
    T.inc_subtensor((m + 1)[k, k], s)
    deep_copy_op(v)
    view_op(m)
    deep_copy_op(o)
    expr("a*x + y, a - x", args=["a", "x", "y"])(v, w, s)
"""


class Source(NamedTuple):
    """Where some of the project's ops stand.

    Attributes
    ----------
    group : str
        ``examples``, ``cookbook``, ``docs``, ``new``, ``library`` or ``runtime``.
    name : str
        Of the program, the page or the expression; of what `ownruntime` makes.
    """

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.group}: {self.name}"

    @contextlib.contextmanager
    def subjects(self, wrong: list[Fault]) -> Iterator[list[Subject]]:
        """Find the functions; what they are compiled with, such as a page's header, is there as long.

        Parameters
        ----------
        wrong : list of Fault
            Gets what a program ends with.

        Yields
        ------
        list of Subject
        """
        found_by = {
            "examples": _programs, "cookbook": _programs, "docs": _page, "new": _package, "library": _expression,
            "runtime": _calls,
        }  # fmt: skip
        with _elsewhere() as folder:
            yield found_by[self.group](self, wrong, folder)


def confine() -> None:
    """Let this process take `ROOM` bytes of address space beyond what the one that it was forked from has taken."""
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + ROOM, resource.RLIM_INFINITY))


def sources() -> list[Source]:
    """Give all of them.

    Returns
    -------
    list of Source
    """
    programs = {"examples": ROOT / "examples", "cookbook": ROOT / "docs" / "cookbook"}
    every = [
        Source(group, path.stem)
        for group, folder in programs.items()
        for path in sorted(folder.glob("*.py"))
        if path.stem not in WITHOUT
    ]
    docs = ROOT / "docs"
    every += [Source("docs", str(path.relative_to(docs))) for path in sorted(docs.rglob("*.md")) if _has_blocks(path)]
    every.append(Source("new", "my_ops"))
    every += [Source("library", line.strip()) for line in EXPRESSIONS.strip().splitlines()]
    return every + [Source("runtime", name) for name in ownruntime.SUBJECTS]


def _has_blocks(path: pathlib.Path) -> bool:
    blocks = _BLOCK.finditer(path.read_text("utf-8"))
    return path.name not in WITHOUT and any(one["language"] == "python" and "opweld" in one["text"] for one in blocks)


@contextlib.contextmanager
def _elsewhere() -> Iterator[str]:
    """Be in a folder that is gone afterwards; pictures are drawn to nowhere."""
    os.environ["MPLBACKEND"] = "svg"
    before, path = os.getcwd(), list(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        try:
            yield folder
        finally:
            os.chdir(before)
            sys.path[:] = path


def _programs(source: Source, wrong: list[Fault], folder: str) -> list[Subject]:
    home = ROOT / "examples" if source.group == "examples" else ROOT / "docs" / "cookbook"
    path = home / f"{source.name}.py"
    addressed = [f"{path}:{name}" for name in NAMED.get(source.name, ())] or [str(path)]
    os.chdir(home)  # what they are made of lies beside them
    sys.path.insert(0, str(home))
    with contextlib.suppress(ImportError):
        import beside  # the cookbook's own: each is timed once

        beside.SECONDS = 0
    subjects = [subject for address in addressed for subject in found(addresses.read(address), wrong)]
    if source.name == "gray_scott":  # its own dishes are so large that a call takes long
        dish = runpy.run_path(str(path))["Dish"](8)
        made = [subject_of(dish.step(), "step"), subject_of(dish.look(), "look")]
        subjects += [subject for subject in made if subject is not None]
    return subjects


def _page(source: Source, wrong: list[Fault], folder: str) -> list[Subject]:
    """The functions that a page's blocks make of ops that stand there, and what they name; some show what is wrong."""
    path = ROOT / "docs" / source.name
    names: dict[str, Any] = {"__name__": path.stem.replace("-", "_")}
    subjects: list[Subject] = []
    with recording() as made:
        for text in _blocks(path.read_text("utf-8"), folder):
            with contextlib.redirect_stdout(None), contextlib.suppress(Exception):
                exec(compile(text, str(path), "exec"), names)
        subjects += [recorded(one) for one in made]
        for name, value in names.items():
            if name not in AMISS and (isinstance(value, Op) or hasattr(value, "source")):
                with contextlib.suppress(OpweldError):
                    one = subject_of(value, name)
                    subjects += [one] if one else []
    return [subject for subject in distinct(subjects) if subject.name not in AMISS and _has_own(subject)]


def _blocks(text: str, folder: str) -> Iterator[str]:
    """The blocks to run; those that are files are written."""
    for block in _BLOCK.finditer(text):
        if file := _FILE.match(block["text"]):
            target = pathlib.Path(folder, file[1])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block["text"][file.end() :])
        elif block["language"] == "python":
            yield block["text"]


def _has_own(subject: Subject) -> bool:
    """Whether there is an op in it that is not the library's, and none that is wrong for all to see."""
    ops = [type(node.op) for node in subject.make().maker.fgraph.toposort()]
    return any(not f"{op.__module__}.".startswith(_LIBRARY) for op in ops) and not any(
        op.__name__ in AMISS for op in ops
    )


def _package(source: Source, wrong: list[Fault], folder: str) -> list[Subject]:
    scaffold.write(source.name, folder)
    sys.path.insert(0, os.path.join(folder, source.name, "src"))
    return found(addresses.read(f"{source.name}.ops"), wrong)


def _expression(source: Source, wrong: list[Fault], folder: str) -> list[Subject]:
    from opweld.compile.ops import deep_copy_op, view_op
    from opweld.generic import generic
    from opweld.scalar import expr

    known: dict[str, Any] = {"T": T, "np": np, "deep_copy_op": deep_copy_op, "view_op": view_op, "expr": expr}
    known |= {"v": T.dvector("v"), "w": T.dvector("w"), "m": T.dmatrix("m"), "n": T.dmatrix("n"), "o": generic("o")}
    known |= {"t": T.dtensor3("t"), "s": T.dscalar("s"), "i": T.lscalar("i"), "k": T.lvector("k")}
    known |= {"b": T.tensor("b", dtype="bool", shape=(None,)), "c": T.zvector("c"), "z": T.bvector("z")}
    result = eval(source.name, known)
    outputs = list(result) if isinstance(result, (list, tuple)) else result
    names = list(dict.fromkeys(re.findall(r"(?<![\w.\"])[vwmntsikbczo](?![\w\"(])", source.name)))
    used = [known[name] for name in names]
    made = opweld.function(used, outputs, on_unused_input="ignore")
    given = [tuple([values[name] for name in names]) for values in VALUES]
    found = made(*given[0])
    if all(isinstance(one, np.ndarray) for one in (found if isinstance(outputs, list) else [found])):
        given.append(Call(*given[0], out=found))
    subject = subject_of(made, source.name, given)
    return [subject] if subject else []


def _calls(source: Source, wrong: list[Fault], folder: str) -> list[Subject]:
    return [ownruntime.SUBJECTS[source.name]()]


def classes() -> set[type]:
    """Give the library's own classes of ops that have C, without those that others of them are made from.

    Returns
    -------
    set of type
    """
    for module in pkgutil.walk_packages(opweld.tensor.__path__, "opweld.tensor."):
        importlib.import_module(module.name)

    def below(cls: type) -> Iterator[type]:
        for one in cls.__subclasses__():
            yield one
            yield from below(one)

    ours = {cls for cls in below(Op) if cls.__module__.startswith(("opweld.tensor.", "opweld.hooks.copying"))}
    bases = {base for cls in ours for base in cls.__mro__[1:]}
    return {cls for cls in ours - bases if hasattr(cls, "c_code")}
