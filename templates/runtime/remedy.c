/* What to pass in the place of an array, or of what NumPy makes one of, that a rule does not allow: an expression of Python's that
   it allows. Each function gives a new str, or NULL: an exception is set. */
/* ---- remedies ----------------------------------------------------------------------------------------------------- */

static int opw_is_number(char kind) { return kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f' || kind == 'c'; }

/* How an array's axes become those of a rule. */
typedef struct {
    int dropped[OPW_MAX_DIMS]; /* whether an axis of the array goes: its first element is taken */
    int added;                 /* new axes, before all others */
    int drops, slices, pads;   /* how many axes go, are too long, are too short */
    npy_intp dims[OPW_MAX_DIMS]; /* what is there then, along each axis of the rule */
} opw_shaping;

/* Chooses the axes that go: those of size 1 first, for nothing is lost with them, then from the first on; of one without elements
   none can be taken. Zero: there are not so many. */
static int opw_choose_axes(PyArrayObject *array, opw_shaping *fit, int drops)
{
    int pass, i;
    for (pass = 0; pass < 2; pass++)
        for (i = 0; i < PyArray_NDIM(array) && fit->drops < drops; i++)
            if (!fit->dropped[i] && (pass ? PyArray_DIM(array, i) > 0 : PyArray_DIM(array, i) == 1)) {
                fit->dropped[i] = 1;
                fit->drops++;
            }
    return fit->drops == drops;
}

/* Zero: no elements of the array will do. */
static int opw_find_fit(const opw_rule *rule, PyArrayObject *array, opw_shaping *fit)
{
    int i, k, ndim = PyArray_NDIM(array);
    memset(fit, 0, sizeof(*fit));
    fit->added = rule->ndim > ndim ? rule->ndim - ndim : 0;
    if (!opw_choose_axes(array, fit, ndim > rule->ndim ? ndim - rule->ndim : 0))
        return 0;
    for (k = 0; k < fit->added; k++)
        fit->dims[k] = 1;
    for (i = 0; i < ndim; i++)
        if (!fit->dropped[i])
            fit->dims[k++] = PyArray_DIM(array, i);
    for (i = 0; i < rule->ndim; i++) {
        if (i < fit->added && !rule->shape[i])
            return 0;
        fit->slices += rule->shape[i] >= 0 && fit->dims[i] > rule->shape[i];
        fit->pads += rule->shape[i] >= 0 && fit->dims[i] < rule->shape[i];
    }
    return 1;
}

/* "<text>[0,:3]": the elements that are taken. Takes the text. */
static PyObject *opw_indexed(const opw_rule *rule, PyArrayObject *array, const opw_shaping *fit, PyObject *text)
{
    int i, k = 0, whole = 0, some = 0;
    text = opw_joined(text, PyUnicode_FromString("["));
    for (i = -fit->added; i < PyArray_NDIM(array); i++) {
        const char *entry = i < 0 ? "None" : fit->dropped[i] ? "0" : NULL;
        int cut = !entry && rule->shape[k] >= 0 && fit->dims[k] > rule->shape[k];
        if (!entry && !cut) { /* written only where something comes after it */
            whole++, k++;
            continue;
        }
        for (; whole; whole--, some = 1)
            text = opw_joined(text, PyUnicode_FromString(some ? ",:" : ":"));
        text = opw_joined(text, entry ? PyUnicode_FromFormat("%s%s", some ? "," : "", entry)
                                      : PyUnicode_FromFormat("%s:%zd", some ? "," : "", (Py_ssize_t)rule->shape[k]));
        some = 1;
        k += i < 0 || !fit->dropped[i];
    }
    if (!rule->ndim && (rule->strict || rule->writeable)) /* an array without dimensions, no scalar */
        text = opw_joined(text, PyUnicode_FromString(",..."));
    return opw_joined(text, PyUnicode_FromString("]"));
}

/* "np.pad(<text>,[(0,1),(0,0)])": zeros behind what is too short. Takes the text. */
static PyObject *opw_padded(const opw_rule *rule, const opw_shaping *fit, PyObject *text)
{
    int i;
    text = opw_joined(PyUnicode_FromString("np.pad("), text);
    for (i = 0; i < rule->ndim; i++)
        text = opw_joined(text, PyUnicode_FromFormat("%s(0,%zd)", i ? "," : ",[",
                                                     (Py_ssize_t)(fit->dims[i] < rule->shape[i] ? rule->shape[i] - fit->dims[i] : 0)));
    return opw_joined(text, PyUnicode_FromString("])"));
}

/* Whether NumPy casts an array's elements to the rule's dtype safely. */
static int opw_casts(const opw_rule *rule, PyArray_Descr *have)
{
    return have->type_num == rule->dtype->type_num || PyArray_CanCastTypeTo(have, rule->dtype, NPY_SAFE_CASTING);
}

/* The dtype of the real part of complex elements: a new reference; of others themselves. */
static PyArray_Descr *opw_real_of(PyArray_Descr *have)
{
    if (have->kind != 'c') {
        Py_INCREF(have);
        return have;
    }
    return PyArray_DescrFromType(have->type_num == NPY_CFLOAT ? NPY_FLOAT : have->type_num == NPY_CDOUBLE ? NPY_DOUBLE : NPY_LONGDOUBLE);
}

/* "<text>.real.astype('float64')". Takes the text, which may be NULL. anyway: also where the dtype is right. */
static PyObject *opw_recast(const opw_rule *rule, PyArray_Descr *have, int anyway, PyObject *text)
{
    int real = have->kind == 'c' && rule->dtype->kind != 'c' && rule->dtype->kind != 'b';
    PyArray_Descr *left = !text ? NULL : real ? opw_real_of(have) : (Py_INCREF(have), have);
    PyObject *name = left ? opw_dtype_name(rule->dtype) : NULL;
    if (!name)
        Py_CLEAR(text);
    if (text && real)
        text = opw_joined(text, PyUnicode_FromString(".real"));
    if (text && (anyway ? !real || left->type_num != rule->dtype->type_num || rule->writeable || !PyDataType_ISNOTSWAPPED(have) : !opw_casts(rule, left)))
        text = opw_joined(text, PyUnicode_FromFormat(".astype(%R)", name));
    Py_XDECREF(name);
    Py_XDECREF(left);
    return text;
}

/* "np.zeros((0,), 'float64')": where there is nothing to take. */
static PyObject *opw_zeros(const opw_rule *rule)
{
    npy_intp dims[OPW_MAX_DIMS];
    PyObject *name = opw_dtype_name(rule->dtype), *shape = NULL, *text = NULL;
    int i;
    for (i = 0; i < rule->ndim; i++)
        dims[i] = rule->shape[i] < 0 ? 0 : rule->shape[i];
    if (name && (shape = opw_shape_text(rule->ndim, dims, ",")))
        text = PyUnicode_FromFormat("np.zeros(%U, %R)", shape, name);
    Py_XDECREF(name);
    Py_XDECREF(shape);
    return text;
}

/* "np.full((3,), x, 'float64')": of one number. */
static PyObject *opw_filled(const opw_rule *rule, PyObject *dtype)
{
    npy_intp dims[OPW_MAX_DIMS];
    PyObject *shape, *text;
    int i;
    for (i = 0; i < rule->ndim; i++)
        dims[i] = rule->shape[i] < 0 ? 1 : rule->shape[i];
    if (!(shape = opw_shape_text(rule->ndim, dims, ",")))
        return NULL;
    text = PyUnicode_FromFormat("np.full(%U, %U, %R)", shape, rule->name, dtype);
    Py_DECREF(shape);
    return text;
}

/* In place of an array. */
static PyObject *opw_remedy_of_array(const opw_rule *rule, PyArrayObject *array)
{
    PyArray_Descr *have = PyArray_DESCR(array);
    int masked = opw_is_masked((PyObject *)array);
    int kept = rule->strict || rule->writeable; /* nothing is converted */
    int cast = !opw_casts(rule, have) && !(rule->downcast > 0 && opw_is_number(have->kind));
    int anyway = kept && (have->type_num != rule->dtype->type_num || !PyArray_ISNOTSWAPPED(array) || !PyArray_ISALIGNED(array));
    int matrix; /* of a class whose elements stay one when they are taken */
    PyObject *text;
    opw_shaping fit;
    if (masked < 0)
        return NULL;
    if (!opw_find_fit(rule, array, &fit))
        return opw_zeros(rule);
    matrix = !PyArray_CheckExact((PyObject *)array) && (fit.drops || fit.added || fit.slices || fit.pads);
    text = PyUnicode_FromFormat(masked ? "%U.filled()" : matrix ? "np.asarray(%U)" : "%U", rule->name);
    if (text && !opw_is_number(have->kind)) /* first: elements of other kinds have no methods */
        text = opw_recast(rule, have, 1, text);
    if (text && (fit.drops || fit.added || fit.slices))
        text = opw_indexed(rule, array, &fit, text);
    if (text && fit.pads)
        text = opw_padded(rule, &fit, text);
    if (!text || !opw_is_number(have->kind))
        return text;
    if (anyway || cast)
        text = opw_recast(rule, have, anyway, text);
    else if (rule->writeable && !PyArray_ISWRITEABLE(array) && !fit.pads)
        text = opw_joined(text, PyUnicode_FromString(".copy()"));
    return text;
}

/* Whether what NumPy has made an array of is kept in the rule's dtype, where that casts safely: large integers may not be, in floats. */
static int opw_keeps(const opw_rule *rule, PyArrayObject *array)
{
    char kind = PyArray_DESCR(array)->kind;
    PyArrayObject *made;
    int kept;
    if ((kind != 'i' && kind != 'u') || (rule->dtype->kind != 'f' && rule->dtype->kind != 'c'))
        return 1;
    made = opw_cast(array, rule->dtype);
    kept = made ? opw_same_values(array, made) : 0;
    Py_XDECREF(made);
    if (!made || kept < 0)
        PyErr_Clear();
    return kept > 0;
}

/* In place of what NumPy has made an array of. */
static PyObject *opw_remedy_of_list(const opw_rule *rule, PyArrayObject *array)
{
    PyArray_Descr *have = PyArray_DESCR(array);
    PyObject *name = opw_dtype_name(rule->dtype), *text = NULL;
    opw_shaping fit;
    int i, some = opw_find_fit(rule, array, &fit);
    int plain = name && (fit.added || fit.pads) && !fit.drops && !fit.slices && !rule->strict && !rule->writeable && opw_casts(rule, have) &&
                opw_keeps(rule, array);
    if (name && some && !PyArray_NDIM(array) && fit.pads && opw_casts(rule, have)) {
        text = opw_filled(rule, name);
        fit.pads = 0;
    } else if (name && some && plain) { /* a list more round it */
        text = rule->name, Py_INCREF(text);
        for (i = 0; i < fit.added; i++)
            text = opw_joined(opw_joined(PyUnicode_FromString("["), text), PyUnicode_FromString("]"));
    } else if (name && some) {
        text = opw_casts(rule, have) ? PyUnicode_FromFormat("np.asarray(%U, %R)", rule->name, name)
                                     : opw_recast(rule, have, rule->strict || rule->writeable, PyUnicode_FromFormat("np.asarray(%U)", rule->name));
        if (text && (fit.drops || fit.slices || fit.added))
            text = opw_indexed(rule, array, &fit, text);
        if (text && rule->writeable && !PyArray_ISWRITEABLE(array))
            text = opw_joined(text, PyUnicode_FromString(".copy()"));
    }
    if (text && fit.pads)
        text = opw_padded(rule, &fit, text);
    some = some || !name;
    Py_XDECREF(name);
    return some ? text : opw_zeros(rule);
}

/* In place of integers that are too large for an integer dtype, or for any. */
static PyObject *opw_bounds(const opw_rule *rule)
{
    int bits = 8 * (int)PyDataType_ELSIZE(rule->dtype);
    if (rule->dtype->kind == 'i')
        return PyUnicode_FromFormat("values from %lld to %lld", (long long)(-1 - (long long)(~0ULL >> (65 - bits))), (long long)(~0ULL >> (65 - bits)));
    if (rule->dtype->kind == 'u')
        return PyUnicode_FromFormat("values from 0 to %llu", ~0ULL >> (64 - bits));
    return PyUnicode_FromString("smaller numbers");
}

/* Whether NumPy reads elements that are no numbers as some; else an exception is set. In floats as wide as Python's: NumPy does
   not warn there of what is large. */
static int opw_reads_numbers(const opw_rule *rule, PyArrayObject *array)
{
    char kind = rule->dtype->kind;
    PyArray_Descr *wide = PyArray_DescrFromType(kind == 'f' ? NPY_DOUBLE : kind == 'c' ? NPY_CDOUBLE : rule->dtype->type_num);
    PyObject *made = wide ? PyArray_CastToType(array, wide, 0) : NULL; /* takes the dtype */
    Py_XDECREF(made);
    return made != NULL;
}

/* In place of an array with fields: of the first that holds numbers. */
static PyObject *opw_remedy_of_fields(const opw_rule *rule, PyArrayObject *array, PyObject *names)
{
    PyObject *text = NULL;
    Py_ssize_t i, n = PyTuple_GET_SIZE(names);
    for (i = 0; !text && i < n && !PyErr_Occurred(); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i), *field = PyObject_GetItem((PyObject *)array, name);
        if (field && opw_is_number(PyArray_DESCR((PyArrayObject *)field)->kind)) {
            opw_rule of = *rule;
            if ((of.name = PyUnicode_FromFormat("%U[%R]", rule->name, name)))
                text = opw_remedy_of_array(&of, (PyArrayObject *)field);
            Py_XDECREF(of.name);
        }
        Py_XDECREF(field);
    }
    return text || PyErr_Occurred() ? text : PyUnicode_FromString("numbers");
}

/* In place of elements that are no numbers, or of integers beyond 64 bits: as numbers where NumPy reads them so. */
static PyObject *opw_remedy_of_others(const opw_rule *rule, PyObject *value, PyArrayObject *array)
{
    PyObject *fields = PyArray_Check(value) ? opw_field_names(PyArray_DESCR(array)) : NULL;
    int large;
    if (value == Py_None)
        return PyUnicode_FromString("numbers");
    if (fields)
        return opw_remedy_of_fields(rule, array, fields);
    if (opw_reads_numbers(rule, array))
        return PyArray_Check(value) ? opw_remedy_of_array(rule, array) : opw_remedy_of_list(rule, array);
    large = PyErr_ExceptionMatches(PyExc_OverflowError);
    PyErr_Clear();
    return large ? opw_bounds(rule) : PyUnicode_FromString("numbers");
}

/* Refuses an integer beyond what the dtype has. */
static PyObject *opw_refuse_size(const opw_rule *rule, PyObject *value)
{
    int weak = rule->weak && PyLong_CheckExact(value) && rule->dtype->kind != 'b';
    return opw_refused_as(weak ? PyExc_OverflowError : PyExc_TypeError, rule, value, "", opw_bounds(rule));
}

/* Whether an array's dimensions do not fit. */
static int opw_misshapen(const opw_rule *rule, PyArrayObject *array)
{
    int i;
    if (PyArray_NDIM(array) != rule->ndim)
        return 1;
    for (i = 0; i < rule->ndim; i++)
        if (rule->shape[i] >= 0 && PyArray_DIM(array, i) != rule->shape[i])
            return 1;
    return 0;
}
