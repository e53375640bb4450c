# What a short form is to who calls it, in C: templates/runtime/dispatch_module.c.

from typing import Any

class Cop:
    __name__: str
    form: Any
    op: Any
    def __init__(
        self,
        form: Any,
        name: str,
        names: tuple[str, ...],
        defaults: tuple[Any, ...],
        outputs: int,
        changed: tuple[int, ...],
        /,
    ) -> None: ...
    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any: ...
    def source(self, *args: Any) -> str: ...
    def capsule(self, prototype: str, *, success: int = 1) -> Any: ...
    def _add(self, key: int, function: Any, /) -> None: ...
    def _results(self, made: Any, values: tuple[Any, ...], /) -> Any: ...
