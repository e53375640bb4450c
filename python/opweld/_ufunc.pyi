# Ufuncs whose loops are compiled when they meet their dtypes: templates/runtime/ufunc_module.c.

from typing import Any

import numpy as np

def make(
    form: Any,
    name: bytes,
    doc: bytes,
    core: bytes | None,
    types: bytes,
    inputs: int,
    outputs: int,
    computed: bool,
    threads: int,
    /,
) -> np.ufunc: ...
def form_of(ufunc: object, /) -> Any: ...
