"""Full folders, limits, dying compilers, killed processes, odd environments: right numbers or one clear error."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

import opweld

BODY = """
import json, os, signal, sys
import numpy as np
import opweld
from opweld import tensor as T

class Twice(opweld.COp):
    __props__ = ("code", "version")

    def __init__(self, code="v[i] *= 2;", version=(1,)):
        self.code, self.version = code, version

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f'''
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {sub["fail"]}
            double *v = (double *)PyArray_DATA({z});
            for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++) {{ {self.code} }}
        '''

    def c_code_cache_version(self):
        return self.version

def attempt(op=None):
    x, a = T.dvector("x"), np.arange(3.0)
    try:
        f = opweld.function([x], (op or Twice())(x) + 1)
    except opweld.errors.OpweldError as err:
        return [type(err).__name__, str(err)]
    return "right" if np.array_equal(f(a), 2 * a + 1) else "wrong"

SLOW = "".join(f"#define M{n + 1} M{n} M{n} M{n} M{n}\\n" for n in range(7))

class Slow(Twice):
    def c_support_code(self):
        start = "#define M0 x = x * x + 1.5; if (x > 3.0) x -= y;\\n" + SLOW
        return start + "static double slow(double x, double y) { M7 return x; }"

slow = Slow("v[i] = slow(v[i], 1.0);")
"""


def environment(folder, **changes):
    """Variables of a process that may write below a folder only."""
    names = ("cache", "home", "temporary")
    for name in names:
        (folder / name).mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ}
    places = dict(zip(("XDG_CACHE_HOME", "HOME", "TMPDIR"), (str(folder / name) for name in names), strict=True))
    wanted = {**kept, **places, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", **changes}
    return {name: value for name, value in wanted.items() if value is not None}


def run(folder, code, *wrapper, **changes):
    """Run code after BODY in a Python of its own; give the object that it prints last."""
    argv = [*wrapper, sys.executable, "-W", "ignore::DeprecationWarning", "-c", BODY + textwrap.dedent(code)]
    done = subprocess.run(argv, env=environment(folder, **changes), capture_output=True, text=True, cwd="/")
    assert done.returncode == 0 and done.stderr == "", (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


SAY = "print(json.dumps(attempt()))"

# -- folders ------------------------------------------------------------------------------------------------------


def namespace(tmp_path, kilobytes, *folders):
    """A command that runs another where some folders are file systems of so many KiB."""
    mounts = "".join(f"mount -t tmpfs -o size={kilobytes}k,mode=755 none {folder}\n" for folder in folders)
    (tmp_path / "mounts").write_text(f'set -e\n{mounts}exec "$@"\n')
    wrapper = ["unshare", "--mount", "sh", str(tmp_path / "mounts")]
    if not shutil.which("unshare") or subprocess.run([*wrapper, "true"], capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    return wrapper


@pytest.mark.parametrize("kilobytes", [4, 48, 160])
def test_a_full_folder_gives_way_to_the_next(tmp_path, kilobytes):
    environment(tmp_path)
    wrapper = namespace(tmp_path, kilobytes, tmp_path / "cache")
    assert run(tmp_path, SAY, *wrapper) == "right"


def test_little_room_is_left_to_modules(tmp_path):
    """The head of C++ units takes 31 MB: as much as hundreds of modules."""
    environment(tmp_path)
    code = f"""
        Twice.c_lang = "c++"
        said, folder = attempt(), "{tmp_path}/cache/opweld/v2"
        opweld.engine.finish()
        print(json.dumps([said, os.path.exists(folder + "/entry"), os.path.exists(folder + "/pch")]))
    """
    assert run(tmp_path, code, *namespace(tmp_path, 100 << 10, tmp_path / "cache")) == ["right", True, False]
    assert run(tmp_path, code) == ["right", True, True]


@pytest.mark.parametrize("kilobytes", [4, 32, 64, 140])
def test_where_all_folders_are_full_each_is_named(tmp_path, kilobytes):
    if any(path.startswith(("/tmp/", "/var/tmp/")) for path in (sys.executable, sys.base_prefix, opweld.__file__)):
        pytest.skip("this Python lies in a folder of temporary files")
    environment(tmp_path)
    code = f"os.makedirs('{tmp_path}'); os.chdir('/tmp'); {SAY}"
    wrapper = namespace(tmp_path, kilobytes, "/tmp", "/var/tmp")
    kind, message = run(tmp_path, code, *wrapper, TMPDIR=None)
    assert kind == "CacheError"
    first, *lines, last = message.splitlines()
    full = "no space left on device (free some space there)"
    assert first == "f can be built nowhere:"
    assert lines[-2:] == [f"  /tmp: {full}", f"  /var/tmp: {full}"]
    assert lines[:-2] == [f"  {tmp_path}/{name}/opweld: {full}" for name in ("cache", "home/.cache")]
    assert last == "make one of these folders fit, or set config.compiledir or TMPDIR to one that can be written"


def test_a_fault_of_the_text_is_one_in_a_full_folder_too(tmp_path):
    environment(tmp_path)
    for kilobytes in (24, 140):
        wrapper = namespace(tmp_path, kilobytes, tmp_path / "cache")
        kind, message = run(tmp_path, "print(json.dumps(attempt(Twice('nothing;'))))", *wrapper)
        assert kind == "CompileError" and "'nothing' undeclared" in message


@pytest.mark.parametrize("size", [0, 4096, 32768])
def test_a_limit_of_the_size_of_files(tmp_path, size):
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, -1)); {SAY}"
    kind, message = run(tmp_path, code)
    assert kind == "CacheError"
    full = "file too large (the limit of a file's size is reached, raise it (ulimit -f))"
    assert f"{tmp_path}/cache/opweld: {full}" in message


def test_a_module_of_one_process_goes_where_one_can_write(tmp_path):
    environment(tmp_path)
    place = tmp_path / "file"
    place.write_text("no folder")
    code = "print(json.dumps([attempt(Twice(version=())), [p for p in os.listdir(os.environ['TMPDIR'])]]))"
    answer, there = run(tmp_path, code, OPWELD_FLAGS=f"compiledir={place}/x")
    assert answer == "right" and len(there) == 1
    assert os.listdir(tmp_path / "temporary") == []


def test_no_folder_is_made_that_is_not_needed(tmp_path):
    code = "attempt(); print(json.dumps(os.listdir(os.environ['TMPDIR'])))"
    assert run(tmp_path, code) == []


# -- compilers ----------------------------------------------------------------------------------------------------


def test_a_time_limit_names_the_op(tmp_path):
    kind, message = run(tmp_path, "print(json.dumps(attempt(slow)))", OPWELD_FLAGS="compile_seconds=0.7")
    assert kind == "ToolError"
    first, second, third = message.splitlines()
    assert first.startswith("f, with the text of Slow") and " could not be compiled: <string>:" in first
    assert second.endswith("cc had not finished after 0.7 s and was ended")
    assert third == "write less, have the compiler do less (config.cflags), or raise config.compile_seconds"
    assert left_by_builds(tmp_path) == []


def test_a_memory_limit_names_the_program_and_the_op(tmp_path):
    kind, message = run(tmp_path, "print(json.dumps(attempt(slow)))", OPWELD_FLAGS="compile_memory=90")
    assert kind == "ToolError" and "text of Slow" in message
    assert "ran out of memory; free some, or raise the limit (config.compile_memory, ulimit -v)" in message


@pytest.mark.parametrize("name", ["cc1", "as", "ld"])
def test_a_program_that_is_killed_is_named(tmp_path, name):
    broken = tmp_path / name
    broken.write_text("#!/bin/sh\nkill -9 $$\n")
    broken.chmod(0o755)
    kind, message = run(tmp_path, SAY, COMPILER_PATH=str(tmp_path))
    assert kind == "ToolError" and "Configured with" not in message
    assert f"{name}, which " in message
    assert "was ended by a signal (killed); the machine may be short of memory" in message
    assert "with the text of Twice" in message


def left_by_builds(folder):
    return [*folder.glob("cache/opweld/v*/tmp/*"), *folder.glob("temporary/*")]


def compilers_below(folder):
    """The processes whose current folder lies below one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            at = os.readlink(process / "cwd")
        except OSError:
            continue
        if at.startswith(str(folder)):
            found.append(int(process.name))
    return found


def until(condition):
    end = time.monotonic() + 15  # a compile of `slow` goes on for longer
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.01)


@pytest.mark.parametrize("forked", [False, True])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_compiler_outlives_a_killed_python(tmp_path, number, forked):
    before = "from opweld import engine; engine.version()\nif os.fork(): os.wait(); sys.exit()\n" if forked else ""
    heard = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # nohup may run these tests
    code = BODY + heard + before + "print(os.getpid(), flush=True)\nattempt(slow)"
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code], env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    ) as process:
        victim = int(process.stdout.readline())
        until(lambda: len(compilers_below(tmp_path)) > 1)
        os.kill(victim, number)
    until(lambda: not compilers_below(tmp_path))
    if number == signal.SIGKILL and not forked:
        assert left_by_builds(tmp_path)
    assert run(tmp_path, SAY) == "right"
    until(lambda: not left_by_builds(tmp_path))


# -- environments -------------------------------------------------------------------------------------------------


def test_without_a_path(tmp_path):
    assert run(tmp_path, SAY, PATH=None, HOME=None, TMPDIR=None) == "right"


HABITS = {
    "ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "reaped": """
        def reap(*_):
            try:
                while os.waitpid(-1, os.WNOHANG)[0]: pass
            except ChildProcessError: pass
        signal.signal(signal.SIGCHLD, reap)
    """,
}


@pytest.mark.parametrize("habit", HABITS)
def test_where_somebody_else_waits_for_children(tmp_path, habit):
    assert run(tmp_path, textwrap.dedent(HABITS[habit]) + "\n" + SAY) == "right"


@pytest.mark.parametrize(
    ("limit", "value", "word"),
    [
        ("RLIMIT_AS", 500 << 20, "MiB of address space are free; raise the limit (ulimit -v, ulimit -d)"),
        ("RLIMIT_AS", 1500 << 20, "MiB of address space are free; raise the limit (ulimit -v, ulimit -d)"),
        ("RLIMIT_NOFILE", 12, "files can be opened (Too many open files); raise the limit (ulimit -n), or close some"),
    ],
)
def test_limits_that_are_too_small_for_the_engine(tmp_path, limit, value, word):
    code = f"import resource; resource.setrlimit(resource.{limit}, ({value}, {value})); {SAY}"
    kind, message = run(tmp_path, code)
    assert kind == "EngineError" and message.startswith("the engine cannot run here: ") and message.endswith(word)


def test_a_process_short_of_room_builds_in_another(tmp_path):
    code = f"""
        import resource, mmap
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        held = mmap.mmap(-1, 2 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0)
        {SAY}
        assert "_engine" not in open("/proc/self/maps").read()
    """
    assert run(tmp_path, code) == "right"


def test_threads_that_cannot_be_started(monkeypatch):
    from opweld import room

    assert room.lacking(True) == ""
    monkeypatch.setattr(room, "startable", lambda wanted: 3)
    assert room.lacking(True) == (
        "fewer than 16 threads can be started; raise the limit of processes and threads (ulimit -u), or end some"
    )


def as_somebody(folder, *more):
    """A command that runs another as a user who has no other processes, and whom limits of processes hold."""
    able = [f"--{which}-caps=+dac_read_search" for which in ("inh", "ambient")]  # Python may lie in somebody's home
    wrapper = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", *able, *more]
    if not shutil.which("setpriv") or subprocess.run([*wrapper, "true"], capture_output=True).returncode:
        pytest.skip("processes cannot be started as another user here")
    environment(folder)
    for path in (folder, *folder.iterdir()):
        os.chown(path, 54321, 54321)
    for path in folder.parents:
        if path.stat().st_uid == os.getuid() and not path.stat().st_mode & 0o001:
            path.chmod(path.stat().st_mode | 0o001)
    return wrapper


@pytest.mark.parametrize("processes", range(14, 30, 3))
def test_a_limit_of_processes_that_a_build_reaches_ends_no_python(tmp_path, processes):
    if not shutil.which("prlimit"):
        pytest.skip("there is no prlimit")
    wrapper = as_somebody(tmp_path, "prlimit", f"--nproc={processes}")
    answer = run(tmp_path, SAY, *wrapper)  # it ends Python if Go's runtime does
    assert answer == "right" or (
        answer[0] != "CompileError" and "raise the limit of processes and threads (ulimit -u), or end some" in answer[1]
    )


@pytest.mark.parametrize("taken", [0o777, 0o700, 0o400, 0o277])
@pytest.mark.parametrize("cached", [True, False])
def test_a_mask_that_takes_files_from_their_maker(tmp_path, taken, cached):
    wrapper = as_somebody(tmp_path)
    flags = {} if cached else {"OPWELD_FLAGS": "compiledir=/proc/self"}
    code = f"os.umask({taken}); {SAY}"
    assert run(tmp_path, code, *wrapper, **flags) == "right"
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert all(path.stat().st_mode & 0o600 == 0o600 for path in kept)


def test_a_new_folder_that_somebody_tidies_away_is_made_again(tmp_path, monkeypatch):
    import fcntl

    from opweld.compile import private

    gone = []
    lock = fcntl.flock

    def late(file, how):
        if len(gone) < 3:
            gone.append(os.readlink(f"/proc/self/fd/{file}"))
            os.rmdir(gone[-1])
            if len(gone) == 2:
                raise BlockingIOError
        return lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    folder, file = private._new(str(tmp_path))
    os.close(file)
    assert len(set(gone)) == 3 and os.listdir(tmp_path) == [os.path.basename(folder)]


def test_a_cache_whose_name_is_not_ascii_in_the_locale_c(tmp_path):
    place = tmp_path / "caché"
    place.mkdir()
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "XDG_CACHE_HOME": str(place)}
    code = "print(json.dumps([attempt(), 'opweld.engine' in sys.modules]))"
    assert run(tmp_path, code, **plain) == ["right", True]
    assert run(tmp_path, code, **plain) == ["right", False]
    assert run(tmp_path, code, XDG_CACHE_HOME=str(place)) == ["right", False]
    assert list(place.glob("opweld/v*/module/*/*.so"))


def test_a_cache_whose_name_is_not_utf8_gives_way(tmp_path):
    place = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(place)
    assert run(tmp_path, SAY, XDG_CACHE_HOME=place) == "right"


def test_signal_handlers_and_limits_are_kept(tmp_path):
    code = """
        import resource
        hits, able = [], []
        for number in range(1, signal.NSIG):
            try:
                signal.signal(number, lambda number, frame: hits.append(number))
                able.append(number)
            except (OSError, ValueError):
                pass
        files = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, files[1]))
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        answer = attempt()
        assert hits == [], hits
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (200, files[1])
        assert "_engine" in open("/proc/self/maps").read()
        able.remove(signal.SIGCHLD)
        for number in able:
            os.kill(os.getpid(), number)
            for _ in range(1000): pass
            assert hits == [number], (number, hits)
            hits.clear()
        print(json.dumps([answer, len(able)]))
    """
    answer, number = run(tmp_path, code)
    assert answer == "right" and number > 50


@pytest.mark.parametrize("enabled", [False, True])
def test_a_crash_of_the_users_is_told_as_ever(tmp_path, enabled):
    code = f"""
        import faulthandler
        if {enabled}: faulthandler.enable()
        attempt()
        resource = __import__("resource"); resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        import ctypes
        ctypes.string_at(8)
    """
    argv = [sys.executable, "-W", "ignore", "-c", BODY + textwrap.dedent(code)]
    done = subprocess.run(argv, env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == -signal.SIGSEGV
    assert ("Fatal Python error: Segmentation fault" in done.stderr) == enabled
    assert "goroutine" not in done.stderr


WORKER = """
import multiprocessing, sys

def work(_):
    import faults_body
    return faults_body.attempt(faults_body.Twice(version=eval(sys.argv[2])))

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    pool = multiprocessing.Pool(2)
    assert pool.map(work, range(4), chunksize=1) == ["right"] * 4
    pool.close()
    pool.join()
"""


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
@pytest.mark.parametrize("version", ["(1,)", "()"])
def test_workers_of_a_pool_leave_nothing(method, version):
    with tempfile.TemporaryDirectory(prefix="opweld-") as folder:  # a short name: sockets of servers stand below it
        pool_of(method, version, Path(folder))


def pool_of(method, version, tmp_path):
    (tmp_path / "faults_body.py").write_text(BODY)
    (tmp_path / "worker.py").write_text(WORKER)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", tmp_path / "worker.py", method, version],
        env=environment(tmp_path), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert left_by_builds(tmp_path) == []


def test_a_lifeline_that_was_closed_is_made_anew():
    from opweld import lifeline

    reader = lifeline.line()
    assert lifeline.line() == reader
    os.close(lifeline._lifeline[1])
    other = os.open("/dev/null", os.O_RDONLY)  # of the same number
    os.fstat(lifeline.line())
    assert lifeline._is_pipe(*lifeline._lifeline)
    os.close(other)


def test_a_child_lets_go_of_the_lifeline():
    from opweld import lifeline

    lifeline.line()
    writer = lifeline._lifeline[1]
    child = os.fork()
    if child == 0:
        try:
            os.fstat(writer)
        except OSError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_limits_of_this_process_are_as_they_were():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    from opweld import engine

    engine.version()
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


@pytest.mark.parametrize(
    ("variables", "strict"), [({}, []), ({"CI": "true"}, ["-Werror"]), ({"OPWELD_WERROR": "1"}, ["-Werror"])]
)
def test_warnings_of_a_new_compiler_stop_no_install(variables, strict):
    setup = Path(__file__).resolve().parent.parent / "setup.py"
    code = f"""
        import runpy, sys, types
        for name, names in {{"": ["Extension", "setup"], ".command": [], ".command.build_ext": ["build_ext"],
                            ".command.build_py": ["build_py"]}}.items():
            sys.modules["setuptools" + name] = types.ModuleType("setuptools" + name)
            for word in names:
                made = type(word, (), {{"__init__": lambda self, *args, **options: None}})
                setattr(sys.modules["setuptools" + name], word, made)
        print(runpy.run_path({str(setup)!r})["STRICT"])
    """
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "OPWELD_WERROR")}
    argv = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(argv, env={**kept, **variables}, capture_output=True, text=True, check=True)
    assert done.stdout == f"{strict}\n"


@pytest.mark.parametrize("call", ["fsync", "renameat"])
def test_a_system_call_that_fails(call):
    script = Path(__file__).resolve().parent.parent / "benchmarks" / "faults.py"
    argv = [sys.executable, str(script), "--few", "--only", call]
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.stdout.endswith("nothing was tried\n"):
        pytest.skip(done.stdout.strip())
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    good, _, all_, *_ = done.stdout.splitlines()[-1].split()
    assert good == all_ != "0"


def test_a_pipe_that_cannot_be_opened(monkeypatch):
    from opweld import errors, lifeline

    def pipe():
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(lifeline, "_lifeline", None)
    monkeypatch.setattr(os, "pipe", pipe)
    with pytest.raises(errors.EngineError) as caught:
        lifeline.line()
    assert str(caught.value) == (
        "the engine cannot open a pipe to hold its compilers by: [Errno 24] Too many open files"
    )
