"""Crashes name themselves where `faulthandler` is enabled: whose code each part of a loaded module is.

It runs only there. What a crash says is written beforehand, for then nothing can be asked any more;
templates/runtime/crash.c writes it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

from opweld.dtypes import compiled

__all__ = ["symbols", "watch"]

_KERNEL = re.compile(r"opw_(\w+)_[0-9a-f]{10}(?:_\w+)?(?:\.\w+)*")
_SYMTAB, _FUNC = 2, 2
_watched: set[str] = set()


def watch(path: str, source: str, program: dict[str, Any], sources: dict[str, dict[str, Any]]) -> None:
    """Have a crash in a module say whose code it is.

    Parameters
    ----------
    path, source : str
        The module, which is loaded, and the C it came from.
    program, sources : dict
        What it was built from (docs/program.md).
    """
    if path in _watched:
        return
    _watched.add(path)
    try:
        base, end = _mapped(path)
        parts = list(symbols(path))
    except (OSError, ValueError, struct.error):  # it cannot be read: it says less
        return
    name = program["name"]
    told = {re.sub(r"\W", "_", kernel["label"]): kernel["label"] for kernel in program["kernels"]}
    add = compiled().watch
    add(base, end, f" in {name}(), C in {source}\n")
    for symbol, start, size in parts:  # what is entered last is looked at first
        found = _KERNEL.fullmatch(symbol)
        label = told.get(found[1]) if found else None
        if label and size:
            place = sources.get(f"{label}.c_code")
            where = f" ({place['file']}:{place['line']})" if place else ""
            add(base + start, base + start + size, f" in {name}(), {label}{where}, C in {source}\n")


def _mapped(path: str) -> tuple[int, int]:
    """Where a module lies in memory."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:
        own = [line.split(maxsplit=1)[0].split("-") for line in lines if line.rstrip("\n").endswith(f" {path}")]
    if not own:
        raise ValueError(path)
    return int(own[0][0], 16), int(own[-1][1], 16)


def symbols(path: str) -> Iterator[tuple[str, int, int]]:
    """Read the functions of an ELF file of 64 bits.

    Parameters
    ----------
    path : str
        The file.

    Yields
    ------
    str, int, int
        Name, address and size.
    """
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(path)
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQII", data, table + i * size) for i in range(count)]
    for _, kind, _, _, offset, length, link, _ in sections:
        if kind != _SYMTAB:
            continue
        names = sections[link][4]
        for at in range(offset, offset + length, 24):
            name, info, _, _, address, extent = struct.unpack_from("<IBBHQQ", data, at)
            if info & 15 == _FUNC and address:
                begin = names + name
                yield data[begin : data.index(b"\0", begin)].decode("ascii", "replace"), address, extent
