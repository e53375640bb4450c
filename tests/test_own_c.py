"""The library's own C: it lies in files of sections beside the modules, is plain C and C++, and is what errors show."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import COp, sections
from opweld import tensor as T

PACKAGE = Path(opweld.__file__).resolve().parent
FILES = sorted(p for p in PACKAGE.rglob("*.c") if PACKAGE / "templates" not in p.parents)  # a wheel has those too
if importlib.util.find_spec("pytensor") is None:  # none is made for CPython 3.10: what works with it stays outside
    FILES = [path for path in FILES if PACKAGE / "pytensor" not in path.parents]
LONGEST = 13  # lines of C in a string of Python's
# Filled in: for each field of params; for a user, in a new package; for each node, as the old packages' functions did.
TEMPLATES = {"hooks/struct.py", "scaffold.py", "compat/cgen.py"}
HEAD = "#include <Python.h>\n#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION\n#include <numpy/arrayobject.h>\n"


def strings(tree):
    """Each text that a module writes but docstrings: what stands in braces of an f-string is left out."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (parts | alone):
            yield node.value


@pytest.mark.quick
def test_no_module_holds_much_c():
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for text in strings(ast.parse(path.read_text(encoding="utf-8"))):
            if text.count(";\n") > 2 and len(text.strip().splitlines()) > LONGEST and name not in TEMPLATES:
                found[name] = text.strip().splitlines()[0]
    assert found == {}


def beside():
    """Each file, as the module has it that it belongs to."""
    for path in FILES:
        for module in path.parent.glob("*.py"):
            if "Beside(__file__" in module.read_text(encoding="utf-8"):
                importlib.import_module(".".join(["opweld", *module.relative_to(PACKAGE).with_suffix("").parts]))
    return {Path(path): sections.Beside(path) for path in sections._beside.values() if Path(path) in FILES}


@pytest.mark.quick
def test_every_file_is_some_modules():
    found = beside()
    assert len(FILES) > 15 and sorted(found) == FILES
    for path, file in found.items():  # what is read quickly is what the reader of users' files reads
        whole = sections.join((sections.key_of(str(path), "the test"),), "the test")
        for tag, pieces in whole.items():
            text = "".join(f'#line {line} "{file.name}"\n{piece}\n' for _, line, piece in pieces)
            assert file.section(tag).split() == text.split()


ONE_OF = ("blas_loops.c", "blas_wheel.c", "blas_wheel64.c")  # each is one way to have a BLAS


@pytest.mark.parametrize(("lang", "one"), [(lang, one) for lang in ("c", "c++") for one in ONE_OF])
def test_the_files_compile_without_a_warning(tmp_path, lang, one):
    without = tuple(other for other in ONE_OF if other != one) + (("blas.c",) if one == "blas_wheel64.c" else ())
    files = [file for file in beside().values() if not file.path.endswith(without)]
    first = ("views.c", "outputs.c", "blas_wheel.c")
    texts = [file.section() for file in files if file.path.endswith(first)]
    texts += [file.section() for file in files if not file.path.endswith(first)]
    source = tmp_path / f"all.{lang.replace('++', 'c')}"
    source.write_text(HEAD + "\n".join(texts))
    out = subprocess.run(
        ["gcc", "-x", lang, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-variable", "-O1",
         "-Wno-missing-field-initializers", "-Wno-cast-function-type", f"-I{sysconfig.get_path('include')}",
         f"-I{np.get_include()}", "-c", str(source), "-o", str(tmp_path / "all.o")],
        capture_output=True, text=True,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr


class Wrong(COp):
    """An op of a module whose C, in a file beside it, is wrong."""

    __props__ = ()
    file = None

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return opweld.Apply(self, [x], [x.type()])

    def c_support_code(self):
        return [self.file.section()]

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = opw_wrong({inputs[0]});"

    def c_code_cache_version(self):
        return (1,)


def test_an_error_leads_into_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sections, "_beside", dict(sections._beside))
    path = tmp_path / "wrong.c"
    path.write_text("/* Wrong. */\n\n#section support_code\nstatic void* opw_wrong(void* x)\n{\n    return y;\n}\n")
    monkeypatch.setattr(Wrong, "file", sections.Beside(str(tmp_path / "wrong.py")))
    x = T.dvector("x")
    with pytest.raises(opweld.CompileError, match=r"wrong\.c:6:12") as caught:
        opweld.function([x], Wrong()(x))
    assert caught.value.details["file"] == str(path) and caught.value.details["line"] == 6
