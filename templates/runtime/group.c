/* Several nodes as one loop, and the loops that take its place where shapes forbid it. */
/* ---- groups ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int ndim;
    npy_intp dims[OPW_MAX_DIMS];
} opw_shape;

/* What a member reads, as operands whose shapes alone count: of other members' values there is no memory. */
static void opw_list_reads(const opw_member *member, opw_places places, const opw_shape *shapes, opw_operand *list)
{
    uint32_t i;
    for (i = 0; i < member->inputs; i++) {
        int32_t from = member->reads[i].from;
        if (from >= 0) {
            list[i] = opw_operand_of(*opw_place(places, from));
            continue;
        }
        memset(&list[i], 0, sizeof(*list));
        list[i].ndim = shapes[-1 - from].ndim;
        list[i].dims = shapes[-1 - from].dims;
    }
}

/* The shapes of what members give, up to one whose inputs have no shape in common; *n: how many. To be freed; NULL: no memory. */
static opw_shape *opw_member_shapes(const opw_group *group, opw_places places, uint32_t *n)
{
    opw_shape *shapes = (opw_shape *)PyMem_Malloc(sizeof(opw_shape) * (group->members + 1));
    opw_operand list[OPW_MAX_OPERANDS];
    if (!shapes) {
        PyErr_NoMemory();
        return NULL;
    }
    for (*n = 0; *n < group->members; ++*n) {
        const opw_member *member = &group->member_table[*n];
        opw_list_reads(member, places, shapes, list);
        shapes[*n].ndim = opw_broadcast(list, (int)member->inputs, shapes[*n].dims);
        if (shapes[*n].ndim < 0)
            break;
    }
    return shapes;
}

/* Raises for the first member whose inputs have no shape in common: 1 + its number; 0: all have. */
static int opw_refuse_member(const opw_group *group, opw_places places)
{
    opw_operand list[OPW_MAX_OPERANDS];
    uint32_t n;
    opw_shape *shapes = opw_member_shapes(group, places, &n);
    if (!shapes)
        return 1;
    if (n < group->members) {
        opw_list_reads(&group->member_table[n], places, shapes, list);
        opw_refuse_shapes(list, (int)group->member_table[n].inputs);
    }
    PyMem_Free(shapes);
    return n < group->members ? 1 + (int)n : 0;
}

/* A loop's status as the group's. */
static int opw_at_fault(const opw_group *group, int status) { return status == OPW_NOTHING ? 1 + (int)group->folds : status; }

static int opw_run_part(const opw_program *program, const opw_part *part, opw_places group, PyArrayObject **temporaries)
{
    const opw_loop *work = &program->loop_table[part->loop];
    PyArrayObject **list[OPW_MAX_OPERANDS];
    opw_places places;
    int i;
    for (i = 0; i < work->inputs + work->outputs; i++) {
        int32_t operand = part->operands[i];
        list[i] = operand >= 0 ? opw_place(group, operand) : &temporaries[-1 - operand];
    }
    places.frame = NULL;
    places.at.list = list;
    return work->fold ? opw_fold_arrays(work, places, NULL) : opw_store(work, places, NULL);
}

/* The second way: one part after the other. */
static int opw_run_parts(const opw_program *program, const opw_group *group, opw_places places)
{
    PyArrayObject *temporaries[OPW_MAX_TEMPORARIES];
    uint32_t i;
    int status = 0;
    for (i = 0; i < group->temporaries; i++)
        temporaries[i] = NULL;
    for (i = 0; !status && i < group->parts; i++)
        status = opw_run_part(program, &group->part_table[i], places, temporaries);
    for (i = 0; i < group->temporaries; i++)
        Py_XDECREF(temporaries[i]); /* release what was made between parts (owned) */
    return opw_at_fault(group, status);
}

int opw_run_group(char *frame, const uint32_t *slots)
{
    const opw_program *program = OPW_HEAD(frame)->program;
    const opw_group *group = &program->group_table[*slots];
    const opw_loop *work = &program->loop_table[group->main];
    opw_places places = opw_in_slots(frame, slots + 1);
    int status = work->fold ? opw_fold_arrays(work, places, group) : opw_store(work, places, group);
    if (status == OPW_NO_SHAPE && (status = opw_refuse_member(group, places)) == 0)
        status = OPW_BY_PARTS;
    return status == OPW_BY_PARTS ? opw_run_parts(program, group, places) : opw_at_fault(group, status);
}

/* A new tuple, or NULL. */
static PyObject *opw_tuple_of(const opw_shape *shape)
{
    PyObject *tuple = PyTuple_New(shape->ndim), *dim;
    int i;
    for (i = 0; tuple && i < shape->ndim; i++) {
        if ((dim = PyLong_FromSsize_t((Py_ssize_t)shape->dims[i])))
            PyTuple_SET_ITEM(tuple, i, dim);
        else
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* What a member reads, for a message: arrays, and of other members' values the dtype and the shape. A new tuple, or NULL. */
static PyObject *opw_member_inputs(const opw_group *group, opw_places places, uint32_t which)
{
    const opw_member *member = &group->member_table[which];
    PyObject *inputs = PyTuple_New((Py_ssize_t)member->inputs), *value;
    uint32_t i, n;
    opw_shape *shapes = inputs ? opw_member_shapes(group, places, &n) : NULL;
    for (i = 0; shapes && inputs && i < member->inputs; i++) {
        const opw_read *read = &member->reads[i];
        if (read->from >= 0) {
            value = (PyObject *)*opw_place(places, read->from);
            Py_INCREF(value);
        } else {
            value = Py_BuildValue("NN", PyArray_DescrFromType(read->type), opw_tuple_of(&shapes[-1 - read->from]));
        }
        if (value)
            PyTuple_SET_ITEM(inputs, (Py_ssize_t)i, value);
        else
            Py_CLEAR(inputs);
    }
    if (!shapes)
        Py_CLEAR(inputs);
    PyMem_Free(shapes);
    return inputs;
}
