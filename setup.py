"""Build of the package: binds the engine (pyext, in Go) for the running CPython and adds what the wheel carries.

Everything that can be said statically is in pyproject.toml. Here is the rest:

* ``opweld._engine``, one extension module: gopy generates the cgo and CPython halves of the binding, `go build` links
  them. gopy's Python wrappers are not used: they change the working directory at import and add nothing to strings.
* ``opweld/_runtime.<ABI>.o``, the C that is the same in every module that opweld builds: compiled here, once a CPython;
  ``opweld/_runtime_profile.<ABI>.o``, the same with clocks in it, for functions that are made with ``profile=True``;
  ``opweld/_runtime_account.<ABI>.o``, the same with a book of references and memory, for those that are accounted.
  ``opweld/_runtime_faults.<ABI>.o``, the same with places that can be forced to fail, for ``opweld check``.
* ``opweld/_vector/``, the vector library: functions of many numbers, a folder for each level of processors.
* ``opweld._argument``, a small extension module: of that C the rule for arguments, for Python to ask.
* ``opweld._dispatch``, another: what a short form is to who calls it; ``opweld._ufunc``: what one as a ufunc is;
  ``opweld._threads``: the pool of threads that long loops share.
* ``opweld/_engine_id.py``, the engine's identity: version and digest of its sources.
* ``opweld/zz_together.bin``, the modules that programs begin with, compiled, in one file: tools/together.py writes it.
* the templates, for reading, and the licences of the Go modules that are linked in.
* the project's addresses in the metadata: those of the repository that the sources were cloned from.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / "build" / "tools"
GO_TOOLS = ("github.com/go-python/gopy", "golang.org/x/tools/cmd/goimports")
ENGINE_ROOMS = ("gen", "npyapi", "pyext", "refcount", "templates")
# As gopy's generated code needs it; the bool it defines is a keyword from C23 on.
CFLAGS = "-std=gnu17 -Wno-error -Wno-implicit-function-declaration -Wno-int-conversion"
# The interpreter that loads the module provides Python's symbols: libpython is not linked. cgo's own trial link is of a
# program, so it has to be told.
LDFLAGS = "-Wl,--unresolved-symbols=ignore-all"
# Asks for what every glibc has, so that wheels do not want as new a one as this machine's. It is for all C, that of
# Go's runtime too.
OLDEST = ("-include", str(ROOT / "pyext" / "oldest.h"))
# What tomorrow's compiler warns of stops whoever works on opweld, and nobody who installs it.
STRICT = ["-Werror"] if os.environ.get("CI") or os.environ.get("OPWELD_WERROR") else []


def engine_sources() -> list[Path]:
    """Give what the engine is made of: Go sources without tests, templates, the pinned modules."""
    found = [ROOT / "go.mod", ROOT / "go.sum"]
    for room in ENGINE_ROOMS:
        for path in (ROOT / room).rglob("*"):
            parts = path.relative_to(ROOT).parts
            hidden = any(part.startswith(("_", ".")) or part == "testdata" for part in parts)
            if path.is_file() and not hidden and not path.name.endswith("_test.go"):
                found.append(path)
    return sorted(found)


def engine_id(version: str) -> str:
    """Give the identity of the engine: its version and 16 digits of the sha256 of its sources."""
    digest = hashlib.sha256()
    for path in engine_sources():
        name = path.relative_to(ROOT).as_posix()
        content = path.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return f"{version}+{digest.hexdigest()[:16]}"


def write_if_changed(path: Path, text: str) -> None:
    """Write a file by renaming, and only where the text is another one, so that parallel builds do not disturb."""
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.replace(path)


def write_engine_id(version: str) -> None:
    """Write the identity into the package's sources, from where it is copied and where an editable install finds it."""
    text = f'"""Identity of the engine, written by setup.py."""\n\nENGINE_ID = "{engine_id(version)}"\n'
    write_if_changed(ROOT / "python" / "opweld" / "_engine_id.py", text)


def run(*argv: str | Path, cwd: Path = ROOT) -> str:
    """Run a tool with the Go tools on PATH; give its output, and show it when the tool fails."""
    env = {**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ.get('PATH', '')}", "CGO_ENABLED": "1"}
    env["CGO_CFLAGS"] = f"{env.get('CGO_CFLAGS', '-O2 -g')} {shlex.join(OLDEST)}"
    command = [str(a) for a in argv]
    try:
        done = subprocess.run(command, cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]!r} is needed to build opweld from source and was not found on PATH") from None
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Hold the lock of the generated folders: two builds in one tree take turns."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    with open(TOOLS / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def binding_folder() -> Path:
    """Give the folder of the generated Go package; one a CPython, hidden from `go test ./...` by its underscore."""
    return ROOT / "pyext" / "_gopy" / sysconfig.get_config_var("SOABI")


def generate_binding(folder: Path) -> None:
    """Let gopy write the binding of pyext, and make it one `go build` that does not link libpython."""
    run("go", "build", "-o", f"{TOOLS}{os.sep}", *GO_TOOLS)
    shutil.rmtree(folder, ignore_errors=True)
    package = folder.relative_to(ROOT).as_posix()
    vm = sys.executable
    run("gopy", "gen", "-name=engine", f"-output={package}", f"-vm={vm}", "-no-make", "-no-warn", "opweld/pyext")

    source = folder / "engine.go"
    text = source.read_text()
    include = sysconfig.get_path("include")
    for flags, value in (("CFLAGS", f'"-I{include}" {CFLAGS}'), ("LDFLAGS", LDFLAGS)):
        text, count = re.subn(rf"(?m)^#cgo {flags}: .*$", lambda _, f=flags, v=value: f"#cgo {f}: {v}", text)
        if count != 1:
            raise SystemExit(f"gopy wrote {count} lines '#cgo {flags}' into {source}, expected 1")
    source.write_text(text)
    run("goimports", "-w", "engine.go", cwd=folder)

    run(vm, "build.py", cwd=folder)
    # The CPython half includes this name. cgo writes the same declarations while it builds: no first build is needed.
    (folder / "engine_go.h").write_text('#include "_cgo_export.h"\n')


def build_engine(target: Path) -> None:
    """Build the extension module of the running CPython."""
    with only_one():
        folder = binding_folder()
        generate_binding(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}")
        run(
            "go", "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath",
            "-ldflags=-s -w -X=runtime.godebugDefault=asyncpreemptoff=1",
            "-o", temporary, f"./{folder.relative_to(ROOT).as_posix()}",
        )  # fmt: skip
        temporary.with_suffix(".h").unlink(missing_ok=True)
        temporary.replace(target)


def compile_c(source: str, target: Path, *more: str, folder: Path) -> None:
    """Compile a C file of a folder for the running CPython, into place by renaming."""
    import numpy

    compiler = os.environ.get("CC") or next((c for c in ("gcc", "clang", "cc") if shutil.which(c)), "gcc")
    with tempfile.TemporaryDirectory(dir=TOOLS) as output:
        made = Path(output) / target.name
        run(
            *compiler.split(), "-std=gnu17", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fno-math-errno",
            "-fwrapv", "-Wall", "-Wextra", *STRICT, *OLDEST, f"-I{sysconfig.get_path('include')}",
            f"-I{numpy.get_include()}", *more, source, "-o", made,
            cwd=folder,
        )  # fmt: skip
        temporary = target.with_name(f".{target.name}.{os.getpid()}")
        shutil.copyfile(made, temporary)
        temporary.replace(target)


# The runtime loops over operands and axes, few each: in vectors that takes longer, and waits for what was just stored.
FEW = ("-fno-tree-vectorize",)


def build_runtime(engine: Path, targets: dict[Path, str]) -> None:
    """Compile the runtime, whose text the engine gives, into objects, each with its arguments."""
    code = (
        "import importlib.util as u, json, sys; s = u.spec_from_file_location('_engine', sys.argv[1]);"
        "m = u.module_from_spec(s); s.loader.exec_module(m);"
        "sys.stdout.write(json.loads(m.pyext_Runtime(sys.argv[2]))['text'])"
    )
    with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
        for target, arguments in targets.items():
            request = '{"faults": true}' if "OPW_FAULTS" in arguments else "{}"
            (Path(folder) / "runtime.c").write_text(run(sys.executable, "-c", code, engine, request))
            compile_c("runtime.c", target, "-c", *FEW, *arguments.split(), folder=Path(folder))


def build_small(name: str, target: Path) -> None:
    """Build one of the small extension modules, of the text that the runtime holds too."""
    compile_c(f"{name}_module.c", target, "-shared", "-s", folder=ROOT / "templates" / "runtime")


def linked_licences() -> Iterator[tuple[str, Path]]:
    """Give path inside the wheel and file of the licence of Go and of each Go module that the engine holds."""
    package = f"./{binding_folder().relative_to(ROOT).as_posix()}"
    module_and_folder = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}"
    listed = run("go", "list", "-deps", "-f", module_and_folder, package)
    modules = dict(line.split(" ", 1) for line in listed.splitlines() if line)
    modules["go.dev"] = run("go", "env", "GOROOT").strip()
    for module, folder in sorted(modules.items()):
        texts = [p for p in sorted(Path(folder).glob("*")) if re.match(r"(?i)(licen[cs]e|copying|notice)", p.name)]
        if not texts and module != "go.dev":
            raise SystemExit(f"no licence found in {folder}, needed for the wheel")
        for text in texts:
            yield f"licenses/{module}/{text.name}", text


# The levels of processors that have functions of their own (docs/vector.md): what a compiler is told for each.
LEVELS = {"baseline": ()}
if platform.machine() in ("x86_64", "AMD64"):
    LEVELS["x86-64-v3"] = ("-march=x86-64-v3",)
    LEVELS["x86-64-v4"] = ("-march=x86-64-v4", "-mprefer-vector-width=512")


def build_vector(target: Path) -> None:
    """Compile the vector library: for each level its parts, each an object that modules are linked with."""
    folder = ROOT / "templates" / "vector"
    newest = max(path.stat().st_mtime for path in folder.iterdir())
    for level, flags in LEVELS.items():
        (target / level).mkdir(parents=True, exist_ok=True)
        for source in sorted(folder.glob("*.c")):
            made = target / level / f"{source.stem}.o"
            if not made.exists() or made.stat().st_mtime < newest:
                compile_c(source.name, made, *flags, "-ffp-contract=off", "-fno-trapping-math", "-c", folder=folder)


_ABI = sysconfig.get_config_var("EXT_SUFFIX").removesuffix(".so")
RUNTIMES = {
    f"_runtime{_ABI}.o": "",
    f"_runtime_profile{_ABI}.o": "-DOPW_PROFILE",
    f"_runtime_account{_ABI}.o": "-DOPW_ACCOUNT",
    f"_runtime_faults{_ABI}.o": "-DOPW_FAULTS",
}
_SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
SMALL = {name: f"_{name}{_SUFFIX}" for name in ("argument", "dispatch", "threads", "ufunc")}


class BuildPython(build_py):
    """Write the engine's identity, then copy the Python files."""

    def run(self) -> None:
        """Run the command."""
        write_engine_id(self.distribution.get_version())
        if not getattr(self, "editable_mode", False):
            shutil.rmtree(Path(self.build_lib) / "opweld", ignore_errors=True)  # what was removed since the last build
        super().run()


class BuildEngine(build_ext):
    """Build ``opweld._engine`` by gopy and go, and lay beside it what the wheel carries."""

    def build_extension(self, ext: Extension) -> None:
        """Build one extension module: there is only one."""
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        write_engine_id(self.distribution.get_version())
        build_engine(target)
        build_runtime(target, {target.with_name(name): arguments for name, arguments in RUNTIMES.items()})
        build_vector(target.with_name("_vector"))
        for name, file in SMALL.items():
            build_small(name, target.with_name(file))
        if not self.inplace and not getattr(self, "editable_mode", False):
            self.add_data(target.parent)
            if (target.parent / "__init__.py").exists():  # a package, and not what is built for the tree itself
                run(sys.executable, ROOT / "tools" / "together.py", target.parent)

    def copy_extensions_to_source(self) -> None:
        """Lay what is built beside the engine there in an in-place build too."""
        built = Path(self.get_ext_fullpath("opweld._engine"))
        for name in (built.name, *RUNTIMES, *SMALL.values()):
            built.with_name(name).unlink(missing_ok=True)  # not written over: processes that run have it mapped
        super().copy_extensions_to_source()
        shutil.copytree(Path(self.build_lib) / "opweld" / "_vector", built.with_name("_vector"), dirs_exist_ok=True)
        for name in (*RUNTIMES, *SMALL.values()):
            with contextlib.suppress(shutil.SameFileError):
                shutil.copyfile(Path(self.build_lib) / "opweld" / name, built.with_name(name))

    def add_data(self, package: Path) -> None:
        """Copy templates and licences into the built package."""
        templates = ROOT / "templates"
        texts = [p for p in templates.rglob("*.*") if p.suffix != ".go"]
        wanted = [(f"templates/{p.relative_to(templates).as_posix()}", p) for p in texts]
        for name, source in [*wanted, *linked_licences()]:
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, package / name)


def urls_of(remote: str) -> dict[str, str]:
    """Give the addresses of a project whose repository is at ``remote``, as Git says it; none where it is not public.

    Names and passwords that stand in an address are dropped. A folder, a host without a dot and an address by numbers
    are no place that a reader of the metadata could go to.
    """
    found = re.fullmatch(r"(?:https?|ssh|git)://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+?)(?:\.git)?/?", remote)
    found = found or re.fullmatch(r"(?:[^@/:]+@)?([^/:@]+):(?!/)(.+?)(?:\.git)?/?", remote)
    if not found or not re.fullmatch(r"(?:[\w-]+\.)+[A-Za-z]{2,}", found[1]):
        return {}
    if found[1].endswith((".local", ".internal")):
        return {}
    home = f"https://{found[1]}/{found[2]}"
    urls = {"Homepage": home, "Source": home}
    blob = {"github.com": "blob/HEAD", "gitlab.com": "-/blob/HEAD", "codeberg.org": "src/branch/main"}.get(found[1])
    if blob:
        issues = "-/issues" if found[1] == "gitlab.com" else "issues"
        urls |= {
            "Documentation": f"{home}/{blob}/docs/index.md",
            "Changelog": f"{home}/{blob}/CHANGELOG.md",
            "Issues": f"{home}/{issues}",
        }
    return urls


def project_urls() -> dict[str, str]:
    """Give the project's addresses: what an archive of sources says of itself, else where this clone comes from."""
    archived = ROOT / "PKG-INFO"
    if archived.exists():
        lines = re.findall(r"(?m)^Project-URL: ([^,]+), (.+)$", archived.read_text("utf-8"))
        return dict(lines)
    if not (ROOT / ".git").exists():
        return {}
    command = ["git", "-C", str(ROOT), "config", "--get", "remote.origin.url"]
    try:
        asked = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        return {}
    return urls_of(asked.stdout.strip())


setup(
    project_urls=project_urls(),
    ext_modules=[Extension("opweld._engine", sources=[])],
    cmdclass={"build_py": BuildPython, "build_ext": BuildEngine},
)
