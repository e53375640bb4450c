/* opweld._ufunc: ufuncs of NumPy's whose loops are compiled when they first meet their dtypes. Built with the package, once a
   CPython; loaded by who makes such a ufunc. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_2_1_API_VERSION /* process_core_dims_func */
#include <Python.h>
#include <fenv.h>
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>
#include "pool.h"

#define OPW_LOOPS "opweld.loops" /* what a ufunc of ours holds as its obj */
#define OPW_LOOP "opweld loop"   /* what form.loop gives: the address of a loop */

typedef struct opw_loops opw_loops;

/* The loop for one choice of dtypes. */
typedef struct {
    PyUFuncGenericFunction run; /* NULL: not compiled yet */
    opw_loops *of;
} opw_cell;

/* What a ufunc refers to, and lives as long as it: NumPy copies none of it. */
struct opw_loops {
    PyObject *form;
    PyObject *name, *doc, *core; /* bytes; core None: element by element */
    PyObject *types;             /* bytes: the numbers of the dtypes of each loop */
    opw_cell *cells;
    PyUFuncGenericFunction *functions;
    void **data;
    int inputs, outputs, sizes;  /* sizes: how many the signature names */
    int threads;                 /* at most */
    opw_pool_run pool;           /* NULL: there is one */
};

#include "ufunc_threads.c"

/* ---- loops -------------------------------------------------------------------------------------------------------- */

/* Has the loop compiled; the GIL is held. NULL: an exception is set. */
static PyUFuncGenericFunction opw_compiled(opw_cell *cell)
{
    PyObject *capsule = PyObject_CallMethod(cell->of->form, "loop", "n", (Py_ssize_t)(cell - cell->of->cells));
    if (capsule) {
        cell->run = (PyUFuncGenericFunction)PyCapsule_GetPointer(capsule, OPW_LOOP);
        Py_DECREF(capsule);
    }
    return cell->run;
}

/* What NumPy calls, without the GIL, before the loop is known; an exception that is set it finds when the loop is done. */
static PyUFuncGenericFunction opw_meet(opw_cell *cell)
{
    PyGILState_STATE held = PyGILState_Ensure();
    PyUFuncGenericFunction run = cell->run;
    fenv_t floats;
    if (!run && !PyErr_Occurred()) { /* else an earlier part of the same work has failed */
        fegetenv(&floats); /* what Python computes is not what NumPy is to speak of */
        run = opw_compiled(cell);
        fesetenv(&floats);
    }
    PyGILState_Release(held);
    return run;
}

static void opw_loop(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data)
{
    opw_cell *cell = (opw_cell *)data;
    PyUFuncGenericFunction run = __atomic_load_n(&cell->run, __ATOMIC_ACQUIRE);
    if ((run || (run = opw_meet(cell))) && (cell->of->threads < 2 || !opw_split(cell->of, run, args, dimensions, steps)))
        run(args, dimensions, steps, NULL);
}

/* Fills in the sizes that are computed, -1 until then, and checks the others. Non-zero: an exception is set. */
static int opw_core_sizes(PyUFuncObject *ufunc, npy_intp *sizes)
{
    opw_loops *loops = (opw_loops *)PyCapsule_GetPointer(ufunc->obj, OPW_LOOPS);
    PyObject *given = loops ? PyList_New(ufunc->core_num_dim_ix) : NULL, *found = NULL;
    int i, done = 0;
    for (i = 0; given && i < ufunc->core_num_dim_ix; i++) {
        PyObject *size = PyLong_FromSsize_t((Py_ssize_t)sizes[i]);
        if (!size)
            Py_CLEAR(given);
        else
            PyList_SET_ITEM(given, i, size);
    }
    if (given && (found = PyObject_CallMethod(loops->form, "core_sizes", "O", given))) {
        for (i = 0, done = 1; done && i < ufunc->core_num_dim_ix; i++) {
            PyObject *size = PyList_Check(found) && i < PyList_GET_SIZE(found) ? PyList_GET_ITEM(found, i) : Py_None;
            sizes[i] = (npy_intp)PyLong_AsSsize_t(size);
            done = sizes[i] != -1 || !PyErr_Occurred();
        }
    }
    Py_XDECREF(found);
    Py_XDECREF(given);
    return done ? 0 : -1;
}

/* ---- make --------------------------------------------------------------------------------------------------------- */

static void opw_drop_loops(PyObject *capsule)
{
    opw_loops *loops = (opw_loops *)PyCapsule_GetPointer(capsule, OPW_LOOPS);
    Py_XDECREF(loops->form);
    Py_XDECREF(loops->name);
    Py_XDECREF(loops->doc);
    Py_XDECREF(loops->core);
    Py_XDECREF(loops->types);
    PyMem_Free(loops->cells);
    PyMem_Free(loops->functions);
    PyMem_Free(loops->data);
    PyMem_Free(loops);
}

/* The cells of n loops. A capsule that owns them, or NULL. */
static PyObject *opw_new_loops(Py_ssize_t n, opw_loops **made)
{
    opw_loops *loops = (opw_loops *)PyMem_Calloc(1, sizeof(opw_loops));
    PyObject *capsule = loops ? PyCapsule_New(loops, OPW_LOOPS, opw_drop_loops) : PyErr_NoMemory();
    Py_ssize_t i;
    if (!capsule) {
        PyMem_Free(loops);
        return NULL;
    }
    loops->cells = (opw_cell *)PyMem_Calloc((size_t)n, sizeof(opw_cell));
    loops->functions = (PyUFuncGenericFunction *)PyMem_Calloc((size_t)n, sizeof(PyUFuncGenericFunction));
    loops->data = (void **)PyMem_Calloc((size_t)n, sizeof(void *));
    if (!loops->cells || !loops->functions || !loops->data) {
        Py_DECREF(capsule);
        PyErr_NoMemory();
        return NULL;
    }
    for (i = 0; i < n; i++) {
        loops->cells[i].of = loops;
        loops->functions[i] = opw_loop;
        loops->data[i] = &loops->cells[i];
    }
    *made = loops;
    return capsule;
}

static const char *opw_text(PyObject *bytes) { return bytes == Py_None ? NULL : PyBytes_AS_STRING(bytes); }

static PyObject *opw_make_ufunc(PyObject *module, PyObject *args)
{
    PyObject *form, *name, *doc, *core, *types, *capsule, *made;
    opw_loops *loops = NULL;
    opw_pool_run pool = NULL;
    int inputs, outputs, computed, threads;
    Py_ssize_t n;
    (void)module;
    if (!PyArg_ParseTuple(args, "OSSOSiipi:make", &form, &name, &doc, &core, &types, &inputs, &outputs, &computed, &threads))
        return NULL;
    if ((core != Py_None && !PyBytes_Check(core)) || inputs < 1 || outputs < 0 ||
        (n = PyBytes_GET_SIZE(types) / (inputs + outputs)) * (inputs + outputs) != PyBytes_GET_SIZE(types)) {
        PyErr_SetString(PyExc_ValueError, "make() got types or a signature that do not fit");
        return NULL;
    }
    if ((threads > 1 && !(pool = opw_find_pool())) || !(capsule = opw_new_loops(n, &loops)))
        return NULL;
    loops->form = form, Py_INCREF(form);
    loops->name = name, Py_INCREF(name);
    loops->doc = doc, Py_INCREF(doc);
    loops->core = core, Py_INCREF(core);
    loops->types = types, Py_INCREF(types);
    made = PyUFunc_FromFuncAndDataAndSignature(loops->functions, loops->data, PyBytes_AS_STRING(types), (int)n, inputs, outputs,
                                               PyUFunc_None, opw_text(name), opw_text(doc), 0, opw_text(core));
    if (!made) {
        Py_DECREF(capsule);
        return NULL;
    }
    ((PyUFuncObject *)made)->obj = capsule; /* the ufunc owns it */
    loops->inputs = inputs;
    loops->outputs = outputs;
    loops->sizes = ((PyUFuncObject *)made)->core_num_dim_ix;
    loops->threads = threads;
    loops->pool = pool;
    if (computed)
        ((PyUFuncObject *)made)->process_core_dims_func = opw_core_sizes;
    return made;
}

static PyObject *opw_form_of(PyObject *module, PyObject *ufunc)
{
    PyObject *obj = PyObject_TypeCheck(ufunc, &PyUFunc_Type) ? ((PyUFuncObject *)ufunc)->obj : NULL;
    PyObject *form = Py_None;
    (void)module;
    if (obj && PyCapsule_IsValid(obj, OPW_LOOPS))
        form = ((opw_loops *)PyCapsule_GetPointer(obj, OPW_LOOPS))->form;
    Py_INCREF(form);
    return form;
}

static PyMethodDef opw_ufunc_methods[] = {
    {"make", opw_make_ufunc, METH_VARARGS,
     "make(form, name, doc, core, types, inputs, outputs, computed, threads): a ufunc, whose loops form.loop(number) gives"},
    {"form_of", opw_form_of, METH_O, "form_of(ufunc): what it was made of, or None"},
    {NULL, NULL, 0, NULL},
};

static int opw_ufunc_exec(PyObject *module)
{
    (void)module;
    return PyArray_ImportNumPyAPI() < 0 || PyUFunc_ImportUFuncAPI() < 0 ? -1 : 0;
}

static PyModuleDef_Slot opw_ufunc_slots[] = {
    {Py_mod_exec, (void *)opw_ufunc_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef opw_ufunc_module = {
    PyModuleDef_HEAD_INIT, "opweld._ufunc", NULL, 0, opw_ufunc_methods, opw_ufunc_slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__ufunc(void)
{
    return PyModuleDef_Init(&opw_ufunc_module);
}
