"""Params: Python values of an op that its C code reads, several of them as one C struct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.enums import EnumType
from opweld.errors import _what
from opweld.graph.basic import Constant
from opweld.hooks.asking import ABSENT, ask, ask_for_build, attribute, texts, words
from opweld.hooks.classes import CType
from opweld.hooks.struct import struct_text
from opweld.hooks.values import Params, frozen
from opweld.lean import digest
from opweld.signatures import filter_of, signature_of

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node

__all__ = ["KEYWORDS", "Params", "ParamsType", "frozen", "params_of", "perform_params"]

#: The words of C and C++: no variable has one of them for its name.
KEYWORDS = frozenset(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast "
    "constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false "
    "float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public register reinterpret_cast restrict return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq".split()
)


def is_type_of_c(item: object) -> bool:
    """Say whether something is a type whose values have a form in C: whether it has its two hooks."""
    return not isinstance(item, type) and all(callable(getattr(item, hook, None)) for hook in ("filter", "c_declare"))


def params_of(node: Node) -> Constant | None:
    """Ask a node's op for its params.

    Parameters
    ----------
    node : Node
        The node.

    Returns
    -------
    Constant or None
        Of the op's ``params_type``. None: the op has none, or does not write `get_params`.

    Raises
    ------
    TypeError
        If ``params_type`` is no CType.
    TypeError, ValueError
        If ``params_type`` refuses the value.

    Examples
    --------
    >>> class Scale(opweld.COp):
    ...     itypes, otypes = [T.dvector], [T.dvector]
    ...     params_type = opweld.scalar.float64
    ...     def get_params(self, node):
    ...         return 2.0
    ...     def perform(self, node, inputs, output_storage, params):
    ...         output_storage[0][0] = inputs[0] * params
    ...
    >>> opweld.params.params_of(Scale().make_node(T.dvector())).data
    np.float64(2.0)
    """
    op: Any = node.op
    type_ = attribute(op, "params_type")
    if type_ is None:
        return None
    if not is_type_of_c(type_):
        raise TypeError(f"{op}: params_type must be a CType, got {_what(type_)}")
    value = ask(op, "get_params", node)
    if value is ABSENT:
        return None
    try:
        return Constant(type_, value)
    except (TypeError, ValueError) as err:
        raise type(err)(f"{op}: get_params gave what its params_type refuses: {err}") from err


def perform_params(node: Node) -> tuple[Any, ...]:
    """Give what `perform` is called with behind its storage: the params, where its signature has a place for them.

    Parameters
    ----------
    node : Node
        The node.

    Returns
    -------
    tuple
        Empty, or the params.

    Examples
    --------
    >>> class Scale(opweld.COp):
    ...     itypes, otypes = [T.dvector], [T.dvector]
    ...     params_type = opweld.scalar.float64
    ...     def get_params(self, node):
    ...         return 2.0
    ...     def perform(self, node, inputs, output_storage, params):
    ...         output_storage[0][0] = inputs[0] * params
    ...
    >>> opweld.params.perform_params(Scale().make_node(T.dvector()))
    (np.float64(2.0),)
    """
    found = signature_of(node.op.perform)
    if found is None or not found.takes(4):  # node, inputs, storage, params
        return ()
    made = params_of(node)
    return () if made is None else (made.data,)


class ParamsType(CType):
    """Several values as one C struct, with a member for each field.

    In C a variable of this type is a pointer to the struct: ``PARAMS->axis`` is what the type of field ``axis``
    declares for a variable of that name. The struct's C name is `name`.

    Parameters
    ----------
    **fields : CType
        The type of each field.

    Attributes
    ----------
    fields : tuple of str
        The fields' names, sorted.
    types : tuple of CType
        Their types.
    length : int
        How many there are.

    Examples
    --------
    >>> settings = opweld.ParamsType(rate=opweld.scalar.float64, steps=opweld.scalar.int32)
    >>> settings.filter({"rate": 0.5, "steps": 3}).steps
    np.int32(3)
    """

    __props__ = ("fields", "types")
    fields: tuple[str, ...]
    types: tuple[Any, ...]

    def __init__(self, **fields: Any) -> None:
        if not fields:
            raise ValueError("ParamsType needs a field: ParamsType(axis=opweld.scalar.int64)")
        for field, type_ in fields.items():
            if not (field.isidentifier() and field.isascii()):
                raise AttributeError(f"ParamsType: the field {field!r} is no name for a C variable")
            if field in KEYWORDS:
                raise SyntaxError(f"ParamsType: the field {field!r} is no name for a C variable: it is a word of C")
            if not is_type_of_c(type_):
                raise TypeError(f"ParamsType: the field {field!r} must be a CType, got {_what(type_)}")
        self.fields = tuple(sorted(fields))
        self.types = tuple([fields[field] for field in self.fields])
        self.length = len(self.fields)
        self.c_lang = "c++" if any(getattr(type_, "c_lang", None) == "c++" for type_ in self.types) else "c"
        self._name = ""
        self._check_enums()

    def _check_enums(self) -> None:
        """Refuse a name that two enumerations give different values: in C a constant is one macro."""
        known: dict[str, tuple[str, Any]] = {}
        for field, type_ in zip(self.fields, self.types):
            if not isinstance(type_, EnumType):
                continue
            aliases = [(alias, type_.fromalias(alias)) for alias in type_.get_aliases()]
            for name, value in (*type_.items(), *aliases):
                before, other = known.setdefault(name, (field, value))
                if other != value:
                    raise AttributeError(
                        f"ParamsType: {name!r} is {other!r} in the field {before!r} and {value!r} in the field "
                        f"{field!r}: give one of them another name"
                    )

    def __str__(self) -> str:
        return f"ParamsType({', '.join(f'{field}={type_}' for field, type_ in zip(self.fields, self.types))})"

    __repr__ = __str__

    def has_type(self, type_: object) -> bool:
        """Say whether a field has a type equal to `type_`."""
        return type_ in self.types

    def get_type(self, field: str) -> Any:
        """Give the type of a field."""
        return self.types[self.fields.index(field)]

    def get_field(self, type_: object) -> str:
        """Give the first field whose type equals `type_`."""
        return self.fields[self.types.index(type_)]

    def extended(self, **fields: Any) -> ParamsType:
        """Make a ParamsType with more fields, or with other types for these."""
        return ParamsType(**{**dict(zip(self.fields, self.types)), **fields})

    def _enums(self) -> list[Any]:
        return [type_ for type_ in self.types if isinstance(type_, EnumType)]

    def __getattr__(self, name: str) -> Any:
        if name.isupper() and "types" in self.__dict__:
            for enum in self._enums():
                if name in enum:
                    return enum[name]
        if hasattr(type(self), name):  # a property that raised: in its own words
            return object.__getattribute__(self, name)
        raise AttributeError(f"ParamsType has no attribute {name!r}")

    def get_enum(self, name: str) -> Any:
        """Give the value of a constant of one of the fields' enumerations; it is an attribute, too."""
        for enum in self._enums():
            if name in enum:
                return enum[name]
        raise KeyError(name)

    def enum_from_alias(self, alias: str) -> Any:
        """Give the value of a constant of one of the fields' enumerations by its alias or name."""
        for enum in self._enums():
            if enum.has_alias(alias):
                return enum.fromalias(alias)
        return self.get_enum(alias)

    def of_op(self, op: object) -> Params:
        """Collect the fields' values from an op's attributes of their names; for `Op.get_params`."""
        for field in self.fields:
            if not hasattr(op, field):
                if hasattr(type(op), field):  # a property that raises: in its own words
                    getattr(op, field)
                raise AttributeError(
                    f"{op}: no attribute {field!r} for the field of that name in params_type; set it, or write "
                    f"get_params"
                )
        return self.get_params(op)

    def get_params(self, *objects: Any, **values: Any) -> Params:
        """Collect the fields' values.

        Parameters
        ----------
        *objects
            A field that `values` lacks is looked for among their attributes; the last that has it counts.
        **values
            Values by field.

        Returns
        -------
        Params
            Each value as its type's `filter` gives it; it may cast.
        """
        found = {}
        for field in self.fields:
            if field in values:
                found[field] = values[field]
            else:
                for thing in objects:
                    if hasattr(thing, field):
                        found[field] = getattr(thing, field)
        return self.filter(Params(self, **found), allow_downcast=True)

    def filter(self, value: object, strict: bool = False, allow_downcast: bool | None = None) -> Params:
        """Turn an object with an attribute for each field, or a dict, into `Params`.

        Parameters
        ----------
        value : object
            What came.
        strict : bool
            Take `Params` only, with values that need no conversion.
        allow_downcast : bool, optional
            As for the fields' types.

        Returns
        -------
        Params
            Each value as its type's `filter` gives it.

        Raises
        ------
        TypeError
            If a field has no value, or one that its type refuses.
        """
        if strict and not isinstance(value, Params):
            raise TypeError(f"expected Params, got {_what(value)}")
        found = {}
        for field, type_ in zip(self.fields, self.types):
            try:
                given = value[field] if isinstance(value, (dict, Params)) else getattr(value, field)
            except (KeyError, AttributeError):
                raise TypeError(f"ParamsType: no value for field {field!r} in {_what(value)}") from None
            try:
                found[field] = filter_of(type_, strict, allow_downcast)(given)
            except (TypeError, ValueError) as err:
                raise type(err)(f"field {field!r}: {err}") from err
        return Params(self, **found)

    def values_eq(self, a: Any, b: Any) -> bool:  # type: ignore[override]
        """Say whether each field's values are equal to its type."""
        return all(type_.values_eq(a[field], b[field]) for field, type_ in zip(self.fields, self.types))

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """Say whether each field's values are equal up to rounding to its type."""
        return all(type_.values_eq_approx(a[field], b[field]) for field, type_ in zip(self.fields, self.types))

    @property
    def name(self) -> str:
        """The struct's name in C: made of the fields' names and texts, the same in every process."""
        if not self._name:
            texts_ = struct_text("", self.fields, self.types, self.c_lang == "c++")
            self._name = "opw_params_" + digest(texts_.encode())[:16]
        return self._name

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the pointer."""
        return f"{self.name}* {name};"

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with nothing."""
        return f"{name} = NULL;"

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Make a struct of the object's attributes."""
        return f"{name} = {self.name}_make(py_{name});\nif ({name} == NULL) {sub['fail']}"

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Params are only read: the object is what it was."""
        return ""

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Release each field, and the struct."""
        return f"{self.name}_free({name});"

    def c_support_code(self) -> list[str]:
        """Write what the fields' types need, then the struct."""
        found: list[str] = []
        for type_ in self.types:
            answer = ask(type_, "c_support_code")
            found += [] if answer is ABSENT else texts(type_, "c_support_code", answer)
        found.append(struct_text(self.name, self.fields, self.types, self.c_lang == "c++"))
        return list(dict.fromkeys(found))

    def c_init_code(self) -> list[str]:
        """Give what the fields' types run when the module is loaded."""
        found: list[str] = []
        for type_ in self.types:
            answer = ask(type_, "c_init_code")
            found += [] if answer is ABSENT else texts(type_, "c_init_code", answer)
        return list(dict.fromkeys(found))

    def _of_fields(self, hook: str) -> list[str]:
        found: list[str] = []
        for type_ in self.types:
            answer = ask_for_build(type_, hook)
            found += [] if answer is ABSENT else words(type_, hook, answer)
        return list(dict.fromkeys(found))

    def c_headers(self) -> list[str]:
        """Name the fields' headers."""
        return self._of_fields("c_headers")

    def c_header_dirs(self) -> list[str]:
        """Name the fields' folders of headers."""
        return self._of_fields("c_header_dirs")

    def c_libraries(self) -> list[str]:
        """Name the fields' libraries."""
        return self._of_fields("c_libraries")

    def c_lib_dirs(self) -> list[str]:
        """Name the fields' folders of libraries."""
        return self._of_fields("c_lib_dirs")

    def c_compile_args(self) -> list[str]:
        """Give the fields' flags."""
        return self._of_fields("c_compile_args")

    def c_no_compile_args(self) -> list[str]:
        """Give the flags that the fields take away."""
        return self._of_fields("c_no_compile_args")

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Give the versions of the fields' types; ``()`` if one of them has none."""
        versions = [ask(type_, "c_code_cache_version") for type_ in self.types]
        if any(version is ABSENT or version == () for version in versions):
            return ()
        return (1, *versions)
