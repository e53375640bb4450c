"""Where does the water run? Rivers from a grid of elevations, on matplotlib's sample of the Appalachian Mountains.

Priority-Flood (Barnes, Lehman and Mulla, Computers & Geosciences 62, 2014): flood the land from its rim, lowest cell
first. Each cell drains to the cell from which the flood reached it, hollows fill up to where they spill over, and taken
in reverse the order of the flood adds up how many cells drain through each. Every step needs the one before it: a loop
for C, two outputs, memory of its own, and bad data that only shows at run time.

    $ python drainage.py rivers.png
"""

from __future__ import annotations

import heapq
import sys

import numpy as np

import opweld
from opweld import Apply, COp
from opweld.tensor import TensorType, as_tensor_variable


class Drainage(COp):
    """From a matrix of elevations: the land with its hollows filled, and the number of cells that drain through each.

    Outputs
    -------
    filled : matrix of the input's dtype
        The lowest surface, nowhere below the input, from which every cell drains to the rim.
    area : int64 matrix
        How many cells drain through a cell, itself included.

    Raises
    ------
    ValueError
        Where an elevation is NaN.
    """

    __props__ = ()

    def make_node(self, elevation):
        elevation = as_tensor_variable(elevation)
        dtype = np.dtype(elevation.type.dtype)
        if elevation.type.ndim != 2:
            raise TypeError(f"Drainage: elevation must have 2 dimensions, got {elevation.type.ndim}")
        if dtype.kind not in "iuf" or dtype == np.float16:
            raise TypeError(
                f"Drainage: elevation has dtype {dtype}; it takes integers, float32, float64 and longdouble: "
                "convert with elevation.astype('float32') first"
            )
        shape = elevation.type.shape
        return Apply(self, [elevation], [TensorType(dtype.name, shape)(), TensorType("int64", shape)()])

    def perform(self, node, inputs, output_storage):
        (elevation,) = inputs
        rows, columns = elevation.shape
        filled = elevation.copy()
        area = np.ones(elevation.shape, dtype=np.int64)
        reached = np.zeros(elevation.shape, dtype=bool)
        parent, order, heap, count = {}, [], [], 0

        for i in range(rows):
            for j in range(columns):
                if np.isnan(elevation[i, j]):
                    raise ValueError(f"Drainage: elevation[{i}, {j}] is NaN")
                if i in (0, rows - 1) or j in (0, columns - 1):
                    reached[i, j] = True
                    heapq.heappush(heap, (elevation[i, j], count, i, j))
                    count += 1
        while heap:
            level, _, i, j = heapq.heappop(heap)
            order.append((i, j))
            for k in range(max(i - 1, 0), min(i + 2, rows)):
                for m in range(max(j - 1, 0), min(j + 2, columns)):
                    if not reached[k, m]:
                        reached[k, m] = True
                        parent[k, m] = (i, j)
                        filled[k, m] = max(elevation[k, m], level)
                        heapq.heappush(heap, (filled[k, m], count, k, m))
                        count += 1
        for cell in reversed(order):
            if cell in parent:
                area[parent[cell]] += area[cell]
        output_storage[0][0], output_storage[1][0] = filled, area

    def c_support_code_apply(self, node, name):
        height = f"npy_{node.inputs[0].type.dtype}"
        return f"""
            /* A cell the flood has reached. Of two at one level the earlier goes first, so there are no ties. */
            typedef struct {{
                {height} level;
                npy_intp count, cell;
            }} front_{name};

            static inline bool before_{name}(const front_{name} *a, const front_{name} *b)
            {{
                return a->level < b->level || (a->level == b->level && a->count < b->count);
            }}

            /* heap has room for one more than size. */
            static void push_{name}(front_{name} *heap, npy_intp size, front_{name} item)
            {{
                npy_intp at = size;
                while (at > 0 && before_{name}(&item, &heap[(at - 1) / 2])) {{
                    heap[at] = heap[(at - 1) / 2];
                    at = (at - 1) / 2;
                }}
                heap[at] = item;
            }}

            /* size > 0; afterwards the heap holds size - 1. */
            static front_{name} pop_{name}(front_{name} *heap, npy_intp size)
            {{
                const front_{name} first = heap[0], item = heap[--size];
                npy_intp at = 0;
                for (;;) {{
                    npy_intp child = 2 * at + 1;
                    if (child >= size) break;
                    if (child + 1 < size && before_{name}(&heap[child + 1], &heap[child])) child++;
                    if (!before_{name}(&heap[child], &item)) break;
                    heap[at] = heap[child];
                    at = child;
                }}
                heap[at] = item;
                return first;
            }}

            #define AT_{name}(T, a, i, j) (*(T *)PyArray_GETPTR2(a, i, j))

            /* Returns 0, or -1 with an exception set; frees what it takes on either way. */
            static int flood_{name}(PyArrayObject *land, PyArrayObject *filled, PyArrayObject *area)
            {{
                const npy_intp rows = PyArray_DIM(land, 0), columns = PyArray_DIM(land, 1), cells = rows * columns;
                npy_intp waiting = 0, count = 0, done = 0;
                int status = -1;
                /* PyMem_New refuses sizes that overflow. */
                front_{name} *heap = PyMem_New(front_{name}, cells);
                npy_intp *parent = PyMem_New(npy_intp, cells);
                npy_intp *order = PyMem_New(npy_intp, cells);
                npy_bool *reached = PyMem_New(npy_bool, cells);

                if (heap == NULL || parent == NULL || order == NULL || reached == NULL) {{
                    PyErr_NoMemory();
                    goto release;
                }}
                for (npy_intp i = 0; i < rows; i++)
                    for (npy_intp j = 0; j < columns; j++) {{
                        const npy_intp cell = i * columns + j;
                        const {height} level = AT_{name}(const {height}, land, i, j);
                        if (level != level) {{
                            PyErr_Format(PyExc_ValueError, "Drainage: elevation[%zd, %zd] is NaN",
                                         (Py_ssize_t)i, (Py_ssize_t)j);
                            goto release;
                        }}
                        AT_{name}({height}, filled, i, j) = level;
                        AT_{name}(npy_int64, area, i, j) = 1;
                        parent[cell] = -1;
                        reached[cell] = i == 0 || j == 0 || i == rows - 1 || j == columns - 1;
                        if (reached[cell]) push_{name}(heap, waiting++, (front_{name}){{level, count++, cell}});
                    }}
                while (waiting > 0) {{
                    const front_{name} from = pop_{name}(heap, waiting--);
                    const npy_intp i = from.cell / columns, j = from.cell % columns;
                    order[done++] = from.cell;
                    for (npy_intp k = i > 0 ? i - 1 : 0; k <= i + 1 && k < rows; k++)
                        for (npy_intp m = j > 0 ? j - 1 : 0; m <= j + 1 && m < columns; m++) {{
                            const npy_intp cell = k * columns + m;
                            {height} *level = &AT_{name}({height}, filled, k, m);
                            if (reached[cell]) continue;
                            reached[cell] = 1;
                            parent[cell] = from.cell;
                            if (*level < from.level) *level = from.level;
                            push_{name}(heap, waiting++, (front_{name}){{*level, count++, cell}});
                        }}
                }}
                while (done > 0) {{
                    const npy_intp cell = order[--done], to = parent[cell];
                    if (to >= 0)
                        AT_{name}(npy_int64, area, to / columns, to % columns) +=
                            AT_{name}(npy_int64, area, cell / columns, cell % columns);
                }}
                status = 0;
            release:
                PyMem_Free(heap);
                PyMem_Free(parent);
                PyMem_Free(order);
                PyMem_Free(reached);
                return status;
            }}
        """

    def c_code(self, node, name, input_names, output_names, sub):
        (land,), outputs = input_names, output_names
        make = "".join(
            f"""
            if ({z} == NULL || !PyArray_SAMESHAPE({z}, {land})) {{
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(2, PyArray_DIMS({land}), type_num_{z}, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            """
            for z in outputs
        )
        filled, area = outputs
        return make + f"if (flood_{name}({land}, {filled}, {area}) < 0) {sub['fail']}"

    def c_code_cache_version(self):
        return (1,)


drainage = Drainage()


def sample() -> np.ndarray:
    """Elevations in metres, int16, 344 x 403: the Jacksboro fault in Tennessee, as matplotlib ships it."""
    from matplotlib.cbook import get_sample_data

    with get_sample_data("jacksboro_fault_dem.npz") as data:
        return data["elevation"]


def draw(elevation: np.ndarray, area: np.ndarray, path: str) -> None:
    """A PNG of the shaded land beside the rivers that the op found in it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.colors import LightSource

    shade = LightSource(azdeg=315, altdeg=45).hillshade(elevation.astype(float), vert_exag=0.1)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 5.4), layout="constrained")
    left.imshow(shade, cmap="gray")
    left.set_title(f"input: elevation, {elevation.min()} to {elevation.max()} m")
    right.imshow(shade, cmap="gray", alpha=0.35)
    rivers = np.ma.masked_less(np.log10(area), 1.5)
    image = right.imshow(rivers, cmap="Blues", vmin=0.5)
    right.set_title("output: cells that drain through each cell")
    figure.colorbar(image, ax=right, label="log10(cells)", shrink=0.8)
    for axes in (left, right):
        axes.set_axis_off()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "rivers.png"
    land = sample()
    elevation = TensorType(land.dtype.name, (None, None))("elevation")
    f = opweld.function([elevation], drainage(elevation))
    filled, area = f(land)
    raised = int(np.count_nonzero(filled > land))
    print(f"{land.size} cells, {raised} of them in hollows; the largest river drains {area.max()}: {path}")
    draw(land, area, path)


if __name__ == "__main__":
    main()
