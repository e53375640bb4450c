"""Errors that are PyTensor's and opweld's. Loaded when one is raised: PyTensor's module of them loads setuptools."""

from __future__ import annotations

from pytensor.link.c.exceptions import CompileError as TheirCompileError
from pytensor.link.c.exceptions import MissingGXX

from opweld.errors import CompileError, CompilerNotFoundError

__all__ = ["MissingError", "RefusedError"]


class RefusedError(CompileError, TheirCompileError):
    """The compiler refused a text."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingError(CompilerNotFoundError, MissingGXX):
    """There is no compiler."""
