"""What is shown of fusion: `opweld.fusion`, `debugprint`, the picture, and the head of the C say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import Apply, Op, engine, errors
from opweld.compile.fusion import Fusion
from opweld.printing import debugprint

FOLDED = "one loop would read what a fold leaves before that is there"


def standardized() -> Any:
    """Three loops, of which one computes a difference that another computes too."""
    x = T.dmatrix("x")
    d = x - x.sum(axis=1, keepdims=True)
    return opweld.function([x], d * (d * d).sum(axis=1, keepdims=True), name="standardized")


def places(f: Any, nodes: Any) -> list[int]:
    order = f.maker.fgraph.toposort()
    return [order.index(node) for node in nodes]


def test_the_loops_of_a_function() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    f = opweld.function([x, y], (x + y) * x - y * 2)
    found = opweld.fusion(f)
    assert isinstance(found, Fusion) and found.note == "" and found.apart == ()
    assert [places(f, loop) for loop in found.loops] == [[0, 1, 2, 3]]
    assert all(isinstance(node, Apply) for node in found.loops[0])
    assert str(found).splitlines()[:3] == [
        "f: 1 loop of several nodes, 0 of one",
        "loop 0",
        "    0 Elemwise{add}(x, y)",
    ]
    assert repr(found) == str(found)


def test_a_node_of_two_loops_and_why_others_are_apart() -> None:
    f = standardized()
    found = opweld.fusion(f)
    assert [places(f, loop) for loop in found.loops] == [[1, 2, 3], [1, 4], [0]]
    assert [(*places(f, pair[:2]), pair.why) for pair in found.apart] == [(0, 1, FOLDED), (3, 4, FOLDED)]
    difference = found.loops[0][0]
    assert found.numbers(difference) == [0, 1] and found.numbers(found.loops[2][0]) == []
    assert str(found) == (
        "standardized: 2 loops of several nodes, 1 of one\n"
        "loop 0\n"
        "    1 Elemwise{subtract}(x, CAReduce{add, axis=(1,)})  (in loop 1 too)\n"
        "    2 Elemwise{multiply}(Elemwise{subtract}, Elemwise{subtract})\n"
        "    3 CAReduce{add, axis=(1,)}(Elemwise{multiply})\n"
        "loop 1\n"
        "    1 Elemwise{subtract}(x, CAReduce{add, axis=(1,)})  (in loop 0 too)\n"
        "    4 Elemwise{multiply, inplace}(Elemwise{subtract}, CAReduce{add, axis=(1,)})\n"
        "loop 2: 0 CAReduce{add, axis=(1,)}(x)\n"
        "apart\n"
        f"  0 CAReduce{{add, axis=(1,)}} -> 1 Elemwise{{subtract}}: {FOLDED}\n"
        f"  3 CAReduce{{add, axis=(1,)}} -> 4 Elemwise{{multiply, inplace}}: {FOLDED}"
    )


def test_a_loop_does_without_what_only_others_want_who_compute_it_too() -> None:
    x, c = T.dmatrix("x"), T.dmatrix("c")
    d = x - x.sum(axis=1, keepdims=True)
    f = opweld.function([x, c], [d * (d * d).sum(axis=1, keepdims=True), T.exp(c) + d * 2])
    assert [places(f, loop) for loop in opweld.fusion(f).loops] == [[1, 4], [1, 2, 3], [1, 5, 6, 7], [0]]
    told = [line.strip() for line in head(f) if line.strip().startswith("1 Elemwise.subtract")]
    assert sorted([re.findall(r"\d+", line) for line in told]) == [["1", "2", "3"], ["1", "4"], ["1", "5", "6", "7"]]


class Once(Op):
    """Runs in Python."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] + 1


def test_what_is_no_loop() -> None:
    x = T.dvector("x")
    f = opweld.function([x], T.exp(T.sort(Once()(Once()(x * 2)) + 1)))
    found = opweld.fusion(f)
    assert [pair.why for pair in found.apart] == ["Once runs in Python"] * 2 + ["Sort is C of its own"] * 2
    assert "loop" not in re.sub("apart: .*", "", debugprint(f, file="str"))


def test_several_nodes_that_one_reads_apart_for_one_reason_are_one_line() -> None:
    x = T.dmatrix("x")
    f = opweld.function([x], x.sum(axis=1) ** x.max(axis=1))
    assert opweld.fusion(f).reasons() == [
        "0 CAReduce{add, axis=(1,)}, 1 CAReduce{maximum, axis=(1,)} -> 2 Elemwise{power, inplace}: " + FOLDED
    ]


def test_debugprint_marks_loops_and_says_why_others_are_apart() -> None:
    assert debugprint(standardized(), file="str", ids="") == (
        "Elemwise{multiply, inplace} 4 loop 1\n"
        " ├─ Elemwise{subtract} 1 loop 0, 1\n"
        " │   ├─ x\n"
        " │   └─ CAReduce{add, axis=(1,)} 0\n"
        " │       └─ x\n"
        " └─ CAReduce{add, axis=(1,)} 3 loop 0\n"
        "     └─ Elemwise{multiply} 2 loop 0\n"
        "         ├─ Elemwise{subtract} 1 loop 0, 1 ...\n"
        "         └─ Elemwise{subtract} 1 loop 0, 1 ...\n"
        f"apart: 0 CAReduce{{add, axis=(1,)}} -> 1 Elemwise{{subtract}}: {FOLDED}\n"
        f"apart: 3 CAReduce{{add, axis=(1,)}} -> 4 Elemwise{{multiply, inplace}}: {FOLDED}\n"
    )


def test_a_graph_prints_as_before() -> None:
    printed = debugprint(standardized().maker.fgraph, file="str", ids="")
    assert printed.splitlines()[:2] == ["Elemwise{multiply, inplace} 4", " ├─ Elemwise{subtract} 1"]
    assert "loop" not in printed and "apart" not in printed


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"fuse": False}, "fuse=False: each node is a loop of its own"),
        ({"mode": "DebugMode"}, "DebugMode runs each node by itself"),
    ],
)
def test_what_is_not_fused_says_so(options: Any, note: str) -> None:
    x = T.dvector("x")
    f = opweld.function([x], T.exp(x) + 1, name="g", **options)
    found = opweld.fusion(f)
    assert found.note == note and found.apart == () and all(len(loop) == 1 for loop in found.loops)
    assert str(found) == f"g: {note}"
    printed = debugprint(f, file="str").splitlines()
    assert printed[-1] == note and not any("loop" in line for line in printed[:-1])


def test_the_setting_counts_as_the_keyword_does() -> None:
    x = T.dvector("x")
    f = opweld.function([x], T.exp(x) + 1, options={"fuse": False})
    assert opweld.fusion(f).note == "fuse=False: each node is a loop of its own"
    assert [places(f, loop) for loop in opweld.fusion(f).loops] == [[0], [1]]


def test_a_mode_of_ones_own() -> None:
    class Mode:
        rewrites = None

        def link(self, graph: Any) -> Any:
            return lambda *values: list(values)

        def __repr__(self) -> str:
            return "Mode()"

    x = T.dvector("x")
    f = opweld.function([x], x + 1, mode=Mode())
    assert opweld.fusion(f).note == "the mode runs the graph by itself: Mode()"


def test_a_copy_with_other_shared_values_shows_its_own_nodes() -> None:
    w, v = opweld.shared(np.zeros(3), "w"), opweld.shared(np.ones(3), "v")
    x = T.dvector("x")
    f = opweld.function([x], T.exp(x * w) + w)
    copy = f.copy(swap={w: v})
    loop = opweld.fusion(copy).loops[0]
    assert places(copy, loop) == [0, 1, 2] and v in loop[0].inputs
    assert debugprint(copy, file="str").count(" loop 0") == 3


def test_what_is_no_function() -> None:
    with pytest.raises(TypeError, match=r"expected what opweld.function\(\) gave, got 3 \(int\)"):
        opweld.fusion(3)


def test_what_needs_no_engine_works_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(program: str) -> Any:
        raise errors.EngineError("it is gone")

    monkeypatch.setattr(engine, "fusion", missing)
    f = standardized()
    with pytest.raises(errors.EngineError, match="it is gone"):
        opweld.fusion(f)
    printed = debugprint(f, file="str").splitlines()
    assert printed[-1] == "loops are not known: it is gone" and len(printed) == 10


def test_the_page_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "elementwise.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n((?:(?!```).)*print\(opweld\.fusion\(f\)\).*?)```", page, re.DOTALL)
    exec(block, {"T": T, "opweld": opweld})
    assert capsys.readouterr().out == "".join(re.findall(r"^# (.*\n)", block, re.MULTILINE))


def head(f: Any) -> list[str]:
    text = opweld.source(f)
    return text[: text.index("*/")].splitlines()


def test_the_head_of_the_c_says_where_the_loop_of_a_node_is() -> None:
    f = standardized()
    lines, text = head(f), opweld.source(f)
    at = [i for i, line in enumerate(lines) if line.endswith(": one loop of Program's steps")]
    assert [lines[i + 1].strip() for i in at] == [
        "1 Elemwise.subtract, 2 Elemwise.multiply, 3 CAReduce.add",
        "1 Elemwise.subtract, 4 Elemwise.multiply",
    ]
    for i in at:
        name = lines[i].split(":")[0].strip()
        assert f"{name}_run(" in text or f"{name}_inner(" in text


def test_the_head_of_the_c_tells_the_second_way() -> None:
    x, c = T.dmatrix("x"), T.dmatrix("c")
    f = opweld.function([x, c], T.exp(c) + x)
    lines = [line.strip() for line in head(f)]
    at = lines.index("where shapes differ, one after the other:")
    assert lines[at - 1] == "0 Elemwise.exp, 1 Elemwise.add"
    parts = [line.split(": steps ") for line in lines[at + 1 : at + 3]]
    assert [step for _, step in parts] == ["0", "1"]
    assert all(f"{name}_inner(" in opweld.source(f) for name, _ in parts)


def test_many_nodes_take_several_lines_of_the_head() -> None:
    x = T.dvector("x")
    out = x
    for n in range(20):
        out = T.sin(out) if n % 2 else out * 1.5
    lines = head(opweld.function([x], out))
    assert len([line for line in lines if re.match(r" +\d+ Elemwise\.", line)]) > 2 and max(map(len, lines)) < 400
    told = re.findall(r"(\d+) Elemwise\.(?:sin|multiply)", "\n".join(lines))
    assert told == [str(n) for n in range(20)]
