"""PyTensor for the tests that run it: with a folder of its own, and without a search for a BLAS."""

import os
from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parent.parent / "build" / "pytensor-cache"
os.environ.setdefault("PYTENSOR_FLAGS", f"base_compiledir={_FOLDER},blas__ldflags=")

pytensor = pytest.importorskip("pytensor", reason="PyTensor is not installed: pip install 'opweld[pytensor]'")
