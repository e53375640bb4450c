"""Whose fault a failed build is: what compiler, linker and loader say, led back to the op or type behind it.

It runs only where a build or an import has failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from opweld import engine
from opweld.compile import written
from opweld.compile.data import Program
from opweld.errors import CompileError, LoadError, ToolError

if TYPE_CHECKING:
    from opweld.schema import KernelFields, TypeFields

__all__ = ["refused", "undone", "unloadable"]

_UNDEFINED = re.compile(r"undefined symbol: (\w+)")
# What a writer wishes of the build, and how the compiler speaks of it when it cannot be had.
_SPOKEN = {
    "headers": r"(?<![\w/.]){}(?:'|: )",
    "libraries": r"-l{}(?![\w.+-])",
    "compile_args": r"(?<![\w-]){}(?![\w-])",
}


def refused(err: CompileError, program: Program) -> CompileError:
    """Name the line of the user's file, or who asked for what the compiler could not find or does not know.

    Parameters
    ----------
    err : CompileError
        What the engine raised.
    program : Program
        What it was to build.

    Returns
    -------
    CompileError
        `err` itself where nothing is known beyond what it says.
    """
    first = next((d for d in err.details.get("diagnostics", ()) if d["severity"] == "error"), None)
    if first is None:
        return err
    if first["op"]:
        return _placed(err, program)
    for writer in _writers(program):
        build: Any = writer.get("build", {})
        for field, pattern in _SPOKEN.items():
            for wish in build.get(field, ()):
                if re.search(pattern.format(re.escape(wish.strip('<>"'))), first["message"]):
                    return _led_back(err, first, writer["label"], f"c_{field}", program)
    return err


def _placed(err: CompileError, program: Program) -> CompileError:
    """Give the diagnostics the lines where the user wrote what they speak of."""
    given = err.details["diagnostics"]
    found = [written.placed(diagnostic, program.data) or diagnostic for diagnostic in given]
    if found == given:
        return err
    first = next(d for d in found if d["severity"] == "error")
    details = {**err.details, "diagnostics": found, "line": first["line"]}
    return CompileError(engine.message(found, err.details.get("log", "")), details)


def undone(err: ToolError, program: Program) -> ToolError:
    """Say whose texts were compiled when a program could not do its work.

    Parameters
    ----------
    err : ToolError
        What the engine raised.
    program : Program
        What it was to build.

    Returns
    -------
    ToolError
        With the op that the compiler spoke of, else the op of the longest text.
    """
    labels = [err.details["op"]] if err.details.get("op") else _longest_first(program)
    label = labels[0] if labels else ""
    others = f" (and {len(labels) - 1} other ops)" if len(labels) > 1 else ""
    source = next((program.sources[name] for name in program.sources if name.startswith(f"{label}.")), {})
    where = f": {source['file']}:{source['line']}" if source else ""
    lines = [f"{program.data['name']}, with the text of {label}{others}, could not be compiled{where}", f"  {err}"]
    if " had not finished after " in str(err):
        lines.append("write less, have the compiler do less (config.cflags), or raise config.compile_seconds")
    if err.details.get("log"):
        lines.append(f"the whole output: {err.details['log']}")
    found = {"op": label, "file": source.get("file", ""), "line": source.get("line", 0)}
    return ToolError("\n".join(lines), {**err.details, **found})


def _longest_first(program: Program) -> list[str]:
    """The labels of ops, that of the longest text first."""
    sizes: dict[str, int] = {}
    for kernel in program.data["kernels"]:
        size = sum(len(str(text)) for text in kernel.values())
        sizes[kernel["label"]] = max(size, sizes.get(kernel["label"], 0))
    return sorted(sizes, key=lambda label: (-sizes[label], label))


def _writers(program: Program) -> Iterator[TypeFields | KernelFields]:
    yield from program.data["types"]
    yield from program.data["kernels"]


def _led_back(err: CompileError, said: dict[str, Any], label: str, hook: str, program: Program) -> CompileError:
    asked, hint = f"{label}.{hook}", said.get("hint")
    source: Any = program.sources.get(asked, {})
    if _is_short(label, program):
        source = program.sources[f"{label}/body"]
        asked, hint = f"{label}: {_as_arguments(hook)}", _as_arguments(hint or "")
    where = f": {source['file']}:{source['line']}" if source else ""
    lines = [f"{asked} cannot be honoured{where}", f"  {said['message']}"]
    if hint:
        lines.append(f"  {hint}")
    if err.details.get("log"):
        lines.append(f"the whole output: {err.details['log']}")
    found = {"op": label, "file": source.get("file", ""), "line": source.get("line", 0)}
    return CompileError("\n".join(lines), {**err.details, **found})


def _is_short(label: str, program: Program) -> bool:
    """Whether what is called so is a short form, whose arguments are what hooks are elsewhere."""
    return f"{label}/body" in program.sources


def _as_arguments(text: str) -> str:
    """A text that speaks of hooks, in the words of who writes a short form."""
    text = re.sub(r"\bc_support_code\b", "support=", text).replace("c_compile_args", "args=")
    return re.sub(r"\bc_(headers|header_dirs|libraries|lib_dirs)\b", r"\1=", text)


def unloadable(program: Program, err: Exception, path: str, module: object) -> LoadError:
    """Say why a module that was built cannot be imported.

    Parameters
    ----------
    program : Program
        What it was built from.
    err : Exception
        What the import raised.
    path : str
        The module.
    module : module or None
        None: it could not even be linked. Otherwise its init code failed.

    Returns
    -------
    LoadError
        To be raised from `err`.
    """
    who = program.data["name"]
    details: dict[str, Any] = {"module": path}
    symbol = _UNDEFINED.search(str(err)) if module is None else None
    at = getattr(module, "initialising", "")
    if symbol is not None:
        name = symbol[1]
        details["op"] = op = _user_of(name, program)
        remedy = "write it in c_support_code, or name its library in c_libraries and the library's folder in c_lib_dirs"
        message = (
            f"{who}: {op or 'the module'} uses {name!r}, which nothing that it is linked with defines: "
            f"{_as_arguments(remedy) if _is_short(op, program) else remedy}"
        )
    elif at:
        details["op"] = at.rpartition(".")[0]
        what = str(err) if type(err) is ImportError else f"{type(err).__name__}: {err}"
        message = f"{who}: {at} failed while the module was imported{_place(at, program)}: {what}"
    else:
        message = f"{who}: the module that was built cannot be imported: {err}; opweld doctor tests the compiler"
    return LoadError(message, details)


def _place(at: str, program: Program) -> str:
    source = program.sources.get(at)
    return f" ({source['file']}:{source['line']})" if source else ""


def _user_of(symbol: str, program: Program) -> str:
    """The label of the first op or type in whose texts a name stands."""
    word = re.compile(rf"\b{re.escape(symbol)}\b")
    for writer in (*program.data["kernels"], *program.data["types"]):
        for text in writer.values():
            parts = text if isinstance(text, list) else [text]
            if any(isinstance(part, str) and word.search(part) for part in parts):
                return str(writer["label"])
    return ""
