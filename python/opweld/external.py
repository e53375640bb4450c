"""Ops whose C lies in files of its own."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from opweld.dtypes import c_name, dtype_of
from opweld.errors import _what
from opweld.graph.basic import Apply
from opweld.hooks.asking import ABSENT, ask
from opweld.hooks.classes import COp
from opweld.hooks.reading import label_of
from opweld.lean import digest
from opweld.sections import SECTIONS, join, key_of

__all__ = ["SECTIONS", "ExternalCOp"]

# What C lets pass with a warning at the call of func_name is an error, as it is in C++.
_STRICT = """\
#ifndef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#pragma GCC diagnostic error "-Wint-conversion"
#endif
"""
_STRICT_END = "#ifndef __cplusplus\n#pragma GCC diagnostic pop\n#endif\n"

_found: WeakKeyDictionary[type, dict[tuple[Any, ...], list[str]]] = WeakKeyDictionary()


class ExternalCOp(COp):
    """An op whose C hooks are the sections of one or more files.

    A line ``#section <tag>`` begins the text of method ``c_<tag>``; the tags are `SECTIONS`.

    Parameters
    ----------
    func_files : str or list of str
        The files, relative to the folder of the class that names them.
    func_name : str, optional
        A function in them that does the work: it takes every input, then a pointer to every output, then the params
        where the op has some, and returns 0, or another number with an exception set. It stands instead of a section
        ``code``.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If a file has no section, one of an unknown tag, or text before the first; or if there is both `func_name` and a
        section ``code``.

    Examples
    --------
    >>> text = '''
    ... #section support_code_apply
    ... int APPLY_SPECIFIC(twice)(PyArrayObject *x, PyArrayObject **y)
    ... {
    ...     Py_XSETREF(*y, (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER));
    ...     if (*y == NULL) return 1;
    ...     for (npy_intp i = 0; i < PyArray_SIZE(*y); i++) ((DTYPE_OUTPUT_0 *)PyArray_DATA(*y))[i] *= 2;
    ...     return 0;
    ... }
    ... '''
    >>> _ = open("twice.c", "w").write(text)
    >>> class Twice(opweld.ExternalCOp):
    ...     __props__ = ()
    ...     def __init__(self):
    ...         super().__init__(["./twice.c"], "APPLY_SPECIFIC(twice)")
    ...     def make_node(self, x):
    ...         return opweld.Apply(self, [x], [x.type()])
    >>> x = T.dvector("x")
    >>> opweld.function([x], Twice()(x))([1.0, 2.0])
    array([2., 4.])
    """

    _cop_num_inputs: int | None = None
    _cop_num_outputs: int | None = None

    def __init__(self, func_files: str | Iterable[str], func_name: str | None = None) -> None:
        if not isinstance(func_files, (str, os.PathLike, Iterable)):
            raise TypeError(f"{type(self).__name__}: expected a file's path or a list of them, got {_what(func_files)}")
        names = (func_files,) if isinstance(func_files, (str, os.PathLike)) else tuple(func_files)
        self.func_files = paths = _paths(type(self), names)
        self.func_name = func_name
        keys = tuple([key_of(path, type(self).__name__) for path in paths])
        self._sections = sections = join(keys, type(self).__name__)
        if func_name is not None and "code" in sections:
            path, line, _ = sections["code"][0]
            raise ValueError(
                f"{path}:{line - 1}: section 'code' and func_name={func_name!r} exclude each other: drop one"
            )

    @classmethod
    def get_path(cls, name: str) -> str:
        """Find a file that the class names.

        Parameters
        ----------
        name : str
            Relative to the class's folder.

        Returns
        -------
        str
            The absolute path.
        """
        return _find(cls, name)

    def get_op_params(self) -> list[tuple[str, Any]]:
        """Give the macros that the op adds to those of `ExternalCOp`.

        Returns
        -------
        list of (str, object)
            Name and value. Unless it is overridden: for a `ParamsType` ``PARAMS_TYPE``, the struct's name, and
            ``DTYPE_PARAM_<field>`` for each field that has an element type.
        """
        if not hasattr(self.params_type, "of_op"):
            return []
        found = [("PARAMS_TYPE", self.params_type.name)]
        for field, type_ in zip(self.params_type.fields, self.params_type.types):
            element = ask(type_, "c_element_type")
            if element is not ABSENT and element:
                found.append((f"DTYPE_PARAM_{field}", element))
        return found

    def __eq__(self, other: object) -> bool:
        if self.__props__ is not None:
            return super().__eq__(other)
        return self is other

    __hash__ = COp.__hash__

    def _names(self) -> dict[str, str]:
        """Path -> what it is called in ``#line``: the base name, told apart where two files share it."""
        names: dict[str, str] = {}
        for path in self.func_files:
            base = name = label_of(os.path.basename(path))
            number = 1
            while name in names.values() and path not in names:
                number += 1
                name = f"{base}~{number}"
            names.setdefault(path, name)
        return names

    def _fragment_files(self) -> dict[str, str]:
        return {name: path for path, name in self._names().items()}

    def _section(self, tag: str) -> str:
        """A section's text, each piece under its file's name and line."""
        names = self._names()
        label = label_of(type(self).__name__)
        return "".join(
            f'#line {line} "{label}/{names[path]}"\n{piece}\n' for path, line, piece in self._sections.get(tag, ())
        )

    def _wrapped(self, tag: str, macros: list[tuple[str, str]]) -> str:
        """A section between the definitions of its macros and their end."""
        if tag not in self._sections:
            return ""
        section = self._section(tag)
        return _between(macros, section) if section else ""

    def _apply_macros(self, node: Apply, name: str) -> list[tuple[str, str]]:
        macros = [("APPLY_SPECIFIC(str)", f"str##_{name}")]
        macros += [(key, str(value)) for key, value in self.get_op_params()]
        if self.check_input is False:
            return macros
        for role, variables in (("INPUT", node.inputs), ("OUTPUT", node.outputs)):
            for i, variable in enumerate(variables):
                dtype = getattr(variable.type, "dtype", None)
                if dtype is None:
                    continue
                found = _c_dtype(dtype)
                if found is None:
                    continue
                ctype, enum, size = found
                macros.append((f"DTYPE_{role}_{i}", ctype))
                macros.append((f"TYPENUM_{role}_{i}", enum))
                macros.append((f"ITEMSIZE_{role}_{i}", str(size)))
        return macros

    def _code_macros(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, Any]
    ) -> list[tuple[str, str]]:
        macros = [*self._apply_macros(node, name), *_fail_macros(sub)]
        macros += [(f"INPUT_{i}", variable) for i, variable in enumerate(inputs)]
        macros += [(f"OUTPUT_{i}", variable) for i, variable in enumerate(outputs)]
        return macros

    def c_support_code(self) -> Any:
        """Give section ``support_code``; it has no macros."""
        return self._section("support_code")

    def c_init_code(self) -> Any:
        """Give section ``init_code``; it has no macros."""
        return [self._section("init_code")] if "init_code" in self._sections else []

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Give section ``support_code_apply``."""
        return self._wrapped("support_code_apply", self._apply_macros(node, name))

    def c_init_code_apply(self, node: Apply, name: str) -> str:
        """Give section ``init_code_apply``."""
        return self._wrapped("init_code_apply", self._apply_macros(node, name))

    def c_support_code_struct(self, node: Apply, name: str) -> str:
        """Give section ``support_code_struct``."""
        return self._wrapped("support_code_struct", self._apply_macros(node, name))

    def c_init_code_struct(self, node: Apply, name: str, sub: dict[str, Any]) -> str:
        """Give section ``init_code_struct``."""
        return self._wrapped("init_code_struct", [*self._apply_macros(node, name), *_fail_macros(sub)])

    def c_cleanup_code_struct(self, node: Apply, name: str) -> str:
        """Give section ``cleanup_code_struct``."""
        return self._wrapped("cleanup_code_struct", self._apply_macros(node, name))

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Give section ``code``, or a call of ``func_name``."""
        macros = self._code_macros(node, name, input_names, output_names, sub)
        if self.func_name is not None:
            return _between(macros, self._call(name, input_names, output_names, sub))
        if "code" not in self._sections:  # perform may do the work
            return super().c_code(node, name, input_names, output_names, sub)
        return self._wrapped("code", macros)

    def c_code_cleanup(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Give section ``code_cleanup``."""
        return self._wrapped("code_cleanup", self._code_macros(node, name, input_names, output_names, sub))

    def _call(self, name: str, inputs: list[str], outputs: list[str], sub: dict[str, Any]) -> str:
        arguments = _padded(list(inputs), self._cop_num_inputs, f"{self}: _cop_num_inputs")
        arguments += _padded([f"&{output}" for output in outputs], self._cop_num_outputs, f"{self}: _cop_num_outputs")
        if sub.get("params"):
            arguments.append(str(sub["params"]))
        files = ", ".join(self._names().values())
        where = self._line_of(str(self.func_name).partition("(")[2].rstrip(") ") or str(self.func_name))
        title = label_of(str(self.func_name))
        take, give = "", ""
        if self.gil == "released":
            take = "PyGILState_STATE opw_gil = PyGILState_Ensure();\n        "
            give = "\n        PyGILState_Release(opw_gil);"
        return (
            f"{_STRICT}{where}{{ int opw_returned = {self.func_name}({', '.join(arguments)});\n"
            f"{_STRICT_END}    if (opw_returned != 0) {{\n"
            f"        {take}if (!PyErr_Occurred()) {{\n"
            f'            PyErr_Format(PyExc_RuntimeError, "%s: %s returned %d without setting an exception",\n'
            f'                         "{files}", "{title}", opw_returned);\n        }}'
            f"{give}\n        FAIL\n    }}\n}}\n"
        )

    def _line_of(self, word: str) -> str:
        """A ``#line`` for where a function is defined, or named at least: where an error in a call of it is shown."""
        label = label_of(type(self).__name__)
        definition = re.compile(rf"\b{re.escape(word)}\s*\)?\s*\([^;]*$")
        named = ""
        for pieces in self._sections.values():
            for path, first, piece in pieces:
                for number, line in enumerate(piece.split("\n"), first):
                    if word in line:
                        here = f'#line {number} "{label}/{self._names()[path]}"\n'
                        if definition.search(line):
                            return here
                        named = named or here
        return named or f'#line 1 "{label}/{self._names()[self.func_files[0]]}"\n'

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Give the content of the files, as a digest."""
        lines = [f"{tag} {piece}" for tag in SECTIONS for _, _, piece in self._sections.get(tag, ())]
        return (digest("\0".join(lines).encode()), self.func_name)


def _fail_macros(sub: dict[str, Any]) -> list[tuple[str, str]]:
    macros = [("FAIL", " ".join(str(sub["fail"]).split()))]
    if sub.get("params"):
        macros += [("PARAMS", str(sub["params"])), ("CONTEXT", str(sub["params"]))]
    return macros


def _between(macros: list[tuple[str, str]], body: str) -> str:
    """A text with macros defined before it and undefined after it."""
    define = "".join(f"#define {macro} {value}\n" for macro, value in macros)
    undefine = "".join(f"#undef {macro.partition('(')[0]}\n" for macro, _ in macros)
    return f"{define}{body}{undefine}"


def _padded(arguments: list[str], wanted: int | None, what: str) -> list[str]:
    if wanted is None:
        return arguments
    if len(arguments) > wanted:
        raise ValueError(f"{what} is {wanted}, and the node has {len(arguments)}")
    return arguments + ["NULL"] * (wanted - len(arguments))


def _c_dtype(dtype: Any) -> tuple[str, str, int] | None:
    try:
        found = dtype_of(dtype)
    except TypeError:
        return None
    return c_name(found), found.enum, found.np.itemsize


def _paths(cls: type, names: tuple[Any, ...]) -> list[str]:
    """Where the files of a class are; asked once."""
    known = _found.get(cls)
    if known is None:
        known = _found[cls] = {}
    paths = known.get(names)
    if paths is None or _folder_of(cls) is None:
        if not names:
            raise ValueError(f"{cls.__name__}: func_files is empty; name a C file")
        paths = [_find(cls, os.fspath(name)) for name in names]
        if all(map(os.path.exists, paths)):
            known[names] = paths
    return paths


def _find(cls: type, name: str) -> str:
    """The file beside the class that names it: `cls`, or one that it inherits from."""
    places = [os.path.normpath(os.path.join(_folder(c), name)) for c in cls.__mro__ if issubclass(c, ExternalCOp)]
    return next((place for place in places[:-1] if os.path.exists(place)), places[0])


def _folder(cls: type) -> str:
    path = _folder_of(cls)
    return os.path.dirname(os.path.abspath(path)) if path else os.getcwd()


def _folder_of(cls: type) -> str | None:
    """The file that a class is written in; None: it was typed into an interpreter."""
    return getattr(sys.modules.get(cls.__module__), "__file__", None)
