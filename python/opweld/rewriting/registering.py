"""The registry: what functions are rewritten by unless they are given another set."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from functools import partial
from typing import Any

from opweld.errors import _refuse_unknown, _what
from opweld.rewriting.sets import RewriteSet, _known
from opweld.rewriting.standard import standard

__all__ = [
    "Registry", "register_canonicalize", "register_inplace", "register_specialize", "register_stabilize", "registry",
]  # fmt: skip

_THEIRS = ("use_db_name_as_tag", "position", "final_opt", "final_rewriter", "cleanup")


class Registry:
    """Holds a set of rewriters, and another one after each registration.

    Parameters
    ----------
    rewrites : RewriteSet, optional
        The first one; the library's own rewriters if left out.
    """

    def __init__(self, rewrites: RewriteSet | None = None) -> None:
        self._rewrites = standard() if rewrites is None else rewrites
        self._lock = allocate_lock()

    @property
    def rewrites(self) -> RewriteSet:
        """The set as it is now; another one may be put in its place."""
        return self._rewrites

    @rewrites.setter
    def rewrites(self, rewrites: RewriteSet) -> None:
        if not isinstance(rewrites, RewriteSet):
            raise TypeError(f"registry.rewrites: expected a RewriteSet, got {_what(rewrites)}")
        self._rewrites = rewrites

    def register(self, stage: str, rewriter: Any = None, *tags: str, name: str | None = None, **kwargs: Any) -> Any:
        """Hold a set with this rewriter from now on; a decorator, with or without further arguments.

        Parameters
        ----------
        stage : str
            One of `opweld.rewriting.STAGES`.
        rewriter : NodeRewriter, optional
            What to register; left out, or a string (a tag): a decorator is given back.
        *tags : str
            Further tags.
        name : str, optional
            The name that messages give it; its own if left out.
        **kwargs
            ``use_db_name_as_tag``, ``position``, ``final_opt``, ``final_rewriter`` and ``cleanup``, which rewriters
            of other packages give, are accepted and change nothing.

        Returns
        -------
        NodeRewriter or callable
            `rewriter` itself, or the decorator.

        Raises
        ------
        TypeError
            If it is no rewriter, or a keyword is none of anybody's.
        ValueError
            As `RewriteSet.with_` says, which also says what becomes of a name that is taken.
        """
        _known(stage, "register")
        who = f"register_{stage}"
        if kwargs:
            _refuse_unknown(who, kwargs, ("rewriter", "name"), _THEIRS)
        if rewriter is None or isinstance(rewriter, str):
            further = tags if rewriter is None else (rewriter, *tags)

            def decorate(found: object) -> Any:
                return self.register(stage, found, *further, name=name)

            return decorate
        with self._lock:
            self._rewrites = self._rewrites._with(who, stage, rewriter, tags, name)
        return rewriter

    def remove(self, *names: str, stage: str | None = None) -> None:
        """Hold a set without these rewriters from now on.

        Parameters
        ----------
        *names : str
            As registered.
        stage : str, optional
            The only stage to take them out of; left out: all.

        Raises
        ------
        ValueError
            If there is none of such a name.
        """
        with self._lock:
            self._rewrites = self._rewrites.without(*names, stage=stage)

    def __repr__(self) -> str:
        return f"<registry of {len(self._rewrites)} rewriters>"


registry = Registry()

register_canonicalize: Callable[..., Any] = partial(registry.register, "canonicalize")
register_stabilize: Callable[..., Any] = partial(registry.register, "stabilize")
register_specialize: Callable[..., Any] = partial(registry.register, "specialize")
register_inplace: Callable[..., Any] = partial(registry.register, "inplace")
