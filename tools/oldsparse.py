"""How the classes of ``sparse`` with C are made and called, to be tried by `oldfiles`; see `oldclasses`."""

from __future__ import annotations

import numpy as np
from oldclasses import recipe


def _matrix(k, kind="csr", shape=(4, 3)):
    """A matrix by rows or by columns, with a line that is empty."""
    import scipy.sparse as sp

    dense = k.random(*shape) * (k.random(*shape) < 0.6)
    dense[:, 1] = dense[1] = 0
    return getattr(sp, f"{kind}_matrix")(dense)


def _given(m, k, name, matrix, before=(), behind=()):
    """A node of the parts of a matrix and of further variables, with their values."""
    parts = [(k.x(m, 1), matrix.data), (k.x(m, 1, "int32"), matrix.indices), (k.x(m, 1, "int32"), matrix.indptr)]
    pairs = [*before, *parts, *behind]
    variables = [variable for variable, _ in pairs]
    return variables, [value for _, value in pairs]


@recipe("AddSD_ccode")
def _add(m, k, name):
    matrix = _matrix(k)
    sparse = k.tree.sparse
    x, y, more = sparse.csr_matrix("x", dtype="float64"), k.x(m), k.random(4, 3)
    return [x, y], [m.AddSD_ccode("csr")(x, y)], [matrix, more], [matrix.toarray() + more]


@recipe("StructuredDotCSC", "StructuredDotCSR")
def _dot(m, k, name):
    by_columns = name.endswith("CSC")
    matrix = _matrix(k, "csc" if by_columns else "csr")
    rows = [(k.x(m, 0, "int32"), np.int32(4))] if by_columns else []
    variables, values = _given(m, k, name, matrix, (), [*rows, (k.x(m), k.random(3, 2))])
    return variables, [getattr(m, name)()(*variables)], values


@recipe("UsmmCscDense")
def _usmm(m, k, name):
    matrix, y, z = _matrix(k, "csc"), k.random(3, 2), k.random(4, 2)
    one = k.T.TensorType("float64", (True, True))("alpha")
    rest = [(k.x(m, 0, "int32"), np.int32(4)), (k.x(m), y), (k.x(m), z)]
    variables, values = _given(m, k, name, matrix, [(one, np.array([[2.0]]))], rest)
    return variables, [m.UsmmCscDense(False)(*variables)], values, [2.0 * (matrix @ y) + z]


@recipe("CSMGradC")
def _grad(m, k, name):
    matrix, given = _matrix(k), _matrix(k)
    mine, own = _given(m, k, name, matrix, (), [(k.x(m, 1, "int32"), np.array([4, 3], "int32"))])
    other, theirs = _given(m, k, name, given, (), [(k.x(m, 1, "int32"), np.array([4, 3], "int32"))])
    rows = np.repeat(np.arange(4), np.diff(matrix.indptr))
    wanted = given.toarray()[rows, matrix.indices]
    return [*mine, *other], [m.CSMGradC()(*mine, *other)], [*own, *theirs], [wanted]


@recipe("MulSDCSC", "MulSDCSR", "MulSVCSR", "StructuredAddSVCSR")
def _scale(m, k, name):
    by_columns = name.endswith("CSC")
    matrix = _matrix(k, "csc" if by_columns else "csr")
    b = k.random(4, 3) if "SD" in name else k.random(3)
    variables, values = _given(m, k, name, matrix, (), [(k.x(m, b.ndim), b)])
    lines = np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr))
    at = (matrix.indices, lines) if by_columns else (lines, matrix.indices)
    other = b[at] if b.ndim == 2 else b[matrix.indices]
    wanted = matrix.data + other if "Add" in name else matrix.data * other
    return variables, [getattr(m, name)()(*variables)], values, [wanted]


@recipe("SamplingDotCSR")
def _sampling(m, k, name):
    matrix, x, y = _matrix(k), k.random(4, 5), k.random(3, 5)
    before, rest = [(k.x(m), x), (k.x(m), y)], [(k.x(m, 0, "int32"), np.int32(3))]
    variables, values = _given(m, k, name, matrix, before, rest)
    rows = np.repeat(np.arange(4), np.diff(matrix.indptr))
    wanted = (x @ y.T)[rows, matrix.indices] * matrix.data
    outputs = m.SamplingDotCSR()(*variables)
    return variables, list(outputs), values, [wanted, matrix.indices, matrix.indptr]


@recipe("StructuredDotGradCSC", "StructuredDotGradCSR")
def _dot_grad(m, k, name):
    matrix = _matrix(k, name[-3:].lower())
    variables, values = _given(m, k, name, matrix, (), [(k.x(m), k.random(3, 2)), (k.x(m), k.random(4, 2))])
    return variables[1:], [getattr(m, name)()(*variables[1:])], values[1:]
