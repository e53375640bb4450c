"""What is shown through `warnings`: once, at the user's own file and line, and nothing where nothing is wrong."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from refusals import FromFile, Number, Pass, Same, a, built, line_of, run_apart, works

import opweld
from opweld import config, function
from opweld.tensor import dvector

HERE = str(Path(__file__).resolve())
FORMAT = (
    r"{who}: format '%d' expects argument of type 'int', but argument \d has type '.*' \[-Wformat=\]\n"
    r"  {line:4} \| {text}"
)
PRINT = 'if (0) printf("%d", 2.5);'
PRINT_LINE = inspect.currentframe().f_lineno - 1


class Careless(Same):
    """A copy, with a text that the compiler warns about."""

    def c_code(self, node, name, input_names, output_names, sub):
        return f"{PRINT}\n" + super().c_code(node, name, input_names, output_names, sub)


class CarelessNumber(Number):
    def c_extract(self, name, sub, check_input=True):
        return f"\n{PRINT}\n" + super().c_extract(name, sub)


def shown(call, action="always"):
    """The warnings that a call shows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        call()
    return caught


def is_compile_warning(warning, who, line, text=PRINT):
    assert warning.category is opweld.CompileWarning
    assert re.fullmatch(FORMAT.format(who=re.escape(who), line=line, text=re.escape(text)), str(warning.message))


def test_a_warning_of_the_compiler_is_shown_once():
    op = Careless()
    (warning,) = shown(lambda: works(built(op)))
    is_compile_warning(warning, "Careless.c_code", 1)
    assert (warning.filename, warning.lineno) == (HERE, PRINT_LINE)
    assert shown(lambda: works(built(op))) == []  # the same module, loaded already


def test_a_warning_is_shown_once_though_two_functions_hold_the_fragment():
    def build():
        for name in ("first", "second"):
            works(built(Careless(), name=name))

    assert len(shown(build, "default")) == 1


def test_a_warning_in_a_hook_of_a_type():
    (warning,) = shown(lambda: built(Pass(), CarelessNumber()))
    is_compile_warning(warning, "CarelessNumber.c_extract", 2)
    assert (warning.filename, warning.lineno) == (HERE, PRINT_LINE)


def test_a_warning_in_a_file_is_at_its_line(tmp_path):
    path = tmp_path / "op.c"
    path.write_text(f"#section code\nPy_INCREF(INPUT_0);\n\n    {PRINT}\nPy_XSETREF(OUTPUT_0, INPUT_0);\n")
    (warning,) = shown(lambda: works(built(FromFile(str(path)))))
    is_compile_warning(warning, "FromFile", 4)
    assert (warning.filename, warning.lineno) == (str(path), 4)


def test_a_warning_that_is_made_an_error_loses_nothing():
    class Loud(Careless):
        pass

    op = Loud()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(opweld.CompileWarning, match=r"^Loud\.c_code: format"):
            built(op)
    assert len(shown(lambda: works(built(op)))) == 1


def test_each_process_is_told_once_also_from_the_cache(tmp_path):
    script = """
        class Careless(Copy):
            def c_code(self, *args):
                return 'if (0) printf("%d", 2.5);' + super().c_code(*args)

        print(json.dumps([attempt(Careless()), attempt(Careless())]))
    """
    for expected in (False, True):
        (first, second), said = run_apart(tmp_path, script)
        assert first[1] is expected and second == first
        lines = said.splitlines()
        number = next(i for i, line in enumerate((tmp_path / "script.py").read_text().splitlines(), 1) if "2.5" in line)
        assert lines[0].startswith(
            f"{tmp_path}/script.py:{number}: CompileWarning: Careless.c_code: format '%d' expects"
        )
        assert said.count("CompileWarning") == 1


def test_sound_code_shows_nothing():
    class Sound(Same):
        def c_support_code(self):
            return "static int used_by_nobody(void) { int unused; return 0; }"  # what honest fragments have

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        works(built(Sound()))
        assert built(Pass(), Number())(2.5) == 2.5


@pytest.mark.parametrize("version", [[1], ({"a": 1},), 1, "1"])
def test_a_version_that_is_none(version):
    class Odd(Same):
        def c_code_cache_version(self):
            return version

    def build():
        f = built(Odd())
        works(f)
        assert not f.maker.built.kept

    (warning,) = shown(build)
    kind = type(version).__name__
    assert warning.category is opweld.OpweldWarning
    assert str(warning.message) == (
        "Odd: c_code_cache_version must return a tuple of int, str, bytes, float, bool, None and tuples of those, got "
        f"{version!r} ({kind}); the module will not be kept for another process"
    )
    assert (warning.filename, warning.lineno) == (HERE, line_of(Odd.c_code_cache_version))


def test_an_unused_input_that_is_only_warned_about(monkeypatch):
    x, y = dvector("x"), dvector("y")
    message = (
        "inputs[1], y of type TensorType(float64, (?,)), is not needed by any output: leave it out, or pass "
        "on_unused_input='ignore'"
    )

    def build(**options):
        f = function([x, y], Same()(x), **options)
        np.testing.assert_array_equal(f(a, a), a)

    (warning,) = shown(lambda: build(on_unused_input="warn"))
    assert str(warning.message) == message
    assert warning.category is opweld.OpweldWarning
    assert (warning.filename, warning.lineno) == (HERE, build.__code__.co_firstlineno + 1)
    with monkeypatch.context() as patch:
        patch.setattr(config, "on_unused_input", "warn")
        assert [str(warning.message) for warning in shown(build)] == [message]
    assert shown(lambda: build(on_unused_input="ignore")) == []
