"""Where boxes and lines lie: layers from top to bottom, few crossings, short lines. Knows no graph and no SVG."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["Box", "Link", "Segment", "arrange"]

_BESIDE = 26.0  # between boxes of a layer
_LINES = 12.0  # between a line that passes and what is beside it
_BELOW = 46.0  # between layers
_SWEEPS = 8
_PASSES = 20
_PULL = 0.15  # of the middle, in lines: without it, long chains wander off


@dataclass
class Box:
    """Something with a place.

    Attributes
    ----------
    width, height : float
        In pixels.
    x, y : float
        Centre, and upper edge; `arrange` sets them.
    layer : int
        Its layer; `arrange` sets it.
    passing : bool
        A place that a long line passes, not a box.
    """

    width: float
    height: float
    passing: bool = False
    x: float = 0.0
    y: float = 0.0
    layer: int = 0
    above: list[tuple[int, float, float]] = field(default_factory=list)  # box, offset there, offset here
    below: list[tuple[int, float, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Link:
    """A line that is wanted, from a box's lower edge to another's upper edge, at offsets from their centres."""

    source: int
    target: int
    out: float = 0.0
    into: float = 0.0


@dataclass(frozen=True)
class Segment:
    """A piece of a line: between neighbouring layers.

    Attributes
    ----------
    x0, y0, bend, x1, y1 : float
        It leaves downwards from (x0, y0), bends from height `bend` on, and arrives from above at (x1, y1).
    link : int or None
        The one link that it is a piece of; None: several links share it.
    ends : bool
        It ends that link.
    """

    x0: float
    y0: float
    bend: float
    x1: float
    y1: float
    link: int | None
    ends: bool


def arrange(boxes: Sequence[Box], links: Sequence[Link]) -> tuple[float, float, list[Segment]]:
    """Give boxes their places.

    Parameters
    ----------
    boxes : sequence of Box
        Sources before what they are linked to. Their places are set.
    links : sequence of Link
        Between them.

    Returns
    -------
    width, height : float
        Of the whole; the upper left corner is (0, 0).
    segments : list of Segment
        The lines. Links from one place of a box run together as far as they can.
    """
    if not boxes:
        return 0.0, 0.0, []
    _set_layers(boxes, links)
    everything = list(boxes)
    pieces = _through_layers(everything, links)
    layers: list[list[int]] = [[] for _ in range(max(box.layer for box in boxes) + 1)]
    for i, box in enumerate(everything):
        layers[box.layer].append(i)
    _order(everything, layers)
    width = _across(everything, layers)
    bottoms, height = _down(everything, layers)
    segments = []
    for source, target, out, into, link in pieces:
        upper, lower = everything[source], everything[target]
        y0 = upper.y if upper.passing else upper.y + upper.height
        bend = bottoms[upper.layer]
        segments.append(Segment(upper.x + out, y0, bend, lower.x + into, lower.y, link, not lower.passing))
    return width, height, segments


def _set_layers(boxes: Sequence[Box], links: Sequence[Link]) -> None:
    """Each box lies below all that is linked to it, and else just above the first that it leads to: lines are short."""
    leads: list[list[int]] = [[] for _ in boxes]
    for link in links:
        leads[link.source].append(link.target)
    for box in boxes:
        box.layer = 0
    for box, targets in zip(boxes, leads):
        for target in targets:
            boxes[target].layer = max(boxes[target].layer, box.layer + 1)
    for box, targets in zip(reversed(boxes), reversed(leads)):
        if targets:
            box.layer = min([boxes[target].layer for target in targets]) - 1


def _through_layers(boxes: list[Box], links: Sequence[Link]) -> list[tuple[int, int, float, float, int | None]]:
    """Cut links into pieces between neighbouring layers; places that they pass are added to the boxes."""
    ways: dict[tuple[int, float], list[tuple[int, int]]] = {}  # of what begins in one place: layer of the end, number
    for number, link in enumerate(links):
        ways.setdefault((link.source, link.out), []).append((boxes[link.target].layer, number))
    pieces: list[tuple[int, int, float, float, int | None]] = []
    trunks: dict[tuple[int, float], list[int]] = {}
    for (source, out), ends in ways.items():
        trunk = trunks[source, out] = [source]
        ends.sort()
        second = ends[-2][0] if len(ends) > 1 else -1
        for layer in range(boxes[source].layer + 1, ends[-1][0]):
            boxes.append(Box(0.0, 0.0, True, layer=layer))
            here = len(boxes) - 1
            alone = ends[-1][1] if second <= layer else None
            pieces.append((trunk[-1], here, out if trunk[-1] == source else 0.0, 0.0, alone))
            trunk.append(here)
    for number, link in enumerate(links):
        trunk = trunks[link.source, link.out]
        steps = boxes[link.target].layer - boxes[link.source].layer - 1
        start = trunk[steps]
        pieces.append((start, link.target, link.out if steps == 0 else 0.0, link.into, number))
    for source, target, out, into, _ in pieces:
        boxes[source].below.append((target, into, out))
        boxes[target].above.append((source, out, into))
    return pieces


def _order(boxes: list[Box], layers: list[list[int]]) -> None:
    """Sort each layer by where its neighbours lie, down and up, and keep what crosses least."""
    place = [0.0] * len(boxes)
    for layer in layers:
        for n, i in enumerate(layer):
            place[i] = float(n)
    best, fewest = [list(layer) for layer in layers], _crossings(boxes, layers, place)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            keys = {}
            for i in layer:
                near = boxes[i].above if down else boxes[i].below
                keys[i] = sum([place[j] + at / 1000 for j, at, _ in near]) / len(near) if near else place[i]
            layer.sort(key=keys.__getitem__)
            for n, i in enumerate(layer):
                place[i] = float(n)
        found = _crossings(boxes, layers, place)
        if found < fewest:
            best, fewest = [list(layer) for layer in layers], found
        if not fewest:
            break
    for layer, kept in zip(layers, best):
        layer[:] = kept
        for n, i in enumerate(layer):
            place[i] = float(n)
    _swap(boxes, layers, place)


def _swap(boxes: list[Box], layers: list[list[int]], place: list[float]) -> None:
    """Let neighbours in a layer change places where fewer of their lines cross then."""
    for _ in range(_SWEEPS):
        swapped = False
        for layer in layers:
            for n, (one, other) in enumerate(pairwise(list(layer))):
                one = layer[n]  # who has come here by a swap
                if _crossed(boxes, place, other, one) < _crossed(boxes, place, one, other):
                    layer[n], layer[n + 1] = other, one
                    place[one], place[other] = float(n + 1), float(n)
                    swapped = True
        if not swapped:
            return


def _crossed(boxes: list[Box], place: list[float], left: int, right: int) -> int:
    """How often the lines of two neighbours cross one another's."""
    total = 0
    for one, other in ((boxes[left].above, boxes[right].above), (boxes[left].below, boxes[right].below)):
        if one and other:
            ends = sorted([place[i] + at / 1000 for i, at, _ in other])
            total += sum([bisect_left(ends, place[i] + at / 1000 - 1e-9) for i, at, _ in one])
    return total


def _crossings(boxes: list[Box], layers: list[list[int]], place: list[float]) -> int:
    """How often pieces of lines cross."""
    total = 0
    for layer in layers[1:]:
        ends = sorted(
            (place[i] + here / 1000, place[j] + there / 1000) for i in layer for j, there, here in boxes[i].above
        )
        seen: list[float] = []
        for _, x in ends:
            total += len(seen) - bisect_left(seen, x + 1e-9)
            insort(seen, x)
    return total


def _across(boxes: list[Box], layers: list[list[int]]) -> float:
    """Set x: near the neighbours, in the order that was found, nothing over another; 0 is the middle, at first."""
    for layer in layers:
        x = 0.0
        for n, i in enumerate(layer):
            x += _apart(boxes, layer[n - 1], i) if n else 0.0
            boxes[i].x = x
        for i in layer:
            boxes[i].x -= x / 2
    for n in range(_PASSES):
        down = n % 2 == 0
        last = n >= _PASSES - 2
        for layer in layers if down else reversed(layers):
            wanted, weights = [], []
            for i in layer:
                box = boxes[i]
                near = box.above + box.below if last else (box.above if down else box.below)
                near = near or box.above or box.below
                pull = 0.0 if box.passing else _PULL
                middle = sum([boxes[j].x + at - own for j, at, own in near])
                wanted.append(middle / (len(near) + pull) if near else box.x)
                weights.append(30.0 if box.passing else 1.0 if near else 0.1)
            _settle(boxes, layer, wanted, weights)
    left = min(box.x - box.width / 2 for box in boxes)
    for box in boxes:
        box.x = round(box.x - left, 1)
    return max(box.x + box.width / 2 for box in boxes)


def _apart(boxes: list[Box], one: int, other: int) -> float:
    """How far apart the centres of neighbours in a layer must be."""
    gap = _LINES if boxes[one].passing or boxes[other].passing else _BESIDE
    return (boxes[one].width + boxes[other].width) / 2 + gap


def _settle(boxes: list[Box], layer: list[int], wanted: list[float], weights: list[float]) -> None:
    """Put a layer as near to where its boxes want to be as their widths allow: least squares, neighbours pooled."""
    offsets = [0.0]
    for one, other in pairwise(layer):
        offsets.append(offsets[-1] + _apart(boxes, one, other))
    pools: list[list[float]] = []  # mean of what is wanted less the offset, weight, number of boxes
    for want, weight, offset in zip(wanted, weights, offsets):
        pools.append([want - offset, weight, 1])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            mean, weight_, count = pools.pop()
            before = pools[-1]
            both = before[1] + weight_
            pools[-1] = [(before[0] * before[1] + mean * weight_) / both, both, before[2] + count]
    n = 0
    for mean, _, count in pools:
        for _ in range(int(count)):
            boxes[layer[n]].x = mean + offsets[n]
            n += 1


def _down(boxes: list[Box], layers: list[list[int]]) -> tuple[list[float], float]:
    """Set y; where each layer ends, and the whole."""
    y, bottoms = 0.0, []
    for layer in layers:
        bottom = y + max([boxes[i].height for i in layer], default=0.0)
        for i in layer:
            boxes[i].y = y
        bottoms.append(bottom)
        y = bottom + _BELOW
    return bottoms, bottoms[-1]
