/* The type of the callable: made by make(), found as type(f). */
/* ---- the callable object ------------------------------------------------------------------------------- */

static int opw_function_traverse(PyObject *object, visitproc visit, void *arg)
{
    opw_function *self = (opw_function *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->module);
    Py_VISIT(self->dict);
    Py_VISIT(self->name);
    Py_VISIT(self->rules);
    Py_VISIT(self->convert);
    Py_VISIT(self->outs);
    Py_VISIT(self->performs);
    Py_VISIT(self->defaults);
    Py_VISIT(self->cells);
    Py_VISIT(self->takes);
    Py_VISIT(self->gives);
    Py_VISIT(self->failed);
    Py_VISIT(self->unlike);
    Py_VISIT(self->remark);
    return 0;
}

static int opw_function_clear(PyObject *object)
{
    Py_CLEAR(((opw_function *)object)->dict);
    return 0;
}

/* Leaves the first n constants of the instance, last first. */
static void opw_leave_constants(opw_function *self, char *frame, uint32_t n)
{
    const opw_code *code = self->code;
    const opw_program *p = code->program;
    while (n-- > 0) {
        uint32_t variable = p->constant_variables[n];
        p->types[p->variable_types[variable]].leave(frame, &code->offsets[variable]);
    }
}

/* Gives up what texts of ops and types hold for the instance: the state of ops, and the constants, which that may read. */
static void opw_leave_instance(opw_function *self)
{
    PyObject *kind = NULL, *error = NULL, *traceback = NULL;
    opw_drop_structs(self);
    if (!self->constants)
        return;
    OPW_FETCH(&kind, &error, &traceback);
    opw_leave_constants(self, self->constants, self->code->program->constants);
    if (PyErr_Occurred()) /* a c_cleanup set one: nobody is there to see it */
        PyErr_WriteUnraisable(self->name);
    OPW_RESTORE(kind, error, traceback);
    PyMem_Free(self->constants);
    self->constants = NULL;
}

static void opw_function_dealloc(PyObject *object)
{
    opw_function *self = (opw_function *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *module = self->module;
    if (opw_comes_back(object))
        return;
    PyObject_GC_UnTrack(object);
    if (self->weakrefs)
        PyObject_ClearWeakRefs(object);
    opw_leave_instance(self);
    opw_drop_kept(self);
    Py_CLEAR(self->dict);
    opw_drop_ready(self);
    Py_CLEAR(self->name);
    Py_CLEAR(self->rules);
    Py_CLEAR(self->convert);
    Py_CLEAR(self->outs);
    Py_CLEAR(self->performs);
    Py_CLEAR(self->defaults);
    Py_CLEAR(self->cells);
    Py_CLEAR(self->takes);
    Py_CLEAR(self->gives);
    Py_CLEAR(self->failed);
    Py_CLEAR(self->unlike);
    Py_CLEAR(self->remark);
    Py_CLEAR(self->turns);
#ifdef OPW_PROFILE
    PyMem_Free(self->costs);
#endif
    opw_drop_book(self);
    type->tp_free(object);
    Py_DECREF(type);
    Py_DECREF(module);
}

static PyObject *opw_function_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<opweld.Function %U at %p>", ((opw_function *)object)->name, (void *)object);
}

/* f.maker.signature(), made when somebody asks. */
static PyObject *opw_function_signature(PyObject *object, void *closure)
{
    PyObject *maker = opw_attribute(object, "maker"), *signature;
    (void)closure;
    if (!maker)
        return NULL;
    signature = opw_call_method(maker, "signature");
    Py_DECREF(maker);
    return signature;
}

/* A pickle is made and read by the maker, which knows how the function was built. */
static PyObject *opw_function_reduce(PyObject *object, PyObject *unused)
{
    PyObject *maker = opw_attribute(object, "maker"), *reduced;
    (void)unused;
    if (!maker)
        return NULL;
    reduced = PyObject_CallMethod(maker, "reduce", "O", object);
    Py_DECREF(maker);
    return reduced;
}

static PyGetSetDef opw_function_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"__signature__", opw_function_signature, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef opw_function_methods[] = {
    {"__reduce__", opw_function_reduce, METH_NOARGS, NULL},
    {"capsule", opw_function_capsule, METH_O, "capsule(errors): of a function of cells, what C calls: int (*)(void *), with the capsule's context"},
    OPW_COST_METHODS
    {NULL, NULL, 0, NULL},
};

#if PY_VERSION_HEX >= 0x030C0000
#define OPW_PYSSIZET Py_T_PYSSIZET
#define OPW_READONLY Py_READONLY
#else
#include <structmember.h>
#define OPW_PYSSIZET T_PYSSIZET
#define OPW_READONLY READONLY
#endif

static PyMemberDef opw_function_members[] = {
    {"__vectorcalloffset__", OPW_PYSSIZET, offsetof(opw_function, vectorcall), OPW_READONLY, NULL},
    {"__dictoffset__", OPW_PYSSIZET, offsetof(opw_function, dict), OPW_READONLY, NULL},
    {"__weaklistoffset__", OPW_PYSSIZET, offsetof(opw_function, weakrefs), OPW_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot opw_function_slots[] = {
    {Py_tp_traverse, (void *)opw_function_traverse},
    {Py_tp_clear, (void *)opw_function_clear},
    OPW_FINALIZE_SLOT
    {Py_tp_dealloc, (void *)opw_function_dealloc},
    {Py_tp_repr, (void *)opw_function_repr},
    {Py_tp_call, (void *)PyVectorcall_Call},
    {Py_tp_getset, (void *)opw_function_getset},
    {Py_tp_methods, (void *)opw_function_methods},
    {Py_tp_members, (void *)opw_function_members},
    {0, NULL},
};

static PyType_Spec opw_function_spec = {
    "opweld.Function", sizeof(opw_function), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    opw_function_slots,
};
