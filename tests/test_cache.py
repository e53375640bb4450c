"""The reader of the cache: against the store that the Go tests wrote, and against changes of what an entry names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from opweld.compile import cache, store
from opweld.compile.cache import Hit, Miss

TESTDATA = Path(__file__).resolve().parent.parent / "gen" / "cache" / "testdata"
CASES = json.loads((TESTDATA / "golden" / "cases.json").read_text())
HOUR_AGO = 1_700_000_000_000_000_000


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy that nobody else can write, as a checkout may be; the paths that it names start at the folder of tests."""
    monkeypatch.chdir(TESTDATA)
    return Path(shutil.copytree(TESTDATA / "golden", tmp_path / "golden", copy_function=shutil.copyfile))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_golden_store(case: dict[str, str], golden: Path) -> None:
    found = cache.lookup(case["index"], str(golden))
    if case["reason"]:
        assert isinstance(found, Miss)
        assert case["reason"] in found.reason
        return
    assert isinstance(found, Hit)
    assert Path(found.module).read_text() == f"module of {case['name']}"
    assert Path(found.source).read_text() == f"/* source of {case['name']} */\n"


def test_golden_warning_is_mapped(golden: Path) -> None:
    index = next(case["index"] for case in CASES if case["name"] == "with a warning")
    found = cache.lookup(index, str(golden))
    assert isinstance(found, Hit)
    method = {"file": "/home/u/ops.py", "line": 41, "exact": False}
    (mapped,) = cache.map_warnings(found.warnings, {"Twice.c_code": method})
    assert [mapped[f] for f in ("file", "line", "fragment_line", "exact")] == ["/home/u/ops.py", 41, 2, False]
    mapped = cache.map_warnings(found.warnings, {"Twice.c_code": {"file": "/home/u/t.c", "line": 10, "exact": True}})
    assert (mapped[0]["line"], mapped[0]["exact"]) == (11, True)
    assert cache.map_warnings(found.warnings, {}) == found.warnings


class World:
    """A cache with one entry over one header and one search path."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "rööt with blank"
        self.early, self.late = folder / "early", folder / "late"
        self.early.mkdir()
        self.late.mkdir()
        self.header = self.late / "x.h"
        self.write_header("#define X 1\n")
        os.utime(self.early, ns=(HOUR_AGO, HOUR_AGO))
        now, folder_now = self.header.stat(), self.early.stat()
        self.key, self.index = "ab" * 32, "cd" * 32
        stem = f"module/ab/{self.key}-0123456789abcdef"
        self.module = self.publish(stem + ".so", b"module")
        self.publish(stem + ".c", b"source")
        self.entry = {
            "key": self.key,
            "module": stem + ".so",
            "size": 6,
            "sha256": sha256(b"module").hexdigest(),
            "source": stem + ".c",
            "text": sha256(b"source").hexdigest(),
            "tools": [[str(self.header), 12, *times(now), sha256(b"#define X 1\n").hexdigest()]],
            "found": [["as", "/usr/bin/as"]],
            "cpu": "",
            "files": [[str(self.header), 12, *times(now), sha256(b"#define X 1\n").hexdigest()]],
            "absent": [[str(self.early), *times(folder_now), ["x.h"]]],
            "key_lines": [],
            "argv": [],
            "warnings": [],
        }
        self.write_entry()
        self.index_file = self.publish(f"index/cd/{self.index}", framed(f"index/cd/{self.index}", {"key": self.key}))

    def publish(self, rel: str, data: bytes) -> Path:
        path = self.root / "v2" / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def write_entry(self) -> None:
        self.entry_file = self.publish(f"entry/ab/{self.key}", framed(f"entry/ab/{self.key}", self.entry))

    def write_header(self, text: str) -> None:
        self.header.write_text(text)
        os.utime(self.header, ns=(HOUR_AGO, HOUR_AGO))

    def reason(self) -> str:
        """Why the entry is a miss; empty: it is a hit."""
        found = cache.lookup(self.index, str(self.root))
        if isinstance(found, Hit):
            assert found.module == str(self.module)
            return ""
        return found.reason


def times(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def framed(rel: str, value: object) -> bytes:
    body = json.dumps(value).encode()
    return f"opweld-cache 2 {rel} {sha256(body).hexdigest()}\n".encode() + body


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_hit(world: World) -> None:
    assert world.reason() == ""


def test_header_edited(world: World) -> None:
    world.header.write_text("#define X 2\n")
    assert world.reason() == f"{world.header} has changed"


def test_header_longer(world: World) -> None:
    world.write_header("#define X 100\n")
    assert world.reason() == f"{world.header} has changed"


def test_header_gone(world: World) -> None:
    world.header.unlink()
    assert world.reason() == f"{world.header} cannot be read"


def test_header_only_touched(world: World) -> None:
    os.utime(world.header)
    assert world.reason() == ""


def test_header_replaced_by_an_equal_one(world: World) -> None:
    world.header.rename(world.late / "y.h")
    world.write_header("#define X 1\n")
    assert world.reason() == ""


def test_header_appears_earlier_on_the_path(world: World) -> None:
    (world.early / "y.h").write_text("")
    assert world.reason() == ""
    (world.early / "x.h").write_text("")
    assert world.reason() == f"{world.early / 'x.h'} has appeared and comes first on the search path"


def test_earlier_folder_gone(world: World) -> None:
    world.early.rmdir()
    assert world.reason() == ""


def test_module_changed(world: World) -> None:
    world.module.write_bytes(b"MODULE")
    assert world.reason() == f"{world.module} is damaged"
    world.module.unlink()
    assert world.reason() == f"{world.module} cannot be read"


def test_damage_at_every_offset(world: World) -> None:
    for path in (world.entry_file, world.index_file, world.module):
        whole = path.read_bytes()
        for i in range(len(whole)):
            path.write_bytes(whole[:i] + bytes([whole[i] ^ (1 << i % 8)]) + whole[i + 1 :])
            assert world.reason(), f"{path}, byte {i}"
            path.write_bytes(whole[:i])
            assert world.reason(), f"{path}, cut to {i}"
        path.write_bytes(whole)
        assert world.reason() == ""


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [[]], [[1, 2, 3, 4, 5, 6]], [["x", "y"]], [{"a": 1}]])
@pytest.mark.parametrize("field", "key module size sha256 source text tools found files absent warnings".split())
def test_entry_of_another_shape(world: World, field: str, value: object) -> None:
    fine = {"absent": [[], {}], "tools": [[], {}], "warnings": [[], [{"a": 1}]], "found": [[], {}, [["x", "y"]]]}
    if value in fine.get(field, []):
        return  # whole, or as good as
    world.entry[field] = value
    world.write_entry()
    assert world.reason()
    del world.entry[field]
    world.write_entry()
    assert world.reason()


def test_entry_may_not_lead_out_of_the_cache(world: World) -> None:
    world.entry["module"] = f"module/ab/{world.key}-/../../../../evil.so"
    world.write_entry()
    assert "is not a path of" in world.reason()


@pytest.mark.parametrize("index", ["", "..", "g" * 64, "a" * 63, "A" * 64])
def test_strange_index(index: str, tmp_path: Path) -> None:
    assert isinstance(cache.lookup(index, str(tmp_path)), Miss)


def test_no_cache_at_all(tmp_path: Path) -> None:
    found = cache.lookup("a" * 64, str(tmp_path / "none"))
    assert isinstance(found, Miss)
    assert found.reason == f"no index/aa/{'a' * 64}"
    assert not (tmp_path / "none").exists()


def test_roots() -> None:
    home = {"HOME": "/home/u"}
    assert cache.roots("", home) == ["/home/u/.cache/opweld"]
    assert cache.roots("/c", home) == ["/c"]
    assert cache.roots("", {**home, "XDG_CACHE_HOME": "/x"}) == ["/x/opweld", "/home/u/.cache/opweld"]
    assert cache.roots("", {**home, "XDG_CACHE_HOME": "relative"}) == ["/home/u/.cache/opweld"]
    assert cache.roots("", {}) == []


def test_writable_takes_the_first_that_can_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    good = tmp_path / "ä b" / "c"
    assert store.writable([str(file / "below"), str(good), str(tmp_path / "other")]) == str(good)
    assert (good / "v2").is_dir()
    assert not (tmp_path / "other").exists()
    assert store.writable([str(file)]) == ""


def test_clear_removes_only_what_is_ours(world: World) -> None:
    ours = world.root / "v2"
    (ours / "theirs.txt").write_text("")
    (world.root / "notes").mkdir()
    outside = world.root.parent / "outside"
    outside.mkdir()
    (outside / "kept").write_text("")
    (ours / "module" / "link").symlink_to(outside)
    files, size = store.clear(str(world.root))
    assert files >= 4
    assert size > 0
    assert sorted(p.name for p in ours.iterdir()) in (["theirs.txt"], ["module", "theirs.txt"])
    assert (outside / "kept").exists()
    assert (world.root / "notes").exists()
    (ours / "theirs.txt").unlink()
    assert world.reason().startswith("no index/")
    assert store.clear(str(world.root / "none")) == (0, 0)


@pytest.mark.parametrize("state", ["gc.enable()", "gc.disable()", "gc.freeze()"])
def test_loading_leaves_the_collector_of_cycles_as_it_was(state: str) -> None:
    code = (
        f"import gc, weakref, numpy, opweld; {state}; was = gc.isenabled(), gc.get_freeze_count(), gc.get_threshold()\n"
        "class Node: pass\n"
        "one = Node(); one.own = one; seen = weakref.ref(one); del one; opweld.tensor.dvector('x') * 2\n"
        "assert was[::2] == (gc.isenabled(), gc.get_threshold()) and (gc.get_freeze_count() >= was[1] / 2)\n"
        "assert 'opweld.tensor.elemwise' in __import__('sys').modules\n"
        "gc.collect(); assert seen() is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_reader_imports_next_to_nothing() -> None:
    code = (
        "import sys, numpy; before = set(sys.modules); import opweld.compile.cache, opweld.compile.toolchain\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(new - {'opweld', '__future__', 'importlib', 'gc', 'json', '_json', '_sha2', '_sha256'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
