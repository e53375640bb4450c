"""What is counted and forced costs a released module nothing: its machine code is as it would be without."""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig

import numpy as np
import pytest

from opweld import _engine

FEATURES = ("OPW_ACCOUNT", "OPW_FAULTS")
FLAGS = [
    "-std=gnu17",
    "-O2",
    "-DNDEBUG",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fwrapv",
    "-c",
]  # setup.py's


def without(text, features):
    """The text without what stands between ``#ifdef FEATURE`` and its ``#endif``, as if it had never been written."""
    kept, open_ = [], []
    for line in text.splitlines(keepends=True):
        found = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b\s*(\w*)", line)
        word, name = found.groups() if found else ("", "")
        if word.startswith("if"):
            ours = word != "if" and name in features
            open_.append((ours, ours and word == "ifdef"))
            if ours:
                continue
        elif word in ("else", "endif") and open_[-1][0]:
            ours, cut = open_.pop()
            if word == "else":
                open_.append((ours, not cut))
            continue
        elif word == "endif":
            open_.pop()
        if not any(cut for _, cut in open_):
            kept.append(line)
    return "".join(kept)


@pytest.fixture(scope="module")
def runtime():
    return json.loads(_engine.pyext_Runtime("{}"))["text"]


def compiled(text, folder, *flags):
    folder.mkdir(exist_ok=True)
    (folder / "runtime.c").write_text(text)
    headers = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    subprocess.run(["gcc", *FLAGS, *flags, *headers, "runtime.c", "-o", "runtime.o"], cwd=folder, check=True)
    return (folder / "runtime.o").read_bytes()


def test_the_runtime_is_what_it_is_without_accounts_and_faults(runtime, tmp_path):
    plain = without(runtime, FEATURES)
    assert len(plain) < 0.95 * len(runtime)
    assert not re.search(r"OPW_ACCOUNT\b|OPW_FAULTS\b", "".join(re.findall(r"(?m)^#.*$", plain)))
    whole = compiled(runtime, tmp_path / "whole")
    assert compiled(plain, tmp_path / "plain") == whole
    assert compiled(runtime, tmp_path / "account", "-DOPW_ACCOUNT") != whole
