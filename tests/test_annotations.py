"""Annotations: few parameters are `Any`; variables and nodes can be subscripted while the library runs, too."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

import opweld
from opweld import tensor as T
from opweld.graph import Apply, Constant, Variable

PACKAGE = Path(opweld.__file__).resolve().parent
ANY_AT_MOST = 136  # of some 2600: what a type checker can say nothing about

pytestmark = pytest.mark.quick


def parameters():
    """Each parameter that has a name of its own, stars aside: where, and its annotation's text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
                    if one.arg not in ("self", "cls"):
                        yield (
                            f"{path.relative_to(PACKAGE)}:{node.name}({one.arg})",
                            one.annotation and ast.unparse(one.annotation),
                        )


def test_few_parameters_may_be_anything():
    found = dict(parameters())
    assert len(found) > 1500 and None not in found.values()
    loose = [where for where, said in parameters() if said == "Any"]
    assert len(loose) <= ANY_AT_MOST, loose


def test_subscripts():
    x = T.dvector("x")
    for made in (Variable[T.TensorType], Constant[T.TensorType], Apply[T.Elemwise]):
        assert made.__origin__ in (Variable, Constant, Apply)

    class Own(Variable[T.TensorType]):
        pass

    own = Own(x.type, name="own")
    assert isinstance(own, Variable) and isinstance(T.sin(own).owner, Apply)
    assert pickle.loads(pickle.dumps(T.sin(x))).owner.op == T.sin
