"""The base classes of what comes from Theano, Aesara and PyTensor: opweld's own, with fragments in C++.

Each also answers ``isinstance`` and ``issubclass`` for opweld's own classes of its kind: the library's ops and types
come from no compat class, and old code asks whether they are an ``Op``, a ``CType``.
"""

from __future__ import annotations

import warnings
from abc import ABCMeta
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from opweld import generic as _generic
from opweld.compat import thunks as _thunks
from opweld.compat.settings import config
from opweld.compat.thunks import Storage, writes
from opweld.compile.attempts import compiles
from opweld.errors import OpweldWarning
from opweld.external import ExternalCOp as _ExternalCOp
from opweld.graph import op as _op
from opweld.graph import type as _type
from opweld.graph.basic import Apply, Variable
from opweld.hooks.classes import COp as _COp
from opweld.hooks.classes import CType as _CType
from opweld.hooks.classes import Lenient as _Lenient
from opweld.scalar.type import get_scalar_type

__all__ = [
    "CLinkerObject", "CLinkerOp", "CLinkerType", "COp", "CType", "DisconnectedType",
    "ExternalCOp", "Generic", "Kin", "NullType", "Op", "OpenMPOp", "Place", "ShapeOfFirst", "Type",
    "disconnected_type", "generic", "grad",
]  # fmt: skip


class Kin(ABCMeta):
    """Makes a class that other classes count as subclasses of, though they do not derive from it.

    Those are the subclasses of `kin`. Of ops only those that come from no compat class: an op that a user derives from
    one compat class is no subclass of another. An object may also be an instance because `takes` says so. Over
    `abc.ABCMeta`, so that a class may have abstract bases besides.
    """

    kin: tuple[type, ...]
    takes: Callable[[Any], bool]
    stands = False  # whether classes that this makes stand for opweld's own

    def __instancecheck__(cls, instance: object) -> bool:
        if cls.__subclasscheck__(type(instance)):
            return True
        takes = cls.__dict__.get("takes")
        return takes is not None and bool(takes(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        if type.__subclasscheck__(cls, subclass):
            return True
        own = cls.__dict__.get("kin", ())
        apart = isinstance(subclass, Kin) and not subclass.stands and issubclass(subclass, _op.Op)
        return issubclass(subclass, own) and not apart


class CLinkerObject(_Lenient, metaclass=Kin):
    """What ops and types that are written in C have alike; to be mixed in.

    ``super()`` of the hooks about the build may be given what each of the packages gives them: nothing, a compiler, or
    keywords.
    """

    kin: ClassVar[tuple[type, ...]] = (_op.Op, _type.Type)
    c_lang: str | None = "c++"
    c_unversioned = False


class CLinkerOp(CLinkerObject):
    """What ops that are written in C have; to be mixed into `Op`."""

    kin: ClassVar[tuple[type, ...]] = (_op.Op,)


class CLinkerType(CLinkerObject):
    """What types that are handled in C have; to be mixed into `Type`."""

    kin: ClassVar[tuple[type, ...]] = (_type.Type,)


class Op(_op.Op, metaclass=Kin):
    """`opweld.Op`, with C hooks in C++."""

    kin: ClassVar[tuple[type, ...]] = (_op.Op,)
    c_lang: str | None = "c++"
    c_unversioned = False

    def has_perform(self) -> bool:
        """Say whether the op can be run in Python: by `perform`, or by a `make_thunk` of its own."""
        return super().has_perform() or writes(self, "make_thunk")

    def ready_for_c(self, node: Apply) -> Any:
        """Say whether the C hooks are to be asked; see `opweld.compat.thunks.ready_for_c`."""
        return not (writes(self, "make_thunk") or writes(self, "prepare_node")) or _thunks.ready_for_c(self, node)

    def runner(self, node: Apply) -> Any:
        """Give what runs in the place of `perform`; see `opweld.compat.thunks.runner`."""
        return _thunks.runner(self, node) if writes(self, "make_thunk") or writes(self, "prepare_node") else None

    @_thunks.of_base
    def prepare_node(self, node: Apply, storage_map: Storage, compute_map: Storage, impl: str) -> None:
        """Do nothing; an op may write what it needs done before a node runs.

        Parameters
        ----------
        node : Apply
            The node.
        storage_map, compute_map : dict of Variable to list
            Of each variable of the node a list of one: its value, and whether that is computed.
        impl : {"c", "py"}
            How it will run.
        """

    @_thunks.of_base
    def make_thunk(
        self,
        node: Apply,
        storage_map: Storage,
        compute_map: Storage,
        no_recycling: Sequence[Variable],
        impl: str | None = None,
    ) -> Any:
        """Make what runs a node; an op that writes this is run by what it gives.

        Parameters
        ----------
        node : Apply
            The node.
        storage_map, compute_map : dict of Variable to list
            Of each variable of the node a list of one: its value, and whether that is computed.
        no_recycling : list of Variable
            Whose values of an earlier call must not be written over; here none ever is.
        impl : {None, "c", "py"}
            How; None: in C where the op has some.

        Returns
        -------
        callable
            Of nothing.
        """
        return _thunks.make_thunk(self, node, storage_map, compute_map, no_recycling, impl)

    def make_c_thunk(
        self, node: Apply, storage_map: Storage, compute_map: Storage, no_recycling: Sequence[Variable]
    ) -> Any:
        """Make what runs a node in C; see `make_thunk`."""
        return _thunks.make_c_thunk(self, node, storage_map, compute_map)

    def make_py_thunk(
        self,
        node: Apply,
        storage_map: Storage,
        compute_map: Storage,
        no_recycling: Sequence[Variable],
        debug: bool = False,
    ) -> Any:
        """Make what runs a node in Python; see `make_thunk`."""
        return _thunks.make_py_thunk(self, node, storage_map, compute_map)


class ShapeOfFirst:
    """A mixin for ops whose output has the shape of their first input."""

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give that shape."""
        return [input_shapes[0]]


class COp(Op, CLinkerOp, _COp):
    """`opweld.COp`, with hooks in C++."""

    kin: ClassVar[tuple[type, ...]] = (_op.Op,)  # the library's ops all have C


class ExternalCOp(COp, _ExternalCOp):
    """`opweld.ExternalCOp`, with files in C++. Theano calls it ``gof.COp``."""

    kin = (_ExternalCOp,)


class Place(int):
    """Where among the numbers of an index one stands, in an op's ``idx_list``.

    The packages up to PyTensor 2 have a type there, PyTensor 3 an integer: it is both. ``isinstance(entry, gof.Type)``
    and ``isinstance(entry, int)`` hold, and it answers for the type of an int64 scalar.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(get_scalar_type("int64"), name)


class Type(_type.Type, metaclass=Kin):
    """`opweld.Type`, with C hooks in C++."""

    kin: ClassVar[tuple[type, ...]] = (_type.Type, Place)
    c_lang: str | None = "c++"
    c_unversioned = False

    def is_super(self, other: _type.Type) -> bool:
        """Say whether values of another type are values of this one: of an equal one they are."""
        return self == other

    def __class_getitem__(cls, values: object) -> type:
        """Give the class: ``Type[numpy.ndarray]`` says what values are meant, to type checkers."""
        return cls


class CType(Type, CLinkerType, _CType):
    """`opweld.CType`, with hooks in C++."""

    kin = (_type.Type,)


class OpenMPOp(COp):
    """An op whose C uses OpenMP where that is asked for, and the compiler has it.

    Parameters
    ----------
    openmp : bool, optional
        None: as ``config.openmp`` says.
    """

    gxx_support_openmp: bool | None = None  # whether the compiler has it; None: nobody has asked

    def __init__(self, openmp: bool | None = None) -> None:
        self.openmp = bool(config.openmp if openmp is None else openmp)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__.setdefault("openmp", False)

    @staticmethod
    def test_gxx_support() -> bool:
        """Say whether the C++ compiler compiles and links a program that uses OpenMP."""
        return compiles("#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n", "-fopenmp")

    def update_self_openmp(self) -> None:
        """Do without OpenMP where the compiler has none, and warn of that once."""
        if not self.openmp:
            return
        if OpenMPOp.gxx_support_openmp is None:
            OpenMPOp.gxx_support_openmp = self.test_gxx_support()
            if not OpenMPOp.gxx_support_openmp:
                warnings.warn(
                    "the C++ compiler compiles nothing that uses OpenMP: ops do without; install its OpenMP library "
                    "(libgomp, libomp), or set config.openmp = False",
                    OpweldWarning,
                    stacklevel=2,
                )
        self.openmp = OpenMPOp.gxx_support_openmp

    def c_compile_args(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Ask for OpenMP."""
        self.update_self_openmp()
        return ["-fopenmp"] if self.openmp else []

    def c_headers(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name OpenMP's header."""
        self.update_self_openmp()
        return ["omp.h"] if self.openmp else []


class Generic(CType, _generic.Generic):
    """`opweld.Generic`, for types over it whose hooks are C++."""

    kin = (_generic.Generic,)


generic = Generic()


class DisconnectedType(Type):
    """Stands where gradients are written; nothing is ever of this type."""

    __props__ = ()


disconnected_type = DisconnectedType()


class NullType(Type):
    """Stands where gradients are written; nothing is ever of this type."""

    def __init__(self, why_null: str = "") -> None:
        self.why_null = why_null


def grad(*_: Any, **__: Any) -> Any:
    """Refuse: there are no gradients.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NotImplementedError("opweld computes no gradients")
