# The pool of threads that long loops share: templates/runtime/threads_module.c.

from typing import Any

pool: Any  # a capsule

def startable(number: int, /) -> int: ...
