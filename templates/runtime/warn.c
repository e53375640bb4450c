/* Floating point that NumPy would speak of: whether a call has met any. Python then says which node it was. */
/* ---- remarks about floating point ---------------------------------------------------------------------------------- */

/* The processor's status word is only asked whether there is anything to look for: it may hold what belongs to no element, where
   a compiler computes both sides of a choice. What is said, Python decides, from the call's arguments and values. */
#include "floats.h"

/* NumPy's names for what np.errstate is about. */
enum { OPW_DIVIDE = 1, OPW_OVER = 2, OPW_UNDER = 4, OPW_INVALID = 8 };

#ifdef OPW_MET
/* feclearexcept and fetestexcept without what the x87 unit has, where only long doubles are computed: a few cycles. */
static inline void opw_forget_floats(int wide)
{
    unsigned int word = _mm_getcsr();
    if (word & OPW_MET)
        _mm_setcsr(word & ~(unsigned int)OPW_MET);
    if (wide)
        (void)feclearexcept(FE_ALL_EXCEPT);
}

static inline int opw_met_floats(int wide)
{
    unsigned int word = _mm_getcsr() & OPW_MET;
    return (int)word | (wide ? fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT) : 0);
}

#else
static inline void opw_forget_floats(int wide)
{
    (void)wide;
    if (fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID))
        (void)feclearexcept(FE_ALL_EXCEPT);
}

static inline int opw_met_floats(int wide)
{
    (void)wide;
    return fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
}
#endif

/* The status word, in NumPy's bits. */
static int opw_floats_word(void)
{
    int word = fetestexcept(FE_ALL_EXCEPT);
    return (word & FE_DIVBYZERO ? OPW_DIVIDE : 0) | (word & FE_OVERFLOW ? OPW_OVER : 0) | (word & FE_UNDERFLOW ? OPW_UNDER : 0) |
           (word & FE_INVALID ? OPW_INVALID : 0);
}

/* The values that the call has read: its arguments, then shared ones. A new tuple, or NULL. */
static PyObject *opw_values_read(const opw_code *code, char *frame)
{
    const opw_program *p = code->program;
    PyObject *values = PyTuple_New((Py_ssize_t)p->arguments);
    uint32_t i;
    for (i = 0; values && i < p->arguments; i++) {
        char *slot = opw_argument_slot(frame, code, (Py_ssize_t)i);
        PyObject *value = OPW_PY(slot);
        Py_INCREF(value);
        PyTuple_SET_ITEM(values, (Py_ssize_t)i, value);
    }
    return values;
}

/* Has Python look at a call that has succeeded. Non-zero: an exception is set. */
OPW_APART static int opw_remark(opw_function *self, char *frame)
{
    int word = opw_floats_word();
    PyObject *values = opw_values_read(self->code, frame), *none = NULL;
    opw_forget_floats(1);
    if (values)
        none = PyObject_CallFunction(self->remark, "iOO", word, values, (PyObject *)self);
    Py_XDECREF(values);
    Py_XDECREF(none);
    return !none;
}
