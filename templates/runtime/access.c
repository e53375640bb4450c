/* Views: as arrays of their own, and as what a loop reads. */
/* ---- views -------------------------------------------------------------------------------------------------------- */

/* An integer without dimensions; *large: it is greater than any index, and the greatest of those is given. */
static npy_intp opw_integer(PyArrayObject *number, int *large)
{
    const void *at = PyArray_DATA(number);
    npy_ulonglong natural = 0;
    switch (PyArray_TYPE(number)) {
    case NPY_LONG: return *(const npy_long *)at;
    case NPY_LONGLONG: return (npy_intp)*(const npy_longlong *)at;
    case NPY_INT: return *(const npy_int *)at;
    case NPY_SHORT: return *(const npy_short *)at;
    case NPY_BYTE: return *(const npy_byte *)at;
    case NPY_ULONG: natural = *(const npy_ulong *)at; break;
    case NPY_ULONGLONG: natural = *(const npy_ulonglong *)at; break;
    case NPY_UINT: natural = *(const npy_uint *)at; break;
    case NPY_USHORT: natural = *(const npy_ushort *)at; break;
    default: natural = *(const npy_ubyte *)at; break;
    }
    *large = natural > (npy_ulonglong)NPY_MAX_INTP;
    return *large ? NPY_MAX_INTP : (npy_intp)natural;
}

/* The inputs of a view: as listed, or, of a view that a loop reads, among the group's. told: the numbers themselves, of a view that
   is told what it is. */
typedef struct {
    opw_places places;
    const int32_t *reads;
    const npy_int64 *told;
} opw_inputs;

OPW_INLINE npy_intp opw_number_in(const opw_inputs *inputs, int i, int *large)
{
    return inputs->told ? (npy_intp)inputs->told[i] : opw_integer(*opw_place(inputs->places, inputs->reads ? inputs->reads[i] : i), large);
}

/* Takes one element along an axis of so many elements. Non-zero: it is not there, an exception is set. */
static int opw_take(const opw_cut *cut, const opw_inputs *inputs, npy_intp size, npy_intp stride, opw_operand *view)
{
    int large = 0;
    npy_intp at = opw_number_in(inputs, cut->at, &large);
    if (large)
        PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
    else if (at < -size || at >= size)
        PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %zd", (Py_ssize_t)at, cut->axis, (Py_ssize_t)size);
    else {
        view->data += (at < 0 ? at + size : at) * stride;
        return 0;
    }
    return 1;
}

/* Takes a slice along an axis, whose size and stride it changes. */
static int opw_slice(const opw_cut *cut, const opw_inputs *inputs, npy_intp *size, npy_intp *stride, opw_operand *view)
{
    int large = 0;
    Py_ssize_t step = cut->step ? (Py_ssize_t)opw_number_in(inputs, cut->step, &large) : 1;
    Py_ssize_t start = cut->start ? (Py_ssize_t)opw_number_in(inputs, cut->start, &large) : step < 0 ? PY_SSIZE_T_MAX : 0;
    Py_ssize_t stop = cut->stop ? (Py_ssize_t)opw_number_in(inputs, cut->stop, &large) : step < 0 ? PY_SSIZE_T_MIN : PY_SSIZE_T_MAX;
    if (!step) {
        PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
        return 1;
    }
    if (step < -PY_SSIZE_T_MAX)
        step = -PY_SSIZE_T_MAX; /* it must have a negative */
    *size = (npy_intp)PySlice_AdjustIndices((Py_ssize_t)*size, &start, &stop, step);
    if (*size) {
        view->data += start * *stride;
        *stride *= (npy_intp)step;
    } /* else as NumPy: what is empty points nowhere else */
    return 0;
}

/* Cuts along an axis of the input; size and stride: those of the view's axis. Non-zero: an exception is set. */
static int opw_reach_cut(const opw_cut *cut, const opw_operand *from, const opw_inputs *inputs, npy_intp *size, npy_intp *stride,
                         opw_operand *view)
{
    if (!cut->along)
        return opw_slice(cut, inputs, size, stride, view);
    *size = from->dims[cut->axis] < *size ? from->dims[cut->axis] : *size;
    *stride += from->strides[cut->axis];
    return 0;
}

/* What a view has of an array, without an array of its own; room: for two numbers an axis. Non-zero: an exception is set. */
static int opw_reach(const opw_access *access, const opw_operand *from, const opw_inputs *inputs, npy_intp *room, opw_operand *view)
{
    npy_intp *dims = room, *strides = room + access->ndim;
    int i;
    view->data = from->data;
    view->ndim = access->ndim;
    view->dims = dims;
    view->strides = strides;
    view->size = from->size;
    view->array = NULL;
    for (i = 0; access->ones && i < from->ndim; i++)
        if (access->ones >> i & 1 && from->dims[i] != 1) {
            PyErr_SetString(PyExc_ValueError, "cannot select an axis to squeeze out which has size not equal to one");
            return 1;
        }
    for (i = 0; i < access->ndim; i++) {
        int axis = access->axes[i];
        dims[i] = axis < 0 ? 1 : from->dims[axis];
        strides[i] = axis < 0 ? 0 : from->strides[axis];
    }
    for (i = 0; i < access->cuts; i++) {
        const opw_cut *cut = &access->cut_table[i];
        if (cut->to < 0 ? opw_take(cut, inputs, from->dims[cut->axis], from->strides[cut->axis], view)
                        : opw_reach_cut(cut, from, inputs, &dims[cut->to], &strides[cut->to], view))
            return 1;
    }
    return 0;
}

/* An array of what a view has of another one, which it keeps alive. A new reference, or NULL. */
static PyArrayObject *opw_array_of(const opw_operand *view, PyArrayObject *of)
{
    PyArrayObject *made;
    Py_INCREF(PyArray_DESCR(of)); /* NumPy takes it */
    made = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(of), view->ndim, (npy_intp *)view->dims,
                                                 (npy_intp *)view->strides, view->data, PyArray_FLAGS(of) & NPY_ARRAY_WRITEABLE, NULL);
    if (!made)
        return NULL;
    Py_INCREF(of); /* NumPy takes it, whatever comes of it */
    if (PyArray_SetBaseObject(made, (PyObject *)of) < 0)
        Py_CLEAR(made);
    return made;
}

/* A view as an array. A new reference, or NULL. */
static PyArrayObject *opw_view_array(const opw_access *access, PyArrayObject *of, const opw_inputs *inputs)
{
    npy_intp room[2 * OPW_MAX_DIMS];
    opw_operand from = opw_operand_of(of), view;
    return opw_reach(access, &from, inputs, room, &view) ? NULL : opw_array_of(&view, of);
}

#include "told.c"

int opw_run_view(char *frame, const uint32_t *slots)
{
    const opw_access *access = &OPW_HEAD(frame)->program->access_table[*slots];
    opw_inputs inputs = {opw_in_slots(frame, slots + 1), NULL, NULL};
    PyArrayObject *of = *opw_place(inputs.places, 0);
    PyArrayObject *made = access->axes ? opw_view_array(access, of, &inputs) : opw_told_array(access->ndim, of, *opw_place(inputs.places, 1));
    return opw_put_array(opw_place(inputs.places, access->inputs), made);
}
