"""What the lint finds in the C of PyTensor's own ops, each finding held against what a person judged of it.

Graphs of many of its functions are made, as they are and as its rewrites leave them; the C of each op is asked for on
its real node, and linted once, its params by the values that they have there. `JUDGED` says of each op and rule whether
what is found is right. The exit code is 1 where nobody has judged a finding, or more than one in twenty is wrong.
"""

from __future__ import annotations

import collections
import json
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytensor.sparse as sparse
import pytensor.tensor as pt
from pytensor import ifelse, raise_op
from pytensor.compile.mode import get_mode
from pytensor.compile.ops import deep_copy_op, view_op
from pytensor.graph.basic import Apply
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.traversal import io_toposort
from pytensor.graph.utils import MethodNotDefined, MissingInputError
from pytensor.tensor import blas, blas_c

from opweld import engine

JUDGED = pathlib.Path(__file__).with_name("alarms.json")
FAIL = "{ opw_failure = 1; goto opw_fail; }"


KNOWN = {
    "pt": pt, "sparse": sparse, "ifelse": ifelse, "raise_op": raise_op, "deep_copy_op": deep_copy_op,
    "view_op": view_op, "blas": blas, "blas_c": blas_c, "x": sparse.csr_matrix("x"), "y": sparse.csc_matrix("y"),
}  # fmt: skip

#: Of vectors v, w, matrices m, n, a tensor t, a number s of one dtype; an integer i and integers k; sparse x, y.
EXPRESSIONS = """
    v + w
    pt.exp(m) * n
    pt.switch(v > w, v, w)
    v.sum()
    m.max(0)
    m.prod(1)
    (m > n).any()
    t.min((0, 2))
    pt.argmax(m, axis=1)
    pt.argmax(m)
    pt.max_and_argmax(t, axis=2)[1]
    pt.cumsum(v)
    pt.cumprod(m, axis=1)
    pt.join(0, v, w)
    pt.join(1, m, n)
    pt.join(i, m, n)
    pt.stack([s, s])
    pt.concatenate([t, t], axis=1)
    m.reshape((-1,))
    m.reshape((i, 2))
    m.T
    m.dimshuffle(1, "x", 0)
    pt.specify_shape(v, (3,))
    v.shape
    v.size
    pt.alloc(s, i, 3)
    pt.AllocEmpty(str(v.dtype))(i, i)
    pt.eye(i)
    pt.arange(i)
    pt.make_vector(s, s, s)
    pt.repeat(v, 2)
    pt.tile(v, 3)
    pt.sort(v)
    pt.argsort(v)
    pt.diag(v)
    pt.diagonal(m)
    pt.unbroadcast(pt.shape_padleft(v), 0)
    pt.fill(m, s)
    pt.clip(v, 0, 1)
    pt.tensor_from_scalar(pt.scalar_from_tensor(s))
    pt.shape(t)[1]
    pt.as_tensor(v.shape[0])
    m.sum(0, keepdims=True)
    m.mean()
    t.var(1)
    v.all()
    pt.all(m, axis=0)
    pt.nonzero(v)[0]
    pt.searchsorted(v, s)
    pt.bincount(k)
    pt.softmax(m + 0.5, axis=1)
    pt.special.log_softmax(m + 0.5, axis=1)
    pt.outer(v, w)
    pt.squeeze(pt.shape_padright(v))
    pt.extra_ops.fill_diagonal(m, s)
    pt.unravel_index(k, (3, 4))[0]
    pt.ravel_multi_index((k, k), (3, 4))
    pt.broadcast_to(v, (3, i))
    v[1:]
    v[::-1]
    v[i]
    m[i, 1:]
    m[:, ::2]
    t[0, :, i]
    m[i:, :i]
    v[k]
    m[k]
    m[k, k]
    m[:, k]
    t[k, 1:, k]
    v[v > 0]
    pt.dot(v, w)
    pt.dot(m, v)
    pt.dot(m, n)
    pt.dot(v, m)
    v + s * pt.dot(m, w)
    m + s * pt.outer(v, w)
    n + s * pt.dot(m, n.T)
    s * pt.dot(m, n) + 2 * n
    pt.batched_dot(t, t)
    pt.tensordot(t, t, 1)
    pt.linalg.cholesky(m)
    pt.linalg.solve(m, v)
    pt.sigmoid(v)
    pt.erf(v)
    pt.gammaln(v)
    pt.tanh(m)
    pt.log1p(v)
    pt.softplus(v)
    pt.psi(v)
    pt.isnan(v)
    pt.round(v)
    blas.gemm_no_inplace(m, s, n, n, s)
    blas.gemm_inplace(m, s, n, n, s)
    blas._dot22(m, n)
    blas._dot22scalar(m, n, s)
    blas._batched_dot(t, t)
    blas_c.CGemv(False)(v, s, m, w, s)
    blas_c.CGemv(True)(v, s, m, w, s)
    blas_c.CGer(False)(m, s, v, w)
    blas_c.CGer(True)(m, s, v, w)
    deep_copy_op(v)
    view_op(v)
    deep_copy_op(s)
    pt.zvector("z") * 2
    pt.real(pt.zvector("z"))
    pt.cast(v, "int8")
    pt.cast(v, "bool")
    pt.bvector("c") // 2
    pt.bvector("c") % 3
    pt.lvector("d") & 3
    ~pt.lvector("d")
    pt.lvector("d") << 1
    sparse.dot(x, pt.dmatrix("m"))
    sparse.dot(y, pt.dmatrix("m"))
    sparse.add(x, x)
    sparse.sp_sum(x, axis=0)
    sparse.transpose(x)
    raise_op.Assert("no")(v, i > 0)
    ifelse.ifelse(i, v, v + 1)
    pt.set_subtensor(v[1:], s)
    pt.set_subtensor(v[i], s)
    pt.set_subtensor(m[0], v)
    pt.set_subtensor(m[:, i], v)
    pt.set_subtensor(v[k], s)
    pt.set_subtensor(m[k], v)
    pt.set_subtensor(m[k, k], s)
    pt.set_subtensor(t[:, 0], m)
    pt.inc_subtensor(v[1:], s)
    pt.inc_subtensor(v[i], s)
    pt.inc_subtensor(m[0], v)
    pt.inc_subtensor(m[:, i], v)
    pt.inc_subtensor(v[k], s)
    pt.inc_subtensor(m[k], v)
    pt.inc_subtensor(m[k, k], s)
    pt.inc_subtensor(t[:, 0], m)
    pt.split(v, k, n_splits=2, axis=0)[0]
"""


def outputs() -> Iterator[Any]:
    """Give variables that PyTensor's own ops compute; what it does not have for a dtype is left out."""
    for dtype in ("float64", "float32", "int64", "int8", "bool", "complex128"):
        names: dict[str, Any] = {name: pt.vector(name, dtype=dtype) for name in "vw"}
        names |= {name: pt.matrix(name, dtype=dtype) for name in "mn"}
        names |= {"t": pt.tensor3("t", dtype=dtype), "s": pt.scalar("s", dtype=dtype)}
        names |= {"i": pt.lscalar("i"), "k": pt.lvector("k")}
        for text in filter(None, map(str.strip, EXPRESSIONS.splitlines())):
            try:
                yield eval(text, KNOWN, names)
            except (TypeError, ValueError, NotImplementedError, AttributeError, IndexError, AssertionError):
                continue


def nodes() -> list[Apply]:
    """Give each node of these graphs that has C, once for an op and the types of its inputs."""
    found: dict[Any, Apply] = {}
    for made in outputs():
        for graph in _graphs(made):
            for node in graph:
                if callable(getattr(node.op, "c_code", None)):
                    found.setdefault((node.op, tuple(v.type for v in node.inputs)), node)
    return list(found.values())


def _graphs(made: Any) -> Iterator[list[Apply]]:
    yield io_toposort([], [made])
    leaves = [v for node in io_toposort([], [made]) for v in node.inputs if v.owner is None and not hasattr(v, "data")]
    try:
        fgraph = FunctionGraph(list(dict.fromkeys(leaves)), [made], clone=True)
    except MissingInputError:
        return  # it has inputs besides
    get_mode("FAST_RUN").optimizer.rewrite(fgraph)
    yield fgraph.toposort()


def text_of(node: Apply) -> dict[str, Any] | None:
    """What the engine lints of a node; None: it has no C after all."""
    op = node.op
    inputs = [f"V{i + 1}" for i in range(len(node.inputs))]
    outs = [f"V{i + 1 + len(inputs)}" for i in range(len(node.outputs))]
    sub = {"fail": FAIL, "params": "params", "struct_id": "0", "id": "0"}
    try:
        code = op.c_code(node, "node_0", inputs, outs, sub)
        support = [op.c_support_code()] if hasattr(op, "c_support_code") else []
        support.append(op.c_support_code_apply(node, "node_0"))
    except (NotImplementedError, AttributeError, TypeError, MethodNotDefined):
        return None
    variables = [
        {
            "name": name, "array": hasattr(v.type, "broadcastable"), "ndim": getattr(v.type, "ndim", 0),
            "output": n >= len(inputs), "destroyed": any(n in at for at in op.destroy_map.values()),
            "views": [*op.view_map.get(n - len(inputs), ()), *op.destroy_map.get(n - len(inputs), ())],
        }
        for n, (name, v) in enumerate(zip(inputs + outs, node.inputs + node.outputs))
    ]  # fmt: skip
    return {
        "name": type(op).__name__, "text": _valued(code, node), "cxx": True, "file": False, "variables": variables,
        "support": support, "entry": "", "fail": FAIL, "label": "opw_fail",
    }  # fmt: skip


def _valued(code: str, node: Apply) -> str:
    """The text with the values of its params, where they are numbers."""
    if not node.op.params_type:
        return code
    params = node.op.get_params(node)

    def value(found: re.Match[str]) -> str:
        said = getattr(params, found[1], None)
        return str(int(said)) if isinstance(said, (bool, int, np.bool_, np.integer)) else found[0]

    return re.sub(r"\bparams->(\w+)", value, code)


def main() -> int:
    """Print the table; 1 where it does not hold."""
    texts = [text for text in map(text_of, nodes()) if text is not None]
    findings = engine.lint(fragments=texts)["findings"]
    judged = json.loads(JUDGED.read_text())
    blind = sum(any(one["rule"] == "not-understood" for one in found) for found in findings)
    counts: collections.Counter[tuple[str, str, str]] = collections.Counter()
    for text, found in zip(texts, findings):
        for one in found:
            if one["severity"] != "note":
                counts[text["name"], one["rule"], one["source"].strip()] += 1
    wrong = unknown = 0
    for (name, rule, source), count in sorted(counts.items()):
        verdict = judged.get(f"{name} {rule}", "?")
        wrong += count * verdict.startswith("wrong")
        unknown += verdict == "?"
        print(f"{count:3} {name} {rule}: {source}\n      {verdict}")
    total = sum(counts.values())
    print(f"{len(texts)} nodes with C, {blind} not understood; {total} findings, {wrong} wrong, {unknown} not judged")
    return int(unknown > 0 or 20 * wrong > total or 10 * blind > len(texts))


if __name__ == "__main__":
    sys.exit(main())
