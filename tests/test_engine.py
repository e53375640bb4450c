"""The border to the engine, with real processes: building, interrupts, forks, errors."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import textwrap
import threading
from pathlib import Path

import kit
import numpy as np
import pytest

from opweld import engine, errors
from opweld.compile import buildrequest

FAIL = "{ opw_failure = 1; goto opw_fail; }"
DOUBLE = {
    "label": "Double",
    "lang": "c",
    "declare": "double opw_V;",
    "init": "opw_V = 0.0;",
    "extract": f"opw_V = PyFloat_AsDouble(py_opw_V);\nif (opw_V == -1.0 && PyErr_Occurred()) {FAIL}",
    "sync": f"Py_XDECREF(py_opw_V);\npy_opw_V = PyFloat_FromDouble(opw_V);\nif (py_opw_V == NULL) {FAIL}",
    "cleanup": "",
    "version": "(1,)",
}
# Thirty thousand statements in one function: about half a minute of any compiler.
SLOW = "".join(f"#define M{n + 1} M{n} M{n} M{n} M{n}\n" for n in range(7))
SLOW = f"""#define M0 x = x * x + 1.5; if (x > 3.0) x -= y;
{SLOW}static double opw_slow(double x, double y) {{ M7 return x; }}"""


def program(code="opw_V2 = opw_V0 * opw_V1;", **kernel):
    """Give a Program of one kernel: double, double -> double."""
    mul = {
        "label": "Mul",
        "lang": "c",
        "inputs": [0, 0],
        "outputs": [0],
        "declares": ["double opw_V0;", "double opw_V1;", "double opw_V2;"],
        "code": code,
        "version": "(1,)",
        **kernel,
    }
    text = {
        "program": 4,
        "name": "f",
        "types": [DOUBLE],
        "kernels": [mul],
        "variables": [{"type": 0, "role": role} for role in ("input", "input", "output")],
        "steps": [{"kernel": 0, "inputs": [0, 1], "outputs": [2]}],
        "inputs": [{"variable": 0, "name": "x"}, {"variable": 1, "name": "y"}],
        "outputs": [{"variable": 2}],
        "single": True,
    }
    return json.dumps(text)


def slow_program():
    return program("opw_V2 = opw_slow(opw_V0, opw_V1);", support_code=[SLOW])


@pytest.fixture
def request_for(tmp_path):
    """Give a function that makes a request to build into a cache of the test's own."""
    (tmp_path / "private").mkdir()
    (tmp_path / "cache").mkdir()

    def make(text, **changes):
        return {
            "program": text,
            "sources": {},
            "index": "0" * 64,
            "root": str(tmp_path / "cache"),
            "private": str(tmp_path / "private"),
            "cc": os.path.realpath(shutil.which("gcc") or shutil.which("cc")),
            "cxx": "",
            "cflags": ["-O2"],
            "cxxflags": [],
            "include_dirs": [sysconfig.get_path("include"), np.get_include()],
            "runtime": buildrequest.runtime_object(),
            "python": f"{sys.version} {sysconfig.get_config_var('EXT_SUFFIX')}".replace("\n", " "),
            "numpy": f"{np.__version__} {np.get_include()}",
            "env": {},
            "lock_seconds": 10.0,
            **changes,
        }

    return make


def compilers_at_work(folder):
    """Give the processes that name the folder, or whose current folder lies in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            at = os.readlink(process / "cwd")
        except OSError:
            continue
        if (str(folder) in words or at.startswith(str(folder))) and int(process.name) != os.getpid():
            found.append(int(process.name))
    return found


def running_builds(folder):
    """Give the private folders of builds that were not cleaned up."""
    return [p for p in folder.glob("cache/v2/tmp/*")] + [p for p in folder.glob("private/*")]


def modules(folder):
    return list(folder.glob("cache/v2/module/*/*"))


@contextlib.contextmanager
def script(tmp_path, body, request):
    """Run the body in a Python of its own, with `request` bound and the helpers below; it ends with the block."""
    head = """
        import json, os, signal, sys, time
        from opweld import engine
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
        request = json.load(open(sys.argv[1]))
        def say(word):
            print(word, flush=True)
        said = set()
        def progress(answer):
            if answer["stage"] not in said:
                said.add(answer["stage"])
                say(answer["stage"])
    """
    (tmp_path / "request.json").write_text(json.dumps(request))
    (tmp_path / "script.py").write_text(textwrap.dedent(head) + textwrap.dedent(body))
    argv = [sys.executable, "-W", "ignore::DeprecationWarning", tmp_path / "script.py", tmp_path / "request.json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # The end of the block must not wait for a compiler when a test fails before it is cancelled.
        watch = threading.Timer(kit.PATIENCE, process.kill)  # who reads what it says finds that it has ended
        watch.start()
        try:
            yield process
        finally:
            watch.cancel()
            if process.poll() is None:
                process.kill()
            for pid in compilers_at_work(tmp_path / "cache"):
                os.kill(pid, signal.SIGKILL)


def wait_for_word(process, word):
    for line in process.stdout:
        if line.strip() == word:
            return
    pytest.fail(f"the process ended before it said {word!r}: {process.communicate()[1]}")


def test_version():
    answer = engine.version()
    assert set(answer) == {"version", "program", "cache", "go"}
    assert (answer["program"], answer["cache"]) == (4, 2)


def test_engine_id_is_of_this_version():
    from opweld._engine_id import ENGINE_ID

    version, _, digest = ENGINE_ID.partition("+")
    assert version == engine.version()["version"]
    assert len(digest) == 16


def test_import_loads_no_engine():
    code = "import opweld.engine; print('_engine' in open('/proc/self/maps').read())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_import_loads_no_rule_for_arguments():
    code = "import opweld, sys\nprint('opweld._argument' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_compilers(tmp_path):
    driver = shutil.which("gcc")
    good, bad = engine.compilers([driver, str(tmp_path / "none")])
    assert good["driver"] == driver and good["family"] == "gcc" and good["target"] and not good["error"]
    assert bad["error"] and not bad["version"]


def test_render():
    answer = engine.render(program())
    assert answer["lang"] == "c"
    assert "opw_V2 = opw_V0 * opw_V1;" in answer["text"]


@pytest.mark.parametrize("call", [engine.render, lambda text: engine.build({"program": text})])
def test_malformed_program(call):
    with pytest.raises(errors.ProgramError) as caught:
        call("{}")
    assert caught.value.details["kind"] == "program"


def test_malformed_request():
    with pytest.raises(errors.EngineError, match='Start: malformed request: json: unknown field "nonsense"'):
        engine.build({"nonsense": 1})


def test_build_gives_a_module_and_finds_it_again(request_for):
    stages = []
    first = engine.build(request_for(program()), lambda answer: stages.append(answer["stage"]))
    assert Path(first["module"]).read_bytes().startswith(b"\x7fELF")
    assert not first["hit"] and first["kept"]
    assert set(stages) <= {"render", "wait", "compile", "publish"}
    second = engine.build(request_for(program()))
    assert second["hit"] and second["module"] == first["module"]


def test_refused_text(request_for):
    with pytest.raises(errors.CompileError) as caught:
        engine.build(request_for(program("opw_V2 = nowhere;")))
    diagnostic = caught.value.details["diagnostics"][0]
    assert (diagnostic["op"], diagnostic["hook"], diagnostic["text"]) == ("Mul", "c_code", "V2 = nowhere;")


def test_no_compiler(request_for):
    with pytest.raises(errors.CompilerNotFoundError):
        engine.build(request_for(program(), cc=""))


def test_ctrl_c_ends_a_long_compile(request_for, tmp_path):
    body = """
        try:
            engine.build(request, progress)
        except KeyboardInterrupt:
            say("interrupted")
            engine.version()  # the engine still works
    """
    with script(tmp_path, body, request_for(slow_program())) as process:
        wait_for_word(process, "compile")
        kit.wait_until(lambda: compilers_at_work(tmp_path / "cache"))
        process.send_signal(signal.SIGINT)
        wait_for_word(process, "interrupted")
        assert not compilers_at_work(tmp_path / "cache")
        assert not running_builds(tmp_path) and not modules(tmp_path)  # it was ended, not waited for
        assert process.wait(10) == 0


def test_an_exception_from_progress_cancels(request_for, tmp_path):
    class Enough(Exception):
        pass

    def progress(answer):
        if compilers_at_work(tmp_path / "cache"):
            raise Enough

    with pytest.raises(Enough):
        engine.build(request_for(slow_program()), progress)
    assert not compilers_at_work(tmp_path / "cache")
    assert not running_builds(tmp_path)


def test_child_of_a_fork_builds(request_for, tmp_path):
    body = """
        engine.version()
        if os.fork() == 0:
            assert engine.version()["program"] == 4
            result = engine.build(request, progress)
            say("built" if os.path.exists(result["module"]) else "lost")
            try:
                engine.render("{}")
            except Exception as error:
                say(type(error).__name__)
            os._exit(0)
        status = os.wait()[1]
        say(f"status {status}")
    """
    with script(tmp_path, body, request_for(program())) as process:
        out, err = process.communicate(timeout=60)
    assert err == ""
    assert out.splitlines()[-3:] == ["built", "ProgramError", "status 0"]


def test_ctrl_c_in_the_child_of_a_fork(request_for, tmp_path):
    body = """
        engine.version()
        if os.fork() == 0:
            say(os.getpid())
            try:
                engine.build(request, progress)
            except KeyboardInterrupt:
                say("interrupted")
            os._exit(0)
        os.wait()
    """
    with script(tmp_path, body, request_for(slow_program())) as process:
        child = int(process.stdout.readline())
        wait_for_word(process, "compile")
        kit.wait_until(lambda: compilers_at_work(tmp_path / "cache"))
        os.kill(child, signal.SIGINT)
        wait_for_word(process, "interrupted")
        assert not compilers_at_work(tmp_path / "cache")
        assert not running_builds(tmp_path) and not modules(tmp_path)  # it was ended, not waited for


def test_threads_build_at_once(request_for):
    from concurrent.futures import ThreadPoolExecutor

    texts = [program(f"opw_V2 = opw_V0 * opw_V1 + {n};") for n in range(4)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda text: engine.build(request_for(text)), texts))
    assert len({result["module"] for result in results}) == 4
