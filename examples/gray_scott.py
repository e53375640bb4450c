"""Gray and Scott's reaction: spots, stripes and mazes out of two chemicals, on a map of all the mixtures at once.

One chemical, U, is fed; the other, V, eats it (U + 2V -> 3V), is taken away, and spreads half as fast (Pearson, Science
261, 1993). From left to right more of V is killed, from top to bottom more of U is fed: two vectors, broadcast.

A graph of tensors with an op of one's own in it. What is kept between the calls are two shared variables, which
each call updates. Two functions use them: one makes a step, the other a picture.

    $ python gray_scott.py patterns.png graph.svg
"""

from __future__ import annotations

import struct
import sys
import zlib

import numpy as np

import opweld
import opweld.tensor as T
from opweld import Apply, COp
from opweld.picture import picture
from opweld.scalar import expr

SIZE = 256
SPREAD_U, SPREAD_V = np.float32(0.16), np.float32(0.08)


class Laplacian(COp):
    """The four neighbours' sum less four times the middle, for every element that has four neighbours.

    NumPy walks over the array five times for that, and makes four arrays on the way.
    """

    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x, ndim=2)
        if x.dtype not in ("float32", "float64"):
            raise TypeError(
                f"Laplacian: x has dtype {x.dtype}; it takes float32 and float64: convert with astype first"
            )
        sizes = [None if size is None else max(size - 2, 0) for size in x.type.shape]
        return Apply(self, [x], [T.TensorType(x.dtype, sizes)()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        output_storage[0][0] = laplacian_in_numpy(x)

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (y,), fail = input_names, output_names, sub["fail"]
        return f"""
            npy_intp size[2] = {{PyArray_DIM({x}, 0) - 2, PyArray_DIM({x}, 1) - 2}};
            if (size[0] < 0) size[0] = 0;
            if (size[1] < 0) size[1] = 0;
            if ({y} == NULL || PyArray_DIM({y}, 0) != size[0] || PyArray_DIM({y}, 1) != size[1]
                || !PyArray_IS_C_CONTIGUOUS({y})) {{
                Py_XDECREF({y});
                {y} = (PyArrayObject *)PyArray_EMPTY(2, size, type_num_{y}, 0);
                if ({y} == NULL) {fail}
            }}
            {{
                const npy_intp down = PyArray_STRIDE({x}, 0), right = PyArray_STRIDE({x}, 1);
                dtype_{y} *to = (dtype_{y} *)PyArray_DATA({y});
                /* The element that lies k bytes from where the pointer is. */
                #define AT(k) (*(const dtype_{x} *)(at + (k)))
                for (npy_intp i = 0; i < size[0]; i++) {{
                    const char *at = PyArray_BYTES({x}) + (i + 1) * down + right;
                    if (right == (npy_intp)sizeof(dtype_{x}))
                        for (npy_intp j = 0; j < size[1]; j++, at += sizeof(dtype_{x}))
                            *to++ = AT(-down) + AT(down) + AT(-(npy_intp)sizeof(dtype_{x})) + AT(sizeof(dtype_{x}))
                                    - 4 * AT(0);
                    else
                        for (npy_intp j = 0; j < size[1]; j++, at += right)
                            *to++ = AT(-down) + AT(down) + AT(-right) + AT(right) - 4 * AT(0);
                }}
                #undef AT
            }}
        """

    def c_code_cache_version(self):
        return (1,)


laplacian = Laplacian()

#: What changes in one step, element by element: two results of one loop.
react = expr(
    """
    eaten = u*v*v
    a*du - eaten + feed*(1 - u), b*dv + eaten - (feed + kill)*v
    """,
    args=["u", "v", "du", "dv", "feed", "kill", "a", "b"],
)


class Dish:
    """The state, as shared variables, and the functions that use it.

    Parameters
    ----------
    size : int
        Rows and columns. The outermost stay as they are: full of U, without V.
    """

    def __init__(self, size: int = SIZE) -> None:
        u, v = start(size)
        self.u, self.v = opweld.shared(u, "u"), opweld.shared(v, "v")

    def step(self) -> opweld.Function:
        """A function of a column and a row that makes a step and gives V after it."""
        feed, kill = T.fcol("feed"), T.frow("kill")
        u, v = self.u[1:-1, 1:-1], self.v[1:-1, 1:-1]
        du, dv = react(u, v, laplacian(self.u), laplacian(self.v), feed[1:-1], kill[:, 1:-1], SPREAD_U, SPREAD_V)
        after = T.inc_subtensor(v, dv)
        updates = [(self.u, T.inc_subtensor(u, du)), (self.v, after)]
        return opweld.function([feed, kill], after, updates=updates, name="step")

    def look(self) -> opweld.Function:
        """A function that gives the picture, uint8 (rows, columns, 3): an index into the colours for each element."""
        shade = 255 * (self.v / 0.35).clip(0, 1)
        return opweld.function([], T.constant(colours())[T.cast(shade, "uint8")], name="look")


class InNumPy:
    """The same steps in NumPy: calls take and give what the function of `Dish.step` does."""

    def __init__(self, size: int = SIZE) -> None:
        self.u, self.v = start(size)

    def __call__(self, feed: np.ndarray, kill: np.ndarray) -> list[np.ndarray]:
        u, v, feed, kill = self.u[1:-1, 1:-1], self.v[1:-1, 1:-1], feed[1:-1], kill[:, 1:-1]
        du, dv = laplacian_in_numpy(self.u), laplacian_in_numpy(self.v)
        eaten = u * v * v
        du, dv = SPREAD_U * du - eaten + feed * (1 - u), SPREAD_V * dv + eaten - (feed + kill) * v
        u += du
        v += dv
        return [self.v.copy()]


def laplacian_in_numpy(x: np.ndarray) -> np.ndarray:
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


def start(size: int) -> tuple[np.ndarray, np.ndarray]:
    """U everywhere, and drops of V here and there; float32."""
    u, v = np.ones((size, size), "float32"), np.zeros((size, size), "float32")
    for i, j in np.random.default_rng(5).integers(1, max(size - 4, 2), (size * size // 400, 2)):
        u[i : i + 3, j : j + 3], v[i : i + 3, j : j + 3] = 0.5, 0.5
    u[[0, -1]], u[:, [0, -1]], v[[0, -1]], v[:, [0, -1]] = 1, 1, 0, 0
    return u, v


def mixtures(size: int = SIZE) -> tuple[np.ndarray, np.ndarray]:
    """How much is fed, a column, and how much is killed, a row."""
    feed, kill = np.linspace(0.016, 0.066, size), np.linspace(0.056, 0.0655, size)
    return feed.astype("float32")[:, None], kill.astype("float32")[None]


def colours() -> np.ndarray:
    """256 colours from dark blue over green to sand; uint8, (256, 3)."""
    stops = [(10, 16, 48), (20, 82, 110), (58, 150, 110), (190, 205, 110), (250, 240, 210)]
    at = np.linspace(0, len(stops) - 1, 256)
    channels = [np.interp(at, range(len(stops)), channel) for channel in zip(*stops, strict=True)]
    return np.stack(channels, axis=1).astype("uint8")


def save(image: np.ndarray, path: str) -> None:
    """Write a PNG: three bytes a pixel, no filter."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, columns, _ = image.shape
    lines = np.zeros((rows, 1 + 3 * columns), "uint8")  # each line begins with the number of its filter, 0
    lines[:, 1:] = image.reshape(rows, -1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))
        file.write(chunk(b"IDAT", zlib.compress(lines.tobytes())) + chunk(b"IEND", b""))


def draw(patterns: str, graph: str, steps: int = 4000, size: int = SIZE) -> np.ndarray:
    """Make the steps; write what came of them as a PNG, and the graph that ran as an SVG."""
    dish = Dish(size)
    step, (feed, kill) = dish.step(), mixtures(size)
    for _ in range(steps):
        step(feed, kill)
    save(dish.look()(), patterns)
    picture(step, graph)
    return dish.v.get_value()


def main() -> None:
    patterns = sys.argv[1] if len(sys.argv) > 1 else "patterns.png"
    graph = sys.argv[2] if len(sys.argv) > 2 else "graph.svg"
    v = draw(patterns, graph)
    print(f"V is in {np.count_nonzero(v > 0.1)} of {v.size} places: {patterns}; the graph: {graph}")


if __name__ == "__main__":
    main()
