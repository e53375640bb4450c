"""Pictures of graphs: SVG for notebooks and files, drawn here, with nothing to install."""

from __future__ import annotations

from typing import Any

from opweld.errors import _what
from opweld.picture.collect import collect
from opweld.picture.draw import draw

__all__ = ["Picture", "picture"]


class Picture:
    """A drawn graph; a notebook shows it.

    Attributes
    ----------
    svg : str
        The text of the picture: one ``<svg>`` element.
    width, height : int
        In pixels.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> picture = opweld.picture.picture(T.exp(x))
    >>> picture.svg.startswith("<svg"), picture.width > 0
    (True, True)
    """

    def __init__(self, svg: str, width: int, height: int) -> None:
        self.svg = svg
        self.width = width
        self.height = height

    def save(self, file: Any) -> None:
        """Write the picture.

        Parameters
        ----------
        file : str, os.PathLike, or file
            Where to; a name ends in ``.svg``.

        Raises
        ------
        ValueError
            If the name ends in something else.
        """
        if hasattr(file, "write"):
            file.write(self.svg)
            return
        from os import fspath

        try:
            name = fspath(file)
        except TypeError:
            raise TypeError(f"picture: file must be a name or a file, got {_what(file)}") from None
        if not str(name).endswith(".svg"):
            raise ValueError(f"picture: pictures are SVG, so the name must end in .svg, got {name!r}")
        with open(name, "w", encoding="utf-8") as opened:
            opened.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<picture of a graph, {self.width} by {self.height} pixels; .save(file) writes SVG>"


def picture(graph: object, file: object = None) -> Picture:
    """Draw a graph.

    Each operation is shown with dtype and shape of what it computes, and where in the user's code it was made; inputs,
    constants, shared values and results differ in shape and colour; views and what is written over are marked. Of a
    function, the nodes of each loop lie on one ground, as `opweld.fusion` tells of them; of one that was made with
    ``profile=True`` and called, each node shows the share of the time that its step has taken. The rest is shown where
    the pointer rests.

    Parameters
    ----------
    graph : Function, FunctionGraph, Variable, Apply, or a list of those
        What to draw. Of a function, the graph that runs, with each node's place in the order of execution.
    file : str, os.PathLike or file, optional
        Where the picture is written too, as SVG.

    Returns
    -------
    Picture
        A notebook shows it; ``.save(file)`` writes it.

    Raises
    ------
    TypeError
        If there is nothing to draw in `graph`.
    ValueError
        If the graph has a cycle, or the name of `file` does not end in ``.svg``.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> made = opweld.picture.picture(opweld.function([x], T.exp(x).sum()))
    >>> made.svg.startswith("<svg")
    True
    """
    made = Picture(*draw(collect(graph)))
    if file is not None:
        made.save(file)
    return made
