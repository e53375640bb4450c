"""Every public name has an example in its docstring, and each example gives what stands there.

What needs none is an exception: docs/errors.md, whose blocks run, says of each what raises it.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import opweld
import opweld.tensor as T

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("opweld_site_names", ROOT / "tools" / "site.py")
site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site)


def public():
    """What has a page, by its full name."""
    seen = set()
    for package in site.PACKAGES:
        for name, found in site.names_of(importlib.import_module(package), seen):
            yield f"{package}.{name}", found


PUBLIC = dict(public())
EXAMPLES = {
    name: example
    for name, found in PUBLIC.items()
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(found) or "")[:1]
}


def raised(found):
    """Whether a name is that of an exception or a warning."""
    return inspect.isclass(found) and issubclass(found, BaseException)


def test_each_public_name_has_an_example():
    without = [name for name, found in PUBLIC.items() if not raised(found) and name not in EXAMPLES]
    assert without == []
    assert len(EXAMPLES) > 255


def test_each_exception_has_its_place_among_the_errors():
    text = (ROOT / "docs" / "errors.md").read_text("utf-8")
    words = set(re.findall(r"\w+", text))
    assert [name for name, found in PUBLIC.items() if raised(found) and name.rpartition(".")[2] not in words] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(PUBLIC[name])
    given = {"np": np, "opweld": opweld, "T": T}
    test = doctest.DocTestParser().get_doctest(text, given, name, None, 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
