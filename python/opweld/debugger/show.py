"""For gdb's own Python: arrays as what they hold, ops by their names, variables by their authors' names.

``opweld gdb`` loads it; by hand: ``gdb -x "$(opweld gdb --script)"``. It needs nothing of opweld.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any, SupportsInt

import gdb  # type: ignore[import-untyped,import-not-found,unused-ignore]  # gdb's own

SHOWN = 8  # elements of an array
_ARRAYS = re.compile(r"(struct )?(PyArrayObject|tagPyArrayObject\w*)$")
_OP = re.compile(r"opw_(\w+?)_[0-9a-f]{10}(?:_\w+)?$")
_FORMATS = {
    "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q",
    "f2": "e", "f4": "f", "f8": "d", "c8": "ff", "c16": "dd",
}  # fmt: skip
_WORDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


def _word(address: int, format: str) -> Any:
    """A number at an address of the program."""
    size = struct.calcsize("=" + format)
    return struct.unpack("=" + format, gdb.selected_inferior().read_memory(address, size).tobytes())[0]


def _name_of_type(address: int) -> str:
    """The name of an object's class."""
    name = gdb.Value(_word(_word(address + 8, "Q") + 24, "Q")).cast(gdb.lookup_type("char").pointer())
    return str(name.string())


class Array:
    """A ``PyArrayObject *``: dtype, shape, and the first elements. What an array holds stands where NumPy 2 puts it."""

    def __init__(self, value: SupportsInt) -> None:
        self._address = int(value)

    def to_string(self) -> str:
        """Write it."""
        if not self._address:
            return "NULL"
        try:
            name = _name_of_type(self._address)
            return (
                self._array() if name.endswith("ndarray") or ("." not in name and name != "NoneType") else f"<{name}>"
            )
        except (gdb.MemoryError, UnicodeDecodeError, ValueError, struct.error):
            return f"{self._address:#x}, which is no array"

    def _array(self) -> str:
        data, ndim = _word(self._address + 16, "Q"), _word(self._address + 24, "i")
        at, steps, descr = (_word(self._address + offset, "Q") for offset in (32, 40, 56))
        if not 0 <= ndim <= 64:
            raise ValueError
        shape = [_word(at + 8 * i, "q") for i in range(ndim)]
        strides = [_word(steps + 8 * i, "q") for i in range(ndim)]
        kind, order = chr(_word(descr + 24, "B")), chr(_word(descr + 26, "B"))
        size = _word(descr + 40, "q")
        dtype = f"{_WORDS[kind]}{8 * size if kind != 'b' else ''}" if kind in _WORDS else f"{kind}{size}"
        if order == ">":
            dtype = ">" + dtype
        close, step = True, size
        for length, stride in zip(reversed(shape), reversed(strides)):
            close, step = close and (stride == step or length < 2), step * length
        how = "" if close else f" strides {strides}"
        return f"{dtype}{shape}{how} {self._elements(data, shape, strides, kind, size, order)}"

    def _elements(self, data: int, shape: list[int], strides: list[int], kind: str, size: int, order: str) -> str:
        format = _FORMATS.get(f"{kind}{size}")
        total = 1
        for length in shape:
            total *= length
        if format is None:
            return f"at {data:#x}"
        shown = []
        for number in range(min(total, SHOWN)):
            at, rest = data, number
            for length, stride in zip(reversed(shape), reversed(strides)):
                rest, place = divmod(rest, length)
                at += place * stride
            raw = gdb.selected_inferior().read_memory(at, size).tobytes()
            parts = struct.unpack((">" if order == ">" else "<") + format, raw)
            shown.append(repr(parts[0] if len(parts) == 1 else complex(*parts)))
        return f"{{{', '.join(shown)}{', …' if total > SHOWN else ''}}}"


def _lookup(value: gdb.Value) -> Array | None:
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_PTR:
        return None
    named = {str(value.type.target().unqualified()), str(kind.target().unqualified())}
    return Array(value) if any(_ARRAYS.match(name) for name in named) else None


def op_of(function: str | None) -> str:
    """Say whose C a function of a module is; empty: no op's."""
    found = _OP.match(function or "")
    return found[1] if found else ""


class Named(gdb.FrameDecorator.FrameDecorator):  # type: ignore[misc]
    """A frame of an op's C, by the op's name."""

    def function(self) -> Any:
        """Give the name."""
        name = super().function()
        op = op_of(name if isinstance(name, str) else None)
        return f"{op}, C of an op," if op else name


class Frames:
    """Backtraces have ops by their names."""

    name, enabled, priority = "opweld", True, 100

    def __init__(self) -> None:
        gdb.frame_filters[self.name] = self

    def filter(self, frames: Iterator[Any]) -> Iterator[Any]:
        """Name them."""
        return map(Named, frames)


def _names(frame: gdb.Frame) -> Iterator[tuple[str, str]]:
    """The variables of an op's C, and how its author wrote them."""
    op = op_of(frame.name())
    symtab = frame.find_sal().symtab
    symbol = symtab and gdb.lookup_static_symbol("opw_names")
    for one in [s for s in (symtab.static_block() if symtab else ()) if s.name == "opw_names"] or [symbol]:
        if one is None:
            continue
        for line in one.value().string().splitlines():
            key, variable, name = line.split(" ", 2)
            if re.sub(r"\W", "_", key.rpartition(".")[0]) in (op, re.sub(r"_\d+$", "", op)):
                yield variable, name


def _stopped(_: object) -> None:
    """Have the variables of an op's C under its author's names: ``$x``."""
    try:
        frame = gdb.selected_frame()
        if not op_of(frame.name()):
            return
        for variable, name in _names(frame):
            if re.fullmatch(r"[A-Za-z]\w*", name):
                try:
                    gdb.set_convenience_variable(name, frame.read_var(variable))
                except ValueError:  # of another fragment of the op's
                    continue
    except gdb.error:
        return


gdb.pretty_printers.insert(0, _lookup)
gdb.events.stop.connect(_stopped)
Frames()
