"""Pictures of graphs: what they show, that they are well-formed, lie right, and are quick to make."""

from __future__ import annotations

import io
import linecache
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import Apply, FunctionGraph, In, Op, tensor
from opweld.compile.ops import view_op
from opweld.picture import Picture, picture
from opweld.picture.layout import Box, Link, arrange

DOCS = Path(__file__).resolve().parent.parent / "docs"
SVG = "{http://www.w3.org/2000/svg}"
x, y = tensor.dvector("x"), tensor.dvector("y")


class Over(Op):
    """Writes over its input, in Python."""

    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        inputs[0][...] += 1
        output_storage[0][0] = inputs[0]


def parsed(graph):
    return ElementTree.fromstring(picture(graph).svg)


def texts(graph):
    return [element.text for element in parsed(graph).iter(SVG + "text")]


def classes(graph):
    return {element.get("class") for element in parsed(graph).iter() if element.get("class")}


def test_a_function():
    f = opweld.function([x, y], tensor.exp(x * 2.5) + y, name="model")
    shown = texts(f)
    assert shown[0] == "model(x, y)"
    assert {"x", "y", "2.5", "multiply", "exp", "add", "result", "float64 (?,)", "float64"} <= set(shown)
    assert [text for text in shown if text.isdigit()] == ["0", "1", "2"]
    assert {"input", "constant", "op", "output"} <= classes(f)


def test_views_and_what_is_written_over_are_marked():
    f = opweld.function([In(x, mutable=True)], Over()(view_op(x)))
    assert {"line views", "line destroys", "op python"} <= classes(f)
    assert {"is a view of", "writes over", "runs in Python"} <= set(texts(f))
    plain = opweld.function([x], x + 1.0)
    assert not {"line views", "line destroys", "op python"} & classes(plain)
    assert "writes over" not in texts(plain)


@pytest.mark.parametrize(
    "graph",
    [
        lambda out: out,
        lambda out: out.owner,
        lambda out: [out, x],
        lambda out: FunctionGraph([x], [out]),
        lambda out: opweld.function([x], out),
    ],
)
def test_what_can_be_drawn(graph):
    assert {"x", "exp"} <= set(texts(graph(tensor.exp(x))))


def test_what_cannot():
    with pytest.raises(TypeError, match=r"picture: expected a function, a graph, a variable or a node, got 3 \(int\)"):
        picture(3)
    t = tensor.exp(x)
    t.owner.inputs[0] = tensor.exp(t)
    with pytest.raises(ValueError, match="the graph has a cycle through"):
        picture(t)


def test_text_is_escaped():
    name = "<b> & \"c\" 'd'"
    root = parsed(tensor.dvector(name) + 1.0)
    assert name in [element.text for element in root.iter(SVG + "text")]
    assert any(name in (element.text or "") for element in root.iter(SVG + "title"))


def test_long_texts_are_cut_and_told_in_full():
    value = tensor.dvector("n" * 200)
    root = parsed(value + 1.0)
    assert max(len(element.text) for element in root.iter(SVG + "text")) < 50
    assert any("n" * 200 in element.text for element in root.iter(SVG + "title"))


def test_where_a_node_was_made(tmp_path):
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    return x  # <here>\n")
    out = tensor.exp(x)
    out.owner._made = (str(file), 2, "f")
    root = parsed(out)
    assert "model.py:2" in [element.text for element in root.iter(SVG + "text")]
    tips = [element.text for element in root.iter(SVG + "title")]
    assert any(f"made at {file}:2, in f\n    return x  # <here>" in tip for tip in tips)
    out.owner._made = ("/tmp/ipykernel_12/345.py", 7, "<module>")
    assert "cell:7" in texts(out)
    out.owner._made = None
    assert not any("made at" in (element.text or "") for element in parsed(out).iter(SVG + "title"))


def test_files(tmp_path):
    out = tensor.exp(x)
    made = picture(out, tmp_path / "a.svg")
    assert isinstance(made, Picture) and made._repr_svg_() == made.svg == (tmp_path / "a.svg").read_text("utf-8")
    assert made.svg.startswith(f'<svg xmlns="http://www.w3.org/2000/svg" width="{made.width}" height="{made.height}"')
    target = io.StringIO()
    picture(out, target)
    assert target.getvalue() == made.svg
    made.save(str(tmp_path / "b.svg"))
    with pytest.raises(ValueError, match=r"pictures are SVG, so the name must end in \.svg, got 'a\.png'"):
        made.save("a.png")
    with pytest.raises(TypeError, match=r"file must be a name or a file, got 3 \(int\)"):
        made.save(3)
    assert repr(made) == f"<picture of a graph, {made.width} by {made.height} pixels; .save(file) writes SVG>"


def test_shared_values_and_updates():
    w = opweld.shared(np.zeros(3), name="w")
    f = opweld.function([x], x * w, updates=[(w, w + x)])
    shown = texts(f)
    assert shown[0] == "f(x)" and {"w", "new w", "result", "shared value"} <= set(shown)
    assert "shared" in classes(f)


def example():
    """The picture of docs/rewriting.md."""
    block = re.search(r"<!-- picture -->\n```python\n(.*?)```", (DOCS / "rewriting.md").read_text("utf-8"), re.DOTALL)
    text = block.group(1)
    linecache.cache["model.py"] = (len(text), None, text.splitlines(True), "model.py")
    names = {"__name__": "model"}
    exec(compile(text.replace('picture(f, "picture.svg")', "made = picture(f)"), "model.py", "exec"), names)
    return names["made"]


def test_the_picture_of_the_docs():
    """``python tests/test_picture.py`` draws it anew."""
    assert example().svg == (DOCS / "picture.svg").read_text("utf-8")


def test_the_same_graph_gives_the_same_picture():
    def made():
        a, b = tensor.dvector("a"), tensor.dvector("b")
        return picture(opweld.function([a, b], [tensor.exp(a * b) + a, b * 2.0])).svg

    assert made() == made()


def test_an_empty_graph():
    assert ElementTree.fromstring(picture([]).svg).get("class") == "opweld-graph"
    assert "x" in texts(x)


# -- loops of several nodes --------------------------------------------------------------------------------------


def two_loops():
    m = tensor.dmatrix("m")
    d = m - m.sum(axis=1, keepdims=True)
    return opweld.function([m], d * (d * d).sum(axis=1, keepdims=True))


def test_nodes_of_one_loop_lie_on_one_ground():
    f = two_loops()
    root = parsed(f)
    grounds = [element.get("class") for element in root.iter(SVG + "rect") if "halo" in (element.get("class") or "")]
    assert sorted(grounds) == ["loop0 halo"] * 3 + ["loop1 halo"] * 2
    bands = [element.get("class") for element in root.iter(SVG + "path") if "band" in (element.get("class") or "")]
    assert set(bands) == {"loop0 band", "loop1 band"}
    marks = [element.text for element in root.iter(SVG + "text") if element.get("class") == "in"]
    assert sorted(marks) == ["loop 0", "loop 0", "loop 0, 1", "loop 1"]
    legend = [element.text for element in root.iter(SVG + "text") if element.get("class") == "detail"]
    assert legend[-2:] == ["loop 0", "loop 1"]


def test_a_ground_lies_behind_its_node():
    root = parsed(two_loops())
    box = {key: float(value) for key, value in _rect(root, "op").items()}
    halo = {key: float(value) for key, value in _rect(root, "loop1 halo").items()}
    assert halo["width"] > 22 and halo["height"] > 22 and box["width"] > 22
    order = [element.get("class") for element in root.iter(SVG + "rect")]
    assert max(i for i, name in enumerate(order) if "halo" in name) < order.index("op")


def _rect(root, name):
    found = next(element for element in root.iter(SVG + "rect") if element.get("class") == name)
    return {key: found.get(key) for key in ("x", "y", "width", "height")}


def test_lines_tell_what_keeps_nodes_apart():
    tips = [element.text for element in parsed(two_loops()).iter(SVG + "title")]
    why = "\nnot in one loop: one loop would read what a fold leaves before that is there"
    assert sum(why in tip for tip in tips) == 2
    assert sum(tip.endswith("part of loop 0 and, again, of loop 1") for tip in tips) == 1


def test_what_is_not_fused_has_no_ground():
    plain = opweld.function([x], tensor.exp(x) + 1, fuse=False)
    for graph in (plain, plain.maker.fgraph, tensor.exp(x) + 1, opweld.function([x], x + 1)):
        svg = picture(graph).svg
        assert "halo" not in svg and "loop" not in svg


def test_more_loops_than_colours():
    names = [tensor.dvector(f"v{n}") for n in range(8)]
    f = opweld.function(names, [tensor.sort(name * 2 + 1) for name in names])
    assert len(opweld.fusion(f).loops) == 8
    legend = [text for text in texts(f) if text.startswith("loop")][-6:]
    assert legend == ["loop 0, 6", "loop 1, 7", "loop 2", "loop 3", "loop 4", "loop 5"]


def test_pictures_need_no_engine(monkeypatch):
    def missing(program):
        raise opweld.errors.EngineError("it is gone")

    f = two_loops()
    monkeypatch.setattr(opweld.engine, "fusion", missing)
    assert "halo" not in picture(f).svg and "subtract" in texts(f)


# -- layout ------------------------------------------------------------------------------------------------------


def placed(count, links, width=100.0):
    boxes = [Box(width, 40.0) for _ in range(count)]
    links = [Link(*link) for link in links]
    whole = arrange(boxes, links)
    return boxes, links, *whole


def overlaps(one, other):
    return abs(one.x - other.x) < (one.width + other.width) / 2 and one.y < other.y + 40 and other.y < one.y + 40


@pytest.mark.parametrize("seed", range(5))
def test_boxes_do_not_overlap_and_lines_lead_down(seed):
    random = np.random.default_rng(seed)
    links = [(int(random.integers(max(0, n - 12), n)), n) for n in range(1, 80) for _ in range(int(random.integers(3)))]
    boxes, links, width, height, segments = placed(80, links)
    assert not any(overlaps(one, other) for i, one in enumerate(boxes) for other in boxes[:i])
    for box in boxes:
        assert box.width / 2 <= box.x + 0.1 and box.x <= width - box.width / 2 + 0.1 and 0 <= box.y <= height - 40
    assert sorted(s.link for s in segments if s.ends) == list(range(len(links)))
    for segment in segments:
        assert segment.y0 <= segment.bend < segment.y1
        if segment.ends:
            target = boxes[links[segment.link].target]
            assert (segment.x1, segment.y1) == (target.x, target.y)


def test_a_chain_is_straight():
    boxes, *_ = placed(6, [(n, n + 1) for n in range(5)])
    assert {box.x for box in boxes} == {50.0}
    assert [box.y for box in boxes] == sorted(box.y for box in boxes)


def test_a_tree_has_no_crossing():
    boxes, *_ = placed(7, [(0, 4), (2, 4), (1, 5), (3, 5), (4, 6), (5, 6)])
    order = sorted(range(4), key=lambda i: boxes[i].x)
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 2}), frozenset({1, 3})}


def test_lines_of_one_source_run_together():
    *_, segments = placed(12, [(0, n) for n in range(2, 12)] + [(n, n + 1) for n in range(1, 11)])
    assert sum(not segment.ends for segment in segments) <= 10


def large(count, window):
    random = np.random.default_rng(7)
    found = [x, y]
    for n in range(count):
        one, other = (found[-1 - int(i)] for i in random.integers(min(window, len(found)), size=2))
        found.append(tensor.exp(one) if n % 3 == 0 else one + other if n % 3 == 1 else tensor.maximum(one * 2.5, other))
    return FunctionGraph([x, y], found[2:])


@pytest.mark.parametrize("count", [300, 1000])
def test_large_graphs(count):
    graph = large(count, 40)
    made = picture(graph)
    assert made.svg.count('class="op"') - 1 == len(graph.apply_nodes) >= count  # one is in the legend
    assert made.width < 40 * count and made.height < 60 * count


def test_a_long_chain():
    out = x
    for _ in range(1000):
        out = out + x * y
    made = picture(out)
    assert made.width < 20_000 and len(made.svg) < 3_000_000


def test_colours_of_both_schemes():
    svg = picture(tensor.exp(x)).svg
    used = set(re.findall(r"var\(--([\w-]+)\)", svg))
    light, dark = svg.split("@media (prefers-color-scheme:dark)")
    for scheme in (light, dark):
        assert used <= set(re.findall(r"--([\w-]+):#", scheme))


def test_reductions_are_called_by_their_names_and_axes():
    m = tensor.dmatrix("m")
    svg = picture([m.sum(axis=0), m.max(), m.prod(axis=(0, 1))])._repr_svg_()
    assert ">sum axis=0<" in svg and ">max axis=(0, 1)<" in svg and ">prod axis=(0, 1)<" in svg


if __name__ == "__main__":
    example().save(DOCS / "picture.svg")
