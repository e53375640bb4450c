/* Reading and writing parts of arrays, by slices, numbers and arrays of numbers; arrays that are filled. */

#section support_code
/* A part of an array: what a view would have. */
typedef struct {
    int ndim;
    npy_intp dims[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    char *data;
} pt_part;

/* Takes one element along an axis. */
static inline int pt_part_at(pt_part *part, PyArrayObject *x, int axis, npy_intp at)
{
    const npy_intp size = PyArray_DIM(x, axis);
    at += at < 0 ? size : 0;
    if (at < 0 || at >= size) {
        PyErr_SetString(PyExc_IndexError, "index out of bounds");
        return -1;
    }
    part->data += at * PyArray_STRIDE(x, axis);
    return 0;
}

/* Takes a slice along an axis; given: 1, 2, 4, where start, stop and step are. */
static inline int pt_part_slice(pt_part *part, PyArrayObject *x, int axis, int given, npy_intp start, npy_intp stop, npy_intp step)
{
    const npy_intp size = PyArray_DIM(x, axis);
    npy_intp n;
    if (!(given & 4)) step = 1;
    if (step == 0) {
        PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
        return -1;
    }
    if (!(given & 1)) start = step < 0 ? size - 1 : 0;
    else if (start < 0 && (start += size) < 0) start = step < 0 ? -1 : 0;
    else if (start >= size) start = step < 0 ? size - 1 : size;
    if (!(given & 2)) stop = step < 0 ? -1 : size;
    else if (stop < 0 && (stop += size) < 0) stop = step < 0 ? -1 : 0;
    else if (stop >= size) stop = step < 0 ? size - 1 : size;
    if (step < 0) n = stop < start ? (start - stop - 1) / -(step + 1 < 0 ? step : -1) + 1 : 0;
    else n = start < stop ? (stop - start - 1) / step + 1 : 0;
    part->dims[part->ndim] = n;
    part->strides[part->ndim++] = PyArray_STRIDE(x, axis) * step;
    if (n) part->data += start * PyArray_STRIDE(x, axis);
    return 0;
}

static inline void pt_part_whole(pt_part *part, PyArrayObject *x, int axis)
{
    part->dims[part->ndim] = PyArray_DIM(x, axis);
    part->strides[part->ndim++] = PyArray_STRIDE(x, axis);
}

/* How y is walked that is broadcast to a part; where it cannot be, NumPy says so. */
static inline int pt_part_spread(const pt_part *part, PyArrayObject *x, PyArrayObject *y, npy_intp *strides)
{
    const int before = part->ndim - PyArray_NDIM(y);
    int i;
    for (i = 0; i < part->ndim; i++) {
        const npy_intp size = i < before ? 1 : PyArray_DIM(y, i - before);
        strides[i] = size == 1 ? 0 : PyArray_STRIDE(y, i - before);
        if (size != 1 && size != part->dims[i]) {
            PyArray_Descr *dtype = PyArray_DESCR(x);
            PyArrayObject *view;
            Py_INCREF(dtype);
            view = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, dtype, part->ndim, (npy_intp *)part->dims,
                                                         (npy_intp *)part->strides, part->data, NPY_ARRAY_WRITEABLE, NULL);
            if (view != NULL && PyArray_CopyInto(view, y) == 0)
                PyErr_SetString(PyExc_ValueError, "operands could not be broadcast together");
            Py_XDECREF(view);
            return -1;
        }
    }
    return 0;
}

/* The array that is written: x itself, or a copy. */
static inline int pt_part_of(PyArrayObject **out, PyArrayObject *x, int itself)
{
    PyArrayObject *made = x;
    if (itself && *out == x) return 0;
    if (itself) Py_INCREF(made);
    else if ((made = (PyArrayObject *)PyArray_NewCopy(x, NPY_ANYORDER)) == NULL) return -1;
    Py_XDECREF(*out);
    *out = made;
    return 0;
}

/* Walks a part, innermost axis at one go: a statement of `to` and `from`, pointers to elements. */
#define PT_PART_LOOP(name, T, statement)                                                                              \
    static inline void name(const pt_part *part, const char *read, const npy_intp *step)                                     \
    {                                                                                                                  \
        npy_intp at[NPY_MAXDIMS], k;                                                                                   \
        const int last = part->ndim - 1;                                                                               \
        const npy_intp n = last < 0 ? 1 : part->dims[last], t = last < 0 ? 0 : part->strides[last],                    \
                       f = last < 0 ? 0 : step[last];                                                                  \
        char *written = part->data;                                                                                    \
        int axis;                                                                                                      \
        for (axis = 0; axis <= last; axis++)                                                                           \
            if (at[axis] = 0, !part->dims[axis]) return;                                                               \
        for (;;) {                                                                                                     \
            for (k = 0; k < n; k++) {                                                                                  \
                T *to = (T *)(void *)(written + k * t);                                                                \
                const T *from = (const T *)(const void *)(read + k * f);                                               \
                statement;                                                                                             \
            }                                                                                                          \
            for (axis = last - 1; axis >= 0; axis--) {                                                                 \
                written += part->strides[axis], read += step[axis];                                                    \
                if (++at[axis] < part->dims[axis]) break;                                                              \
                written -= at[axis] * part->strides[axis], read -= at[axis] * step[axis], at[axis] = 0;                \
            }                                                                                                          \
            if (axis < 0) return;                                                                                      \
        }                                                                                                              \
    }

/* The array that holds n rows of x. */
static inline int pt_gathered(PyArrayObject **out, PyArrayObject *x, npy_intp n)
{
    npy_intp dims[NPY_MAXDIMS];
    int i;
    dims[0] = n;
    for (i = 1; i < PyArray_NDIM(x); i++) dims[i] = PyArray_DIM(x, i);
    if (*out == NULL || !PyArray_IS_C_CONTIGUOUS(*out) || !PyArray_ISWRITEABLE(*out) ||
        !PyArray_CompareLists(PyArray_DIMS(*out), dims, PyArray_NDIM(x))) {
        PyArrayObject *made = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(x), dims, PyArray_TYPE(x));
        if (made == NULL) return -1;
        Py_XDECREF(*out);
        *out = made;
    }
    return 0;
}

static inline int pt_no_row(npy_intp at, npy_intp rows)
{
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", (Py_ssize_t)at, (Py_ssize_t)rows);
    return -1;
}

/* Eight elements of eight bytes that numbers below `rows`, at most eight, name: all of them lie in one register. The numbers are
   bytes. Gives how many it has written. */
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
typedef npy_int64 pt_eight __attribute__((vector_size(64), aligned(8), may_alias));
static inline npy_intp pt_of_eight(void *to, const void *from, npy_intp rows, const void *numbers, npy_intp n)
{
    const pt_eight none = {0}, each = {0, 8, 16, 24, 32, 40, 48, 56};
    pt_eight all = none;
    npy_int64 eight;
    npy_intp k;
    memcpy(&all, from, (size_t)rows * 8);
    for (k = 0; k < n / 8; k++) {
        memcpy(&eight, (const char *)numbers + 8 * k, 8);
        ((pt_eight *)to)[k] = __builtin_shuffle(all, (eight | none) >> each); /* of which the lowest three bits count */
    }
    return k * 8;
}
#else
static inline npy_intp pt_of_eight(void *to, const void *from, npy_intp rows, const void *numbers, npy_intp n)
{
    (void)to, (void)from, (void)rows, (void)numbers, (void)n;
    return 0;
}
#endif

/* Rows of x, of T each, by numbers of I; known: the least and the largest number are known, and no row is asked for that is not there. */
#define PT_GATHER(name, T, I)                                                                                         \
    static inline int name(PyArrayObject **out, PyArrayObject *x, PyArrayObject *index, int known, npy_intp least, npy_intp most) \
    {                                                                                                                  \
        const npy_intp n = PyArray_DIM(index, 0), rows = PyArray_DIM(x, 0), by = PyArray_STRIDE(index, 0);             \
        const char *from = PyArray_BYTES(x), *number = PyArray_BYTES(index);                                           \
        npy_intp k, size = 1;                                                                                          \
        int i, close = 1;                                                                                              \
        if (pt_gathered(out, x, n)) return -1;                                                                        \
        for (i = PyArray_NDIM(x) - 1; i > 0; i--) {                                                                    \
            close &= PyArray_DIM(x, i) == 1 || PyArray_STRIDE(x, i) == size * PyArray_ITEMSIZE(x);                     \
            size *= PyArray_DIM(x, i);                                                                                 \
        }                                                                                                              \
        if (known && n && (least < -rows || most >= rows)) return pt_no_row(most >= rows ? most : least, rows);       \
        if (PyArray_NDIM(x) == 1) {                                                                                    \
            const npy_intp step = PyArray_STRIDE(x, 0);                                                                \
            T *to = (T *)PyArray_DATA(*out);                                                                           \
            if (known && least >= 0 && by == sizeof(I) && step == sizeof(T)) {                                         \
                const I *numbers = (const I *)(const void *)number;                                                    \
                const T *all = (const T *)(const void *)from;                                                          \
                k = sizeof(T) == 8 && sizeof(I) == 1 && rows <= 8 ? pt_of_eight(to, all, rows, numbers, n) : 0;        \
                for (; k < n; k++) to[k] = all[numbers[k]];                                                            \
                return 0;                                                                                              \
            }                                                                                                          \
            for (k = 0; k < n; k++) {                                                                                  \
                npy_intp at = (npy_intp)*(const I *)(const void *)(number + k * by);                                   \
                if (at < 0) at += rows;                                                                                \
                if ((npy_uintp)at >= (npy_uintp)rows) return pt_no_row(*(const I *)(const void *)(number + k * by), rows); \
                to[k] = *(const T *)(const void *)(from + at * step);                                                  \
            }                                                                                                          \
            return 0;                                                                                                  \
        }                                                                                                              \
        if (!close) {                                                                                                  \
            PyObject *found = PyArray_TakeFrom(x, (PyObject *)index, 0, NULL, NPY_RAISE);                              \
            if (found == NULL) return -1;                                                                              \
            Py_DECREF(*out);                                                                                           \
            *out = (PyArrayObject *)found;                                                                             \
            return 0;                                                                                                  \
        }                                                                                                              \
        for (k = 0; k < n; k++) {                                                                                      \
            npy_intp at = (npy_intp)*(const I *)(const void *)(number + k * by);                                       \
            if (at < 0) at += rows;                                                                                    \
            if ((npy_uintp)at >= (npy_uintp)rows) return pt_no_row(*(const I *)(const void *)(number + k * by), rows); \
            memcpy(PyArray_BYTES(*out) + k * size * (npy_intp)sizeof(T), from + at * PyArray_STRIDE(x, 0), (size_t)size * sizeof(T)); \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

#define PT_NOT_BROADCAST                                                                                              \
    "Runtime broadcasting not allowed. AdvancedIncSubtensor1 was asked to broadcast the second input (y) along a dimension "  \
    "that was not marked as broadcastable. If broadcasting was intended, use `specify_broadcastable` on the relevant "  \
    "dimension(s)."

/* Few places that many numbers are added to: four sums for each, of which none waits for the number before. -0.0 adds nothing to -0.0. */
#define PT_FEW 64
#define PT_SUMS(name, T, I)                                                                                           \
    static inline void name(T *places, npy_intp rows, const T *from, const I *numbers, npy_intp n)                     \
    {                                                                                                                  \
        T sums[PT_FEW][4];                                                                                             \
        npy_intp k;                                                                                                    \
        int i;                                                                                                         \
        for (k = 0; k < rows; k++)                                                                                     \
            for (i = 0; i < 4; i++) sums[k][i] = (T)-0.0;                                                              \
        for (k = 0; sizeof(I) == 1 && k + 8 <= n; k += 8) {                                                            \
            npy_uint64 eight; /* numbers, read at once: what is loaded is what takes the time */                       \
            memcpy(&eight, numbers + k, 8);                                                                            \
            for (i = 0; i < 8; i++) sums[eight >> 8 * i & 255][i & 3] += from[k + i];                                  \
        }                                                                                                              \
        for (; k + 4 <= n; k += 4)                                                                                     \
            for (i = 0; i < 4; i++) sums[numbers[k + i]][i] += from[k + i];                                            \
        for (; k < n; k++) sums[numbers[k]][0] += from[k];                                                             \
        for (k = 0; k < rows; k++) places[k] += (T)((T)(sums[k][0] + sums[k][1]) + (T)(sums[k][2] + sums[k][3]));      \
    }

/* Adds to the elements of out, of T each, those of y, or puts them there, by numbers of I; known: as for gathering; few: how many are
   added to few places. */
#define PT_SCATTER(name, T, I, statement, few)                                                                             \
    static inline int name(PyArrayObject *out, PyArrayObject *y, PyArrayObject *index, int known, npy_intp least, npy_intp most) \
    {                                                                                                                  \
        const npy_intp n = PyArray_DIM(index, 0), rows = PyArray_DIM(out, 0), by = PyArray_STRIDE(index, 0),           \
                       step = PyArray_STRIDE(out, 0), from_step = PyArray_STRIDE(y, 0);                                \
        const char *number = PyArray_BYTES(index), *read = PyArray_BYTES(y);                                           \
        char *written = PyArray_BYTES(out);                                                                            \
        npy_intp k;                                                                                                    \
        if (PyArray_DIM(y, 0) != n) {                                                                                  \
            if (PyArray_DIM(y, 0) == 1)                                                                                \
                PyErr_SetString(PyExc_ValueError, PT_NOT_BROADCAST);                                                  \
            else                                                                                                       \
                PyErr_Format(PyExc_ValueError,                                                                         \
                             "AdvancedIncSubtensor1: Shapes of second input (y) and indices do not match: %zd, %zd",   \
                             (Py_ssize_t)PyArray_DIM(y, 0), (Py_ssize_t)n);                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
        if (known && n && (least < -rows || most >= rows)) return pt_no_place(most >= rows ? most : least, rows);     \
        if (known && least >= 0 && by == sizeof(I) && step == sizeof(T) && from_step == sizeof(T)) {                   \
            const I *numbers = (const I *)(const void *)number;                                                        \
            const T *all = (const T *)(const void *)read;                                                              \
            T *places = (T *)(void *)written;                                                                          \
            if (rows <= PT_FEW && n >= 8 * rows) {                                                                     \
                few;                                                                                                   \
            }                                                                                                          \
            for (k = 0; k < n; k++) {                                                                                  \
                T *to = places + numbers[k];                                                                           \
                const T *from = all + k;                                                                               \
                statement;                                                                                             \
            }                                                                                                          \
            return 0;                                                                                                  \
        }                                                                                                              \
        for (k = 0; k < n; k++) {                                                                                      \
            npy_intp at = (npy_intp)*(const I *)(const void *)(number + k * by);                                       \
            if (at < 0) at += rows;                                                                                    \
            if ((npy_uintp)at >= (npy_uintp)rows)                                                                      \
                return pt_no_place(*(const I *)(const void *)(number + k * by), rows);                                \
            {                                                                                                          \
                T *to = (T *)(void *)(written + at * step);                                                            \
                const T *from = (const T *)(const void *)(read + k * from_step);                                       \
                statement;                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

static inline int pt_no_place(npy_intp at, npy_intp rows)
{
    PyErr_Format(PyExc_IndexError, "index %zd out of bounds for array with shape %zd", (Py_ssize_t)at, (Py_ssize_t)rows);
    return -1;
}

/* An array of a shape, the one that is there if it has it. */
static inline int pt_made(PyArrayObject **out, int ndim, npy_intp *dims, int type)
{
    PyArrayObject *made;
    if (*out != NULL && PyArray_ISWRITEABLE(*out) && PyArray_IS_C_CONTIGUOUS(*out) &&
        PyArray_CompareLists(PyArray_DIMS(*out), dims, ndim))
        return 0;
    if ((made = (PyArrayObject *)PyArray_SimpleNew(ndim, dims, type)) == NULL) return -1;
    Py_XDECREF(*out);
    *out = made;
    return 0;
}

/* The array that holds others, one behind the other along an axis. */
static inline int pt_joined(PyArrayObject **out, PyArrayObject **arrays, int n, int axis)
{
    const int ndim = PyArray_NDIM(arrays[0]);
    npy_intp dims[NPY_MAXDIMS];
    int i, k;
    memcpy(dims, PyArray_DIMS(arrays[0]), (size_t)ndim * sizeof *dims);
    for (k = 1; k < n; k++) {
        for (i = 0; i < ndim; i++)
            if (i != axis && PyArray_DIM(arrays[k], i) != dims[i]) {
                PyErr_Format(PyExc_ValueError,
                             "all the input array dimensions except for the concatenation axis must match exactly, but along "
                             "dimension %d, the array at index 0 has size %zd and the array at index %d has size %zd",
                             i, (Py_ssize_t)dims[i], k, (Py_ssize_t)PyArray_DIM(arrays[k], i));
                return -1;
            }
        dims[axis] += PyArray_DIM(arrays[k], axis);
    }
    return pt_made(out, ndim, dims, PyArray_TYPE(arrays[0]));
}

/* Writes arrays, of T each, one behind the other along an axis. */
#define PT_JOIN(name, put)                                                                                            \
    static inline int name(PyArrayObject **out, PyArrayObject **arrays, int n, int axis)                              \
    {                                                                                                                  \
        npy_intp outer = 1, whole, o;                                                                                  \
        char *at;                                                                                                      \
        int i, k;                                                                                                      \
        if (pt_joined(out, arrays, n, axis)) return -1;                                                                \
        for (i = 0; i < axis; i++) outer *= PyArray_DIM(*out, i);                                                      \
        if (!PyArray_SIZE(*out)) return 0;                                                                             \
        whole = PyArray_NBYTES(*out) / outer;                                                                          \
        at = PyArray_BYTES(*out);                                                                                      \
        for (k = 0; k < n; k++) {                                                                                      \
            const npy_intp bytes = PyArray_NBYTES(arrays[k]) / outer;                                                  \
            if (PyArray_IS_C_CONTIGUOUS(arrays[k])) {                                                                  \
                for (o = 0; o < outer; o++)                                                                            \
                    memcpy(at + o * whole, PyArray_BYTES(arrays[k]) + o * bytes, (size_t)bytes);                       \
            } else {                                                                                                   \
                pt_part part;                                                                                          \
                part.data = at;                                                                                        \
                part.ndim = PyArray_NDIM(*out);                                                                        \
                memcpy(part.dims, PyArray_DIMS(arrays[k]), (size_t)part.ndim * sizeof *part.dims);                     \
                memcpy(part.strides, PyArray_STRIDES(*out), (size_t)part.ndim * sizeof *part.strides);                 \
                put(&part, PyArray_BYTES(arrays[k]), PyArray_STRIDES(arrays[k]));                                      \
            }                                                                                                          \
            at += bytes;                                                                                               \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
