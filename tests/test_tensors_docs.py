"""docs/tensors.md says what is so: its tables are read."""

import re

import numpy as np
from pages import Page

import opweld.tensor as T

PAGE = Page("tensors.md")


def test_dtypes():
    (section,) = [section for section in PAGE.sections if section.startswith("## Dtypes")]
    rows = re.findall(r"^\| `([^`]+)` \| (\w+) \|$", section, re.MULTILINE)
    assert len(rows) > 10
    for text, dtype in rows:
        assert eval(text, {"T": T, "np": np}).dtype == dtype, text


def test_letters_and_words():
    letters = {"b": "int8", "w": "int16", "i": "int32", "l": "int64", "f": "float32", "d": "float64"}
    letters |= {"c": "complex64", "z": "complex128"} | {"u" + k: "u" + v for k, v in list(letters.items())[:4]}
    words = {"scalar": (), "vector": (None,), "matrix": (None,) * 2, "row": (1, None), "col": (None, 1)}
    for letter, dtype in letters.items():
        assert f"`{letter}`" in PAGE.text
        for word, shape in (words | {f"tensor{n}": (None,) * n for n in range(3, 8)}).items():
            assert getattr(T, letter + word)().type == T.TensorType(dtype, shape)


def test_readme(tmp_path, monkeypatch, capsys):
    """What its blocks print is what stands behind them."""
    monkeypatch.chdir(tmp_path)
    page = PAGE.path.parent.parent / "README.md"
    names = {"__name__": "readme"}
    for block in re.findall(r"(?ms)^```python\n(.*?)^```$", page.read_text(encoding="utf-8")):
        exec(compile(block, "README.md", "exec"), names)
        (said,) = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        assert capsys.readouterr().out.strip() == said
    assert (tmp_path / "watch.svg").read_text(encoding="utf-8").startswith("<svg")
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
