"""``config`` as Theano, Aesara and PyTensor have it: opweld's own, and what else ops ask for or set.

Sections are written either way, ``config.blas.ldflags`` and ``config.blas__ldflags``. A key that has no meaning here
takes every value that the packages took, with a warning the first time; another value is refused.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from opweld import blaslib
from opweld.compile import store, toolchain
from opweld.config import Section
from opweld.config import config as _own
from opweld.errors import ConfigError, OpweldWarning

__all__ = ["OPTIMIZERS", "Settings", "change_flags", "config"]

Allowed = tuple[Any, ...]
_FLAG: Allowed = (True, False)
_NUMBER: Allowed = ("a number",)
_TEXT: Allowed = ("a text",)

# Keys that opweld's configuration does not have, and ops ask for: default, and what they may be.
_HERE: dict[str, tuple[Any, Allowed]] = {
    "openmp": (False, _FLAG),
    "openmp_elemwise_minsize": (200_000, _NUMBER),
}
# Keys that have no meaning here: default, what the packages took, and why.
_TESTS = "there are no test values"
_OTHER = "there is one way to run a function, in C on this processor"
_GRAPH = "the rewrites are opweld's own"
_VOID: dict[str, tuple[Any, Allowed, str]] = {
    "allow_gc": (True, _FLAG, "storage of temporaries is kept or given back by the engine's own rule"),
    "assert_no_cpu_op": ("ignore", ("ignore", "warn", "raise", "pdb"), _OTHER),
    "cast_policy": ("custom", ("custom", "numpy+floatX", "numpy"), "Python's numbers are weak (NEP 50)"),
    "check_input": (True, _FLAG, "what a function is given is always checked; an op's own check_input counts"),
    "check_stack_trace": ("off", ("off", "log", "warn", "raise"), _GRAPH),
    "compute_test_value": ("off", ("off", "ignore", "warn", "raise", "pdb"), _TESTS),
    "compute_test_value_opt": ("off", ("off", "ignore", "warn", "raise", "pdb"), _TESTS),
    "cycle_detection": ("regular", ("regular", "fast"), _GRAPH),
    "deterministic": ("default", ("default", "more"), "results do not differ between calls"),
    "device": ("cpu", ("cpu",), _OTHER),
    "exception_verbosity": ("low", ("low", "high"), "errors name node, inputs and line"),
    "force_device": (False, _FLAG, _OTHER),
    "int_division": ("int", ("int", "raise", "floatX"), "// is NumPy's floor_divide"),
    "lib__amdlibm": (False, _FLAG, "cxxflags and libraries of an op name what is linked"),
    "lib__amblibm": (False, _FLAG, "cxxflags and libraries of an op name what is linked"),
    "linker": (
        "cvm", ("cvm", "c|py", "py", "c", "c|py_nogc", "vm", "vm_nogc", "cvm_nogc", "numba", "jax"), _OTHER,
    ),
    "nocleanup": (False, _FLAG, "python -m opweld cache clear empties the cache"),
    "numpy__seterr_all": ("ignore", ("ignore", "warn", "raise", "call", "print", "log", "None"), "np.errstate counts"),
    "on_opt_error": ("warn", ("warn", "raise", "pdb", "ignore"), "an error in a rewriter is raised"),
    "on_shape_error": ("warn", ("warn", "raise"), "an error in infer_shape is raised"),
    "optdb__max_use_ratio": (10.0, _NUMBER, _GRAPH),
    "optdb__position_cutoff": (float("inf"), _NUMBER, _GRAPH),
    "optimizer_excluding": ("", _TEXT, _GRAPH),
    "optimizer_including": ("", _TEXT, _GRAPH),
    "optimizer_requiring": ("", _TEXT, _GRAPH),
    "optimizer_verbose": (False, _FLAG, _GRAPH),
    "pickle_test_value": (True, _FLAG, _TESTS),
    "print_test_value": (False, _FLAG, _TESTS),
    "scan__allow_gc": (False, _FLAG, "there is no scan"),
    "scan__allow_output_prealloc": (True, _FLAG, "there is no scan"),
    "tensor__cmp_sloppy": (0, _NUMBER, "DebugMode asks an op's debug_tolerance"),
    "tensor__insert_inplace_optimizer_validate_nb": (-1, _NUMBER, _GRAPH),
    "tensor__local_elemwise_fusion": (True, _FLAG, "config.fuse says it"),
    "traceback__limit": (8, _NUMBER, "config.traceback says how much is shown"),
    "unittests__rseed": (666, _TEXT, "tests of ops seed their own generators"),
    "warn__ignore_bug_before": ("0.9", _TEXT, "there is nothing to warn of"),
    "warn__round": (False, _FLAG, "there is nothing to warn of"),
    "warn_float64": ("ignore", ("ignore", "warn", "raise", "pdb"), "dtypes are as NumPy makes them"),
}  # fmt: skip
_PROFILE = "profile=True of a function, and opweld.profiling, say it"
_DEBUG = "DebugMode(...) has a keyword for each of its checks; see docs/debugmode.md"
_NAN = "DebugMode(finite=True) says it"
_LOCK = "each module that is built has a lock of its own"
_BUGS = "there is nothing to warn of"
for _why, _default, _allowed, _names in (
    (_DEBUG, True, _FLAG, "DebugMode__check_c DebugMode__check_finite DebugMode__check_py"),
    (_DEBUG, "", _TEXT, "DebugMode__check_preallocated_output"),
    (_DEBUG, 4, _NUMBER, "DebugMode__check_preallocated_output_ndim"),
    (_DEBUG, 0, _NUMBER, "DebugMode__check_strides"),
    (_DEBUG, 10, _NUMBER, "DebugMode__patience"),
    (_DEBUG, True, _FLAG, "DebugMode__warn_input_not_reused"),
    (_NAN, "raise", ("raise", "warn", "pdb"), "NanGuardMode__action"),
    (_NAN, True, _FLAG, "NanGuardMode__big_is_error NanGuardMode__inf_is_error NanGuardMode__nan_is_error"),
    (_PROFILE, False, _FLAG, "print_global_stats profile_memory profile_optimizer profiling__debugprint"),
    (_PROFILE, False, _FLAG, "profiling__ignore_first_call profiling__time_thunks"),
    (_PROFILE, 20, _NUMBER, "profiling__n_apply profiling__n_ops"),
    (_PROFILE, 512, _NUMBER, "profiling__output_line_width"),
    (_PROFILE, 1024, _NUMBER, "profiling__min_memory_size"),
    (_PROFILE, False, _FLAG, "profiling__min_peak_memory"),
    (_PROFILE, "stderr", _TEXT, "profiling__destination"),
    (_LOCK, 5.0, _NUMBER, "compile__wait compile__timeout"),
    ("compiledir names the folder", "", _TEXT, "compiledir_format"),
    ("a changed text is always built anew", False, _FLAG, "cmodule__debug cmodule__warn_no_version"),
    ("modules are loaded when they are asked for", False, _FLAG, "cmodule__preload_cache"),
    ("warnings of the compiler name your line", False, _FLAG, "cmodule__compilation_warning compiler_verbose"),
    ("python -m opweld cache says what may go", 86400, _NUMBER, "cmodule__age_thresh_use"),
    ("np.errstate counts", "None", ("None", "print", "log", "warn", "raise", "call", "ignore"),
     "numpy__seterr_divide numpy__seterr_invalid numpy__seterr_over numpy__seterr_under"),
    (_BUGS, True, _FLAG, "warn__argmax_pushdown_bug warn__reduce_join warn__subtensor_merge_bug"),
    (_BUGS, True, _FLAG, "warn__sum_div_dimshuffle_bug warn__sum_sum_bug warn__vm_gc_bug blas__check_openmp"),
    (_OTHER, True, _FLAG, "vm__lazy cache_optimizations reoptimize_unpickled_function unpickle_function"),
    ("there is no scan", False, _FLAG, "scan__debug"),
    (_GRAPH, False, _FLAG, "experimental__local_alloc_elemwise experimental__local_alloc_elemwise_assert"),
    (_GRAPH, "", _TEXT, "metaopt__optimizer_excluding metaopt__optimizer_including optimizer_verbose_ignore"),
    (_GRAPH, 0, _NUMBER, "metaopt__verbose"),
    ("config.traceback says how much is shown", 0, _NUMBER, "traceback__compile_limit"),
    ("sizes are checked where they are used", False, _FLAG, "conv__assert_shape"),
):  # fmt: skip
    _VOID.update(dict.fromkeys(_names.split(), (_default, _allowed, _why)))
#: Names of sets of rewriters that opweld calls otherwise.
OPTIMIZERS = {**dict.fromkeys(("o4", "o3", "o2", "o1"), "fast_run"), "o0": "None"}


def _valid(key: str, value: object, allowed: Allowed) -> Any:
    """Read a value of a key that opweld's configuration does not have."""
    if allowed is _TEXT:
        return value
    if allowed is _NUMBER:
        try:
            return value if isinstance(value, (int, float)) else int(str(value))
        except ValueError:
            raise ConfigError(f"config.{key}: expected a number, got {value!r}") from None
    if allowed is _FLAG and not isinstance(value, bool):
        word = str(value).strip().lower()
        if word not in ("true", "false", "1", "0"):
            raise ConfigError(f"config.{key}: expected True or False, got {value!r}")
        return word in ("true", "1")
    if value not in allowed:
        raise ConfigError(f"config.{key}: expected one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


class Settings:
    """The configuration, as attributes; see `opweld.config` for what is opweld's own.

    ``cxx`` is the compiler's path, and empty where there is none; ``compiledir`` the folder of the cache; ``mode`` is
    ``"Mode"`` where none is set; ``blas__ldflags`` what links a BLAS, and empty where none is found.
    """

    _values: dict[str, Any]
    _told: set[str]
    _sections = frozenset(key.partition("__")[0] for key in (*_VOID, "blas__ldflags", *_own.keys()) if "__" in key)

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_told", set())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        found = _COMPUTED.get(name)
        if found is not None:
            return found()
        if name in _HERE:
            return _HERE[name][0]
        if name in _VOID:
            return _VOID[name][0]
        if name in self._sections:
            return Section(self, name)
        return getattr(_own, name)

    def __setattr__(self, name: str, value: object) -> None:
        if name == "optimizer":
            _own.optimizer = OPTIMIZERS.get(str(value), value)
        elif name == "mode":
            _own.mode = "" if value == "Mode" else value
        elif name == "blas__ldflags":
            self._values[name] = str(value)
        elif name in _HERE:
            self._values[name] = _valid(name, value, _HERE[name][1])
        elif name in _VOID:
            default, allowed, why = _VOID[name]
            self._values[name] = _valid(name, value, allowed)
            if self._values[name] != default and name not in self._told:
                self._told.add(name)
                warnings.warn(f"config.{name} has no meaning here: {why}", OpweldWarning, stacklevel=2)
        else:
            setattr(_own, name, value)

    def __delattr__(self, name: str) -> None:
        """Go back to the default."""
        if name in self._values:
            del self._values[name]
        elif name not in _HERE and name not in _VOID and name != "blas__ldflags":
            delattr(_own, name)

    def __dir__(self) -> list[str]:
        return sorted({*_own.keys(), *_HERE, *_VOID, "blas__ldflags", "change_flags"})

    def __repr__(self) -> str:
        return "\n".join(f"{key} = {getattr(self, key)!r}" for key in dir(self) if key != "change_flags")

    def change_flags(self, *given: dict[str, Any], **flags: Any) -> _Changed:
        """Change the configuration for a ``with`` block, or for each call of a function that this decorates.

        Parameters
        ----------
        *given : dict
            Keys, with points or with two underscores for a section, and values.
        **flags
            The same.
        """
        changes = {key.replace(".", "__"): value for part in (*given, flags) for key, value in part.items()}
        for key in changes:
            getattr(self, key)  # there is such a key
        return _Changed(self, changes)


class _Changed:
    """Other values for a while: a context manager, and a decorator."""

    def __init__(self, settings: Settings, changes: dict[str, Any]) -> None:
        self._settings = settings
        self._changes = changes
        self._before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        before: dict[str, Any] = {}
        self._before.append(before)
        try:
            for key, value in self._changes.items():
                before[key] = getattr(_own, key) if key in _own.keys() else self._settings._values.get(key, self)
                setattr(self._settings, key, value)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        for key, value in self._before.pop().items():
            if key in _own.keys():
                setattr(_own, key, value)
            elif value is self:
                self._settings._values.pop(key, None)
            else:
                self._settings._values[key] = value

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*args: Any, **keywords: Any) -> Any:
            with _Changed(self._settings, self._changes):
                return function(*args, **keywords)

        return inside


def _compiler() -> str:
    """The C++ compiler's path; empty: there is none."""
    return toolchain.driver("c++", _own.cxx).path


_COMPUTED: dict[str, Callable[[], Any]] = {
    "blas__ldflags": lambda: blaslib.found(_compiler()),
    "base_compiledir": lambda: store.path(_own.compiledir),
    "compiledir": lambda: store.path(_own.compiledir),
    "cxx": _compiler,
    "mode": lambda: _own.mode or "Mode",
}

config = Settings()
change_flags = config.change_flags
