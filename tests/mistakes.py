"""What the tables of mistakes share: a user's file that is run, and what it says. Not a test (see test_mistakes.py)."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from refusals import GCC

from opweld import CompileError

HEAD = '''\
import numpy as np

import opweld
import opweld.tensor as T
from opweld import Apply, COp, CType, In, Op, config, function, shared


class Copy(COp):
    """A tensor, copied; subclasses write more."""

    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (y,), fail = inputs, outputs, sub["fail"]
        return f"""
            Py_XDECREF({y});
            {y} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{y}) {fail}
            """ + self.more(name, x, y, fail)

    def more(self, name, x, y, fail):
        return ""


x, y, m, i, s = T.dvector("x"), T.dvector("y"), T.dmatrix("m"), T.lvector("i"), T.lscalar("s")
v = np.arange(3.0)
'''


class Mistake:
    """A file with a mistake, after it has been run."""

    def __init__(self, folder: Path, text: str) -> None:
        self.path = str(folder / "mine.py")
        self.text = HEAD + text
        Path(self.path).write_text(self.text)
        self.error: BaseException | None = None
        try:
            exec(compile(self.text, self.path, "exec"), {"__name__": "mine"})
        except Exception as error:
            self.error = error

    def said(self) -> str:
        """The message, without what depends on versions and folders."""
        assert self.error is not None, "nothing was said"
        text = str(self.error).replace(self.path, "mine.py")
        if isinstance(self.error, CompileError):
            text = GCC.sub("", text)
        text = re.sub(r"\nthe whole output: .*", "", text)
        return re.split(r"\nf\(\): ", text)[0]  # before 3.11 the node stands behind the message

    def lines(self) -> list[int]:
        """The lines of the file that the traceback names."""
        assert self.error is not None
        return [
            f.lineno for f in traceback.extract_tb(self.error.__traceback__) if f.filename == self.path and f.lineno
        ]

    def line_of(self, part: str) -> int:
        """The number of the one line, after the head, that holds a text."""
        found = [n for n, line in enumerate(self.text.splitlines(), 1) if part in line and n > HEAD.count("\n")]
        assert len(found) == 1, found
        return found[0]
