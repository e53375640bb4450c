/* Results without dimensions as scalars of NumPy's; the array in which one was made stays with the instance. */
/* ---- scalars ------------------------------------------------------------------------------------------------------ */

/* Where the value lies: in each class of numbers right behind the head of the object. */
#define OPW_SCALAR_VALUE(scalar) ((void *)((char *)(scalar) + offsetof(PyDoubleScalarObject, obval)))
static_assert(offsetof(PyByteScalarObject, obval) == offsetof(PyDoubleScalarObject, obval) &&
               offsetof(PyHalfScalarObject, obval) == offsetof(PyDoubleScalarObject, obval) &&
               offsetof(PyCFloatScalarObject, obval) == offsetof(PyDoubleScalarObject, obval) &&
               offsetof(PyCLongDoubleScalarObject, obval) == offsetof(PyDoubleScalarObject, obval), "scalars of one layout");

/* A scalar whose value is to be written; of bool, of which there are two in all, there is none such. NULL: an exception is set. */
OPW_INLINE PyObject *opw_new_scalar(int number)
{
    PyTypeObject *kind = opw_dtypes[number]->typeobj;
    return kind->tp_alloc(kind, 0);
}

/* The value of an array without dimensions. A new reference, or NULL. */
static PyObject *opw_scalar_of(PyArrayObject *array)
{
    int number = PyArray_TYPE(array);
    PyObject *made;
    if (number == NPY_BOOL || number >= OPW_DTYPES || PyArray_DESCR(array) != opw_dtypes[number])
        return PyArray_Scalar(PyArray_DATA(array), PyArray_DESCR(array), (PyObject *)array);
    if ((made = opw_new_scalar(number)))
        memcpy(OPW_SCALAR_VALUE(made), PyArray_DATA(array), (size_t)PyArray_ITEMSIZE(array));
    return made;
}

/* A result as the caller gets it, whose reference it takes. NULL: an exception is set. */
static PyObject *opw_returned(const opw_program *p, Py_ssize_t i, PyObject *value)
{
    PyObject *scalar;
    if (!p->result_table[i].scalar || !PyArray_CheckExact(value) || PyArray_NDIM((PyArrayObject *)value))
        return value;
    scalar = opw_scalar_of((PyArrayObject *)value);
    Py_DECREF(value); /* release the array that the scalar was made of (owned) */
    return scalar;
}

/* Offers each result that becomes a scalar the array in which the last one was made. */
OPW_INLINE void opw_offer_kept_results(char *frame, const opw_code *code)
{
    const opw_program *p = code->program;
    uint32_t i;
    for (i = 0; i < p->results; i++)
        if (p->result_table[i].scalar)
            OPW_ARRAY(frame + code->result_offsets[i]) = (PyArrayObject *)opw_take_kept(frame, p->kept + i);
}

/* The same as opw_returned, of what a step left in its slot. */
OPW_INLINE PyObject *opw_hand(char *frame, const opw_code *code, uint32_t i)
{
    PyArrayObject **place = &OPW_ARRAY(frame + code->result_offsets[i]), *made = *place;
    PyObject *scalar;
    if (!code->program->result_table[i].scalar)
        return (PyObject *)made;
    if (!(scalar = opw_scalar_of(made)))
        return NULL;
    *place = NULL;
    opw_keep(frame, code->program->kept + i, (PyObject *)made);
    return scalar;
}
