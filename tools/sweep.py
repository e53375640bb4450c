"""S1, S2 and S13 over every op that comes with the project: what ``make sweep`` prints.

Each place of their modules that can fail is forced, and each request for memory refused, as `opweld check` does. A
place of the runtime, or of a text of the library, which stands in many modules, counts once: it is forced where it was
in one of them, and well where it was in all. The exit code is 1 where a place was not come to, or something ended
wrongly. With ``--tools`` each function is compiled with warnings, looked at by gcc's analyzer, called under sanitizers
and under valgrind instead: S13.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import multiprocessing
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import ownops

import opweld
from opweld.checking import Course, Report, Subject, apart
from opweld.checking.forcing import FIRST_OF_UNIT, Place
from opweld.config import config

#: What is swept where seconds count: of each group some.
QUICK = (
    "examples: fibby", "examples: double_type", "cookbook: edit_distance", "new: my_ops",
    "library: m[k, k]", "library: T.set_subtensor(m[k], v)", "library: m.sum(0)", "library: T.sort(v)",
)  # fmt: skip
CHECKS = ("run", "places", "memory")
LIBRARY = os.path.join(os.path.dirname(os.path.realpath(opweld.__file__)), "")  # installed, or of this tree
SANITIZERS = ("address,undefined", "thread")
#: How gcc is asked. A text may leave unused what its signature gives it.
COMPILED = {
    "warnings": ("-Wall", "-Wextra", "-Wno-unused"),
    "analyzer": ("-fanalyzer",),
}
UNREAD = {("c++", "analyzer")}  # it does not read C++
#: What is said and is not so. gcc 12's analyzer forgets what memcpy has put into a double that a loop changes later.
UNFOUNDED = ("use of uninitialized value '*(long unsigned int *)&opw_V",)
TOOLS = (*COMPILED, *SANITIZERS, "valgrind")


class Key(NamedTuple):
    """Which place, in all modules: where it stands, and the how manieth of its like there."""

    owner: str
    where: str
    ordinal: int


class Swept(NamedTuple):
    """What came of one source.

    Attributes
    ----------
    name : str
        Of the source.
    functions : int
        How many it has.
    classes : set of str
        Of its ops.
    come_to : dict of Key to bool
        Each place of its modules, and whether it was forced or come to.
    requests, refused : int
        How many requests for memory there were, and how many were refused and ended well.
    clean : dict of str to (int, int)
        By tool, how many functions it found nothing in, and of how many.
    wrong : list of (Key or None, str)
        What ended wrongly.
    seconds : float
        How long it took.
    """

    name: str
    functions: int
    classes: set[str]
    come_to: dict[Key, bool]
    requests: int
    refused: int
    clean: dict[str, tuple[int, int]]
    wrong: list[tuple[Key | None, str]]
    seconds: float


def swept(source: ownops.Source, examples: int, seconds: float, tools: Sequence[str] = ()) -> Swept:
    """Check all functions of a source, each in a child of this process.

    Parameters
    ----------
    source : Source
        Where they stand.
    examples, seconds : int and float
        As for `opweld.checking.check`.
    tools : sequence of str
        Those of S13 that are wanted instead.

    Returns
    -------
    Swept
    """
    begin = time.perf_counter()
    done: set[str] = set()
    begun = ""
    functions, classes, come_to, wrong = 0, set[str](), dict[Key, bool](), list[tuple[Key | None, str]]()
    requests = refused = 0
    clean: dict[str, tuple[int, int]] = {}
    ended = True
    while ended:
        ended = False
        for message in apart.messages(_work(source, done, examples, seconds, tools), None):
            if isinstance(message, apart.Ended):
                wrong.append((None, f"{source}: {begun or 'where its functions are made'}: {message.what}"))
                ended = bool(begun)
                begun = ""
            elif isinstance(message, str):
                begun = message
                done.add(begun)
            else:
                functions += bool(message.functions)
                classes |= message.classes
                for key, there in message.come_to.items():
                    come_to[key] = come_to.get(key, False) or there
                requests, refused = requests + message.requests, refused + message.refused
                clean = _summed([clean, message.clean])
                wrong += message.wrong
    return Swept(str(source), functions, classes, come_to, requests, refused, clean, wrong, time.perf_counter() - begin)


def _summed(every: list[dict[str, tuple[int, int]]]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for one in every:
        for tool, (good, count) in one.items():
            before = found.get(tool, (0, 0))
            found[tool] = before[0] + good, before[1] + count
    return found


def _work(
    source: ownops.Source, done: set[str], examples: int, seconds: float, tools: Sequence[str]
) -> Callable[[Callable[[Any], None]], None]:
    def work(send: Callable[[Any], None]) -> None:
        if tools:  # sanitizers reserve all that there is
            limit = f"max_allocation_size_mb={ownops.ROOM >> 20}"
            os.environ.update(ASAN_OPTIONS=limit, TSAN_OPTIONS=limit)
        else:
            ownops.confine()
        faults: list[Any] = []
        built: set[str] = set()
        with contextlib.ExitStack() as stack:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                subjects = stack.enter_context(source.subjects(faults))
            if not done:
                send(Swept("", 0, set(), {}, 0, 0, {}, [(None, f"{source}: {fault}") for fault in faults], 0.0))
            for subject in subjects:
                if subject.name not in done:
                    send(subject.name)
                    send(_one(source, subject, built, examples, seconds, tools))

    return work


def _one(
    source: ownops.Source, subject: Subject, built: set[str], examples: int, seconds: float, tools: Sequence[str]
) -> Swept:
    """Check one function; one whose module there was before, with what it is given, once."""
    course = Course(subject, Report(), examples, seconds)
    function = course.made
    classes = {type(node.op).__qualname__ for node in function.maker.fgraph.toposort()}
    path = function.maker.built.path
    if path in built:
        return Swept("", 0, classes, {}, 0, 0, {}, [], 0.0)
    built.add(path)
    if tools:
        return _by_tools(source, course, classes, tools)
    for name in CHECKS:
        course.go(name)
    wrong: list[tuple[Key | None, str]] = [
        (None, f"{source}: {subject.name}: {row.check}: {fault}")
        for row in course.rows
        for fault in row.faults
        if fault.what != "not come to" and not (row.check == "places" and fault.where)
    ]
    listed = course.forced.listed if course.outcomes else {}
    keys = {number: key for number, key in _keys(source, subject.name, listed) if number >= 0}
    for trial, outcome in course.outcomes.get("places", {}).items():
        if not outcome.good and trial.place in keys:
            told = f"{source}: {subject.name}: {listed[trial.place]}: {outcome.what}: {outcome.said}"
            wrong.append((keys[trial.place], told))
    memory = course.outcomes.get("memory", {})
    return Swept(
        "", 1, classes, {key: number in course.covered for number, key in keys.items()}, len(memory),
        sum(outcome.good for outcome in memory.values()), {}, list(dict.fromkeys(wrong)), 0.0,
    )  # fmt: skip


def _by_tools(source: ownops.Source, course: Course, classes: set[str], tools: Sequence[str]) -> Swept:
    """S13 of a function: what compilers say of its unit, what sanitizers and valgrind say of its calls."""
    maker = course.made.maker
    unit = maker.source()
    lang = "c++" if '"opweld.cc"' in unit else "c"  # what its #line marks say
    writers = [*maker.program.data["types"], *maker.program.data["kernels"]]
    builds = [writer.get("build", {}) for writer in writers]
    own = [f"-I{folder}" for build in builds for folder in build.get("header_dirs", ())]
    without = {argument for build in builds for argument in build.get("no_compile_args", ())}
    own += [argument for build in builds for argument in build.get("compile_args", ()) if argument not in without]
    said: dict[str, list[str]] = {}
    for tool in tools:
        if tool in COMPILED:
            if (lang, tool) not in UNREAD:
                said[tool] = compiled(unit, lang, [*dict.fromkeys(own), *COMPILED[tool]])
            continue
        config.sanitize = tool if tool in SANITIZERS else ""  # what the check then takes
        course.go("sanitize" if tool in SANITIZERS else tool)
        if course.rows[-1].verdict != "skipped":
            said[tool] = [str(fault) for fault in course.rows[-1].faults]
    config.sanitize = ""
    wrong: list[tuple[Key | None, str]] = [
        (None, f"{source}: {course.subject.name}: {tool}: {text}") for tool, texts in said.items() for text in texts
    ]
    return Swept("", 1, classes, {}, 0, 0, {tool: (not texts, 1) for tool, texts in said.items()}, wrong, 0.0)


def compiled(unit: str, lang: str, flags: Sequence[str]) -> list[str]:
    """Say what gcc finds in a unit.

    Parameters
    ----------
    unit : str
        The text.
    lang : str
        ``c`` or ``c++``.
    flags : sequence of str
        What it is to look for, and what the unit needs besides Python's and NumPy's headers.

    Returns
    -------
    list of str
        Its warnings, and errors.
    """
    include = [f"-I{folder}" for folder in (sysconfig.get_paths()["include"], np.get_include())]
    command = ["gcc", "-O1", "-fwrapv", *flags, "-c", "-x", lang, *include, "-o", os.devnull, "-"]
    done = subprocess.run(command, input=unit, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    told = [line for line in done.stderr.splitlines() if " warning: " in line or " error: " in line]
    return [line for line in told if not any(text in line for text in UNFOUNDED)]


def _keys(source: ownops.Source, subject: str, listed: dict[int, Place]) -> Iterator[tuple[int, Key]]:
    """Name the places of a module as they are named in all: glue is its own, or, of a short form, the short form's."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    function = f"{source}: {subject}"
    for number, place in sorted(listed.items()):
        if number < FIRST_OF_UNIT:
            owner, where = "runtime", str(place)
        elif place.file.endswith("/glue"):
            owner, where = "glue", f"{source}: {place}"
        elif place.file in ("opweld.c", "opweld.cc"):
            owner, where = "glue", f"{function}: {place.name}"
        else:
            here = os.path.relpath(place.file, ownops.ROOT)
            owner = "library" if os.path.realpath(place.file).startswith(LIBRARY) else "ops"
            where = str(place._replace(file=here)) if not here.startswith("..") else f"{function}: {place}"
        counts[owner, where] += 1
        yield number, Key(owner, where, counts[owner, where])


def told(results: list[Swept], whole: bool) -> Iterator[str]:
    """Sum up.

    Parameters
    ----------
    results : list of Swept
        Of all sources.
    whole : bool
        Whether they are all that there are: only then it is told what none came to.

    Yields
    ------
    str
        Lines; what is wrong begins with ``!``.
    """
    come_to: dict[Key, bool] = {}
    for one in results:
        for key, there in one.come_to.items():
            come_to[key] = come_to.get(key, False) or there
    wrong = [fault for one in results for fault in one.wrong]
    bad = {key for key, _ in wrong}
    missed = [key for key, there in come_to.items() if not there]
    for _, text in wrong:
        yield f"! {text}"
    own = [key for key in missed if whole or key.owner in ("ops", "glue")]  # the others' are come to elsewhere
    yield from (f"! not come to: {key.owner}: {key.where}" for key in sorted(own))
    if whole:
        used = {name for one in results for name in one.classes}
        yield from (f"! not used: {name}" for name in sorted({cls.__qualname__ for cls in ownops.classes()} - used))
    for owner in ("ops", "glue", "library", "runtime"):
        here = [key for key in come_to if key.owner == owner]
        good = [key for key in here if come_to[key] and key not in bad]
        yield f"S1, {owner}: {len(good)} of {len(here)} places forced"
    good = [key for key in come_to if come_to[key] and key not in bad]
    yield f"S1: {len(good)} of {len(come_to)} places forced"
    requests, refused = sum(one.requests for one in results), sum(one.refused for one in results)
    functions = sum(one.functions for one in results)
    yield f"S2: {refused} of {requests} requests for memory refused"
    for tool, (clean, count) in _summed([one.clean for one in results]).items():
        yield f"S13, {tool}: {clean} of {count} functions clean"
    yield f"{functions} functions of {len(results)} sources, {sum(len(one.wrong) for one in results)} ended wrongly"


def main() -> int:
    """Sweep; 1 where something is wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="sources whose names contain one of these; all if left out")
    options.add_argument("--quick", action="store_true", help="a handful, in seconds")
    options.add_argument("--tools", action="store_true", help=f"those of S13: {', '.join(TOOLS)}")
    options.add_argument("--tool", action="append", choices=TOOLS, help="one of them, or several")
    options.add_argument("--examples", type=int, default=20, help="how many inputs are drawn")
    options.add_argument("--seconds", type=float, default=30.0, help="how long a call may take")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = options.parse_args()
    tools = tuple(given.tool or (TOOLS if given.tools else ()))
    every = ownops.sources()
    chosen = [one for one in every if not given.names or any(name in str(one) for name in given.names)]
    if given.quick:
        chosen = [one for one in chosen if str(one) in QUICK]
    results = []
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        for one in pool.map(partial(swept, examples=given.examples, seconds=given.seconds, tools=tools), chosen):
            good = sum(one.come_to.values())
            print(
                f"{one.name}: {one.functions} functions, {good} of {len(one.come_to)} places, "
                f"{one.refused} of {one.requests} requests, {len(one.wrong)} wrong, {one.seconds:.1f} s",
                flush=True,
            )
            print("".join(f"  ! {text}\n" for _, text in one.wrong), end="", flush=True)
            results.append(one)
    print()
    lines = list(told(results, len(chosen) == len(every) and not tools))
    print("\n".join(lines))
    return int(any(line.startswith("!") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
