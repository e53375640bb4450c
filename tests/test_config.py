"""Configuration: where values come from, and what is said of those that do not fit."""

import pytest

from opweld import ConfigError
from opweld.config import Config


def make(tmp_path, flags="", file=None):
    environ = {"HOME": str(tmp_path), "OPWELD_FLAGS": flags}
    if file is not None:
        (tmp_path / ".opweldrc").write_text(file)
    return Config(environ)


def test_defaults_file_flags_code(tmp_path):
    config = make(tmp_path)
    assert (config.floatX, config.cmodule__remove_gxx_opt, config.allow_input_downcast) == ("float64", False, None)
    file = "[global]\nfloatX = float32\ncc = clang\n[gcc]\ncxxflags = -g\n"
    config = make(tmp_path, "cc=gcc, cmodule.remove_gxx_opt=True", file)
    assert (config.floatX, config.cc, config.gcc.cxxflags, config.cmodule.remove_gxx_opt) == (
        "float32",
        "gcc",
        "-g",
        True,
    )
    config.gcc.cxxflags = "-O1"
    assert config.gcc__cxxflags == "-O1"
    del config.gcc__cxxflags
    assert config.gcc__cxxflags == "-g"


def test_values_with_commas(tmp_path):
    assert make(tmp_path, 'gcc.cxxflags="-Wl,-z,now",cc=gcc').gcc__cxxflags == "-Wl,-z,now"


@pytest.mark.parametrize(
    ("words", "value"), [("1 true yes on TRUE", True), ("0 false no off No", False)], ids=["yes", "no"]
)
def test_words_for_yes_and_no(tmp_path, words, value):
    for word in words.split():
        assert make(tmp_path, f"cmodule.remove_gxx_opt={word}").cmodule__remove_gxx_opt is value


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("floatx=float32", "OPWELD_FLAGS: no configuration key 'floatx'; did you mean floatX"),
        ("floatX=int8", "OPWELD_FLAGS: config.floatX: expected one of 'float64', 'float32', 'float16', got 'int8'"),
        ("cc", "OPWELD_FLAGS: 'cc' is not key=value"),
        ("lock_seconds=-1", "OPWELD_FLAGS: config.lock_seconds: expected a number of seconds, 0 or more, got '-1'"),
        ("cmodule.remove_gxx_opt=perhaps", "expected True or False, got 'perhaps'"),
        ("cc='gcc", "OPWELD_FLAGS: No closing quotation"),
    ],
)
def test_what_does_not_fit(tmp_path, flags, message):
    with pytest.raises(ConfigError) as caught:
        make(tmp_path, flags).cc  # noqa: B018
    assert message in str(caught.value)


def test_unknown_attributes(tmp_path):
    config = make(tmp_path)
    with pytest.raises(AttributeError, match="no configuration key 'compile_dir'; did you mean compiledir"):
        config.compile_dir  # noqa: B018
    with pytest.raises(ConfigError, match="no configuration key"):
        config.compile_dir = "x"


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(ConfigError, match="opweldrc"):
        make(tmp_path, file="no section").cc  # noqa: B018
