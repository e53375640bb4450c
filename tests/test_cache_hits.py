"""What a hit compares, by whole functions in fresh processes: compilers, headers, files of C, processors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from refusals import run_apart

import opweld
import opweld.tensor as T
from opweld import sections
from opweld.compile import cache, holds, store

TRY = "print(json.dumps(attempt()))"
GCC = shutil.which("gcc")


def attempt(tmp_path: Path, **environ: str) -> list[object]:
    """``[path, hit, kept]`` of a function in a fresh process, or the name of an error and what it says."""
    answer, noise = run_apart(tmp_path, TRY, **environ)
    assert noise == ""
    return answer


# -- without a compiler ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/nowhere", "relative"])
def test_a_hit_needs_no_compiler(tmp_path: Path, path: str) -> None:
    built = attempt(tmp_path)
    assert built[1:] == [False, True]
    assert attempt(tmp_path, PATH=path) == [built[0], True, True]
    assert attempt(tmp_path) == [built[0], True, True]


def wrapper(folder: Path, remark: str = "") -> Path:
    """A compiler of one's own, which can be taken away."""
    folder.mkdir(exist_ok=True)
    place = folder / "gcc"
    place.write_text(f'#!/bin/sh\n# {remark}\nexec {GCC} "$@"\n')
    place.chmod(0o755)
    return place


def test_a_compiler_that_is_gone_and_one_that_is_replaced(tmp_path: Path) -> None:
    mine = wrapper(tmp_path / "mine")
    here = {"PATH": str(mine.parent)}
    everywhere = {"PATH": f"{mine.parent}:{os.environ['PATH']}"}
    built = attempt(tmp_path, **everywhere)
    assert built[1:] == [False, True]
    mine.unlink()
    assert attempt(tmp_path, **here) == [built[0], True, True]
    wrapper(tmp_path / "mine", "another")
    again = attempt(tmp_path, **everywhere)
    assert again[1:] == [False, True] and again[0] != built[0]


def test_a_setting_that_cannot_be_run_finds_what_it_made_and_nothing_else(tmp_path: Path) -> None:
    mine = wrapper(tmp_path / "mine")
    built = attempt(tmp_path, CC=f"{mine} -DASKED")
    assert built[1:] == [False, True]
    mine.unlink()
    assert attempt(tmp_path, CC=f"{mine} -DASKED") == [built[0], True, True]
    kind, message = attempt(tmp_path, CC=f"{mine} -DOTHER")
    assert kind == "CompilerNotFoundError"
    asked = f"$CC is '{mine} -DOTHER', which cannot be run"
    assert message.startswith(f"g must be built, and there is no C compiler: {asked}")
    assert attempt(tmp_path)[:1] != built[:1]


class Header(opweld.COp):
    """``x + VALUE``, of a header."""

    __props__ = ("folder", "args")

    def __init__(self, folder: str, args: tuple[str, ...] = ()):
        self.folder = folder
        self.args = args

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_headers(self):
        return ['"value.h"']

    def c_header_dirs(self):
        return [self.folder]

    def c_compile_args(self):
        return list(self.args)

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {sub["fail"]}
            for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++) ((double *)PyArray_DATA({z}))[i] += VALUE;
        """

    def c_code_cache_version(self):
        return (1,)


HEADER = """
import json, sys
import numpy as np, opweld, opweld.tensor as T
from test_cache_hits import Header

x = T.dvector("x")
try:
    f = opweld.function([x], Header(sys.argv[1], tuple(sys.argv[2:]))(x))
    print(json.dumps([f(np.zeros(1)).tolist(), f.maker.built.hit]))
except opweld.OpweldError as err:
    print(json.dumps([type(err).__name__, str(err)]))
"""


@pytest.fixture
def header(tmp_path: Path):
    """``header(*args)``: what a fresh process gives that reads ``include/value.h``, and whether it was a hit."""
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "value.h").write_text("#define VALUE 1.0\n")

    def run(*args: str, **environ: str) -> list[object]:
        env = {**os.environ, "OPWELD_FLAGS": f"compiledir={tmp_path / 'cache'}", **environ}
        env["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
        code = [sys.executable, "-c", HEADER, str(tmp_path / "include"), *args]
        done = subprocess.run(code, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_headers_that_are_gone_matter_to_who_can_compile(tmp_path: Path, header) -> None:
    assert header() == [[1.0], False]
    value = tmp_path / "include" / "value.h"
    value.rename(tmp_path / "kept")
    assert header(PATH="") == [[1.0], True]
    kind, message = header()
    assert kind == "CompileError" and "value.h" in message
    value.write_text("#define VALUE 2.0\n")
    assert header(PATH="")[0] == "CompilerNotFoundError"  # what is there and another is seen
    assert header() == [[2.0], False]


def test_a_header_edited_in_place_with_size_and_time_restored(tmp_path: Path, header) -> None:
    value = tmp_path / "include" / "value.h"
    os.utime(value, ns=(10**18, 10**18))
    assert [header(), header()] == [[[1.0], False], [[1.0], True]]
    before = value.stat()
    with value.open("r+") as file:
        file.write("#define VALUE 3.0\n")
    os.utime(value, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = value.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    assert header() == [[3.0], False]


def test_a_copy_of_the_tree_is_compared_by_content(tmp_path: Path, header) -> None:
    assert header() == [[1.0], False]
    moved = tmp_path / "moved"
    (tmp_path / "include").rename(moved)
    shutil.copytree(moved, tmp_path / "include")
    assert header() == [[1.0], True]


def test_a_processor_of_its_own(tmp_path: Path, header, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [header("-march=native"), header("-march=native")] == [[[1.0], False], [[1.0], True]]
    (entry,) = (tmp_path / "cache" / "v2" / "entry").glob("*/*")
    fields = json.loads(entry.read_bytes().partition(b"\n")[2])
    assert fields["cpu"] == holds.processor() != ""
    assert any(line.startswith("resolved ") and "-march=" in line for line in fields["key_lines"])
    (index, *_) = [path.name for path in (tmp_path / "cache" / "v2" / "index").glob("*/*")]
    assert isinstance(cache.lookup(index, str(tmp_path / "cache")), cache.Hit)
    monkeypatch.setattr(cache, "processor", lambda: "another")
    found = cache.lookup(index, str(tmp_path / "cache"))
    assert isinstance(found, cache.Miss) and found.reason == f"the module of {entry.name} is for another processor"


def test_what_the_kernel_says_of_a_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def processor(text: str) -> str:
        file = tmp_path / "cpuinfo"
        file.write_text(text)
        monkeypatch.setattr("builtins.open", lambda path, *args, **kwargs: real(file, *args, **kwargs))
        found = holds.processor()
        monkeypatch.undo()
        return found

    real = open
    one = "processor\t: 0\nmodel name\t: A\ncpu MHz\t\t: 1000.0\nflags\t\t: sse avx\nbogomips\t: 1\n\n"
    assert processor(one) == processor(one + one.replace("1000", "2000").replace(": 0", ": 1")) != ""
    assert processor(one) != processor(one.replace("avx", "avx2"))
    assert processor(one) != processor(one.replace(": A", ": B"))
    assert processor("nothing\n") == ""


def test_programs_on_path_count_by_path_and_content(tmp_path: Path) -> None:
    built = attempt(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    first = {"PATH": f"{other}:{os.environ['PATH']}"}
    count = len(list((tmp_path / "cache/opweld/v2/tools").iterdir()))
    assert attempt(tmp_path, **first) == [built[0], True, True]  # an unrelated change of PATH
    (other / "ls").symlink_to("/bin/ls")
    assert attempt(tmp_path, **first) == [built[0], True, True]
    assert len(list((tmp_path / "cache/opweld/v2/tools").iterdir())) == count
    (other / "as").write_text('#!/bin/sh\nexec /usr/bin/as "$@"\n')
    (other / "as").chmod(0o755)
    again = attempt(tmp_path, **first)
    assert again[1:] == [False, True] and again[0] != built[0]
    assert attempt(tmp_path, **first) == [again[0], True, True]


def test_files_that_assembly_reads(tmp_path: Path, header) -> None:
    blob = tmp_path / "blob"
    blob.write_text("a")
    text = f"""
        #define VALUE (blob[0])
        __asm__(".section .rodata\\nblob: .incbin \\"{blob}\\"\\n.text");
        extern const char blob[] __attribute__((visibility("hidden")));
    """
    (tmp_path / "include" / "value.h").write_text(textwrap.dedent(text))
    assert [header(), header()] == [[[97.0], False], [[97.0], True]]
    blob.write_text("b")
    assert header() == [[98.0], False]
    assert [header("-flto"), header("-flto")] == [[[98.0], False], [[98.0], False]]  # not seen, so not kept


@pytest.mark.parametrize("flag", ["-wrapper", "-fplugin=name", "-fprofile-use", "-MMD", "-includex.h", "@args"])
def test_arguments_that_could_change_unseen_are_refused(header, flag: str) -> None:
    kind, message = header(flag)
    assert kind == "ProgramError" and message.startswith(f'the argument "{flag}" cannot be used: ')


def test_environment_that_compilers_read(header) -> None:
    hostile = {"LD_RUN_PATH": "/x", "GCC_COMPARE_DEBUG": "-gtoggle", "CCC_OVERRIDE_OPTIONS": "+-O0"}
    hostile |= {"DEPENDENCIES_OUTPUT": "/x", "COLLECT_GCC_OPTIONS": "'-O0'", "LDEMULATION": "elf_i386"}
    assert [header(), header(**hostile)] == [[[1.0], False], [[1.0], True]]
    assert header(SOURCE_DATE_EPOCH="1")[1] is False
    assert header(LD_LIBRARY_PATH="/nowhere")[1] is False


# What a process needs that makes a module, an op, or a mistake.
NEEDLESS = (
    "answers apart compile.making compile.store compile.written difflib engine graph.hooknames suggest tracebacks"
)
HIT = """
import json, sys
import numpy as np
import opweld, opweld.tensor as T

x = T.dvector("x")
{}
assert f([1.0, 2.0]).tolist() == [3, 5]
names = {name.removeprefix("opweld.") for name in sys.modules}
print(json.dumps([f.maker.built.hit, sorted(names & set(sys.argv[1].split()))]))
"""
GRAPH = "f = opweld.function([x], x * 2 + 1)"
OP = '''
class TwiceAndOne(opweld.COp):
    __props__ = ()

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (y,) = inputs, outputs
        return f"""
            Py_XDECREF({y});
            {y} = (PyArrayObject *)PyArray_NewLikeArray({x}, NPY_CORDER, NULL, 0);
            if ({y} == NULL) {sub["fail"]}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(double *)PyArray_GETPTR1({y}, i) = 2 * *(double *)PyArray_GETPTR1({x}, i) + 1;
        """

f = opweld.function([x], TwiceAndOne()(x))
'''


@pytest.mark.parametrize(("made", "needless"), [(GRAPH, NEEDLESS), (OP, NEEDLESS.replace(" graph.hooknames", ""))])
def test_a_hit_loads_nothing_needless(tmp_path: Path, made: str, needless: str) -> None:
    env = {**os.environ, "OPWELD_FLAGS": f"compiledir={tmp_path / 'cache'}"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    program = HIT.replace("{}", made)
    hits = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program, needless], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        hits.append(json.loads(done.stdout))
    assert hits[0][0] is False and "engine" in hits[0][1] and hits[1] == [True, []]


# -- in one process --------------------------------------------------------------------------------------------------


def test_a_file_replaced_with_equal_size_and_time(tmp_path: Path) -> None:
    """The inode is looked at: of a file that takes another's place neither size nor mtime need tell."""
    one, two = tmp_path / "one.h", tmp_path / "two.h"
    for path, text in ((one, "a"), (two, "b")):
        path.write_text(text)
        os.utime(path, ns=(10**18, 10**18))
    was, other = one.stat(), two.stat()
    known = [str(one), 1, was.st_mtime_ns, was.st_ctime_ns, was.st_ino, holds.sha256(b"a").hexdigest()]
    holds.check_files([known])
    os.replace(two, one)
    now = one.stat()
    assert (now.st_size, now.st_mtime_ns) == (was.st_size, was.st_mtime_ns)
    with pytest.raises(holds.NotHeld, match=r"one\.h has changed"):
        holds.check_files([known])
    known[3] = now.st_ctime_ns  # though the times be all the same
    assert now.st_ino == other.st_ino != was.st_ino
    with pytest.raises(holds.NotHeld, match=r"one\.h has changed"):
        holds.check_files([known])


def test_which_file_has_changed(tmp_path: Path) -> None:
    """The first, from one on; each part of what is known counts, and names that are no UTF-8 are names too."""
    paths = [tmp_path / "one.h", tmp_path / "två.h", Path(os.fsdecode(os.fsencode(tmp_path) + b"/thr\xe9\xe9.h"))]
    for path in paths:
        path.write_text("text")
    files = [known_as(path) for path in paths]
    assert [holds.unchanged(files, at) for at in range(4)] == [3, 3, 3, 3]
    assert holds.unchanged(tuple(map(tuple, files)), 0) == 3 and holds.unchanged([], 0) == 0
    for part in range(1, 5):
        other = [*files[1][:part], files[1][part] + 1, *files[1][part + 1 :]]
        assert [holds.unchanged([files[0], other, files[2]], at) for at in range(4)] == [1, 1, 3, 3]
    paths[2].unlink()
    assert [holds.unchanged(files, at) for at in range(4)] == [2, 2, 2, 3]
    with pytest.raises(holds.NotHeld, match="cannot be read"):
        holds.check_files(files)
    holds.check_files(files, tolerant=True)


@pytest.mark.parametrize(
    "known", [["/", 1, 2, 3, 4], ["/", 1, 2, 3, "4", ""], [None, 1, 2, 3, 4, ""], 1, ["a\0b", 1, 2, 3, 4, ""]]
)
def test_what_is_known_of_a_file_is_of_six_parts(known: object) -> None:
    """What lies in an entry need not be what was put there: a miss, not a crash."""
    with pytest.raises((TypeError, ValueError)):
        holds.unchanged([known], 0)


class Kept:
    """A memory of files in a folder, as another process finds it; counts what is read."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.memory = cache.Stamps(str(root), (), store.remember)
        self.read: list[str] = []
        digest = holds._digest
        monkeypatch.setattr(holds, "_digest", lambda file: self.read.append(file) or digest(file))
        monkeypatch.setattr(holds, "_read", {})

    def check(self, known: list[object], anew: bool = True) -> int:
        """Check a file in a process of its own, or in the last one; how often it was read."""
        if anew:
            holds._read.clear()
        self.read.clear()
        holds.check_files([known], memory=self.memory)
        return len(self.read)


def known_as(path: Path) -> list[object]:
    now = path.stat()
    digest = holds.sha256(path.read_bytes()).hexdigest()
    return [str(path), now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino, digest]


def test_a_file_of_other_times_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As all are where a cache and its compiler come with an image."""
    header = tmp_path / "one.h"
    header.write_text("one")
    known = known_as(header)
    kept = Kept(tmp_path / "root", monkeypatch)
    assert kept.check(known) == 0
    shutil.copy2(header, tmp_path / "copy")
    os.replace(tmp_path / "copy", header)
    time.sleep(0.05)  # until its times are older than a file system's tick
    assert [kept.check(known), kept.check(known), kept.check(known, anew=False)] == [1, 0, 0]
    soon = time.time_ns() + 300_000_000  # it stays as fresh for a while, however slow the machine is
    os.utime(header, ns=(soon, soon))
    assert [kept.check(known), kept.check(known)] == [1, 1], "so fresh that it could be written again unseen"
    time.sleep(0.35)
    assert [kept.check(known), kept.check(known)] == [1, 0]
    (stamp,) = (tmp_path / "root" / cache.FOLDER / "stamp").glob("*/*")
    stamp.write_bytes(stamp.read_bytes().replace(b"one.h", b"two.h"))
    assert [kept.check(known), kept.check(known)] == [1, 0], "what is damaged is written anew"
    header.write_text("two")
    time.sleep(0.05)
    for _ in range(2):
        with pytest.raises(holds.NotHeld, match=r"one\.h has changed"):
            kept.check(known)


def test_what_is_remembered_of_a_file_is_not_believed_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one.h", tmp_path / "two.h"
    for path in (one, two):
        path.write_text(path.name)
    known, wrong = known_as(one), known_as(two)
    kept = Kept(tmp_path / "root", monkeypatch)
    kept.memory.remember(str(one), wrong[1:])  # of the right name, and of what is another file by its marks
    known[3] += 1
    assert kept.check(known) == 1
    name = kept.memory.name(str(one))
    store.remember("stamp", name, {"path": str(two), "known": [*known_as(one)[1:5], wrong[5]]}, kept.memory.root)
    assert kept.check(known) == 1
    for broken in (None, 3, [1], {}, [*known_as(one)[1:5]]):
        store.remember("stamp", name, {"path": str(one), "known": broken}, kept.memory.root)
        time.sleep(0.05)
        assert kept.check(known) == 1


def test_a_hit_whose_files_have_other_times(header, tmp_path: Path) -> None:
    """Whole functions in fresh processes: what had to be read is remembered."""
    assert header() == [[1.0], False]
    stamps = tmp_path / "cache" / cache.FOLDER / "stamp"
    (tmp_path / "include" / "value.h").touch()
    time.sleep(0.05)
    assert not list(stamps.rglob("*")) and header() == [[1.0], True] and len(list(stamps.glob("*/*"))) == 1


SOURCE = """#section code
Py_CLEAR(OUTPUT_0);
OUTPUT_0 = (PyArrayObject *)PyArray_NewCopy(INPUT_0, NPY_CORDER);
if (!OUTPUT_0) FAIL
((double *)PyArray_DATA(OUTPUT_0))[0] = %s;
"""


@pytest.mark.parametrize("how", ["in place", "time restored", "replaced"])
def test_a_file_of_c_edited_in_one_process(tmp_path: Path, how: str) -> None:
    file = tmp_path / "code.c"

    class Filed(opweld.ExternalCOp):
        __props__ = ()

        def __init__(self):
            super().__init__([str(file)])

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

    def run() -> float:
        x = T.dvector("x")
        return float(opweld.function([x], Filed()(x))(np.zeros(1))[0])

    file.write_text(SOURCE % 1)
    os.utime(file, ns=(10**18, 10**18))
    assert run() == 1.0
    before = sections.key_of(str(file), "Filed")
    status = file.stat()
    assert before == (str(file), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    target = tmp_path / "new.c" if how == "replaced" else file
    target.write_text(SOURCE % 2)
    if how != "in place":
        os.utime(target, ns=(10**18, 10**18))
    os.replace(target, file)
    after = sections.key_of(str(file), "Filed")
    assert after[1] == before[1] and after != before
    assert run() == 2.0


def test_seconds_of_the_lock_are_passed_on(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    """How long a build waits for another holder of its lock is what the configuration says."""
    from opweld import engine

    seen = []

    def build(request, *more):
        seen.append(request["lock_seconds"])
        return real(request, *more)

    real = engine.build
    monkeypatch.setattr(engine, "build", build)
    monkeypatch.setattr(opweld.config, "lock_seconds", 0.25)
    x = T.dvector("x")
    opweld.function([x], x * 41.0)
    assert seen == [0.25]


def test_clear_leaves_nothing_of_a_cpp_build(tmp_path: Path) -> None:
    body = """
        class Cpp(Copy):
            c_lang = "c++"
        print(json.dumps([attempt(Cpp()), attempt(Copy())]))
    """
    run_apart(tmp_path, body)
    root = tmp_path / "cache" / "opweld"
    (root / "v1" / "index" / "ab").mkdir(parents=True)
    (root / "v1" / "index" / "ab" / ("ab" * 32)).touch()
    assert list(root.glob("v2/pch/*/*/opweld.hh.gch"))
    files, _ = store.clear(str(root))
    assert files > 10
    assert list(root.iterdir()) == []


def test_engine_and_python_wait_for_clocks_as_long():
    text = (Path(__file__).resolve().parent.parent / "gen" / "cache" / "file.go").read_text()
    fine, coarse = (re.search(rf"\b{name}\s+= (\d+) \* time\.", text)[1] for name in ("tick", "coarseTick"))
    assert f"{fine} * time.Millisecond" in text and f"{coarse} * time.Second" in text
    assert (holds._TICK, holds.COARSE_TICK) == (int(fine) * 10**6, int(coarse) * 10**9)
