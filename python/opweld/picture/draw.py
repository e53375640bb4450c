"""A scene as SVG. Colours follow the reader's light or dark scheme; nothing outside the text is needed."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from opweld.picture.collect import Edge, Item, Scene
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
    "views": "#0284c7", "destroys": "#dc2626", "heat": "#f97316",
}  # fmt: skip
_DARK = {
    "ground": "#0f172a", "text": "#e2e8f0", "muted": "#94a3b8", "line": "#64748b", "op": "#1e293b", "edge": "#64748b",
    "input": "#0c3a55", "input-edge": "#38bdf8", "constant": "#27303f", "constant-edge": "#64748b",
    "shared": "#4a3208", "shared-edge": "#fbbf24", "output": "#35245e", "output-edge": "#a78bfa",
    "views": "#38bdf8", "destroys": "#f87171", "heat": "#fb923c",
}  # fmt: skip
_LOOPS = ("#bbf7d0", "#fbcfe8", "#fde68a", "#a5f3fc", "#ddd6fe", "#fed7aa")  # in turn
_LOOPS_DARK = ("#14532d", "#6b1a45", "#5b4a0a", "#155e75", "#43308a", "#7c2d12")
_LEGEND = {
    "input": "input", "constant": "constant", "shared": "shared value", "op": "operation", "python": "runs in Python",
    "output": "result", "reads": "reads", "views": "is a view of", "destroys": "writes over",
    "heat": "share of the time",
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
        f"<style>{_style(_loops(scene), _measured(scene))}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="10"/>',
    ]
    if scene.title:
        parts.append(f'<text class="head" x="{_n(_MARGIN)}" y="{_n(_MARGIN + 10)}">{escape(scene.title)}</text>')
    parts.append(f'<g transform="translate({_n(left)} {_n(top)})">')
    parts += [_band(scene.edges[s.link], s) for s in segments if s.link is not None and scene.edges[s.link].loops]
    parts += [_halo(item.loops, box) for item, box in zip(scene.items, boxes) if item.loops]
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
_HEAT = (".heat{stroke:none}",)
_BANDS = (".band{fill:none}", ".halo{stroke:none}", ".in{font-size:9px;text-anchor:end}")


def _style(loops: dict[int, list[int]], measured: bool) -> str:
    """The style sheet; its rules hold inside this picture only. Plain colours: not every viewer knows CSS variables."""
    light, dark = (
        _rules(
            [
                *_colours(of),
                *([f".heat{{fill:{of['heat']}}}"] if measured else []),
                *[f".loop{n}{{fill:{turn[n]};stroke:{turn[n]}}}" for n in loops],
            ]
        )
        for of, turn in ((_LIGHT, _LOOPS), (_DARK, _LOOPS_DARK))
    )
    return (
        light
        + f"@media (prefers-color-scheme:dark){{{dark}}}"
        + _rules(_SHAPES + (_BANDS if loops else ()) + (_HEAT if measured else ()))
    )


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


def _measured(scene: Scene) -> bool:
    return any(item.share is not None for item in scene.items)


def _loops(scene: Scene) -> dict[int, list[int]]:
    """The loops that are drawn, by their colours' places."""
    found: dict[int, list[int]] = {}
    for loop in sorted({loop for item in scene.items for loop in item.loops}):
        found.setdefault(loop % len(_LOOPS), []).append(loop)
    return found


def _label(loops: Iterable[int]) -> str:
    return f"loop {', '.join(map(str, loops))}"


def _box(item: Item) -> Box:
    """How large an item is."""
    widths = [len(item.title) * _TITLE + (len(str(item.place)) * 9 + 9 if item.place is not None else 0)]
    if item.loops:
        widths[0] += len(_label(item.loops)) * 9 + 28
    widths += [len(line) * _DETAIL for line in item.lines]
    widths.append(len(item.where) * _SMALL)
    height = (
        14
        + 16
        + 15 * len(item.lines)
        + (14 if item.where else 0)
        + (6 if item.share is not None else 0)
        + (8 if item.kind == "shared" else 0)
    )
    width = max(widths) * _WIDE + (34 if item.kind in ("input", "output") else 24)
    width = max(width, 15.0 * max(item.nin, item.nout) + 16)
    return Box(round(width), float(height))


def _port(width: float, position: int, count: int) -> float:
    """Where a line ends at an edge of a box, from its middle."""
    return 0.0 if count < 2 else round((position + 0.5) / count * (width - 20) - (width - 20) / 2, 1)


def _rank(scene: Scene, segment: Segment) -> int:
    """Marked lines lie above plain ones."""
    return 0 if segment.link is None or scene.edges[segment.link].kind == "reads" else 1


def _way(segment: Segment, y1: float) -> str:
    """A line down to a height."""
    x0, x1 = segment.x0, segment.x1
    path = f"M{_n(x0)} {_n(segment.y0)}"
    if segment.bend > segment.y0:
        path += f"V{_n(segment.bend)}"
    middle = (segment.bend + y1) / 2
    return path + (f"V{_n(y1)}" if x0 == x1 else f"C{_n(x0)} {_n(middle)} {_n(x1)} {_n(middle)} {_n(x1)} {_n(y1)}")


def _band(edge: Edge, segment: Segment) -> str:
    """What lies behind a line inside of a loop; of several loops side by side, the first outermost."""
    path = _way(segment, segment.y1)
    wide = [20 - 8 * min(n, 2) for n in range(len(edge.loops))]
    return "".join([
        f'<path class="loop{loop % len(_LOOPS)} band" stroke-width="{width}" d="{path}"/>'
        for loop, width in zip(edge.loops, wide)
    ])  # fmt: skip


def _halo(loops: tuple[int, ...], box: Box) -> str:
    """What lies behind a node of a loop, or of several, the first outermost."""
    parts = []
    for n, loop in enumerate(loops):
        rim = 11 - 4 * min(n, 2)
        x, y, width, height = box.x - box.width / 2 - rim, box.y - rim, box.width + 2 * rim, box.height + 2 * rim
        place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        parts.append(f'<rect class="loop{loop % len(_LOOPS)} halo" {place} rx="{7 + rim}"/>')
    return "".join(parts)


def _segment(scene: Scene, segment: Segment) -> str:
    edge = None if segment.link is None else scene.edges[segment.link]
    kind = "" if edge is None or edge.kind == "reads" else " " + edge.kind
    path = _way(segment, segment.y1 - (5 if segment.ends else 0))
    line = f'<path class="line{kind}" d="{path}"'
    if not segment.ends or edge is None:
        return line + "/>"
    head = f"M{_n(segment.x1)} {_n(segment.y1)}l-4 -7h8z"
    return f'<g><title>{escape(edge.tip)}</title>{line}/><path class="tip{kind.replace(" ", " tip-")}" d="{head}"/></g>'


def _item(item: Item, box: Box) -> str:
    x, y, width, height = box.x - box.width / 2, box.y, box.width, box.height
    parts = [f"<g><title>{escape(item.tip)}</title>", _shape(item, x, y, width, height)]
    if item.share is not None:  # a bar at the foot of the box: as wide as its share
        bar = f'x="{_n(x + 7)}" y="{_n(y + height - 6)}" width="{_n(item.share * (width - 14))}" height="4" rx="2"'
        parts.append(f'<rect class="heat" {bar}/>')
    baseline = y + 7 + 14 + (6 if item.kind == "shared" else 0)
    middle = item.kind != "op"
    at = f'x="{_n(box.x)}" text-anchor="middle"' if middle else f'x="{_n(x + 12)}"'
    parts.append(f'<text class="title" {at} y="{_n(baseline)}">{escape(item.title)}</text>')
    if item.place is not None:
        parts.append(f'<text class="place" x="{_n(x + width - 7)}" y="{_n(y + 13)}">{item.place}</text>')
    if item.loops:
        right = x + width - 7 - (len(str(item.place)) * 9 * _WIDE + 12 if item.place is not None else 0)
        parts.append(f'<text class="in" x="{_n(right)}" y="{_n(y + 13)}">{_label(item.loops)}</text>')
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
    if _measured(scene):
        kinds.add("heat")
    parts, x = [], 0.0
    for kind, text in _LEGEND.items():
        if kind not in kinds:
            continue
        if kind in ("reads", "views", "destroys"):
            marked = "" if kind == "reads" else f" {kind}"
            tip = marked.replace(" ", " tip-")
            parts.append(f'<path class="line{marked}" d="M{_n(x)} 0h22"/>')
            parts.append(f'<path class="tip{tip}" d="M{_n(x + 28)} 0l-7 -4v8z"/>')
        elif kind == "heat":
            parts.append(f'<rect class="heat" x="{_n(x)}" y="-2" width="28" height="4" rx="2"/>')
        else:
            item = Item("op" if kind == "python" else kind, "", python=kind == "python")
            parts.append(_shape(item, x, -8, 28, 16))
        parts.append(f'<text class="detail" x="{_n(x + 34)}" y="4">{text}</text>')
        x += 34 + len(text) * _DETAIL * _WIDE + 18
    for turn, loops in _loops(scene).items():
        text = _label(loops[:3]) + (" …" if len(loops) > 3 else "")
        parts.append(f'<rect class="loop{turn}" x="{_n(x)}" y="-8" width="28" height="16" rx="7"/>')
        parts.append(f'<text class="detail" x="{_n(x + 34)}" y="4">{text}</text>')
        x += 34 + len(text) * _DETAIL * _WIDE + 18
    return parts, max(0.0, x - 18)


def _n(value: float) -> str:
    """A number with one digit behind the point, if any."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text
