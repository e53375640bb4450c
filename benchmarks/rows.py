"""What there is to measure: each row's two halves, and their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import array_rows
import backend_rows
import build_rows
import call_rows
import debug_rows
import graph_rows
import short_rows
import vector_rows
from bench import Bench
from report import Raw, Section

__all__ = ["ROWS", "Row"]


@dataclass(frozen=True)
class Row:
    """One part of a run: ``measure`` gives figures that JSON can hold, ``show`` makes tables and promises of them."""

    measure: Callable[[Bench], Raw]
    show: Callable[[Raw], list[Section]]
    page: str = ""  # of report.PAGES: where its tables stand


ROWS: dict[str, Row] = {
    "calls": Row(call_rows.calls, call_rows.show_calls),
    "nodes": Row(call_rows.nodes, call_rows.show_nodes),
    "arrays": Row(array_rows.arrays, array_rows.show_arrays),
    "curve": Row(array_rows.curve, array_rows.show_curve),
    "memory": Row(array_rows.memory, array_rows.show_memory),
    "folds": Row(vector_rows.folds, vector_rows.show_folds, "vector"),
    "ufuncs": Row(vector_rows.ufuncs, vector_rows.show_ufuncs, "vector"),
    "threads": Row(vector_rows.threads, vector_rows.show_threads, "vector"),
    "build": Row(build_rows.build, build_rows.show_build, "builds"),
    "lint": Row(build_rows.lint, build_rows.show_lint, "builds"),
    "debug": Row(debug_rows.debug, debug_rows.show_debug),
    "second": Row(build_rows.second, build_rows.show_second, "builds"),
    "short": Row(short_rows.short, short_rows.show_short),
    "growth": Row(graph_rows.growth, graph_rows.show_growth, "builds"),
    "cold": Row(graph_rows.cold, graph_rows.show_cold, "builds"),
    "builds": Row(graph_rows.curve, graph_rows.show_curve, "builds"),
    "python": Row(graph_rows.python, graph_rows.show_python, "builds"),
    "pytensor": Row(build_rows.pytensor, build_rows.show_pytensor, "builds"),
    "backend": Row(backend_rows.backend, backend_rows.show_backend, "pytensor"),
}
