"""Ops: what can be applied to variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from opweld.errors import MethodNotDefined, _place, _what
from opweld.graph.basic import Apply, Props, Variable, hooknames
from opweld.graph.type import fits
from opweld.rooms import ending

__all__ = ["Op"]

_seen: WeakSet[type] = WeakSet()  # classes whose props are known to be set


class Op(Props):
    """An operation.

    A subclass writes `make_node`, and `perform`, or C hooks, or both. ``__props__`` names the attributes that make two
    instances equal.

    Attributes
    ----------
    view_map, destroy_map : dict of int to list of int
        Which outputs may share memory with which inputs, and which are written over them.
    c_lang : {"c", "c++"} or None
        The language of the C hooks' texts. None: C, or C++ where a ``_struct`` hook writes something.
    c_unversioned : bool
        Whether a module is kept for another process where `c_code_cache_version` is not written: the texts, which are
        part of its key, are then all that counts.
    gil : {"held", "released", "free-threaded"}
        Whether `c_code` needs Python's global lock: it runs with it; without it, and may not call Python's API outside
        ``sub['fail']``; with it where there is one, but is safe without.
    c_float16 : bool
        Whether the C hooks are right with variables of float16, which C sees as bits. False: where an input or an
        output is float16, `perform` runs in their place. ``_f16_ok``, its older name, says the same.
    check_input : bool
        Whether the types' C checks what it is given, and whether `ExternalCOp` defines the dtype macros.
    params_type : CType or None
        The type of what `get_params` gives: a value that the C hooks read under the name ``sub['params']``.
    default_output : int or None
        Which output stands for the op where it has several.
    itypes, otypes : list of Type
        What the `make_node` that comes with the class takes and makes.

    Examples
    --------
    >>> class Parity(opweld.Op):
    ...     __props__ = ()
    ...     itypes, otypes = [T.lvector], [T.lvector]
    ...     def perform(self, node, inputs, output_storage):
    ...         output_storage[0][0] = inputs[0] % 2
    ...
    >>> x = T.lvector("x")
    >>> opweld.function([x], Parity()(x) + 1)([1, 2, 3])
    array([2, 1, 2])
    """

    view_map: dict[int, list[int]] = {}
    destroy_map: dict[int, list[int]] = {}
    c_lang: str | None = None
    c_unversioned: bool = True
    gil: str = "held"
    c_float16: bool = False
    params_type: Any = None
    default_output: int | None = None
    check_input: bool = True
    itypes: ClassVar[Any] = None
    otypes: ClassVar[Any] = None

    if not TYPE_CHECKING:  # who reads types sees what `object` has

        def __new__(cls, *args: object, **kwargs: object) -> Any:
            """Make an op; one that takes no arguments is told apart from one that is to be applied."""
            if (args or kwargs) and cls.__init__ is object.__init__ and cls.__new__ is Op.__new__:
                if args and isinstance(args[0], Variable):
                    raise TypeError(
                        f"{cls.__name__}({args[0]}) makes an op; to apply one write {cls.__name__}()({args[0]})"
                    )
                raise TypeError(f"{cls.__name__}() takes no arguments")
            return super().__new__(cls)

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node that applies this op to `inputs`.

        Parameters
        ----------
        *inputs : Variable
            Or what the op turns into one.

        Returns
        -------
        Apply
            With inputs in the order given.

        Raises
        ------
        TypeError
            Where the op cannot be applied to these.
        """
        if self.itypes is None or self.otypes is None:
            raise NotImplementedError(f"{self}: write make_node, or set itypes and otypes")
        if len(inputs) != len(self.itypes):
            raise TypeError(f"{self}: expected {len(self.itypes)} inputs, got {len(inputs)}")
        for position, (variable, wanted) in enumerate(zip(inputs, self.itypes)):
            if not isinstance(variable, Variable):
                raise TypeError(f"{self}: input {position} must be a Variable, got {_what(variable)}")
            if not fits(wanted, variable.type):
                raise TypeError(f"{self}: input {position} must be of type {wanted}, got {variable.type}")
        return Apply(self, inputs, [wanted() for wanted in self.otypes])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Compute in Python.

        Parameters
        ----------
        node : Apply
            The node.
        inputs : list
            Their values.
        output_storage : list of list
            One cell for each output: its item 0 takes the result.
        """
        raise MethodNotDefined(f"{self} has no perform")

    def has_perform(self) -> bool:
        """Say whether the op can be run in Python: whether `perform` is written."""
        return getattr(self.perform, "__func__", None) is not Op.perform

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Say how far the results of `c_code` and `perform` may lie apart, for DebugMode.

        Parameters
        ----------
        node : Apply
            The node.
        inputs : list
            Their values.

        Returns
        -------
        opweld.tolerances.Tolerance or None
            For every output that is a tensor or a scalar. None: `Type.values_eq_approx` decides.
        """
        return None

    def get_params(self, node: Apply) -> Any:
        """Give the value that the C hooks read under the name ``sub['params']``.

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        object
            What ``params_type.filter`` takes. Unless it is overridden: what ``params_type.of_op`` gives, for a
            `ParamsType` the attributes of this op that are named like its fields.
        """
        collect = getattr(self.params_type, "of_op", None)
        if collect is None:
            raise MethodNotDefined(f"{self} has no get_params")
        return collect(self)

    def apply_node(self, *inputs: Any, **kwargs: Any) -> Apply:
        """Ask `make_node`, and check that it gave a node.

        Parameters
        ----------
        *inputs, **kwargs
            As for `make_node`.

        Returns
        -------
        Apply
            The node.

        Raises
        ------
        TypeError
            If `make_node` gave something else.
        """
        cls = type(self)
        if cls.__props__ and cls not in _seen and not cls.__module__.startswith("opweld."):  # the library's are right
            self._props()  # says which is not set
            _seen.add(cls)
        try:
            node = self.make_node(*inputs, **kwargs)
        except (TypeError, AttributeError) as error:
            hooknames.misspelt.called(self, self.make_node, inputs, error)
            raise
        if not isinstance(node, Apply):
            missing = "; is its return missing?" if node is None else ""
            raise TypeError(f"{self}: make_node must return an Apply, got {_what(node)}{missing}")
        node._made = _place(2)  # not where make_node may have had it made, but where it was asked for
        return node

    @ending
    def __call__(self, *inputs: Any, name: str | None = None, return_list: bool = False, **kwargs: Any) -> Any:
        """Apply the op.

        Parameters
        ----------
        *inputs, **kwargs
            As for `make_node`.
        name : str, optional
            Name of the one output.
        return_list : bool
            Give a list even where there is one output.

        Returns
        -------
        Variable or list of Variable
            The one output, or all.
        """
        node = self.apply_node(*inputs, **kwargs)
        if name is not None:
            if not isinstance(name, str):
                raise TypeError(f"{self}: the name of a variable must be a string, got {_what(name)}")
            if len(node.outputs) != 1:
                raise ValueError(f"{self}: a name was given and there are {len(node.outputs)} outputs")
            node.outputs[0].name = name
        if return_list:
            return list(node.outputs)
        if len(node.outputs) == 1 or self.default_output is not None:
            return node.default_output()
        return list(node.outputs)

    def grad(self, *_: Any) -> Any:
        """Refuse: opweld computes no gradients."""
        raise NotImplementedError(f"{self}: opweld computes no gradients")

    L_op = R_op = grad
