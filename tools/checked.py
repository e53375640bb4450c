"""What ``opweld check`` finds of faults that the lint does not: for ``make score SCORE=--check``.

Each fragment of the corpus becomes an op of its own, whose arguments are of doubles where `DTYPES` says no other.
The checks run as a user runs them, without the lint; what fails of them, or does not compile, has found the fault.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

import opweld
from opweld.checking import Report, check_apart, subject_of
from opweld.config import config
from opweld.errors import CompileError
from opweld.tensor.type import TensorType

#: Of the variables of a fragment that hold other than doubles.
DTYPES = {"rows_by_number": {"y": "int64"}, "histogram": {"y": "int64", "z": "int64"}}
_CHECKS = ("run", "DebugMode", "account", "places", "memory")
_EXAMPLES = 20


class Corpus(opweld.COp):
    """An op of a fragment."""

    __props__ = ("fragment",)

    def __init__(self, fragment: Any) -> None:
        self.fragment = fragment
        self.c_lang = "c++" if fragment.cxx else "c"
        self.destroy_map, self.view_map = self._map(fragment.destroys), self._map(fragment.views)

    def __str__(self) -> str:
        return str(self.fragment.name)

    def _map(self, pairs: Sequence[tuple[str, str]]) -> dict[int, list[int]]:
        inputs, outputs = ([name for name, _ in side] for side in (self.fragment.inputs, self.fragment.outputs))
        return {outputs.index(out): [inputs.index(of)] for out, of in pairs}

    def _types(self, variables: Sequence[tuple[str, int]]) -> list[TensorType]:
        said = DTYPES.get(self.fragment.name, {})
        return [TensorType(said.get(name, "float64"), shape=(None,) * ndim) for name, ndim in variables]

    @property
    def itypes(self) -> list[TensorType]:
        """Of the inputs, for who wants to make some."""
        return self._types(self.fragment.inputs)

    def make_node(self, *inputs: Any) -> opweld.Apply:
        """Apply it."""
        return opweld.Apply(self, list(inputs), [type_() for type_ in self._types(self.fragment.outputs)])

    def c_headers(self) -> list[str]:
        """What fragments may use."""
        return ["<stdlib.h>", "<string.h>", "<math.h>"]

    def c_support_code(self) -> str:
        """Give the functions of a fragment that is a file."""
        return str(self.fragment.text) if self.fragment.file else ""

    def c_code(self, node: Any, name: str, inputs: list[str], outputs: list[str], sub: dict[str, Any]) -> str:
        """Give the fragment, its names exchanged for the node's."""
        if self.fragment.file:
            arguments = ", ".join([*inputs, *(f"&{out}" for out in outputs)])
            return f"if ({self.fragment.name}({arguments})) {sub['fail']}"
        names = dict(zip([one for one, _ in (*self.fragment.inputs, *self.fragment.outputs)], [*inputs, *outputs]))
        text = re.sub(r"\bFAIL\b", lambda _: str(sub["fail"]), self.fragment.text)
        for one, there in names.items():
            text = re.sub(rf'(?<![\w"%.>]){one}\b(?![^"\n]*"[,)])', there, text)
        return text

    def c_code_cache_version(self) -> tuple[int, ...]:
        """It is in the text."""
        return (1,)


class Verdict(NamedTuple):
    """What a check has found in a fragment; empty: nothing."""

    said: str


def checked(fragment: Any) -> Verdict:
    """Run all checks but the lint on a fragment."""
    with tempfile.TemporaryDirectory() as folder:
        config.compiledir = folder
        report = Report()
        try:
            subject = subject_of(Corpus(fragment), fragment.name)
        except CompileError as err:
            return Verdict(f"it does not compile: {str(err).splitlines()[0]}")
        if subject is None:
            return Verdict("")
        for name in _CHECKS:
            for row in check_apart(subject, report, [name], _EXAMPLES):
                if row.faults:
                    return Verdict(f"{name}: {row.faults[0]}")
        return Verdict("")
