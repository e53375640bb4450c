/* Variables of types that hold a reference to an array and do no more: what units would otherwise write for each type. */
#include <assert.h>                /* static_assert */

/* ---- plain types -------------------------------------------------------------------------------------------------- */

#define OPW_NUMBERED(number, value) static_assert((number) == (value), "NumPy numbers " #number " otherwise");
#include "numbers.h"
#undef OPW_NUMBERED

size_t opw_plain_size(void) { return sizeof(PyObject *) + sizeof(PyArrayObject *); }

int opw_plain_adopt(char *frame, const uint32_t *slots)
{
    char *slot = frame + slots[0];
    OPW_ARRAY(slot) = (PyArrayObject *)OPW_PY(slot);
    Py_INCREF(OPW_ARRAY(slot));
    return 0;
}

/* Whether what a type's filter gave is the array that the type promises; takes the reference in the slot where it is not. */
static int opw_plain_converted(char *frame, const uint32_t *slots, const opw_argument *argument)
{
    const opw_type *type = &OPW_HEAD(frame)->program->types[OPW_HEAD(frame)->program->variable_types[argument->variable]];
    PyObject *value = OPW_PY(frame + slots[0]);
    if (opw_accepts(argument, value))
        return opw_plain_adopt(frame, slots);
    if (argument->fit)
        return opw_refuse(value, type->label);
    opw_plain_adopt(frame, slots);
    return opw_is(value, type->number, type->ndim) ? 0 : opw_not_taken(type->label, value, type->number, type->ndim);
}

/* Takes an argument, borrowed: as it is, or through the type's filter. */
static int opw_plain_enter(char *frame, const uint32_t *slots, PyObject *value)
{
    const opw_argument *argument = &OPW_HEAD(frame)->program->argument_table[slots[1]];
    if (opw_accepts(argument, value)) {
        OPW_PY(frame + slots[0]) = value;
        Py_INCREF(value);
        return opw_plain_adopt(frame, slots);
    }
    if (!(value = opw_convert(frame, slots[1], value)))
        return -1;
    OPW_PY(frame + slots[0]) = value;
    return opw_plain_converted(frame, slots, argument);
}

int opw_plain_input(char *frame, const uint32_t *slots) { return opw_plain_enter(frame, slots, OPW_PY(frame + slots[0])); }

int opw_plain_cell(char *frame, const uint32_t *slots)
{
    PyObject *value = opw_cell(frame, slots[1]);
    return value ? opw_plain_enter(frame, slots, value) : -1;
}

int opw_plain_own(char *frame, const uint32_t *slots)
{
    Py_INCREF(OPW_PY(frame + slots[0]));
    return opw_plain_adopt(frame, slots);
}

int opw_plain_init_own(char *frame, const uint32_t *slots)
{
    Py_INCREF(Py_None);
    OPW_PY(frame + slots[0]) = Py_None;
    OPW_ARRAY(frame + slots[0]) = NULL;
    return 0;
}

int opw_plain_offer_own(char *frame, const uint32_t *slots)
{
    PyObject *out = opw_given(frame, slots[1]);
    if (!out || !(out = opw_offered(frame, slots + 1)))
        return opw_plain_init_own(frame, slots);
    Py_INCREF(out);
    OPW_PY(frame + slots[0]) = out;
    return opw_plain_adopt(frame, slots);
}

int opw_plain_take(char *frame, const uint32_t *slots)
{
    PyObject *kept = opw_take_kept(frame, slots[1]);
    if (!kept)
        return opw_plain_init_own(frame, slots);
    OPW_PY(frame + slots[0]) = kept;
    return opw_plain_adopt(frame, slots);
}

int opw_plain_sync(char *frame, const uint32_t *slots)
{
    char *slot = frame + slots[0];
    PyObject *before = OPW_PY(slot), *made = (PyObject *)OPW_ARRAY(slot);
    if (made == before)
        return 0;
    OPW_PY(slot) = made ? made : Py_None;
    Py_INCREF(OPW_PY(slot));
    Py_XDECREF(before); /* release what the slot held (owned) */
    return 0;
}

void opw_plain_keep(char *frame, const uint32_t *slots)
{
    PyObject *kept = NULL;
    if (opw_keeping(frame) && !opw_plain_sync(frame, slots)) {
        kept = OPW_PY(frame + slots[0]);
        Py_XINCREF(kept);
    }
    opw_plain_leave(frame, slots);
    if (kept)
        opw_keep(frame, slots[1], kept);
}

void opw_plain_leave(char *frame, const uint32_t *slots)
{
    char *slot = frame + slots[0];
    Py_XDECREF(OPW_ARRAY(slot)); /* release the array (owned) */
    Py_XDECREF(OPW_PY(slot));    /* release py_<name> (owned) */
}
