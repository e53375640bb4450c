/* Several nodes as one loop, and the loops that take its place where shapes forbid it. */
/* ---- groups ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int ndim;
    npy_intp dims[OPW_MAX_DIMS];
} opw_shape;

static opw_member opw_member_of(const opw_group *group, uint32_t n)
{
    const opw_figure *entry = group->members_of + 3 * n;
    opw_member member;
    member.node = (int32_t)entry[0];
    member.inputs = (uint32_t)entry[1];
    member.reads = group->reads + 2 * entry[2];
    member.exact = group->exact ? group->exact + entry[2] : NULL;
    return member;
}

/* What a member reads, as operands whose shapes alone count: of other members' values there is no memory. */
static void opw_list_reads(const opw_member *member, opw_places places, const opw_shape *shapes, opw_operand *list)
{
    uint32_t i;
    for (i = 0; i < member->inputs; i++) {
        int32_t from = (int32_t)member->reads[2 * i];
        if (from >= 0) {
            list[i] = opw_operand_of(*opw_place(places, from));
            continue;
        }
        memset(&list[i], 0, sizeof(*list));
        list[i].ndim = shapes[-1 - from].ndim;
        list[i].dims = shapes[-1 - from].dims;
    }
}

/* Whether a member broadcasts what it must not. */
static int opw_stretches_member(const opw_member *member, const opw_operand *list, const opw_shape *shape)
{
    return member->exact && opw_stretches(list, (int)member->inputs, member->exact, shape->ndim, shape->dims);
}

/* The shapes of what members give, up to one whose inputs cannot be broadcast; *n: how many. To be freed; NULL: no memory. */
static opw_shape *opw_member_shapes(const opw_group *group, opw_places places, uint32_t *n)
{
    opw_shape *shapes = (opw_shape *)PyMem_Malloc(sizeof(opw_shape) * (group->members + 1));
    opw_operand list[OPW_MAX_OPERANDS];
    if (!shapes) {
        PyErr_NoMemory();
        return NULL;
    }
    for (*n = 0; *n < group->members; ++*n) {
        const opw_member member = opw_member_of(group, *n);
        opw_list_reads(&member, places, shapes, list);
        shapes[*n].ndim = opw_broadcast(list, (int)member.inputs, shapes[*n].dims);
        if (shapes[*n].ndim < 0 || opw_stretches_member(&member, list, &shapes[*n]))
            break;
    }
    return shapes;
}

/* Raises for the first member whose inputs cannot be broadcast: 1 + its number; 0: all can. */
static int opw_refuse_member(const opw_group *group, opw_places places)
{
    opw_operand list[OPW_MAX_OPERANDS];
    uint32_t n;
    opw_shape *shapes = opw_member_shapes(group, places, &n);
    if (!shapes)
        return 1;
    if (n < group->members) {
        const opw_member member = opw_member_of(group, n);
        opw_list_reads(&member, places, shapes, list);
        opw_refuse_shapes(list, (int)member.inputs);
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
        int32_t operand = (int32_t)part->operands[i];
        list[i] = operand >= 0 ? opw_place(group, operand) : &temporaries[-1 - operand];
    }
    places.frame = NULL;
    places.at.list = list;
    return work->fold ? opw_fold_arrays(work, places, NULL) : opw_store(work, places, NULL);
}

/* The second way: one part after the other. Storage between parts is the instance's where that has it, and nobody else is given it. */
static int opw_run_parts(char *frame, const opw_group *group, opw_places places)
{
    const opw_program *program = OPW_HEAD(frame)->program;
    const opw_spare *spare = &OPW_HEAD(frame)->self->code->spares[group - program->group_table];
    PyArrayObject *temporaries[OPW_MAX_TEMPORARIES];
    uint32_t i;
    int status = 0;
    for (i = 0; i < group->temporaries; i++)
        temporaries[i] = (PyArrayObject *)opw_take_kept(frame, spare->first + i);
    for (i = 0; !status && i < group->parts; i++)
        status = opw_run_part(program, &group->part_table[i], places, temporaries);
    for (i = 0; i < group->temporaries; i++)
        if (temporaries[i] && spare->stays >> i & 1)
            opw_keep(frame, spare->first + i, (PyObject *)temporaries[i]);
        else
            Py_XDECREF(temporaries[i]); /* release what was made between parts (owned) */
    return opw_at_fault(group, status);
}

/* What is left to do where a group's main loop has not run, or has failed. */
static int opw_settle(char *frame, const opw_group *group, opw_places places, int status)
{
    if (status == OPW_NO_SHAPE && (status = opw_refuse_member(group, places)) == 0)
        status = OPW_BY_PARTS;
    return status == OPW_BY_PARTS ? opw_run_parts(frame, group, places) : opw_at_fault(group, status);
}

/* The arrays of a group's inputs, where it reads through views: these as arrays of their own. */
typedef struct {
    PyArrayObject *views[OPW_MAX_VIEWS]; /* owned */
    uint32_t made;
    PyArrayObject **list[OPW_MAX_OPERANDS]; /* of the inputs, then of the outputs */
} opw_spread;

static void opw_drop_views(opw_spread *spread)
{
    while (spread->made)
        Py_DECREF(spread->views[--spread->made]); /* release the view of a source (owned) */
}

/* Makes the first n views of a group, of what lies in places: its sources, then its outputs. Non-zero: an exception is set. Whatever
   comes of it, the views are to be dropped. */
static int opw_spread_out(const opw_program *program, const opw_group *group, opw_places places, uint32_t n, opw_spread *spread)
{
    uint32_t i;
    for (spread->made = 0; spread->made < n; spread->made++) {
        const opw_viewed *viewed = &group->view_table[spread->made];
        opw_inputs inputs = {places, viewed->reads, NULL};
        int32_t of = *viewed->reads;
        if (!(spread->views[spread->made] = opw_view_array(&program->access_table[viewed->access],
                                                           of < 0 ? spread->views[-1 - of] : *opw_place(places, of), &inputs)))
            return 1;
    }
    for (i = 0; i < group->inputs; i++)
        spread->list[i] = group->from[i] < 0 ? &spread->views[-1 - group->from[i]] : opw_place(places, group->from[i]);
    for (i = 0; i < group->outputs; i++)
        spread->list[group->inputs + i] = opw_place(places, (int)(group->sources + i));
    return 0;
}

static opw_places opw_in_list(PyArrayObject **const *list)
{
    opw_places places;
    places.frame = NULL;
    places.at.list = list;
    return places;
}

/* As opw_settle, with views as arrays. */
static int opw_settle_spread(char *frame, const opw_group *group, opw_places places, int status)
{
    opw_spread spread;
    if (opw_spread_out(OPW_HEAD(frame)->program, group, places, group->views, &spread))
        status = 1 + (int)(group->members + spread.made);
    else
        status = opw_settle(frame, group, opw_in_list(spread.list), status);
    opw_drop_views(&spread);
    return status;
}

/* Finds what a group's views have; 0, or 1 + the number of the one at fault. */
static int opw_reach_all(const opw_program *program, const opw_group *group, opw_places places, npy_intp *room, opw_operand *views)
{
    uint32_t m;
    for (m = 0; m < group->views; m++) {
        const opw_viewed *viewed = &group->view_table[m];
        const opw_access *access = &program->access_table[viewed->access];
        opw_inputs inputs = {places, viewed->reads, NULL};
        opw_operand from = *viewed->reads < 0 ? views[-1 - *viewed->reads] : opw_operand_of(*opw_place(places, *viewed->reads));
        if (opw_reach(access, &from, &inputs, room, &views[m]))
            return 1 + (int)(group->members + m);
        room += 2 * access->ndim;
    }
    return 0;
}

/* Lists the inputs of a group that reads through views, and the places of the arrays: there is none where a view is read. room: for
   the views' numbers. 0, or 1 + the number of the view at fault. */
static int opw_list_viewed(const opw_program *program, const opw_group *group, opw_places places, npy_intp *room, opw_operand *inputs,
                           PyArrayObject ***list)
{
    opw_operand views[OPW_MAX_VIEWS];
    int status = opw_reach_all(program, group, places, room, views);
    uint32_t i;
    for (i = 0; i < group->inputs && !status; i++) {
        int32_t from = group->from[i];
        list[i] = from < 0 ? NULL : opw_place(places, from);
        inputs[i] = from < 0 ? views[-1 - from] : opw_operand_of(*list[i]);
    }
    for (i = 0; i < group->outputs; i++)
        list[group->inputs + i] = opw_place(places, (int)(group->sources + i));
    return status;
}

/* Runs a group that reads through views, of which it makes no arrays. */
static int opw_run_viewed(char *frame, const opw_group *group, opw_places places)
{
    const opw_program *program = OPW_HEAD(frame)->program;
    const opw_loop *work = &program->loop_table[group->main];
    npy_intp room[OPW_VIEW_ROOM];
    PyArrayObject **list[OPW_MAX_OPERANDS];
    opw_operands operands;
    int status = opw_list_viewed(program, group, places, room, operands.all, list);
    if (status)
        return status;
    status = work->fold ? opw_fold_operands(work, opw_in_list(list), group, &operands)
                        : opw_store_operands(work, opw_in_list(list), group, operands.all);
    return status == OPW_NO_SHAPE || status == OPW_BY_PARTS ? opw_settle_spread(frame, group, places, status)
                                                            : opw_at_fault(group, status);
}

int opw_run_group(char *frame, const uint32_t *slots)
{
    const opw_program *program = OPW_HEAD(frame)->program;
    const opw_group *group = &program->group_table[*slots];
    const opw_loop *work = &program->loop_table[group->main];
    opw_places places = opw_in_slots(frame, slots + 1);
    int status;
    if (group->views)
        return opw_run_viewed(frame, group, places);
    status = work->fold ? opw_fold_arrays(work, places, group) : opw_store(work, places, group);
    return status ? opw_settle(frame, group, places, status) : 0;
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
static PyObject *opw_list_inputs(const opw_group *group, opw_places places, uint32_t which)
{
    const opw_member member = opw_member_of(group, which);
    PyObject *inputs = PyTuple_New((Py_ssize_t)member.inputs), *value;
    uint32_t i, n;
    opw_shape *shapes = inputs ? opw_member_shapes(group, places, &n) : NULL;
    for (i = 0; shapes && inputs && i < member.inputs; i++) {
        const int32_t from = (int32_t)member.reads[2 * i];
        if (from >= 0) {
            value = (PyObject *)*opw_place(places, from);
            Py_INCREF(value);
        } else {
            value = Py_BuildValue("ON", (PyObject *)opw_dtypes[member.reads[2 * i + 1]], opw_tuple_of(&shapes[-1 - from]));
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

/* What a view reads, for a message: of those before it arrays are there. A new tuple, or NULL. */
static PyObject *opw_view_inputs(const opw_program *program, const opw_viewed *viewed, opw_places places, opw_spread *spread)
{
    int i, n = program->access_table[viewed->access].inputs;
    PyObject *inputs = PyTuple_New(n);
    for (i = 0; inputs && i < n; i++) {
        int32_t from = viewed->reads[i];
        PyObject *value = (PyObject *)(from < 0 ? spread->views[-1 - from] : *opw_place(places, from));
        Py_INCREF(value);
        PyTuple_SET_ITEM(inputs, i, value);
    }
    return inputs;
}

/* The node of the member or view that a group's status names, and what that read. A new tuple, or NULL. */
static PyObject *opw_member_inputs(const opw_program *program, const opw_group *group, opw_places places, int status, int *node)
{
    uint32_t which = (uint32_t)status - 1, views = which < group->members ? group->views : which - group->members;
    PyObject *inputs = NULL;
    opw_spread spread;
    *node = which < group->members ? opw_member_of(group, which).node : group->view_table[views].node;
    if (!group->views)
        return opw_list_inputs(group, places, which);
    if (!opw_spread_out(program, group, places, views, &spread))
        inputs = which < group->members ? opw_list_inputs(group, opw_in_list(spread.list), which)
                                        : opw_view_inputs(program, &group->view_table[views], places, &spread);
    opw_drop_views(&spread);
    return inputs;
}

/* Whether a step is a loop of the engine's. */
static int opw_is_loop(opw_run_fn run) { return run == opw_run_stores || run == opw_run_folds || run == opw_run_group; }
