"""A scene as SVG. Colours follow the reader's light or dark scheme; nothing outside the text is needed."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from opweld.picture.collect import Item, Scene
from opweld.picture.layout import Box, Link, Segment, arrange

__all__ = ["draw"]

_FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_WIDE = 0.61  # of a character, in its height
_TITLE, _DETAIL, _SMALL = 13.0, 11.5, 10.5
_MARGIN = 22.0
_LIGHT = {
    "ground": "#fbfcfe", "text": "#1e293b", "muted": "#64748b", "line": "#94a3b8", "op": "#ffffff", "edge": "#94a3b8",
    "input": "#e0f2fe", "input-edge": "#0284c7", "constant": "#eef1f5", "constant-edge": "#a8b3c2",
    "shared": "#fef3c7", "shared-edge": "#d97706", "output": "#ede9fe", "output-edge": "#7c3aed",
    "views": "#0284c7", "destroys": "#dc2626",
}  # fmt: skip
_DARK = {
    "ground": "#0f172a", "text": "#e2e8f0", "muted": "#94a3b8", "line": "#64748b", "op": "#1e293b", "edge": "#64748b",
    "input": "#0c3a55", "input-edge": "#38bdf8", "constant": "#27303f", "constant-edge": "#64748b",
    "shared": "#4a3208", "shared-edge": "#fbbf24", "output": "#35245e", "output-edge": "#a78bfa",
    "views": "#38bdf8", "destroys": "#f87171",
}  # fmt: skip
_LEGEND = {
    "input": "input", "constant": "constant", "shared": "shared value", "op": "operation", "python": "runs in Python",
    "output": "result", "reads": "reads", "views": "is a view of", "destroys": "writes over",
}  # fmt: skip


def draw(scene: Scene) -> tuple[str, int, int]:
    """Write a scene as SVG.

    Parameters
    ----------
    scene : Scene
        What to draw.

    Returns
    -------
    svg : str
        One ``<svg>`` element; the same for the same scene.
    width, height : int
        In pixels.
    """
    boxes = [_box(item) for item in scene.items]
    links = [
        Link(
            edge.source,
            edge.target,
            _port(boxes[edge.source].width, edge.out, scene.items[edge.source].nout),
            _port(boxes[edge.target].width, edge.into, scene.items[edge.target].nin),
        )
        for edge in scene.edges
    ]
    wide, high, segments = arrange(boxes, links)
    legend, legend_width = _legend(scene)
    top = _MARGIN + (26.0 if scene.title else 0.0)
    width = int(max(wide, legend_width, len(scene.title) * 15 * _WIDE) + 2 * _MARGIN + 0.5)
    height = int(top + high + 44 + _MARGIN / 2 + 0.5)
    left = (width - wide) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'class="opweld-graph" role="img" font-family="{escape(_FONT)}">',
        f"<title>{escape(scene.title or 'graph')}</title>",
        f"<style>{_style()}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="10"/>',
    ]
    if scene.title:
        parts.append(f'<text class="head" x="{_n(_MARGIN)}" y="{_n(_MARGIN + 10)}">{escape(scene.title)}</text>')
    parts.append(f'<g transform="translate({_n(left)} {_n(top)})">')
    parts += [_segment(scene, segment) for segment in sorted(segments, key=lambda s: _rank(scene, s))]
    parts += [_item(item, box) for item, box in zip(scene.items, boxes)]
    parts.append(f'</g>\n<g transform="translate({_n(_MARGIN)} {_n(top + high + 30)})">')
    parts += [*legend, "</g>\n</svg>\n"]
    return "\n".join(parts), width, height


_SHAPES = (
    ".head{font-size:15px;font-weight:600}",
    f"text{{font-size:{_DETAIL}px}}",
    f".title{{font-size:{_TITLE}px;font-weight:600}}",
    f".where{{font-style:italic;font-size:{_SMALL}px}}",
    ".place{font-size:9px;text-anchor:end}",
    ".python{stroke-dasharray:5 3}",
    ".rim{fill:none}",
    ".line{fill:none;stroke-width:1.4}",
    ".views{stroke-dasharray:5 3}",
    ".destroys{stroke-width:2.4}",
    "g:hover>.op{stroke-width:2}",
)


def _style() -> str:
    """The style sheet; its rules hold inside this picture only. Plain colours: not every viewer knows CSS variables."""
    dark = f"@media (prefers-color-scheme:dark){{{_rules(_colours(_DARK))}}}"
    return _rules(_colours(_LIGHT)) + dark + _rules(_SHAPES)


def _rules(rules: Iterable[str]) -> str:
    return "".join([f".opweld-graph {rule}" for rule in rules])


def _colours(of: dict[str, str]) -> list[str]:
    rules = [f"text{{fill:{of['text']}}}"]
    rules += [f".{name}{{fill:{of['muted']}}}" for name in ("detail", "where", "place")]
    rules += [f".ground{{fill:{of['ground']}}}", f".op{{fill:{of['op']};stroke:{of['line']}}}"]
    for kind in ("input", "constant", "shared", "output"):
        rules.append(f".{kind}{{fill:{of[kind]};stroke:{of[kind + '-edge']}}}")
    rules += [f".line{{stroke:{of['edge']}}}", f".tip{{fill:{of['edge']}}}"]
    for way in ("views", "destroys"):
        rules += [f".{way}{{stroke:{of[way]}}}", f".tip-{way}{{fill:{of[way]}}}"]
    return rules


def _box(item: Item) -> Box:
    """How large an item is."""
    widths = [len(item.title) * _TITLE + (len(str(item.place)) * 9 + 9 if item.place is not None else 0)]
    widths += [len(line) * _DETAIL for line in item.lines]
    widths.append(len(item.where) * _SMALL)
    height = 14 + 16 + 15 * len(item.lines) + (14 if item.where else 0) + (8 if item.kind == "shared" else 0)
    width = max(widths) * _WIDE + (34 if item.kind in ("input", "output") else 24)
    width = max(width, 15.0 * max(item.nin, item.nout) + 16)
    return Box(round(width), float(height))


def _port(width: float, position: int, count: int) -> float:
    """Where a line ends at an edge of a box, from its middle."""
    return 0.0 if count < 2 else round((position + 0.5) / count * (width - 20) - (width - 20) / 2, 1)


def _rank(scene: Scene, segment: Segment) -> int:
    """Marked lines lie above plain ones."""
    return 0 if segment.link is None or scene.edges[segment.link].kind == "reads" else 1


def _segment(scene: Scene, segment: Segment) -> str:
    edge = None if segment.link is None else scene.edges[segment.link]
    kind = "" if edge is None or edge.kind == "reads" else " " + edge.kind
    x0, x1, y1 = segment.x0, segment.x1, segment.y1 - (5 if segment.ends else 0)
    path = f"M{_n(x0)} {_n(segment.y0)}"
    if segment.bend > segment.y0:
        path += f"V{_n(segment.bend)}"
    middle = (segment.bend + y1) / 2
    path += f"V{_n(y1)}" if x0 == x1 else f"C{_n(x0)} {_n(middle)} {_n(x1)} {_n(middle)} {_n(x1)} {_n(y1)}"
    line = f'<path class="line{kind}" d="{path}"'
    if not segment.ends or edge is None:
        return line + "/>"
    head = f"M{_n(x1)} {_n(segment.y1)}l-4 -7h8z"
    return f'<g><title>{escape(edge.tip)}</title>{line}/><path class="tip{kind.replace(" ", " tip-")}" d="{head}"/></g>'


def _item(item: Item, box: Box) -> str:
    x, y, width, height = box.x - box.width / 2, box.y, box.width, box.height
    parts = [f"<g><title>{escape(item.tip)}</title>", _shape(item, x, y, width, height)]
    baseline = y + 7 + 14 + (6 if item.kind == "shared" else 0)
    middle = item.kind != "op"
    at = f'x="{_n(box.x)}" text-anchor="middle"' if middle else f'x="{_n(x + 12)}"'
    parts.append(f'<text class="title" {at} y="{_n(baseline)}">{escape(item.title)}</text>')
    if item.place is not None:
        parts.append(f'<text class="place" x="{_n(x + width - 7)}" y="{_n(y + 13)}">{item.place}</text>')
    for line in item.lines:
        baseline += 15
        parts.append(f'<text class="detail" {at} y="{_n(baseline)}">{escape(line)}</text>')
    if item.where:
        parts.append(f'<text class="where" {at} y="{_n(baseline + 14)}">{escape(item.where)}</text>')
    return "".join([*parts, "</g>"])


def _shape(item: Item, x: float, y: float, width: float, height: float) -> str:
    """The outline: a pill what comes in or goes out, a drum what is shared, a sharp box a constant."""
    place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    if item.kind == "op":
        return f'<rect class="op{" python" if item.python else ""}" {place} rx="7"/>'
    if item.kind == "constant":
        return f'<rect class="constant" {place}/>'
    if item.kind == "shared":
        arc = f"a{_n(width / 2)} 6 0 0 "
        drum = f"M{_n(x)} {_n(y + 6)}{arc}1 {_n(width)} 0v{_n(height - 12)}{arc}1 {_n(-width)} 0z"
        rim = f"M{_n(x)} {_n(y + 6)}{arc}0 {_n(width)} 0"
        return f'<path class="shared" d="{drum}"/><path class="shared rim" d="{rim}"/>'
    outline = f'<rect class="{item.kind}" {place} rx="{_n(min(height / 2, 20))}"/>'
    if item.kind == "output":
        inner = f'x="{_n(x + 3)}" y="{_n(y + 3)}" width="{_n(width - 6)}" height="{_n(height - 6)}"'
        outline += f'<rect class="output rim" {inner} rx="{_n(min(height / 2, 20) - 3)}"/>'
    return outline


def _legend(scene: Scene) -> tuple[list[str], float]:
    """What the shapes and lines mean, as far as they occur."""
    kinds = {item.kind for item in scene.items} | {edge.kind for edge in scene.edges}
    if any(item.python for item in scene.items):
        kinds.add("python")
    parts, x = [], 0.0
    for kind, text in _LEGEND.items():
        if kind not in kinds:
            continue
        if kind in ("reads", "views", "destroys"):
            marked = "" if kind == "reads" else f" {kind}"
            tip = marked.replace(" ", " tip-")
            parts.append(f'<path class="line{marked}" d="M{_n(x)} 0h22"/>')
            parts.append(f'<path class="tip{tip}" d="M{_n(x + 28)} 0l-7 -4v8z"/>')
        else:
            item = Item("op" if kind == "python" else kind, "", python=kind == "python")
            parts.append(_shape(item, x, -8, 28, 16))
        parts.append(f'<text class="detail" x="{_n(x + 34)}" y="4">{text}</text>')
        x += 34 + len(text) * _DETAIL * _WIDE + 18
    return parts, max(0.0, x - 18)


def _n(value: float) -> str:
    """A number with one digit behind the point, if any."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text
