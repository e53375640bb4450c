/* opweld._dispatch: what a short form is to who calls it. It binds arguments, finds by their dtypes the function that was made for
   such, and calls it; what it has not met it gives to Python. Built with the package, once a CPython. */
#include "includes.h"

#if PY_VERSION_HEX >= 0x030C0000
#define OPW_PYSSIZET Py_T_PYSSIZET
#define OPW_READONLY Py_READONLY
#define OPW_OBJECT _Py_T_OBJECT
#else
#include <structmember.h>
#define OPW_PYSSIZET T_PYSSIZET
#define OPW_READONLY READONLY
#define OPW_OBJECT T_OBJECT
#endif

/* What arguments are, each in so many bits: a dtype's number and 1, or which of Python's numbers. 0: to be looked at in Python. */
#define OPW_BITS 5
#define OPW_KEYED 12 /* arguments at most that a key can tell apart */
enum { OPW_NOT_KEYED = 0, OPW_FLOAT = 28, OPW_INT, OPW_BOOL, OPW_COMPLEX };

/* A function, and what it is for. */
typedef struct {
    uint64_t key;
    PyObject *function;
} opw_met;

typedef struct {
    PyObject_HEAD
    PyObject *dict, *weakrefs, *form;
    PyObject *name, *names, *defaults; /* a string; tuples: of all inputs, of the last inputs' values */
    PyObject *changed;                 /* tuple of the inputs that are written into */
    Py_ssize_t outputs;                /* besides these */
    opw_met *met;
    Py_ssize_t count;
    vectorcallfunc vectorcall;
} opw_cop;

/* ---- keys --------------------------------------------------------------------------------------------------------- */

static inline unsigned opw_code_of(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyArray_Type) {
        int number = PyArray_TYPE((PyArrayObject *)value);
        return number < OPW_FLOAT - 1 && number != NPY_OBJECT ? (unsigned)number + 1 : OPW_NOT_KEYED;
    }
    if (type == &PyFloat_Type)
        return OPW_FLOAT;
    if (type == &PyLong_Type)
        return OPW_INT;
    if (type == &PyBool_Type)
        return OPW_BOOL;
    if (type == &PyComplex_Type)
        return OPW_COMPLEX;
    if (type == &PyDoubleArrType_Type)
        return NPY_DOUBLE + 1;
    if (type == &PyFloatArrType_Type)
        return NPY_FLOAT + 1;
    if (type == &PyLongArrType_Type)
        return NPY_LONG + 1;
    if (type == &PyIntArrType_Type)
        return NPY_INT + 1;
    return OPW_NOT_KEYED;
}

/* The key of a call; 0: it has none. */
static inline uint64_t opw_key_of(PyObject *const *values, Py_ssize_t n)
{
    uint64_t key = 1;
    Py_ssize_t i;
    if (n > OPW_KEYED)
        return 0;
    for (i = 0; i < n; i++) {
        unsigned code = opw_code_of(values[i]);
        if (!code)
            return 0;
        key = key << OPW_BITS | code;
    }
    return key;
}

/* ---- arguments ---------------------------------------------------------------------------------------------------- */

static int opw_refuse_count(opw_cop *self, Py_ssize_t given)
{
    Py_ssize_t n = PyTuple_GET_SIZE(self->names);
    PyErr_Format(PyExc_TypeError, "%U() takes %zd argument%s, got %zd", self->name, n, n == 1 ? "" : "s", given);
    return -1;
}

/* Puts an argument by name into its place. */
static int opw_take_named(opw_cop *self, PyObject *name, PyObject *value, PyObject **bound, PyObject **out)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->names);
    for (i = 0; i < n; i++) {
        PyObject *own = PyTuple_GET_ITEM(self->names, i);
        int same = own == name ? 1 : PyObject_RichCompareBool(own, name, Py_EQ);
        if (same < 0)
            return -1;
        if (!same)
            continue;
        if (bound[i]) {
            PyErr_Format(PyExc_TypeError, "%U() got two values for argument %R", self->name, name);
            return -1;
        }
        bound[i] = value;
        return 0;
    }
    if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
        *out = value;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%U() has no argument %R; it has %R", self->name, name, self->names);
    return -1;
}

/* Arguments in order, borrowed. -1: an exception is set. */
static int opw_bind(opw_cop *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **bound, PyObject **out)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->names), optional = PyTuple_GET_SIZE(self->defaults);
    if (given > n)
        return opw_refuse_count(self, given);
    for (i = 0; i < n; i++)
        bound[i] = i < given ? args[i] : NULL;
    for (i = 0; keywords && i < PyTuple_GET_SIZE(keywords); i++)
        if (opw_take_named(self, PyTuple_GET_ITEM(keywords, i), args[given + i], bound, out))
            return -1;
    for (i = 0; i < n; i++) {
        if (!bound[i] && i >= n - optional)
            bound[i] = PyTuple_GET_ITEM(self->defaults, i - (n - optional));
        if (!bound[i]) {
            PyErr_Format(PyExc_TypeError, "%U() is missing argument %R", self->name, PyTuple_GET_ITEM(self->names, i));
            return -1;
        }
    }
    return 0;
}

/* ---- calls -------------------------------------------------------------------------------------------------------- */

/* A call that Python looks at. */
static PyObject *opw_meet(opw_cop *self, uint64_t key, PyObject *const *bound, PyObject *out)
{
    Py_ssize_t i, n = PyTuple_GET_SIZE(self->names);
    PyObject *values = PyTuple_New(n), *result;
    if (!values)
        return NULL;
    for (i = 0; i < n; i++) {
        Py_INCREF(bound[i]);
        PyTuple_SET_ITEM(values, i, bound[i]);
    }
    result = PyObject_CallMethod(self->form, "meet", "OKOO", (PyObject *)self, (unsigned long long)key, values, out ? out : Py_None);
    Py_DECREF(values);
    return result;
}

/* Brings what a function has made of the inputs that are written into back to where it was not made. */
static int opw_give_back(opw_cop *self, PyObject *list, PyObject *const *bound)
{
    Py_ssize_t i;
    for (i = 0; i < PyTuple_GET_SIZE(self->changed); i++) {
        PyObject *given = bound[PyLong_AsSsize_t(PyTuple_GET_ITEM(self->changed, i))], *made = PyList_GET_ITEM(list, self->outputs + i);
        if (made != given && PyArray_CopyInto((PyArrayObject *)given, (PyArrayObject *)made))
            return -1;
    }
    return 0;
}

/* An output as a caller sees it, whose reference it takes: a number where it has no dimensions. */
static inline PyObject *opw_shown(PyObject *made)
{
    return PyArray_CheckExact(made) && !PyArray_NDIM((PyArrayObject *)made) ? PyArray_Return((PyArrayObject *)made) : made;
}

/* The first outputs of a list, as a tuple. */
static PyObject *opw_tuple(PyObject *list, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New(n);
    Py_ssize_t i;
    for (i = 0; tuple && i < n; i++) {
        PyObject *item = PyList_GET_ITEM(list, i);
        Py_INCREF(item);
        if ((item = opw_shown(item)))
            PyTuple_SET_ITEM(tuple, i, item);
        else
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* What is returned of what a function gives, whose reference it takes: its one output, or a tuple; None where all is in place. */
static PyObject *opw_results(opw_cop *self, PyObject *made, PyObject *const *bound)
{
    PyObject *result = NULL;
    if (!PyTuple_GET_SIZE(self->changed) && self->outputs == 1)
        return opw_shown(made);
    if (!opw_give_back(self, made, bound)) {
        if (self->outputs > 1)
            result = opw_tuple(made, self->outputs);
        else if (self->outputs)
            result = PyList_GET_ITEM(made, 0), Py_INCREF(result), result = opw_shown(result);
        else
            result = Py_None, Py_INCREF(result);
    }
    Py_DECREF(made);
    return result;
}

#define OPW_STACK 32

static PyObject *opw_cop_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *keywords)
{
    opw_cop *self = (opw_cop *)object;
    Py_ssize_t i, given = PyVectorcall_NARGS(nargsf), n = PyTuple_GET_SIZE(self->names);
    PyObject *few[OPW_STACK], **several = few, *out = NULL, *result = NULL;
    PyObject *const *bound = args;
    uint64_t key;
    if (given != n || keywords) {
        if (n > OPW_STACK && !(several = (PyObject **)PyMem_Malloc((size_t)n * sizeof(PyObject *))))
            return PyErr_NoMemory();
        if (opw_bind(self, args, given, keywords, several, &out))
            goto done;
        bound = several;
    }
    key = out ? 0 : opw_key_of(bound, n);
    for (i = 0; key && i < self->count; i++) {
        PyObject *function = self->met[i].function;
        if (self->met[i].key != key)
            continue;
        Py_INCREF(function); /* while it runs another may take its place */
        result = PyObject_Vectorcall(function, bound, (size_t)n, NULL);
        Py_DECREF(function);
        if (result)
            result = opw_results(self, result, bound);
        goto done;
    }
    result = opw_meet(self, key, bound, out);
done:
    if (several != few)
        PyMem_Free(several);
    return result;
}

/* ---- what Python does with it ------------------------------------------------------------------------------------- */

/* add(key, function): calls of this key go to it from now on. */
static PyObject *opw_cop_add(PyObject *object, PyObject *args)
{
    opw_cop *self = (opw_cop *)object;
    unsigned long long key;
    PyObject *function;
    opw_met *met;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(args, "KO:add", &key, &function))
        return NULL;
    for (i = 0; i < self->count; i++)
        if (self->met[i].key == key)
            Py_RETURN_NONE;
    if (!(met = (opw_met *)PyMem_Realloc(self->met, (size_t)(self->count + 1) * sizeof(opw_met))))
        return PyErr_NoMemory();
    self->met = met;
    met[self->count].key = key;
    Py_INCREF(function);
    met[self->count++].function = function;
    Py_RETURN_NONE;
}

static PyObject *opw_cop_results(PyObject *object, PyObject *args)
{
    opw_cop *self = (opw_cop *)object;
    PyObject *made, *values;
    if (!PyArg_ParseTuple(args, "OO!:results", &made, &PyTuple_Type, &values))
        return NULL;
    Py_INCREF(made);
    return opw_results(self, made, &PyTuple_GET_ITEM(values, 0));
}

static PyObject *opw_of_form(PyObject *object, const char *method)
{
    return PyObject_CallMethod(((opw_cop *)object)->form, method, NULL);
}

static PyObject *opw_cop_repr(PyObject *object) { return opw_of_form(object, "text"); }

static PyObject *opw_cop_reduce(PyObject *object, PyObject *unused)
{
    (void)unused;
    return opw_of_form(object, "reduced");
}

static PyObject *opw_cop_signature(PyObject *object, void *closure)
{
    (void)closure;
    return opw_of_form(object, "parameters");
}

static int opw_cop_traverse(PyObject *object, visitproc visit, void *arg)
{
    opw_cop *self = (opw_cop *)object;
    Py_ssize_t i;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->dict);
    Py_VISIT(self->form);
    Py_VISIT(self->names);
    Py_VISIT(self->defaults);
    Py_VISIT(self->changed);
    for (i = 0; i < self->count; i++)
        Py_VISIT(self->met[i].function);
    return 0;
}

static int opw_cop_clear(PyObject *object)
{
    Py_CLEAR(((opw_cop *)object)->dict);
    return 0;
}

static void opw_cop_dealloc(PyObject *object)
{
    opw_cop *self = (opw_cop *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self->weakrefs)
        PyObject_ClearWeakRefs(object);
    while (self->count > 0)
        Py_DECREF(self->met[--self->count].function); /* release what it dispatches to (owned) */
    PyMem_Free(self->met);
    Py_CLEAR(self->dict);
    Py_CLEAR(self->form);
    Py_CLEAR(self->name);
    Py_CLEAR(self->names);
    Py_CLEAR(self->defaults);
    Py_CLEAR(self->changed);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *opw_cop_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *form, *name, *names, *defaults, *changed;
    Py_ssize_t outputs;
    opw_cop *self;
    if (keywords && PyDict_GET_SIZE(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Cop() takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OUO!O!nO!:Cop", &form, &name, &PyTuple_Type, &names, &PyTuple_Type, &defaults, &outputs,
                          &PyTuple_Type, &changed))
        return NULL;
    if (!(self = (opw_cop *)type->tp_alloc(type, 0)))
        return NULL;
    self->form = form, Py_INCREF(form);
    self->name = name, Py_INCREF(name);
    self->names = names, Py_INCREF(names);
    self->defaults = defaults, Py_INCREF(defaults);
    self->changed = changed, Py_INCREF(changed);
    self->outputs = outputs;
    self->vectorcall = opw_cop_vectorcall;
    return (PyObject *)self;
}

static PyMethodDef opw_cop_methods[] = {
    {"_add", opw_cop_add, METH_VARARGS, "_add(key, function): calls of a key go to the function from now on"},
    {"_results", opw_cop_results, METH_VARARGS, "_results(made, values): what is returned of what a function gave"},
    {"__reduce__", opw_cop_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef opw_cop_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"__signature__", opw_cop_signature, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef opw_cop_members[] = {
    {"form", OPW_OBJECT, offsetof(opw_cop, form), OPW_READONLY, NULL},
    {"__vectorcalloffset__", OPW_PYSSIZET, offsetof(opw_cop, vectorcall), OPW_READONLY, NULL},
    {"__dictoffset__", OPW_PYSSIZET, offsetof(opw_cop, dict), OPW_READONLY, NULL},
    {"__weaklistoffset__", OPW_PYSSIZET, offsetof(opw_cop, weakrefs), OPW_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot opw_cop_slots[] = {
    {Py_tp_new, (void *)opw_cop_new},
    {Py_tp_traverse, (void *)opw_cop_traverse},
    {Py_tp_clear, (void *)opw_cop_clear},
    {Py_tp_dealloc, (void *)opw_cop_dealloc},
    {Py_tp_repr, (void *)opw_cop_repr},
    {Py_tp_call, (void *)PyVectorcall_Call},
    {Py_tp_methods, (void *)opw_cop_methods},
    {Py_tp_getset, (void *)opw_cop_getset},
    {Py_tp_members, (void *)opw_cop_members},
    {0, NULL},
};

static PyType_Spec opw_cop_spec = {
    "opweld._dispatch.Cop", sizeof(opw_cop), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE, opw_cop_slots,
};

static int opw_dispatch_exec(PyObject *module)
{
    PyObject *type;
    int failed;
    if (PyArray_ImportNumPyAPI() < 0 || !(type = PyType_FromModuleAndSpec(module, &opw_cop_spec, NULL)))
        return -1;
    failed = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return failed;
}

static PyModuleDef_Slot opw_dispatch_slots[] = {
    {Py_mod_exec, (void *)opw_dispatch_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef opw_dispatch_module = {
    PyModuleDef_HEAD_INIT, "opweld._dispatch", NULL, 0, NULL, opw_dispatch_slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__dispatch(void)
{
    return PyModuleDef_Init(&opw_dispatch_module);
}
