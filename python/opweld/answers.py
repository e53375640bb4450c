"""What the engine says of a text, kept in the cache: it says the same until there is another engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opweld.compile import cache, trust
from opweld.config import config
from opweld.lean import digest
from opweld.rooms import late

try:
    from opweld._engine_id import ENGINE_ID
except ImportError:
    ENGINE_ID = "none"  # the engine, when it is asked, says how it is built

__all__ = ["answer", "engine"]

engine: Any = late("opweld.engine")  # needless where the answer is kept
store: Any = late("opweld.compile.store")  # as above


def answer(
    kind: str, version: int, fields: Mapping[str, str], known: frozenset[str], ask: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Give what the engine answers; it is asked where no folder of the cache has the answer.

    Parameters
    ----------
    kind : str
        The folder's name in the cache.
    version : int
        Of the form of the answer.
    fields : dict of str to str
        What the answer depends on, besides the engine.
    known : frozenset of str
        What an answer that can be used has.
    ask : callable
        Asks the engine.

    Returns
    -------
    dict

    Raises
    ------
    OpweldError
        As `ask` does; what it refuses is not kept.
    """
    name = _name(kind, version, fields)
    owners = trust.owners(config.compiledir_owners) if config.compiledir else ()
    roots = cache.trusted(cache.roots(config.compiledir), owners)
    for root in roots:
        found = cache.recall(kind, name, root, owners)
        if isinstance(found, dict) and found.keys() >= known:
            return found
    given = ask()
    root = store.writable(roots)
    if root:
        store.remember(kind, name, given, root, owners)
    return given


def _name(kind: str, version: int, fields: Mapping[str, str]) -> str:
    lines = [f"opweld-{kind} {version}", f"engine {ENGINE_ID}", *[f"{label} {text}" for label, text in fields.items()]]
    joined = "\n".join([line.replace("\\", "\\\\").replace("\n", "\\n") for line in lines]) + "\n"
    return digest(joined.encode("utf-8", "surrogatepass"))
