"""Whose cache it is: nothing is loaded that somebody else could have written, and nothing is waited for."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import warnings
from hashlib import sha256
from pathlib import Path

import pytest
from refusals import run_apart

import opweld
from opweld import doctor
from opweld.compile import cache, store, trust
from opweld.config import Config

STRANGER = 4711  # a uid that is nobody's here


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder above, a root in it, the store, one kind."""
    folder = tmp_path / "above" / "root"
    (folder / "v2" / "index").mkdir(parents=True)
    return folder


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch):
    """``give(path)`` makes a path somebody else's; who is not root becomes somebody else instead."""

    def foreign(path: Path) -> int:
        if os.geteuid() == 0:
            os.lchown(path, STRANGER, -1)
            return STRANGER
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
        return path.lstat().st_uid

    return foreign


def said(root: Path, owners: tuple[int, ...] = ()) -> str:
    return cache.objection(str(root), owners)


def test_what_is_ours_is_trusted(root: Path) -> None:
    assert said(root) == ""
    assert said(root / "not" / "there") == ""
    assert cache.trusted([str(root)]) == [str(root)]


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777, 0o1777, 0o2775, 0o720, 0o702])
@pytest.mark.parametrize("below", ["", "v2", "v2/index"])
def test_what_others_can_write(root: Path, below: str, mode: int) -> None:
    (root / below).chmod(mode)
    where = str(root / below).rstrip("/")
    assert said(root) == f"{where} can be written by others (mode {mode:04o})"


@pytest.mark.parametrize(("mode", "good"), [(0o777, False), (0o775, False), (0o1777, True), (0o1775, True)])
def test_above_the_root_sticky_folders_will_do(root: Path, mode: int, good: bool) -> None:
    root.parent.chmod(mode)
    assert said(root) == ("" if good else f"{root.parent} can be written by others (mode {mode:04o})")


@pytest.mark.parametrize("below", ["..", "", "v2", "v2/index"])
def test_what_belongs_to_somebody_else(root: Path, below: str, give) -> None:
    place = Path(os.path.normpath(root / below))
    owner = give(place)
    assert "belongs to" in said(root) and f"uid {owner}" in said(root)
    assert said(root, (owner,)) == ""
    assert "belongs to" in said(root, (owner + 1,))


def test_a_sticky_folder_of_somebody_else_is_his(root: Path, give) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    root.parent.chmod(0o1777)
    give(root.parent)
    assert said(root).startswith(f"{root.parent} belongs to ")


def test_links_on_the_way(root: Path, tmp_path: Path, give) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    good, bad = tmp_path / "good", tmp_path / "open" / "bad"
    good.symlink_to(root)
    bad.symlink_to(root)
    assert cache.trusted([str(good)]) == [str(root)]
    assert said(bad) == f"{tmp_path / 'open'} can be written by others (mode 0777)"
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert said(tmp_path / "round").endswith("is a link that leads nowhere")
    relative = tmp_path / "relative"
    relative.symlink_to("above/../above/./root")
    assert cache.trusted([str(relative)]) == [str(root)]
    (root / "v2" / "entry").symlink_to(tmp_path)
    assert said(root) == f"{root}/v2/entry is a link"
    (root / "v2" / "entry").unlink()
    (root / "v2" / "entry").touch()  # damage, and nobody else's: nothing can be kept there, and nothing is said
    assert said(root) == ""
    assert cache.trusted([str(root)]) == []


def test_a_link_of_somebody_else(root: Path, tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a link away")
    link = tmp_path / "link"
    link.symlink_to(root)
    os.lchown(link, STRANGER, -1)
    assert said(link) == f"{link} belongs to uid {STRANGER}"


def test_a_folder_may_be_given_to_owners_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trust.owners("root 17  4") == (0, 17, 4)
    assert trust.owners("") == ()
    with pytest.raises(opweld.ConfigError, match=r"^config.compiledir_owners: there is no user 'nobody-at-all'; give"):
        trust.owners("nobody-at-all")
    flags = Config({"OPWELD_FLAGS": "compiledir=/c,compiledir_owners=alice 1001"})
    assert flags.compiledir_owners == "alice 1001"


def test_one_warning_a_process(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_said", set())
    root.chmod(0o777)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert cache.trusted([str(root)]) == []
        assert cache.trusted([str(root), str(root)]) == []
    (one,) = seen
    assert one.category is opweld.CacheWarning
    assert str(one.message) == (
        f"the cache folder {root} is not used, for others could have put code there: {root} can be written by others "
        f"(mode 0777). Make it yours alone (chown, chmod go-w), choose another (config.compiledir), or name its owner "
        f"in config.compiledir_owners; until then another folder is used"
    )


def test_the_next_of_the_chain_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_said", set())
    xdg, home = tmp_path / "xdg" / "opweld", tmp_path / "home"
    xdg.mkdir(parents=True)
    home.mkdir()
    xdg.chmod(0o777)
    with pytest.warns(opweld.CacheWarning):
        chosen = store.path("", {"XDG_CACHE_HOME": str(xdg.parent), "HOME": str(home)})
    assert chosen == str(home / ".cache" / "opweld")
    for folder in (home / ".cache", home / ".cache" / "opweld", home / ".cache" / "opweld" / "v2"):
        assert folder.stat().st_mode & 0o022 == 0


def test_what_is_made_is_ours_alone_whatever_the_mask(tmp_path: Path) -> None:
    body = """
        import opweld
        os.umask(0)
        print(json.dumps([attempt()[1:], len(opweld.scalar.expr("a*x + y").args)]))
    """
    assert run_apart(tmp_path, body) == ([[False, True], 3], "")
    made = [path for path in (tmp_path / "cache").rglob("*")]
    assert len(made) > 10
    assert [str(path) for path in made if path.lstat().st_mode & 0o022] == []
    assert run_apart(tmp_path, body)[0][0] == [True, True]


def test_doctor_says_what_it_found(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opweld.config, "compiledir", str(root))
    (found,) = doctor.check_cache()
    assert found.status == "ok"
    (root / "v2").chmod(0o777)
    (found,) = doctor.check_cache()
    assert found.status == "note"
    assert found.found == "no folder can be used: nothing is kept from one process to the next"
    assert found.more == (f"{root}: not used: {root}/v2 can be written by others (mode 0777)",)
    assert "compiledir_owners" in found.advice


# -- whole functions --------------------------------------------------------------------------------------------------


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The store of a cache with one function in it."""
    (_, hit, kept), noise = run_apart(tmp_path, "print(json.dumps(attempt()))")
    assert (hit, kept, noise) == (False, True, "")
    return tmp_path / "cache" / "opweld" / "v2"


def files_of(store: Path) -> dict[str, Path]:
    found = {kind: next(p for p in (store / kind).rglob("*") if p.is_file()) for kind in ("index", "entry")}
    return {**found, "module": next((store / "module").rglob("*.so"))}


def fifo(place: Path, good: Path) -> None:
    os.mkfifo(place)


def link(place: Path, good: Path) -> None:
    place.symlink_to(good)


def device(place: Path, good: Path) -> None:
    place.symlink_to("/dev/zero")


def folder(place: Path, good: Path) -> None:
    place.mkdir()
    (place / "inside").touch()


def listener(place: Path, good: Path) -> None:
    here = os.getcwd()
    os.chdir(place.parent)  # such names are short
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind("s")
        os.rename("s", place)
    finally:
        os.chdir(here)


@pytest.fixture
def no_waiting():
    """Ends a test that waits for a file that nobody writes to."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("make", [fifo, link, device, folder, listener])
def test_only_regular_files_are_opened(built: Path, tmp_path: Path, make, no_waiting) -> None:
    name = files_of(built)["index"].name
    for kind, victim in files_of(built).items():
        good = tmp_path / f"good {kind}"
        victim.rename(good)
        make(victim, good)
        assert isinstance(cache.lookup(name, str(built.parent)), cache.Miss)
        if kind == "entry" and make in (fifo, folder):  # built again and kept: what lay there is replaced
            assert run_apart(tmp_path, "print(json.dumps(attempt()))")[0][1:] == [False, True]
            assert run_apart(tmp_path, "print(json.dumps(attempt()))")[0][1:] == [True, True]
            continue
        shutil.rmtree(victim) if victim.is_dir() else victim.unlink()
        good.rename(victim)
        assert isinstance(cache.lookup(name, str(built.parent)), cache.Hit)


FORGED = """
    import ctypes
    print(json.dumps([attempt(), [str(w.category.__name__) for w in seen], [str(w.message) for w in seen]]))
"""
WATCH = """
    import warnings
    watcher = warnings.catch_warnings(record=True)
    seen = watcher.__enter__()
    warnings.simplefilter("always")
"""


@pytest.mark.parametrize("below", ["", "module", "index/*", "entry/*", "module/*"])
def test_folders_that_others_can_write_are_not_loaded_from(built: Path, tmp_path: Path, below: str) -> None:
    victims = list(built.glob(below)) if below else [built]
    for victim in victims:  # of indexes there is a spare one
        victim.chmod(0o777)
    answer, kinds, messages = run_apart(tmp_path, WATCH + FORGED)[0]
    path, hit, _ = answer
    assert not hit and not path.startswith(str(built))
    assert kinds == ["CacheWarning"]
    assert any(f"{victim} can be written by others (mode 0777)" in messages[0] for victim in victims)


@pytest.mark.parametrize("kind", ["index", "entry", "module"])
@pytest.mark.parametrize("how", ["mode", "owner"])
def test_files_that_others_can_have_written_are_not_loaded(built: Path, tmp_path: Path, kind: str, how: str) -> None:
    if how == "owner" and os.geteuid():
        pytest.skip("only root can give a file away")
    victims = list((built / "index").glob("*/*")) if kind == "index" else [files_of(built)[kind]]
    for victim in victims:
        victim.chmod(0o666) if how == "mode" else os.chown(victim, STRANGER, STRANGER)
    answer, kinds, messages = run_apart(tmp_path, WATCH + FORGED)[0]
    assert not answer[1] and not answer[0].startswith(str(built))
    assert kinds == ["CacheWarning"] and any(str(victim) in messages[0] for victim in victims)


def test_a_forged_entry_of_another_user_does_not_run(built: Path, tmp_path: Path) -> None:
    """Its constructor would leave a file; its sums are right, for whoever forges makes them."""
    if os.geteuid():
        pytest.skip("only root can write as somebody else")
    found, mark = files_of(built), tmp_path / "mark"
    evil = tmp_path / "evil.c"
    evil.write_text(
        f'#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ fclose(fopen("{mark}", "w")); }}\n'
    )
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", found["module"], evil], check=True)
    data = found["module"].read_bytes()
    head, _, body = found["entry"].read_bytes().partition(b"\n")
    entry = json.loads(body)
    entry["size"], entry["sha256"] = len(data), sha256(data).hexdigest()
    body = json.dumps(entry).encode()
    head = head.rpartition(b" ")[0] + b" " + sha256(body).hexdigest().encode()
    found["entry"].write_bytes(head + b"\n" + body)
    loads = run_apart(tmp_path, "print(json.dumps(attempt()))")
    assert mark.exists() and loads  # forged well: as one's own it is loaded, and is no module
    mark.unlink()
    shutil.copy(tmp_path / "evil.c", tmp_path / "again.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", found["module"], evil], check=True)
    found["entry"].write_bytes(head + b"\n" + body)
    for path in itertools.chain([built], built.rglob("*")):
        os.chown(path, STRANGER, STRANGER)
    answer, kinds, _ = run_apart(tmp_path, WATCH + FORGED)[0]
    assert not answer[1] and kinds == ["CacheWarning"] and not mark.exists()
    named = f"compiledir={built.parent},compiledir_owners={STRANGER}"
    os.chown(built.parent, STRANGER, STRANGER)
    run_apart(tmp_path, "print(json.dumps(attempt()))", OPWELD_FLAGS=named)
    assert mark.exists()  # who names an owner trusts him


TWO = """
import json
import numpy as np, opweld, opweld.tensor as T

x = T.dvector("x")
made = [opweld.function([x], y) for y in (x * 2 + 1, x * 3 - 1)]
values = [f(np.array([1.0, 2.0])).tolist() for f in made]
print(json.dumps([values, [opweld.source(f) for f in made], [f.maker.built.hit for f in made]]))
"""


def test_any_two_files_swapped(tmp_path: Path) -> None:
    """All pairs of files of two functions: a reader that uses one misses, with a reason; numbers and C stay right."""
    environ = {**os.environ, "OPWELD_FLAGS": f"compiledir={tmp_path / 'cache'}"}

    def run() -> list[object]:
        done = subprocess.run([sys.executable, "-c", TWO], env=environ, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    first = run()
    assert first[2] == [False, False]
    whole = tmp_path / "whole"
    shutil.copytree(tmp_path / "cache", whole)
    indexes = [path.name for path in whole.glob("v2/index/*/*")]
    used = {rel for name in indexes for rel in used_by(name, whole)}
    paths = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())
    assert len(used) == 8 and {path.parts[1] for path in paths} >= {"index", "entry", "module", "tools"}
    for one, two in itertools.combinations(paths, 2):
        shutil.rmtree(tmp_path / "cache")
        shutil.copytree(whole, tmp_path / "cache")
        (tmp_path / "cache" / one).write_bytes((whole / two).read_bytes())
        (tmp_path / "cache" / two).write_bytes((whole / one).read_bytes())
        for name in indexes:
            found = cache.lookup(name, str(tmp_path / "cache"))
            touched = {one, two} & used_by(name, whole)
            assert isinstance(found, cache.Miss) == bool(touched), (one, two, found)
            if touched:
                assert "is another's: it says it is" in found.reason or "is damaged" in found.reason
        if (one.parts[1], one.suffix) == (two.parts[1], two.suffix) or "tools" in (one.parts[1], two.parts[1]):
            assert run()[:2] == first[:2], (one, two)


def used_by(index: str, root: Path) -> set[Path]:
    """What a reader opens for an index, relative to the root."""
    hit = cache.lookup(index, str(root))
    assert isinstance(hit, cache.Hit)
    entry = f"v2/entry/{hit.key[:2]}/{hit.key}"
    return {Path(f"v2/index/{index[:2]}/{index}"), Path(entry), Path(hit.module).relative_to(root)}


def test_a_temporary_folder_that_others_can_write(tmp_path: Path) -> None:
    """What this process alone uses is loaded too: it lies where nobody else can exchange it."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary").chmod(0o777)
    flags = {"OPWELD_FLAGS": f"compiledir={tmp_path / 'file' / 'cache'}"}
    (tmp_path / "file").touch()
    answer, _ = run_apart(tmp_path, "print(json.dumps(attempt()))", **flags)
    assert answer[2] is False and not answer[0].startswith(str(tmp_path))
    (tmp_path / "temporary").chmod(0o1777)
    answer, _ = run_apart(tmp_path, "print(json.dumps(attempt()))", **flags)
    assert answer[0].startswith(str(tmp_path / "temporary"))


def test_texts_of_expressions_are_on_the_disk_before_they_have_a_name(tmp_path: Path) -> None:
    """As the engine's publishing: the order of a process's system calls."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not on this machine")
    code = f"from opweld.compile import store; store.remember('expr', 'a' * 64, {{'x': 1}}, {str(tmp_path)!r})"
    calls = tmp_path / "calls"
    trace = "trace=flock,write,fsync,rename,renameat,renameat2"
    done = subprocess.run(
        [strace, "-y", "-o", calls, "-e", trace, sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    if done.returncode and "ptrace" in done.stderr:
        pytest.skip("processes may not be traced here")
    assert done.returncode == 0, done.stderr
    ours = [line for line in calls.read_text().splitlines() if f"{tmp_path}/v2/tmp/" in line]
    assert [line.partition("(")[0][:6] for line in ours] == ["flock", "rename", "write", "fsync", "rename"]
    # Who tidies looks at file-*, and takes what is not locked for a dead process's.
    assert ["/tmp/new-file-" in line for line in ours] == [True, True, False, False, False]
    assert cache.recall("expr", "a" * 64, str(tmp_path)) == {"x": 1}
