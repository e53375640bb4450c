"""Types: what values a variable can take."""

from __future__ import annotations

from typing import Any

from opweld.graph.basic import Constant, Props, Variable
from opweld.rooms import late

__all__ = ["Type", "fits", "knows_of"]

tolerances: Any = late("opweld.tolerances")  # few results are compared


class Type(Props):
    """What values a variable can take.

    A subclass writes `filter`. Equality is identity unless ``__props__`` or ``__eq__`` says otherwise. A plain Type
    that has ``c_declare`` counts as a `CType`; one without is carried through C as a Python object.

    Attributes
    ----------
    c_lang : {"c", "c++"} or None
        The language of the C hooks' texts. None: C.
    c_unversioned : bool
        Whether a module is kept for another process where `c_code_cache_version` is not written.
    check_input : bool
        Whether `c_declare` and `c_extract` are asked to check what they are given.
    keep_storage : bool
        Whether a temporary's object is kept between runs and offered to the op that computes it again.

    Examples
    --------
    >>> class Words(opweld.Type):
    ...     __props__ = ()
    ...     def filter(self, value, strict=False, allow_downcast=None):
    ...         return list(value)
    >>> class Count(opweld.Op):
    ...     __props__ = ()
    ...     def make_node(self, words):
    ...         return opweld.Apply(self, [words], [T.lscalar()])
    ...     def perform(self, node, inputs, output_storage):
    ...         output_storage[0][0] = np.asarray(len(inputs[0]))
    >>> words = Words()("words")
    >>> int(opweld.function([words], Count()(words))(["a", "b"]))
    2
    """

    variable_type: type[Variable] = Variable
    constant_type: type[Constant] = Constant
    c_lang: str | None = None
    c_unversioned: bool = True
    check_input: bool = True
    keep_storage: bool = False

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Turn a value into one of this type, or refuse.

        Parameters
        ----------
        value : object
            What came.
        strict : bool
            Refuse what is not of this type already.
        allow_downcast : bool, optional
            Whether a conversion may change values.

        Returns
        -------
        object
            A value of this type: `value` itself where it is one.

        Raises
        ------
        TypeError
            If it cannot be.
        """
        raise NotImplementedError(f"{self}: filter is not written")

    def is_valid_value(self, value: Any) -> bool:
        """Say whether `filter` takes `value` strictly.

        Returns
        -------
        bool
        """
        try:
            self.filter(value, strict=True)
        except (TypeError, ValueError):
            return False
        return True

    def make_variable(self, name: str | None = None) -> Variable:
        """Make a free variable of this type.

        Parameters
        ----------
        name : str, optional
            Its name.

        Returns
        -------
        Variable
        """
        return self.variable_type(self, None, None, name)

    def make_constant(self, value: Any, name: str | None = None) -> Constant:
        """Make a constant of this type.

        Parameters
        ----------
        value : object
            Passes `filter`.
        name : str, optional
            Its name.

        Returns
        -------
        Constant
        """
        return self.constant_type(self, value, name)

    def __call__(self, name: str | None = None) -> Variable:
        """Make a free variable of this type; see `make_variable`."""
        return self.make_variable(name)

    @classmethod
    def values_eq(cls, a: Any, b: Any) -> bool:
        """Say whether two values are equal, and what they hold is; see `opweld.tolerances.alike`.

        Returns
        -------
        bool
        """
        return bool(tolerances.alike(a, b))

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """Say whether two values are equal up to rounding.

        Returns
        -------
        bool
            Unless it is overridden: what `values_eq` says where that is, else what `opweld.tolerances.alike` says.
        """
        if getattr(self.values_eq, "__func__", None) is Type.values_eq.__func__:  # type: ignore[attr-defined]
            return bool(tolerances.alike(a, b, approx=True))
        return self.values_eq(a, b)


# The names of old; in the class itself they would hide the classes from its annotations.
Type.Variable = property(lambda self: self.variable_type, doc="The class of its variables.")  # type: ignore[attr-defined]
Type.Constant = property(lambda self: self.constant_type, doc="The class of its constants.")  # type: ignore[attr-defined]


def fits(old: object, new: object) -> bool:
    """Say whether values of the second type are values of the first, with the same C."""
    if old == new:
        return True
    wider = getattr(old, "is_super", None)
    return wider is not None and bool(wider(new))


def knows_of(type_: object, hook: str, others: tuple[str, ...]) -> bool:
    """Say whether a type has a hook that is written where, or below where, those are written that it speaks of.

    Parameters
    ----------
    type_ : Type
        The type.
    hook : str
        The hook.
    others : tuple of str
        What it speaks of.

    Returns
    -------
    bool
    """
    for cls in type(type_).__mro__:
        written = cls.__dict__
        if hook in written:
            return set(others).isdisjoint(getattr(type_, "__dict__", ()))
        for other in others:
            if other in written:
                return False
    return False
