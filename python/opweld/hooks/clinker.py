"""What ops and types that are written in C have alike."""

from __future__ import annotations

from typing import Any


class CLinkerObject:
    """The hooks about the module and its build; to be mixed into an op or a type."""

    def c_support_code(self) -> Any:
        """Write what stands at file scope, once for each distinct text.

        Returns
        -------
        str or list of str
            C declarations and functions.
        """
        return ""

    def c_init_code(self) -> Any:
        """Write what runs when the module is loaded.

        Returns
        -------
        str or list of str
            C statements.
        """
        return []

    def c_headers(self) -> list[str]:
        """Name headers: ``<math.h>``, ``"mine.h"``; without either sign, quotes are added."""
        return []

    def c_header_dirs(self) -> list[str]:
        """Name folders of headers."""
        return []

    def c_libraries(self) -> list[str]:
        """Name libraries, without ``lib`` and suffix."""
        return []

    def c_lib_dirs(self) -> list[str]:
        """Name folders of libraries; they are searched at load time too."""
        return []

    def c_compile_args(self) -> list[str]:
        """Give flags for the compiler."""
        return []

    def c_no_compile_args(self) -> list[str]:
        """Give flags that must be taken away, by exact match."""
        return []

    def c_compiler(self) -> Any:
        """Name the compiler driver that must be used; None: whichever is configured."""
        return None

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Give the version of the texts.

        Returns
        -------
        tuple
            ``()``: not kept for another process.
        """
        return ()
