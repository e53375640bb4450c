"""The modules that programs begin with, from one file: what comes from there is what Python would have loaded."""

import os
import py_compile
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import opweld
from opweld.compile.holds import COARSE_TICK
from opweld.together import FILE

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import sys, numpy as np
import opweld
from opweld import tensor as T
x = T.dvector("x")
f = opweld.function([x], x * 2 + 1)
print(f(np.ones(3)).tolist())
"""
LOADED = """
def from_the_file():
    modules = [m for name, m in sys.modules.items() if name.startswith("opweld.")]
    return {m.__name__ for m in modules if type(m.__loader__).__name__ == "_Loader"}
def from_others():
    modules = {name for name in sys.modules if name.startswith("opweld.")}
    return {n for n in modules - from_the_file() if (sys.modules[n].__file__ or "").endswith(".py")}
"""
# All that says where a module comes from, and what debuggers, profilers and `inspect` go by.
ALL = ("opweld.tensor.ufuncs", "opweld.compile.function", "opweld.compile.modes", "opweld.cops.entry", "opweld.params")
DESCRIBED = """
import inspect, types
from importlib.machinery import SourceFileLoader
for name, module in sorted(sys.modules.items()):
    if not name.startswith("opweld.") or not (module.__file__ or "").endswith(".py"):
        continue
    spec = module.__spec__
    print(name, module.__name__, module.__file__, module.__cached__, module.__package__, module.__doc__)
    print(list(getattr(module, "__path__", [])), spec.name, spec.origin, spec.cached, spec.parent, spec.has_location)
    print(spec.submodule_search_locations, isinstance(module.__loader__, SourceFileLoader))
    print(module.__loader__.get_filename(name), module.__loader__.get_source(name) == open(module.__file__).read())
    functions = [f for f in vars(module).values() if isinstance(f, types.FunctionType) and f.__module__ == name]
    print([(f.__qualname__, f.__code__.co_filename, f.__code__.co_firstlineno, f.__annotations__) for f in functions])
    print([len(inspect.getsource(f)) for f in functions if not hasattr(f, "__wrapped__")])
    assert getattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2]) is not None
"""


def write(package):
    done = subprocess.run([sys.executable, ROOT / "tools" / "together.py", package], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the package, with its file written of the copy's own sources."""
    package = tmp_path_factory.mktemp("built") / "opweld"
    shutil.copytree(Path(opweld.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", FILE))
    write(package)
    assert not list(package.rglob("__pycache__"))
    return package


@pytest.fixture
def copied(built, tmp_path):
    """One of a test's own."""
    return Path(shutil.copytree(built, tmp_path / "opweld"))


@pytest.fixture
def run(own_cache, tmp_path):
    """``run(package, text, *arguments)``: what Python says that runs a text with that copy of the package."""

    def go(package, text, *arguments, **env):
        script = tmp_path / "script.py"
        script.write_text(text)
        env = {**os.environ, "PYTHONPATH": str(package.parent), **env}
        done = subprocess.run(
            [sys.executable, *arguments, script], env=env, text=True, capture_output=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return go


def test_a_program_loads_its_modules_from_the_file(run, built):
    time.sleep(COARSE_TICK * 1.1 / 1e9)  # of a library that was installed a moment ago nothing is remembered
    run(built, PROGRAM)
    text = PROGRAM + LOADED + "print(len(from_the_file()) > 30, sorted(from_others()))"
    assert run(built, text) == "[3.0, 3.0, 3.0]\nTrue ['opweld.together']\n"


def test_what_is_loaded_is_what_python_loads(run, built, copied):
    text = f"import sys, opweld\nimport {', '.join(ALL)}\n{DESCRIBED}"
    one = run(copied, text)
    (copied / FILE).unlink()
    assert run(copied, text + LOADED + "assert not from_the_file()") == one
    assert len(one.splitlines()) > 200


EDITED = {
    "longer": lambda text: text + "\nWRITTEN = 1\n",
    "as long, and later": lambda text: text.replace('"""What makes variables', '"""WHAT makes variables', 1),
}


@pytest.mark.parametrize("how", EDITED)
def test_a_source_that_was_edited_is_loaded_in_place_of_what_was_compiled(run, copied, how):
    path = copied / "tensor" / "convert.py"
    before = path.stat()
    path.write_text(EDITED[how](path.read_text()))
    later = (copied / FILE).stat().st_mtime + 1
    os.utime(path, (before.st_atime, before.st_mtime) if how == "longer" else (later, later))
    shown = "import opweld.tensor.convert as c\nprint(hasattr(c, 'WRITTEN') or c.__doc__[:4] == 'WHAT')"
    text = f"import sys, opweld\nopweld.tensor.dvector('x') * 2\n{LOADED}{shown}\nprint(sorted(from_others()))"
    assert run(copied, text) == "True\n['opweld.tensor.convert', 'opweld.together']\n"


@pytest.mark.parametrize("package", ["compile", "graph", "hooks", "rewriting", "scalar", "tensor"])
def test_a_package_that_was_edited_is_loaded_before_its_modules(run, copied, package):
    with open(copied / package / "__init__.py", "a") as file:
        file.write("\nWRITTEN = 1\n")
    shown = f"print(opweld.{package}.WRITTEN, 'opweld.{package}' in from_others(), len(from_the_file()) > 30)"
    assert run(copied, f"{PROGRAM}{LOADED}{shown}") == "[3.0, 3.0, 3.0]\n1 True True\n"


def test_who_audits_imports_sees_each(run, built):
    text = """
import sys
seen = set()
sys.addaudithook(lambda event, arguments: event == "import" and seen.add(arguments[0]))
"""
    assert run(built, f"{text}{PROGRAM}{LOADED}print(from_the_file() - seen)") == "[3.0, 3.0, 3.0]\nset()\n"


DAMAGED = {
    "none": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "a few bytes": lambda path: path.write_bytes(path.read_bytes()[:9]),
    "half of the table": lambda path: path.write_bytes(path.read_bytes()[:2000]),
    "half of the modules": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "another Python's": lambda path: path.write_bytes(b"\0\0\0\0" + path.read_bytes()[4:]),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_a_file_that_is_no_good_is_passed_over(run, copied, how):
    DAMAGED[how](copied / FILE)
    assert run(copied, PROGRAM) == "[3.0, 3.0, 3.0]\n"


NOT_USED = {
    "optimized code": (["-O"], "", {}),
    "a folder for compiled code": ([], "", {"PYTHONPYCACHEPREFIX": "{tmp}/pyc"}),
    "a finder": (
        [],
        "import sys\nclass Finder:\n    asked = []\n    def find_spec(self, name, path=None, target=None):\n"
        "        self.asked.append(name)\nsys.meta_path.insert(0, Finder())\n",
        {},
    ),
    "a hook of paths": (
        [],
        "import sys, importlib.machinery as m\nclass Loader(m.SourceFileLoader):\n    pass\n"
        "kinds = (m.ExtensionFileLoader, m.EXTENSION_SUFFIXES), (Loader, m.SOURCE_SUFFIXES)\n"
        "sys.path_hooks.insert(0, m.FileFinder.path_hook(*kinds))\n",
        {},
    ),
    "no finder of Python's": (
        [],
        "import sys, importlib.machinery as m\nclass Finder:\n    find_spec = m.PathFinder.find_spec\n"
        "sys.meta_path[sys.meta_path.index(m.PathFinder)] = Finder\n",
        {},
    ),
}


@pytest.mark.parametrize("why", NOT_USED)
def test_it_is_not_used_where_somebody_wants_to_be_asked(run, built, tmp_path, why):
    arguments, before, env = NOT_USED[why]
    env = {name: value.format(tmp=tmp_path) for name, value in env.items()}
    asked = "\nassert why != 'a finder' or 'opweld.tensor.convert' in Finder.asked\n".replace("why", repr(why), 1)
    text = before + PROGRAM + LOADED + asked + "print(from_the_file())"
    assert run(built, text, *arguments, **env) == "[3.0, 3.0, 3.0]\nset()\n"


def test_a_program_that_asks_later_is_asked(run, built):
    """A finder that is put in front after the library was imported is asked for what is not loaded yet."""
    finder = NOT_USED["a finder"][1]
    text = f"import opweld, opweld.tensor.convert\n{finder}{PROGRAM}print('opweld.compile.function' in Finder.asked)"
    assert run(built, text) == "[3.0, 3.0, 3.0]\nTrue\n"


def test_threads_that_import_at_once_get_the_same_modules(run, built):
    text = """
import sys, threading
sys.setswitchinterval(1e-6)
import opweld
doors = [
    lambda: opweld.tensor.convert.TensorType, lambda: __import__("opweld.tensor.type").tensor.type.TensorType,
    lambda: opweld.TensorType, lambda: opweld.function and opweld.tensor.type.TensorType,
    lambda: opweld.tensor.exp and opweld.TensorType, lambda: opweld.tensor.dvector and opweld.TensorType,
    lambda: __import__("opweld.compile.modes") and opweld.TensorType, lambda: opweld.COp and opweld.TensorType,
]
gate, found, failed = threading.Barrier(len(doors)), [], []
def go(door):
    gate.wait()
    try:
        found.append(door())
    except BaseException as error:
        failed.append(error)
threads = [threading.Thread(target=go, args=(door,)) for door in doors]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(set(found)), len(found), failed)
modules = {name: module for name, module in sys.modules.items() if name.startswith("opweld.")}
for name, module in modules.items():  # nobody holds another copy of a module
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ in modules and "." not in value.__qualname__:
            assert vars(modules[value.__module__]).get(value.__qualname__, value) is value, (name, value)
"""
    for _ in range(20):
        assert run(built, text) == "1 8 []\n"


def test_a_module_that_fails_does_so_as_ever_and_can_be_imported_later(run, copied):
    path = copied / "tensor" / "ufuncs.py"
    text = path.read_text()
    path.write_text(text + '\nimport os\nif os.environ.get("STOP"):\n    raise KeyError("stopped")\n')
    write(copied)
    text = f"""
import os, sys
os.environ["STOP"] = "1"
import opweld
from opweld import tensor as T
x = T.dvector("x")
try:
    x * 2
except KeyError as error:
    print(error, "opweld.tensor.ufuncs" in sys.modules)
del os.environ["STOP"]
{PROGRAM}{LOADED}
print("opweld.tensor.ufuncs" in from_the_file())
"""
    assert run(copied, text) == "'stopped' False\n[3.0, 3.0, 3.0]\nTrue\n"


def test_modules_are_loaded_again_from_their_sources(run, copied):
    path = copied / "promotion.py"
    text = f"""
import importlib
{PROGRAM}
import opweld.promotion as p
path = p.__file__
with open(path, "a") as file:
    file.write("\\nADDED = 1\\n")
print(importlib.reload(p).ADDED, type(p.__loader__).__name__)
"""
    assert run(copied, text) == "[3.0, 3.0, 3.0]\n1 SourceFileLoader\n"
    assert "ADDED" in path.read_text()


def test_no_file_stays_open(run, built):
    count = "len(os.listdir('/proc/self/fd'))"
    text = f"import os\nimport numpy, opweld\nbefore = {count}\nimport opweld.tensor\nopweld.tensor.dvector\n"
    assert run(built, f"{text}opweld.function\nprint({count} - before)") == "0\n"


def test_a_file_without_sources_is_of_no_use(run, copied):
    """Whoever removes the sources and keeps what Python compiled of them has that."""
    for path in copied.rglob("*.py"):
        py_compile.compile(str(path), cfile=str(path.with_suffix(".pyc")))
        path.unlink()
    text = "import opweld\nfrom opweld import tensor as T\nprint(T.dvector('x') * 2)"
    assert "multiply" in run(copied, text)


def test_the_wheel_has_it():
    """What is installed begins by it, unless it is the tree itself."""
    package = Path(opweld.__file__).parent
    if package == ROOT / "python" / "opweld":
        pytest.skip("the tree itself is not installed")
    assert (package / FILE).exists() and opweld.together.together.modules
