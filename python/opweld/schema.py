"""The parts of Program, for type checkers alone: `make golden` writes this file from gen/fields.go."""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = [
    "ProgramFields",
    "TypeFields",
    "KernelFields",
    "BuildFields",
    "ArrayFields",
    "LoopFields",
    "AccessFields",
    "CutFields",
    "FoldFields",
    "SinkFields",
    "InstructionFields",
    "VariableFields",
    "StepFields",
    "InputFields",
    "OutputFields",
    "FitFields",
    "TypeText",
    "SharedText",
    "NodeText",
    "Wish",
]

TypeText = Literal[
    "init",
    "extract",
    "extract_out",
    "sync",
    "cleanup",
]
SharedText = Literal[
    "support_code",
    "init_code",
]
NodeText = Literal[
    "code_cleanup",
    "init_code_struct",
    "cleanup_code_struct",
    "support_code_apply",
    "support_code_struct",
    "init_code_apply",
]
Wish = Literal[
    "headers",
    "header_dirs",
    "libraries",
    "lib_dirs",
    "compile_args",
    "no_compile_args",
]


class ProgramFields(TypedDict):
    """See docs/program.md."""

    program: int
    name: str
    single: bool
    types: list[TypeFields]
    kernels: list[KernelFields]
    variables: list[VariableFields]
    steps: list[StepFields]
    inputs: list[InputFields]
    outputs: list[OutputFields]


class _TypeFields(TypedDict):
    label: str
    lang: Literal["c", "c++"]
    declare: str


class TypeFields(_TypeFields, total=False):
    """See docs/program.md."""

    init: str
    extract: str
    extract_out: str
    sync: str
    cleanup: str
    support_code: list[str]
    init_code: list[str]
    build: BuildFields
    version: str
    array: ArrayFields


class _KernelFields(TypedDict):
    label: str
    lang: Literal["c", "c++"]
    inputs: list[int]
    outputs: list[int]


class KernelFields(_KernelFields, total=False):
    """See docs/program.md."""

    perform: bool
    loop: LoopFields
    view: AccessFields
    gil: Literal["released", "free-threaded"]
    declares: list[str]
    params: int
    shape_only: bool
    code: str
    code_cleanup: str
    init_code_struct: str
    cleanup_code_struct: str
    support_code: list[str]
    init_code: list[str]
    support_code_apply: str
    support_code_struct: str
    init_code_apply: str
    build: BuildFields
    version: str


class BuildFields(TypedDict, total=False):
    """See docs/program.md."""

    headers: list[str]
    header_dirs: list[str]
    libraries: list[str]
    lib_dirs: list[str]
    compile_args: list[str]
    no_compile_args: list[str]
    compiler: str


class _ArrayFields(TypedDict):
    dtype: str
    ndim: int


class ArrayFields(_ArrayFields, total=False):
    """See docs/program.md."""

    plain: bool


class _LoopFields(TypedDict):
    body: list[InstructionFields]
    outputs: list[SinkFields]


class LoopFields(_LoopFields, total=False):
    """See docs/program.md."""

    exact: list[list[int]]
    folds: list[FoldFields]
    axes: list[int]
    keepdims: bool


class AccessFields(TypedDict, total=False):
    """See docs/program.md."""

    told: bool
    axes: list[int]
    new: list[int]
    cuts: list[CutFields]


class _CutFields(TypedDict):
    axis: int


class CutFields(_CutFields, total=False):
    """See docs/program.md."""

    at: int
    along: int
    start: int
    stop: int
    step: int


class _FoldFields(TypedDict):
    op: str
    values: list[int]


class FoldFields(_FoldFields, total=False):
    """See docs/program.md."""

    dtypes: list[str]
    body: list[InstructionFields]
    results: list[int]
    identity: list[str]


class _SinkFields(TypedDict):
    value: int


class SinkFields(_SinkFields, total=False):
    """See docs/program.md."""

    over: int
    fold: int
    scan: bool


class _InstructionFields(TypedDict):
    op: str


class InstructionFields(_InstructionFields, total=False):
    """See docs/program.md."""

    dtype: str
    value: str
    label: str
    code: str
    args: list[int]
    dtypes: list[str]


class _VariableFields(TypedDict):
    type: int
    role: Literal["input", "constant", "temporary", "output"]


class VariableFields(_VariableFields, total=False):
    """See docs/program.md."""

    name: str
    keep: bool


class _StepFields(TypedDict):
    kernel: int
    inputs: list[int]
    outputs: list[int]


class StepFields(_StepFields, total=False):
    """See docs/program.md."""

    params: int
    destroys: list[list[int]]
    views: list[list[int]]


class _InputFields(TypedDict):
    variable: int


class InputFields(_InputFields, total=False):
    """See docs/program.md."""

    name: str
    default: bool
    accept: str
    fit: FitFields
    shared: bool


class _OutputFields(TypedDict):
    variable: int


class OutputFields(_OutputFields, total=False):
    """See docs/program.md."""

    accept: str
    fit: FitFields
    update: int
    scalar: bool


class FitFields(TypedDict, total=False):
    """See docs/program.md."""

    sizes: list[list[int]]
    writeable: bool
