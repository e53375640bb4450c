"""Names of Theano, Aesara and PyTensor that are not here: what is called otherwise, what is gone for good, and why.

One table for the errors and for the page that lists every name.
"""

from __future__ import annotations

import re

__all__ = ["DEAD", "LATER", "MODULES", "RENAMED", "state"]

_GRADIENTS = "opweld computes no gradients; an op's grad, L_op and R_op are kept"
_GPU = "opweld computes on the processor"
_LINKERS = "a function is one module of C; there are no other linkers"
_TESTS = "there are no test values"
_CASTS = "Python's numbers are weak (NEP 50)"
_PY2 = "it is of Python 2"
_WINDOWS = "convolution and pooling are ops of one's own, see examples/old_digits.py"
_DRAW = "draw with numpy.random, and pass what was drawn"

#: A pattern of names, whatever module they are in -> why they are gone.
DEAD: dict[str, str] = {
    r".*_grad|grad_.*|.*[gG]radient.*|Rop|Lop|hessian|jacobian|subgraph_grad|verify_grad|numeric_grad|pullback"
    r"|pushforward|.*GradOp": _GRADIENTS,
    r"[gG]pu.*|.*_gpu|GPU.*|.*[cC]uda.*": _GPU,
    r"numba.*|.*_numba|[jJ][aA][xX].*|.*_jax|pytorch.*|mlx.*|.*Linker|.*_linker|WrapLinker.*|VM|CVM|Loop|Stack"
    r"|.*Thunk.*|struct_gen|CodeBlock|apply_policy|code_gen|get_c_.*|run_cthunk": _LINKERS,
    r".*test_value.*|missing_test_message.*|TestValueError": _TESTS,
    r"[nN]umpy[aA]utocaster|autocast_.*|_cast_to_promised.*": _CASTS,
    r"ModuleCache|KeyData|dlimport.*|DynamicModule|ExtFunction|get_module_cache|module_name_from_dir|METH_.*"
    r"|get_module_hash|get_lib_extension|is_StdLibDirsAndLibsType|std_.*|mod_name.*": "the cache is opweld's own",
    r"builtin_.*|PY3|operator_div|div_proxy|_multi|python_(all|any|complex)|simple_types|exc_message": _PY2,
    r"Compositef32|composite_f32|handle_(cast|composite)": "loops know float16",
    r"elemwise_grad|_logger|logger|_gof_.*|_oplist.*|__oplist.*": "nothing but their own module asks for it",
    r"[sS]can.*|.*_scan": "there is no scan",
}
#: Names that have another name here, of opweld's own.
RENAMED: dict[str, str] = {
    "Flatten": "opweld.tensor.flatten",
    "Tile": "opweld.tensor.tile",
    "Eye": "opweld.tensor.eye",
    "Nonzero": "opweld.tensor.nonzero",
    "Join": "opweld.tensor.concatenate",
    "Split": "opweld.tensor.split",
    "Mean": "opweld.tensor.mean",
    "Max": "opweld.tensor.max",
    "Min": "opweld.tensor.min",
    "Unique": "opweld.tensor.unique",
    "Repeat": "opweld.tensor.repeat",
    "CumOp": "opweld.tensor.cumsum, opweld.tensor.cumprod",
    "SearchsortedOp": "opweld.tensor.searchsorted",
    "Dot22": "opweld.tensor.dot",
    "Gemm": "opweld.tensor.dot",
    "BatchedDot": "opweld.tensor.matmul",
    "ExtractDiag": "opweld.tensor.diagonal",
    "AllocDiag": "opweld.tensor.diag",
    "TopKOp": "opweld.tensor.argsort",
    "SortOp": "opweld.tensor.sort",
    "ArgSortOp": "opweld.tensor.argsort",
    "Softmax": "opweld.tensor.softmax",
    "horizontal_stack": "opweld.tensor.hstack",
    "vertical_stack": "opweld.tensor.vstack",
    "profiling": "profile=True, opweld.profiling",
    "ProfileMode": "profile=True",
    "pydot_imported": "opweld.picture draws by itself",
    "CheckpointedOp": "opweld.Op",
}
#: A pattern of names that may come -> what to do until then.
LATER: dict[str, str] = {
    r"conv[23]d.*|separable_conv.*|causal_conv1d|Conv(Op|2D|3D).*|Corr(3d)?MM.*|AbstractConv.*": _WINDOWS,
    r"pool_[23]d|max_pool_.*|Pool|DownsampleFactor.*|(frac_)?bilinear_.*|[iI]mages2[nN]eibs|neibs2images": _WINDOWS,
    r"batch_normalization.*": "write it with mean, var and sqrt",
    r"(Random|MRG_Random)(Streams|State.*|Function)|random_state_type": _DRAW,
    r"Print|_print_fn|PdbBreakpoint": 'mode="py" runs every perform, where print and breakpoint() work',
    r"NanGuardMode": "DebugMode(finite=True) finds where the first NaN comes from",
    r"d3viz|d3print|PyDotFormatter.*": "opweld.picture.picture draws a graph",
    r"(map|reduce|foldl|foldr|until)(_.*)?": "there is no scan; opweld.cop writes a loop in C",
    r"ifelse|IfElse": "there is no lazy node; where(condition, a, b) computes both",
    r"fft|rfft|irfft|curfft|cuirfft": "an op of one's own may call scipy.fft in perform",
}
#: Modules, and all within them -> what became of them.
MODULES: dict[str, str] = {
    **dict.fromkeys(("gpuarray", "sandbox.cuda", "sandbox.gpuarray"), f"it is gone: {_GPU}"),
    **dict.fromkeys(("link", "gof.link", "gof.vm", "gof.cutils", "gof.callcache"), f"it is gone: {_LINKERS}"),
    **dict.fromkeys(("scan", "scan_module", "ifelse"), "it is gone: there is no scan, and no lazy node"),
    **dict.fromkeys(("compat.six", "compat.six_moves"), "write six, which is a package of its own"),
    **dict.fromkeys(
        ("tensor.random", "tensor.raw_random", "tensor.shared_randomstreams", "sandbox.rng_mrg"),
        f"there are no random streams: {_DRAW}",
    ),
    **dict.fromkeys(
        ("tensor.signal", "tensor.nnet.conv", "tensor.nnet.corr", "tensor.nnet.corr3d"),
        f"it is not here yet: {_WINDOWS}",
    ),
}
_PATTERNS = [
    (re.compile(pattern), state, why)
    for state, table in (("not yet", LATER), ("dead", DEAD))
    for pattern, why in table.items()
]


def state(name: str) -> tuple[str, str]:
    """Say what became of a name that is not here.

    Parameters
    ----------
    name : str
        Without its module.

    Returns
    -------
    state : {"renamed", "dead", "not yet"}
        What became of it.
    why : str
        What to write in its place, or why it is gone; of what may come what to do until then, or nothing.
    """
    if name in RENAMED:
        return "renamed", RENAMED[name]
    return next(((state, why) for pattern, state, why in _PATTERNS if pattern.fullmatch(name)), ("not yet", ""))
