/* What all loops share: their inputs, their outputs, and the axes of a loop. */
/* ---- arrays of loops --------------------------------------------------------------------------------------------- */

OPW_INLINE int opw_same_dims(const opw_operand *operand, int ndim, const npy_intp *dims)
{
    int i;
    if (operand->ndim != ndim)
        return 0;
    for (i = 0; i < ndim; i++)
        if (operand->dims[i] != dims[i])
            return 0;
    return 1;
}

OPW_INLINE int opw_has_dims(PyArrayObject *array, int ndim, const npy_intp *dims)
{
    opw_operand operand = opw_operand_of(array);
    return opw_same_dims(&operand, ndim, dims);
}

/* Whether elements lie one behind the other, the last axis innermost. */
static int opw_in_c_order(const opw_operand *operand)
{
    npy_intp apart = operand->size;
    int i;
    if (operand->array)
        return PyArray_IS_C_CONTIGUOUS(operand->array);
    for (i = operand->ndim - 1; i >= 0; i--) {
        if (operand->dims[i] != 1 && operand->strides[i] != apart)
            return 0;
        apart *= operand->dims[i];
    }
    return 1;
}

/* Axes of a loop, outermost first: of each its size, the operands' axis that it was, and its stride for each operand. */
typedef struct {
    int n, operands;
    npy_intp dims[OPW_MAX_DIMS];
    int axis[OPW_MAX_DIMS];
    npy_intp strides[OPW_MAX_DIMS][OPW_MAX_OPERANDS];
} opw_axes;

static npy_intp opw_size(npy_intp stride) { return stride < 0 ? -stride : stride; }

/* Whether the strides of the first `deciding` operands say that axis a should lie inside of axis b: 1, 0, or -1 where none
   says anything. Where they differ, C order wins, as in NumPy. */
static int opw_inside(const opw_axes *axes, int deciding, int a, int b)
{
    int k, inside = -1;
    for (k = 0; k < deciding; k++) {
        npy_intp s = opw_size(axes->strides[a][k]), t = opw_size(axes->strides[b][k]);
        if (s && t && t <= s)
            return 0;
        if (s && t)
            inside = 1;
    }
    return inside;
}

static void opw_swap_axes(opw_axes *axes, int a, int b)
{
    npy_intp dim = axes->dims[a], stride;
    int axis = axes->axis[a], k;
    axes->dims[a] = axes->dims[b];
    axes->dims[b] = dim;
    axes->axis[a] = axes->axis[b];
    axes->axis[b] = axis;
    for (k = 0; k < axes->operands; k++) {
        stride = axes->strides[a][k];
        axes->strides[a][k] = axes->strides[b][k];
        axes->strides[b][k] = stride;
    }
}

/* Puts the axes into the order of memory, from the innermost on, each inside of those that have a say and lie outside of it;
   an axis of size 1 must have strides of 0, which say nothing. The order is NumPy's. */
static void opw_order_axes(opw_axes *axes, int deciding)
{
    int i, j;
    for (i = axes->n - 2; i >= 0; i--) {
        int place = i;
        for (j = i + 1; j < axes->n; j++) {
            int inside = opw_inside(axes, deciding, i, j);
            if (!inside)
                break;
            if (inside > 0)
                place = j;
        }
        for (j = i; j < place; j++)
            opw_swap_axes(axes, j, j + 1);
    }
}

/* Drops axes of size 1, and makes one axis of neighbours that lie in memory as one. */
static void opw_join_axes(opw_axes *axes)
{
    int i, k, n = 0;
    for (i = 0; i < axes->n; i++) {
        if (axes->dims[i] == 1)
            continue;
        for (k = 0; n && k < axes->operands; k++)
            if (axes->strides[n - 1][k] != axes->strides[i][k] * axes->dims[i])
                break;
        if (n && k == axes->operands)
            axes->dims[i] *= axes->dims[--n];
        if (n != i)
            opw_swap_axes(axes, n, i);
        n++;
    }
    axes->n = n;
}

/* To the first position of the axes before `last`: few, where all there may be would take longer than a short loop. */
static void opw_rewind(npy_intp *at, int last)
{
    if (last > 0)
        memset(at, 0, sizeof(*at) * (size_t)last);
}

/* Steps to the next position of the axes before `last`; zero: there is none. */
static int opw_next(const opw_axes *axes, int last, npy_intp *at, char **p)
{
    int i, k;
    for (i = last - 1; i >= 0; i--) {
        if (++at[i] < axes->dims[i]) {
            for (k = 0; k < axes->operands; k++)
                p[k] += axes->strides[i][k];
            return 1;
        }
        at[i] = 0;
        for (k = 0; k < axes->operands; k++)
            p[k] -= axes->strides[i][k] * (axes->dims[i] - 1);
    }
    return 0;
}

/* Goes to the n-th position of the axes before `last`, from the first. */
static void opw_seek(const opw_axes *axes, int last, npy_intp n, npy_intp *at, char **p)
{
    int i, k;
    for (i = last - 1; i >= 0; i--) {
        at[i] = n % axes->dims[i];
        n /= axes->dims[i];
        for (k = 0; k < axes->operands; k++)
            p[k] += axes->strides[i][k] * at[i];
    }
}

int opw_fits(PyObject *object, int number, int ndim)
{
    PyArrayObject *array = (PyArrayObject *)object;
    return object && PyArray_Check(object) && PyArray_NDIM(array) == ndim && PyArray_ISBEHAVED_RO(array) &&
           (PyArray_TYPE(array) == number || PyArray_EquivTypenums(PyArray_TYPE(array), number)) &&
           opw_is_masked(object) == 0;
}

int opw_not_taken(const char *label, PyObject *object, int number, int ndim)
{
    PyObject *dtype;
    if (PyErr_Occurred())
        return 1;
    dtype = (PyObject *)PyArray_DescrFromType(number);
    if (dtype && object && PyArray_Check(object))
        PyErr_Format(PyExc_TypeError, "%s.c_extract took an array of dtype %S and ndim %d, or one that is misaligned or masked; its "
                     "c_array promises dtype %S and ndim %d, aligned, in native byte order", label,
                     (PyObject *)PyArray_DESCR((PyArrayObject *)object), PyArray_NDIM((PyArrayObject *)object), dtype, ndim);
    else if (dtype)
        PyErr_Format(PyExc_TypeError, "%s.c_extract took %s; its c_array promises an array of dtype %S and ndim %d", label,
                     object ? Py_TYPE(object)->tp_name : "nothing", dtype, ndim);
    Py_XDECREF(dtype);
    return 1;
}

/* Where the arrays of a loop's operands are: in slots of a call's frame, or, where there is none, as listed. Two words: they go
   in registers. */
typedef struct {
    char *frame;
    union { const uint32_t *slots; PyArrayObject **const *list; } at;
} opw_places;

static inline opw_places opw_in_slots(char *frame, const uint32_t *slots)
{
    opw_places places;
    places.frame = frame;
    places.at.slots = slots;
    return places;
}

OPW_INLINE PyArrayObject **opw_place(opw_places places, int i)
{
    return places.frame ? &OPW_ARRAY(places.frame + places.at.slots[i]) : places.at.list[i];
}

/* The same from operand n on. */
static inline opw_places opw_places_from(opw_places places, int n)
{
    if (places.frame)
        places.at.slots += n;
    else
        places.at.list += n;
    return places;
}

/* Puts another array into a place. Takes the reference; NULL is an error. */
OPW_INLINE int opw_put_array(PyArrayObject **place, PyArrayObject *array)
{
    PyArrayObject *old = *place;
    if (!array)
        return 1;
    *place = array;
    Py_XDECREF(old); /* release the storage that does not fit (owned) */
    return 0;
}

/* Whether an array is somebody's besides a call's, which has it twice at most: given to be written into. What a call has from the one
   before is nobody's, and is taken where it lies as a new one would: how results lie hangs on no earlier call. */
OPW_INLINE int opw_is_anothers(PyArrayObject *array) { return Py_REFCNT(array) > 2; }

/* Puts a new array into a place; strides NULL: in C order. */
static int opw_make_array(PyArrayObject **place, int ndim, const npy_intp *dims, const npy_intp *strides, int type)
{
    Py_INCREF(opw_dtypes[type]); /* NumPy takes it */
    return opw_put_array(place, (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, opw_dtypes[type], ndim, (npy_intp *)dims,
                                                                      (npy_intp *)strides, NULL, 0, NULL));
}

/* Makes the output in a place an array of this shape: what is there, or a new one in C order. */
static int opw_fit_output(PyArrayObject **place, int ndim, const npy_intp *dims, int type)
{
    if (*place && opw_has_dims(*place, ndim, dims) && (PyArray_IS_C_CONTIGUOUS(*place) || opw_is_anothers(*place)))
        return 0;
    return opw_make_array(place, ndim, dims, NULL, type);
}
