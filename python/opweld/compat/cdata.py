"""`CDataType`: a pointer of C's, handed from op to op; in Python it is a capsule."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from opweld.compat.bases import COp, CType
from opweld.compat.functions import function
from opweld.errors import _what
from opweld.graph.basic import Apply, Constant, Variable
from opweld.scalar.type import get_scalar_type
from opweld.sections import Beside

__all__ = ["CDataType", "CDataTypeConstant"]

_Capsule: type = type(datetime.datetime_CAPI)

_C = Beside(__file__)


class CDataTypeConstant(Constant):
    """A constant that is a capsule: equal to itself only."""

    def signature(self) -> Any:
        """Give none: two capsules are never one."""
        return None


class CDataType(CType):
    """A pointer of C's, which ops hand to each other; in Python a capsule, or None for NULL.

    What an op's C puts into an output belongs to the graph: it is freed when the capsule dies, or at the end of the
    call where no capsule was made, by `freefunc`. An op must not put one input's pointer into its output.

    Parameters
    ----------
    ctype : str
        The pointer's type, with its ``*``.
    freefunc : str, optional
        The name of a C function of one pointer that frees it. None: it is not freed.
    headers, header_dirs, libraries, lib_dirs, compile_args : iterable of str
        What the build needs.
    extra_support_code : str
        C at file scope.
    version : object, optional
        Of that text.
    """

    __props__ = (
        "ctype", "freefunc", "headers", "header_dirs", "libraries", "lib_dirs", "extra_support_code", "compile_args",
        "version",
    )  # fmt: skip
    constant_type = CDataTypeConstant

    def __init__(
        self,
        ctype: str,
        freefunc: str | None = None,
        headers: Iterable[str] = (),
        header_dirs: Iterable[str] = (),
        libraries: Iterable[str] = (),
        lib_dirs: Iterable[str] = (),
        compile_args: Iterable[str] = (),
        extra_support_code: str = "",
        version: object = None,
    ) -> None:
        for name, value in (("ctype", ctype), ("freefunc", freefunc)):
            if not isinstance(value, str) and (name == "ctype" or value is not None):
                raise TypeError(f"CDataType: {name} must be a string, got {_what(value)}")
        self.ctype = ctype
        self.freefunc = freefunc
        self.headers = tuple(headers)
        self.header_dirs = tuple(header_dirs)
        self.libraries = tuple(libraries)
        self.lib_dirs = tuple(lib_dirs)
        self.compile_args = tuple(compile_args)
        self.extra_support_code = extra_support_code
        self.version = version

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.ctype}}}"

    def filter(self, data: object, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Take a capsule, or None."""
        if data is not None and not isinstance(data, _Capsule):
            raise TypeError(f"expected None or a PyCapsule, got {_what(data)}")
        return data

    def make_value(self, ptr: int) -> Any:
        """Make a capsule of an address.

        Parameters
        ----------
        ptr : int
            A valid pointer of this type: nothing is checked. `freefunc` frees it when the capsule dies.

        Returns
        -------
        capsule or None
            None: `ptr` was 0.
        """
        make = self.__dict__.get("_make")
        if make is None:
            address = get_scalar_type("int64")()
            make = self._make = function([address], _MakeCData(self)(address), mode="FAST_COMPILE")
        return make(ptr)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_make"}

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the pointer, and whether it is C's to free."""
        return f"{self.ctype} {name}; int {name}_owned;"

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with NULL: what is put there belongs to C."""
        return f"{name} = NULL; {name}_owned = 1;"

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Borrow the capsule's pointer."""
        return (
            f"{name}_owned = 0;\n{name} = ({self.ctype})PyCapsule_GetPointer(py_{name}, NULL);\n"
            f"if ({name} == NULL) {sub['fail']}"
        )

    def c_extract_out(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Use no offered storage."""
        return self.c_init(name, sub)

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Give a pointer of C's to a capsule, which frees it."""
        return f"""
            if ({name}_owned) {{
                PyObject *made = opweld_capsule_of((void *){name}, (void *){self.freefunc or "NULL"});
                if (made == NULL) {sub["fail"]}
                {name}_owned = 0;
                Py_XSETREF(py_{name}, made);
            }}
        """

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Free what no capsule has."""
        return f"if ({name}_owned && {name} != NULL) {self.freefunc}({name});" if self.freefunc else ""

    def c_support_code(self, **kwargs: Any) -> list[str]:
        """Write how capsules are made, and what was given."""
        return [_C.section(), self.extra_support_code]

    def c_headers(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name those that were given."""
        return list(self.headers)

    def c_header_dirs(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name those that were given."""
        return list(self.header_dirs)

    def c_libraries(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name those that were given."""
        return list(self.libraries)

    def c_lib_dirs(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name those that were given."""
        return list(self.lib_dirs)

    def c_compile_args(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Give those that were given."""
        return list(self.compile_args)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts, and of those that were given."""
        return (1,) if self.version is None else (1, self.version)


class _MakeCData(COp):
    """Turns an address into a pointer."""

    __props__ = ("rtype",)

    def __init__(self, rtype: CDataType) -> None:
        self.rtype = rtype

    def make_node(self, address: Variable) -> Apply:
        """Take an int64 scalar."""
        return Apply(self, [address], [self.rtype()])

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Cast."""
        return f"{output_names[0]} = ({self.rtype.ctype})(npy_intp){input_names[0]};"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text, and of the type's."""
        return (1, self.rtype.c_code_cache_version())
