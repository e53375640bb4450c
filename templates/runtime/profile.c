/* What calls and steps cost. Compiled twice: as it stands all is as if it were not there; the object of profiled modules is made
   with OPW_PROFILE. */
/* ---- costs ------------------------------------------------------------------------------------------------------- */

#ifdef OPW_PROFILE
#include <time.h>

struct opw_cost {
    uint64_t calls, nanoseconds, bytes; /* of a step that succeeded: of the arrays that it reads and writes */
};

static PyObject *opw_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names);

static uint64_t opw_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Adds to a cost; calls of several threads may be in one step, where it has released the GIL. */
static void opw_add_cost(opw_cost *cost, uint64_t since, uint64_t bytes)
{
    uint64_t took = opw_now() - since;
    __atomic_fetch_add(&cost->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&cost->nanoseconds, took, __ATOMIC_RELAXED);
    __atomic_fetch_add(&cost->bytes, bytes, __ATOMIC_RELAXED);
}

/* The arrays that a step has read and written, in bytes. */
static uint64_t opw_bytes_of(char *frame, const opw_code *code, const opw_step *step)
{
    const opw_program *p = code->program;
    const int32_t *slots = p->slot_table + step->reads;
    uint64_t bytes = 0;
    uint32_t i;
    for (i = 0; i < step->inputs + step->outputs; i++, slots++) {
        uint32_t variable = (uint32_t)(i >= step->inputs && step->run == opw_perform ? *++slots : *slots); /* before it: its type */
        PyArrayObject *array = p->types[p->variable_types[variable]].ndim < 0 ? NULL : OPW_ARRAY(opw_slot(frame, code, variable));
        bytes += array ? (uint64_t)PyArray_NBYTES(array) : 0;
    }
    return bytes;
}

/* An entry of the table, with the clock round it. Entry i has the cost i, the whole of the calls the one after the last. */
static int opw_run_entry(char *frame, const opw_code *code, const opw_resolved *entry)
{
    const opw_step *step = &code->program->step_table[entry - code->steps];
    opw_cost *cost = &OPW_HEAD(frame)->self->costs[entry - code->steps];
    uint64_t begin = opw_now();
    int status = entry->run(frame, entry->slots);
    opw_add_cost(cost, begin, 0);
    if (!status && step->node >= 0)
        __atomic_fetch_add(&cost->bytes, opw_bytes_of(frame, code, step), __ATOMIC_RELAXED);
    return status;
}

/* The loop of a lane, which is the one step that does work. */
static int opw_run_lane_loop(opw_function *self, const opw_lane *lane, npy_intp n, char **p)
{
    const opw_loop *work = lane->loop;
    uint64_t bytes = 0, begin = opw_now();
    int i, status = opw_run_in_lane(lane, n, p);
    for (i = 0; i < work->inputs + work->outputs; i++)
        bytes += (uint64_t)work->sizes[i] * (uint64_t)(i >= work->inputs || lane->shaped >> i & 1 ? n : 1);
    opw_add_cost(&self->costs[self->code->work_steps[0]], begin, status ? 0 : bytes);
    return status;
}

static int opw_make_costs(opw_function *self)
{
    self->costs = (opw_cost *)PyMem_Calloc(self->code->program->steps + 1, sizeof(opw_cost));
    if (!self->costs)
        PyErr_NoMemory();
    return self->costs ? 0 : -1;
}

/* The nodes that a step runs. A new tuple, or NULL. */
static PyObject *opw_nodes_of(const opw_program *p, const opw_step *step)
{
    const opw_group *group = step->run == opw_run_group ? &p->group_table[-1 - p->slot_table[step->slots]] : NULL;
    PyObject *nodes, *node;
    uint32_t i;
    if (!group)
        return Py_BuildValue("(i)", (int)step->node);
    nodes = PyTuple_New((Py_ssize_t)(group->members + group->views));
    for (i = 0; nodes && i < group->members + group->views; i++) {
        node = PyLong_FromLong(i < group->members ? opw_member_of(group, i).node : group->view_table[i - group->members].node);
        if (node)
            PyTuple_SET_ITEM(nodes, (Py_ssize_t)i, node);
        else
            Py_CLEAR(nodes);
    }
    return nodes;
}

/* Appends a cost to a list: the nodes, which it takes, calls, nanoseconds, bytes. */
static int opw_list_cost(PyObject *list, PyObject *nodes, const opw_cost *cost)
{
    PyObject *row = nodes ? Py_BuildValue("NKKK", nodes, (unsigned long long)__atomic_load_n(&cost->calls, __ATOMIC_RELAXED),
                                          (unsigned long long)__atomic_load_n(&cost->nanoseconds, __ATOMIC_RELAXED),
                                          (unsigned long long)__atomic_load_n(&cost->bytes, __ATOMIC_RELAXED)) : NULL;
    int failed = !row || PyList_Append(list, row);
    Py_XDECREF(row);
    return failed;
}

/* f._costs(): the whole of the calls, of no nodes, then each step that does work. */
static PyObject *opw_function_costs(PyObject *object, PyObject *unused)
{
    const opw_function *self = (const opw_function *)object;
    const opw_program *p = self->code->program;
    PyObject *list = PyList_New(0);
    uint32_t i;
    int failed;
    (void)unused;
    if (!list)
        return NULL;
    failed = opw_list_cost(list, PyTuple_New(0), &self->costs[p->steps]);
    for (i = 0; !failed && i < p->steps; i++)
        if (p->step_table[i].node >= 0)
            failed = opw_list_cost(list, opw_nodes_of(p, &p->step_table[i]), &self->costs[i]);
    if (failed)
        Py_CLEAR(list);
    return list;
}

/* f._forget_costs(): from zero again. */
static PyObject *opw_function_forget_costs(PyObject *object, PyObject *unused)
{
    const opw_function *self = (const opw_function *)object;
    uint32_t i;
    (void)unused;
    for (i = 0; i <= self->code->program->steps; i++) {
        __atomic_store_n(&self->costs[i].calls, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&self->costs[i].nanoseconds, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&self->costs[i].bytes, 0, __ATOMIC_RELAXED);
    }
    Py_RETURN_NONE;
}

/* The callable's entry, with the clock round it. */
static PyObject *opw_timed_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *names)
{
    opw_function *self = (opw_function *)callable;
    uint64_t begin = opw_now();
    PyObject *result = opw_vectorcall(callable, args, nargsf, names);
    opw_add_cost(&self->costs[self->code->program->steps], begin, 0);
    return result;
}

#define OPW_ENTRY opw_timed_call
#define OPW_COST_METHODS {"_costs", opw_function_costs, METH_NOARGS, NULL}, {"_forget_costs", opw_function_forget_costs, METH_NOARGS, NULL},
#else
#define OPW_ENTRY opw_vectorcall
#define OPW_COST_METHODS
#define opw_make_costs(self) 0
#define opw_run_entry(frame, code, entry) (entry)->run(frame, (entry)->slots)
#define opw_run_lane_loop(self, lane, n, p) opw_run_in_lane(lane, n, p)
#endif
