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

#include "overlap.c"
#include "dispatch_call.c"

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

/* The op: made when it is first asked for. */
static PyObject *opw_cop_op(PyObject *object, void *closure)
{
    (void)closure;
    return PyObject_GetAttrString(((opw_cop *)object)->form, "op");
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
    {"op", opw_cop_op, NULL, "what is applied to variables", NULL},
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
