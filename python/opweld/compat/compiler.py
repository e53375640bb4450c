"""What ops ask of ``gof.cmodule``, ``gof.cc`` and the lock: whether something compiles, code for failures, C thunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from opweld.compat.functions import function
from opweld.compile import toolchain
from opweld.compile.attempts import attempt
from opweld.config import config
from opweld.graph.fgraph import FunctionGraph

__all__ = ["CLinker", "Compiler", "GCC_compiler", "failure_code", "failure_code_init", "get_lock", "lock_ctx",
           "release_lock"]  # fmt: skip


Cells = Sequence[list[Any]] | None


class Compiler:
    """Tries programs with the C++ compiler."""

    @classmethod
    def try_compile_tmp(
        cls,
        src_code: str,
        tmp_prefix: str = "",
        flags: Sequence[str] = (),
        try_run: bool = False,
        output: bool = False,
        compiler: str | None = None,
        comp_args: bool = True,
    ) -> Any:
        """Try a program.

        Parameters
        ----------
        src_code : str
            C++.
        tmp_prefix : str
            Accepted: files have a folder of their own.
        flags : sequence of str
            For compiler and linker.
        try_run : bool
            Whether it is run.
        output : bool
            Whether what was written is wanted.
        compiler : str, optional
            Another one than the configuration's.
        comp_args : bool
            Accepted: opweld's own flags are not used.

        Returns
        -------
        bool, or a tuple of bools, with `output` followed by two str
            Whether it compiled; with `try_run` also whether it ran; and what was written, if it was wanted.
        """
        found = attempt(src_code, *flags, run=try_run, compiler=compiler or "")
        said = (found.out, found.err) if output else ()
        if try_run:
            return (found.compiled, found.ran, *said)
        return (found.compiled, *said) if output else found.compiled

    @classmethod
    def try_flags(
        cls,
        flag_list: Sequence[str],
        preambule: str = "",
        body: str = "",
        try_run: bool = False,
        output: bool = False,
        compiler: str | None = None,
        comp_args: bool = True,
    ) -> Any:
        """Try flags on a program; `preambule` stands before its main function, `body` in it. See `try_compile_tmp`."""
        text = f"{preambule}\nint main(int argc, char **argv)\n{{\n{body}\nreturn 0;\n}}\n"
        return cls.try_compile_tmp(text, "try_flags_", flag_list, try_run, output, compiler, comp_args)


class GCC_compiler(Compiler):
    """Tries programs with the C++ compiler, whichever it is."""

    @staticmethod
    def version_str() -> str:
        """Give the compiler's path and what it says of its version."""
        driver = toolchain.driver("c++", config.cxx)
        return f"{driver.path} {attempt('int main() { return 0; }', '--version').out.strip()}"


def gcc_version() -> str:
    """Give the compiler's version, as it says it: ``"13.2.0"``."""
    return attempt("#include <cstdio>\nint main() { std::puts(__VERSION__); }", run=True).out.split(" ")[0].strip()


def failure_code(sub: dict[str, Any], use_goto: bool = True) -> str:
    """Give the C that ends an op with an error.

    Parameters
    ----------
    sub : dict
        As `c_code` has it.
    use_goto : bool
        False: for places from which nothing may jump, such as loops over threads. The error is set, and the loop goes
        on; the op must ask ``PyErr_Occurred()`` behind it.

    Returns
    -------
    str
        A statement.
    """
    if use_goto:
        return f"{{ {sub['fail']} }}"
    return '{ if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "an op failed and set no exception"); }'


failure_code_init = failure_code

_lock = RLock()


@contextmanager
def lock_ctx(lock_dir: object = None, *, timeout: float | None = None, **_: object) -> Iterator[None]:
    """Hold a lock that is one for the process. Modules need none: each build takes its own."""
    with _lock:
        yield


def get_lock(lock_dir: object = None, **_: object) -> None:
    """Take the lock of `lock_ctx`, until `release_lock`."""
    _lock.acquire()


def release_lock() -> None:
    """Give the lock back."""
    _lock.release()


class CLinker:
    """Makes a module of a graph, and what runs it on cells."""

    def accept(self, fgraph: FunctionGraph, no_recycling: object = None, profile: object = None) -> CLinker:
        """Take a graph.

        Parameters
        ----------
        fgraph : FunctionGraph
            What is compiled; none of it is rewritten.
        no_recycling, profile
            Accepted: storage is the module's own.

        Returns
        -------
        CLinker
            This one.
        """
        self.fgraph = fgraph
        return self

    def compile(self) -> Callable[..., Any]:
        """Give the graph as a function that gives a list."""
        graph = self.fgraph
        return function(  # type: ignore[no-any-return]
            list(graph.inputs), list(graph.outputs), on_unused_input="ignore", options={"optimizer": "None"}
        )

    get_dynamic_module = compile

    def make_thunk(
        self, input_storage: Cells = None, output_storage: Cells = None, storage_map: object = None, **_: object
    ) -> tuple[Callable[[], None], list[Any], list[Any]]:
        """Make what computes the graph of what stands in cells, and puts it into others.

        Parameters
        ----------
        input_storage, output_storage : list of list, optional
            One cell for each; new ones if left out.

        Returns
        -------
        thunk : callable
            Without arguments.
        input_storage, output_storage : list of list
            The cells.
        """
        run = self.compile()
        reads = [[None] for _ in self.fgraph.inputs] if input_storage is None else list(input_storage)
        writes = [[None] for _ in self.fgraph.outputs] if output_storage is None else list(output_storage)

        def thunk() -> None:
            for cell, value in zip(writes, run(*[cell[0] for cell in reads])):
                cell[0] = value

        thunk.cthunk = run  # type: ignore[attr-defined]
        thunk.inputs, thunk.outputs = reads, writes  # type: ignore[attr-defined]
        return thunk, reads, writes
