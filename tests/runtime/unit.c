/* A unit written by hand, for templates/runtime alone: a module of several functions, whose steps and tables are what the engine
   would make of them, and an allocator that fails where it is told to. checks.py says what each function must do. */
#include "prelude.h"

/* ---- types: an array of doubles of one dimension; of any number; one whose slot is large ---- */

static PyArrayObject **held(char *frame, const uint32_t *slots) { return &OPW_ARRAY(frame + slots[0]); }

static size_t array_size(void) { return sizeof(PyObject *) + OPW_ROOM(PyArrayObject *); }
static size_t large_size(void) { return sizeof(PyObject *) + OPW_ROOM(PyArrayObject *) + 6000; }

static int array_adopt(char *frame, const uint32_t *slots)
{
    PyObject *object = OPW_PY(frame + slots[0]);
    Py_INCREF(object);
    *held(frame, slots) = (PyArrayObject *)object;
    return 0;
}

/* Refuses what is no array: before it holds anything, or after, by what it is. */
static int careful_adopt(char *frame, const uint32_t *slots)
{
    PyObject *object = OPW_PY(frame + slots[0]);
    *held(frame, slots) = NULL;
    if (PyArray_Check(object))
        return array_adopt(frame, slots);
    PyErr_SetString(PyExc_TypeError, "no array");
    if (!PyLong_Check(object))
        return 1;
    Py_CLEAR(OPW_PY(frame + slots[0]));
    return -1;
}

static int array_init(char *frame, const uint32_t *slots)
{
    Py_INCREF(Py_None);
    OPW_PY(frame + slots[0]) = Py_None;
    *held(frame, slots) = NULL;
    return 0;
}

static int array_offer(char *frame, const uint32_t *slots)
{
    PyObject *out = opw_given(frame, slots[1]);
    if (!out || !(out = opw_offered(frame, slots + 1)))
        return array_init(frame, slots);
    Py_INCREF(out);
    OPW_PY(frame + slots[0]) = out;
    return array_adopt(frame, slots);
}

static int array_sync(char *frame, const uint32_t *slots)
{
    PyObject *array = (PyObject *)*held(frame, slots), *old = OPW_PY(frame + slots[0]);
    if (!array)
        return 0;
    Py_INCREF(array);
    OPW_PY(frame + slots[0]) = array;
    Py_XDECREF(old);
    return 0;
}

static void array_leave(char *frame, const uint32_t *slots)
{
    Py_CLEAR(*held(frame, slots));
    Py_CLEAR(OPW_PY(frame + slots[0]));
}

static int array_take(char *frame, const uint32_t *slots)
{
    PyObject *kept = opw_take_kept(frame, slots[1]);
    if (!kept)
        return array_init(frame, slots);
    OPW_PY(frame + slots[0]) = kept;
    return array_adopt(frame, slots);
}

static void array_keep(char *frame, const uint32_t *slots)
{
    PyObject *kept = NULL;
    if (opw_keeping(frame) && !array_sync(frame, slots)) {
        kept = OPW_PY(frame + slots[0]);
        Py_XINCREF(kept);
    }
    array_leave(frame, slots);
    if (kept)
        opw_keep(frame, slots[1], kept);
}

static int is_doubles(PyObject *object)
{
    return PyArray_CheckExact(object) && PyArray_TYPE((PyArrayObject *)object) == NPY_DOUBLE &&
           PyArray_ISALIGNED((PyArrayObject *)object) && PyArray_ISNOTSWAPPED((PyArrayObject *)object);
}

static int is_floats(PyObject *object)
{
    return PyArray_CheckExact(object) && PyArray_TYPE((PyArrayObject *)object) == NPY_FLOAT && PyArray_ISBEHAVED_RO((PyArrayObject *)object);
}

static int is_writeable(PyObject *object) { return is_doubles(object) && PyArray_ISWRITEABLE((PyArrayObject *)object); }
static int is_vector(PyObject *object) { return is_doubles(object) && PyArray_NDIM((PyArrayObject *)object) == 1; }

/* Enters an argument, or what is in a cell. */
static int enter(char *frame, const uint32_t *slots, PyObject *given, int (*accept)(PyObject *))
{
    if (accept(given))
        Py_INCREF(given);
    else if (!(given = opw_convert(frame, slots[1], given)))
        return -1;
    else if (!accept(given))
        return opw_refuse(given, "Doubles");
    OPW_PY(frame + slots[0]) = given;
    return array_adopt(frame, slots);
}

static int array_input(char *frame, const uint32_t *slots) { return enter(frame, slots, OPW_PY(frame + slots[0]), is_doubles); }
static int vector_input(char *frame, const uint32_t *slots) { return enter(frame, slots, OPW_PY(frame + slots[0]), is_vector); }

static int floats_input(char *frame, const uint32_t *slots) { return enter(frame, slots, OPW_PY(frame + slots[0]), is_floats); }

static int is_integer(PyObject *object)
{
    return PyArray_CheckExact(object) && PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)object)) && PyArray_NDIM((PyArrayObject *)object) == 0 &&
           PyArray_ISBEHAVED_RO((PyArrayObject *)object);
}

static int number_input(char *frame, const uint32_t *slots) { return enter(frame, slots, OPW_PY(frame + slots[0]), is_integer); }

static int cell_input(char *frame, const uint32_t *slots)
{
    PyObject *value = opw_cell(frame, slots[1]);
    return value ? enter(frame, slots, value, is_doubles) : -1;
}

enum { ANY, VECTOR, LARGE, CAREFUL, PLAIN, FLOATS, NUMBER, FITTING };

static const opw_type types[] = {
    {array_size, array_adopt, array_leave, "Doubles", NPY_DOUBLE, -1, 0},
    {array_size, array_adopt, array_leave, "Vector", NPY_DOUBLE, 1, 0},
    {large_size, array_adopt, array_leave, "Large", NPY_DOUBLE, -1, 0},
    {array_size, careful_adopt, array_leave, "Careful", NPY_DOUBLE, 1, 0},
    {array_size, array_adopt, array_leave, "Plain", NPY_DOUBLE, -1, 1},
    {array_size, array_adopt, array_leave, "Floats", NPY_FLOAT, -1, 0},
    {array_size, array_adopt, array_leave, "Number", NPY_LONG, -1, 0}, /* or any other integer */
    {opw_plain_size, opw_plain_adopt, opw_plain_leave, "Fitting", NPY_DOUBLE, 1, 1},
};

/* ---- loops ---- */

#define AT(k, i) (*(double *)(void *)(p[k] + (i) * s[k]))

static int add_inner(npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp i;
    for (i = 0; i < n; i++)
        AT(2, i) = AT(0, i) + AT(1, i);
    return 0;
}

static int add_floats_inner(npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp i;
    for (i = 0; i < n; i++)
        *(float *)(void *)(p[2] + i * s[2]) = *(float *)(void *)(p[0] + i * s[0]) + *(float *)(void *)(p[1] + i * s[1]);
    return 0;
}

/* x * y + z */
static int scale_inner(npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp i;
    for (i = 0; i < n; i++)
        AT(3, i) = AT(0, i) * AT(1, i) + AT(2, i);
    return 0;
}

static int roots_taken;

/* sqrt, that fails on a negative number. */
static int root_of(double x, double *root)
{
    roots_taken++;
    *root = sqrt(x);
    if (x >= 0)
        return 0;
    PyErr_SetString(PyExc_ArithmeticError, "negative");
    return 1;
}

static int root_as(int member, npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp i;
    for (i = 0; i < n; i++)
        if (root_of(AT(0, i), &AT(1, i)))
            return 1 + member;
    return 0;
}

static int root_inner(npy_intp n, char *const *p, const npy_intp *s) { return root_as(0, n, p, s); }

/* The same, as the second and the third member of a group. */
static int second_root_inner(npy_intp n, char *const *p, const npy_intp *s) { return root_as(1, n, p, s); }
static int third_root_inner(npy_intp n, char *const *p, const npy_intp *s) { return root_as(2, n, p, s); }

/* Of groups, the main loops: sqrt(x) + y; x + y and sqrt(x + y + z); sqrt(x) and sqrt(y). */
static int expand_inner(npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp i;
    double root;
    for (i = 0; i < n; i++) {
        if (root_of(AT(0, i), &root))
            return 1;
        AT(2, i) = root + AT(1, i);
    }
    return 0;
}

static int twice_inner(npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp i;
    for (i = 0; i < n; i++) {
        double sum = AT(0, i) + AT(1, i);
        if (root_of(sum + AT(2, i), &AT(4, i)))
            return 3;
        AT(3, i) = sum;
    }
    return 0;
}

static int pair_inner(npy_intp n, char *const *p, const npy_intp *s)
{
    npy_intp i;
    for (i = 0; i < n; i++) {
        if (root_of(AT(0, i), &AT(2, i)))
            return 1;
        if (root_of(AT(1, i), &AT(3, i)))
            return 2;
    }
    return 0;
}

static const opw_figure doubles[] = {NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE};
static const opw_figure sizes[] = {8, 8, 8, 8, 8};
static const opw_figure floats[] = {NPY_FLOAT, NPY_FLOAT, NPY_FLOAT};
static const opw_figure float_sizes[] = {4, 4, 4};
static const int over_second[] = {1};

static opw_knowledge known[17];
static const opw_loop roots[] = {{1, 1, doubles, sizes, 0, NULL, root_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[0]}};

static int sum_block(npy_intp n, npy_intp m, char *const *p, const npy_intp *s, const npy_intp *t, int how, void *acc)
{
    double *sums = (double *)acc;
    npy_intp i, j;
    for (j = 0; j < m; j++) /* in which order is theirs to choose */
        for (sums[j] = how & OPW_MORE ? sums[j] : 0, i = 0; i < n; i++)
            sums[j] += *(const double *)(const void *)(p[0] + i * s[0] + j * t[0]);
    return 0;
}

static int sum_join(void *acc, const void *other, npy_intp from, npy_intp m)
{
    npy_intp j;
    for (j = 0; j < m; j++)
        ((double *)acc)[j] += ((const double *)other)[from + j];
    return 0;
}

/* Sums sqrt(x) + y. */
static int total_block(npy_intp n, npy_intp m, char *const *p, const npy_intp *s, const npy_intp *t, int how, void *acc)
{
    double *sums = (double *)acc, root;
    npy_intp i, j;
    for (j = 0; j < m; j++)
        for (sums[j] = how & OPW_MORE ? sums[j] : 0, i = 0; i < n; i++) {
            if (root_of(*(const double *)(const void *)(p[0] + i * s[0] + j * t[0]), &root))
                return 1;
            sums[j] += root + *(const double *)(const void *)(p[1] + i * s[1] + j * t[1]);
        }
    return 0;
}

static int max_block(npy_intp n, npy_intp m, char *const *p, const npy_intp *s, const npy_intp *t, int how, void *acc)
{
    double *found = (double *)acc;
    npy_intp i, j;
    (void)how; /* it is not `wide` */
    for (j = 0; j < m; j++)
        for (found[j] = *(const double *)(const void *)(p[0] + j * t[0]), i = 1; i < n; i++)
            found[j] = fmax(found[j], *(const double *)(const void *)(p[0] + i * s[0] + j * t[0]));
    return 0;
}

static int max_join(void *acc, const void *other, npy_intp from, npy_intp m)
{
    npy_intp j;
    for (j = 0; j < m; j++)
        ((double *)acc)[j] = fmax(((double *)acc)[j], ((const double *)other)[from + j]);
    return 0;
}

/* Behind one input, and behind two. */
static void store(const void *acc, npy_intp m, char *const *p, const npy_intp *t)
{
    npy_intp j;
    for (j = 0; j < m; j++)
        *(double *)(void *)(p[1] + j * t[1]) = ((const double *)acc)[j];
}

static void store_total(const void *acc, npy_intp m, char *const *p, const npy_intp *t) { store(acc, m, p + 1, t + 1); }

static void zero(void *acc, npy_intp m) { memset(acc, 0, (size_t)m * sizeof(double)); }

static const opw_kind folded[] = {OPW_FOLDED};
#define SUM(axes, block, store) {folded, OPW_COLUMNS(sizeof(double)), axes, 0, 0, 1, sizeof(double), {16, 16}, NULL, {block, block}, sum_join, store, zero, NULL}
static const opw_fold sums[] = {SUM(1, sum_block, store), SUM(2, sum_block, store), SUM(~(npy_uint64)0, sum_block, store),
                                SUM(1, total_block, store_total)};
static const opw_fold largest = {folded, OPW_COLUMNS(sizeof(double)), 1, 1, 0, 0, sizeof(double), {0, 0}, "maximum", {max_block, max_block}, max_join,
                                 store, NULL, NULL};

enum { ADD, ADD_OVER, SUM_0, SUM_1, SUM_ALL, ROOT, EXPAND, EXPAND_OVER, TWICE, PAIR, TOTAL, ADD_FLOATS, SCALE, SECOND_ROOT, THIRD_ROOT };
static const opw_loop loops[] = {
    {2, 1, doubles, sizes, 0, NULL, add_inner, NULL, 100, 0, NULL, NULL, NULL, NULL, NULL, &known[1]},
    {2, 1, doubles, sizes, 0, over_second, add_inner, NULL, 100, 0, NULL, NULL, NULL, NULL, NULL, &known[2]},
    {1, 1, doubles, sizes, 0, NULL, NULL, &sums[0], 100, 0, NULL, NULL, NULL, NULL, NULL, &known[3]},
    {1, 1, doubles, sizes, 0, NULL, NULL, &sums[1], 100, 0, NULL, NULL, NULL, NULL, NULL, &known[4]},
    {1, 1, doubles, sizes, 0, NULL, NULL, &sums[2], 100, 0, NULL, NULL, NULL, NULL, NULL, &known[5]},
    {1, 1, doubles, sizes, 0, NULL, root_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[6]},
    {2, 1, doubles, sizes, 0, NULL, expand_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[7]},
    {2, 1, doubles, sizes, 0, over_second, expand_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[8]},
    {3, 2, doubles, sizes, 0, NULL, twice_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[9]},
    {2, 2, doubles, sizes, 0, NULL, pair_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[10]},
    {2, 1, doubles, sizes, 0, NULL, NULL, &sums[3], 0, 0, NULL, NULL, NULL, NULL, NULL, &known[11]},
    {2, 1, floats, float_sizes, 0, NULL, add_floats_inner, NULL, 100, 0, NULL, NULL, NULL, NULL, NULL, &known[12]},
    {3, 1, doubles, sizes, 0, NULL, scale_inner, NULL, 100, 0, NULL, NULL, NULL, NULL, NULL, &known[13]},
    {1, 1, doubles, sizes, 0, NULL, second_root_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[14]},
    {1, 1, doubles, sizes, 0, NULL, third_root_inner, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, &known[15]},
};

static const opw_loop maxima[] = {{1, 1, doubles, sizes, 0, NULL, NULL, &largest, 100, 0, NULL, NULL, NULL, NULL, NULL, &known[16]}};

/* ---- groups: members' nodes count from 10 ---- */

static const opw_figure reads[] = {0, NPY_DOUBLE, 1, NPY_DOUBLE, -1, NPY_DOUBLE, 1, NPY_DOUBLE, -1, NPY_DOUBLE, 2, NPY_DOUBLE, -2, NPY_DOUBLE};
static const opw_figure expand_members[] = {10, 1, 0, 11, 2, 2, 12, 1, 6}; /* total: the third */
static const opw_figure twice_members[] = {10, 2, 0, 11, 2, 4, 12, 1, 6};
static const opw_figure pair_members[] = {10, 1, 0, 11, 1, 1};

static const opw_figure expand_operands[] = {0, -1, -1, 1, 2}, twice_operands[] = {0, 1, 3, 3, 2, -1, -1, 4},
                     pair_operands[] = {0, 2, 1, 3}, total_operands[] = {0, -2, -2, 1, -1, -1, 2};
static const opw_part expand_parts[] = {{ROOT, expand_operands}, {ADD, expand_operands + 2}};
static const opw_part twice_parts[] = {{ADD, twice_operands}, {ADD, twice_operands + 3}, {THIRD_ROOT, twice_operands + 6}};
static const opw_part pair_parts[] = {{ROOT, pair_operands}, {SECOND_ROOT, pair_operands + 2}};
static const opw_part total_parts[] = {{ROOT, total_operands}, {ADD, total_operands + 2}, {SUM_0, total_operands + 5}};
static const npy_uint64 expand_masks[] = {1}, twice_masks[] = {3, 7}, pair_masks[] = {1, 2};

/* Views: x.T; of what comes first [n:], [n]; [::-1], where the step is the second input; without an axis of size 1. */
enum { TURNED, FROM, AT_N, EVERY, SQUEEZED };
static const int axes[] = {1, 0, 1};
static const opw_cut from_n[] = {{0, 0, 0, 0, 1, 0, 0}}, at_n[] = {{0, -1, 0, 1, 0, 0, 0}}, every_n[] = {{0, 0, 0, 0, 0, 0, 1}};
static const opw_access accesses[] = {
    {1, 2, axes, 0, 0, NULL}, {2, 2, axes + 1, 0, 1, from_n}, {2, 1, axes, 0, 1, at_n}, {2, 2, axes + 1, 0, 1, every_n}, {1, 1, axes, 1, 0, NULL},
};

/* turned: sqrt(x.T) + y. slid: sqrt(x.T[n:]) + x.T[n]. reversed: sqrt(y.T) + y, perhaps over y. Views' nodes count from 20. */
static const int32_t through[] = {0, -1, 1};
static const opw_viewed turned[] = {{20, TURNED, through}},
                        slid[] = {{20, TURNED, through}, {21, FROM, through + 1}, {22, AT_N, through + 1}};
static const int32_t turned_from[] = {-1, 1}, slid_from[] = {-2, -3}, reversed_from[] = {-1, 0};

static const opw_group groups[] = {
    {EXPAND, 2, 1, 1, 1, 2, 2, 0, 0, 0, expand_masks, expand_parts, expand_members, reads, NULL, NULL, NULL},
    {EXPAND_OVER, 2, 1, 1, 1, 2, 2, 0, 0, 0, expand_masks, expand_parts, expand_members, reads, NULL, NULL, NULL},
    {TWICE, 3, 2, 1, 2, 3, 3, 0, 0, 0, twice_masks, twice_parts, twice_members, reads, NULL, NULL, NULL},
    {PAIR, 2, 2, 0, 2, 2, 2, 0, 0, 0, pair_masks, pair_parts, pair_members, reads, NULL, NULL, NULL},
    {TOTAL, 2, 1, 2, 1, 3, 3, 0, 0, 0, expand_masks, total_parts, expand_members, reads, NULL, NULL, NULL},
    {EXPAND, 2, 1, 0, 0, 0, 2, 0, 0, 0, NULL, NULL, expand_members, reads, NULL, NULL, NULL},
    {EXPAND, 2, 1, 1, 1, 2, 2, 2, 1, 0, expand_masks, expand_parts, expand_members, reads, NULL, turned, turned_from},
    {TOTAL, 2, 1, 2, 1, 3, 3, 2, 1, 0, expand_masks, total_parts, expand_members, reads, NULL, turned, turned_from},
    {EXPAND, 2, 1, 1, 1, 2, 2, 2, 3, 0, expand_masks, expand_parts, expand_members, reads, NULL, slid, slid_from},
    {EXPAND_OVER, 2, 1, 1, 1, 2, 2, 1, 1, 0, expand_masks, expand_parts, expand_members, reads, NULL, turned, reversed_from},
};

/* ---- steps that are no loops ---- */

/* Copies the first slot to the second, or does what the first element asks for. */
static int trouble(char *frame, const uint32_t *slots)
{
    PyArrayObject *x = *held(frame, slots), **out = held(frame, slots + 1);
    int what = PyArray_SIZE(x) ? (int)*(double *)PyArray_DATA(x) : 0;
    if (what == 1 || what == 2)
        PyErr_SetString(PyExc_KeyError, "asked for");
    if (what == 1 || what == 3)
        return 1;
    Py_XSETREF(*out, what == 4 ? (PyArrayObject *)PyArray_ZEROS(1, PyArray_DIMS(x), NPY_INT, 0)
                               : (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER));
    if (!*out)
        return 1;
    if (what == 5) /* replaces what it reads by what it must not */
        Py_XSETREF(*held(frame, slots), (PyArrayObject *)PyArray_ZEROS(1, PyArray_DIMS(x), NPY_INT, 0));
    return opw_is(*out, NPY_DOUBLE, 1) && opw_is(*held(frame, slots), NPY_DOUBLE, 1) ? 0 : OPW_UNLIKE;
}

static int storage_of(char *frame, const uint32_t *slots)
{
    PyObject *list = opw_storage(OPW_PY(frame + slots[0]));
    if (!list)
        return 1;
    Py_DECREF(list);
    return 0;
}

static int live_structs;

/* The state counts calls, from the constant's first element on. */
static void *counter_make(char *frame, const uint32_t *slots)
{
    double *count;
    double first = *(double *)PyArray_DATA(*held(frame, slots));
    if (first < -1)
        return NULL;
    if (first < 0) {
        PyErr_SetString(PyExc_ValueError, "counts from 0");
        return NULL;
    }
    if (!(count = (double *)PyMem_Malloc(sizeof(double)))) {
        PyErr_NoMemory();
        return NULL;
    }
    *count = first;
    live_structs++;
    return count;
}

static void counter_drop(void *count)
{
    live_structs--;
    PyMem_Free(count);
}

/* Adds the count to each element of the first slot. */
static int counter_run(char *frame, const uint32_t *slots)
{
    double *count = (double *)opw_kept_struct(frame, slots[2]);
    PyArrayObject *out = (PyArrayObject *)PyArray_NewCopy(*held(frame, slots), NPY_CORDER);
    npy_intp i;
    Py_XSETREF(*held(frame, slots + 1), out);
    if (!out)
        return 1;
    *count += 1;
    for (i = 0; i < PyArray_SIZE(out); i++)
        ((double *)PyArray_DATA(out))[i] += *count;
    return 0;
}

/* ---- functions ---- */

#define N(n) (-1 - (n))
#define INPUT(i) {array_input, array_leave, i, "Doubles.c_extract", -1, 0, 0, 0}
#define INIT(i) {array_init, array_leave, i, "Doubles.c_init", -1, 0, 0, 0}
#define OFFER(i) {array_offer, array_leave, i, "Doubles.c_extract_out", -1, 0, 0, 0}
#define SYNC(i) {array_sync, NULL, i, "Doubles.c_sync", -1, 0, 0, 0}
#define COUNT(table) (uint32_t)(sizeof(table) / sizeof(*(table)))

static const uint32_t any[8] = {ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY};
static const uint32_t none[1] = {0};

/* add(x, y): broadcast. add_over(x, y): over y, if that may be. */
static const opw_argument xy[] = {{"x", 0, NULL, NULL}, {"y", 1, NULL, NULL}};
static const opw_result third[] = {{2, is_writeable, -1, 0, NULL}};
static const int32_t add_slots[] = {0, N(0), 1, N(1), 2, N(0), N(2), N(ANY), 0, N(ANY), 1, N(0), 0, 1, 2, 2};
static const opw_step add_steps[] = {INPUT(0), INPUT(2), OFFER(4), {opw_run_stores, NULL, 11, "Add.c_code", 0, 12, 2, 1}, SYNC(15)};
static const int32_t over_slots[] = {0, N(0), 1, N(1), 1, N(1), N(ANY), 0, 2, N(1), 0, 1, 2, 2};
static const opw_step over_steps[] = {INPUT(0), INPUT(2), {opw_separate, NULL, 4, "Add.c_code", -1, 0, 0, 0}, INIT(8),
                                      {opw_run_stores, NULL, 9, "Add.c_code", 0, 10, 2, 1}, SYNC(13)};

/* both(x, y): [x + y, y + x]. */
static const opw_result both_results[] = {{2, is_writeable, -1, 0, NULL}, {3, is_writeable, -1, 0, NULL}};
static const int32_t both_slots[] = {0, N(0), 1, N(1), 2, N(0), N(2), N(ANY), 0, N(ANY), 1, N(0), 0, 1, 2,
                                     3, N(1), N(2), N(ANY), 0, N(ANY), 1, N(0), 1, 0, 3, 2, 3};
static const opw_step both_steps[] = {INPUT(0), INPUT(2), OFFER(4), {opw_run_stores, NULL, 11, "Add.c_code", 0, 12, 2, 1},
                                      OFFER(15), {opw_run_stores, NULL, 22, "Add.c_code", 1, 23, 2, 1}, SYNC(26), SYNC(27)};

/* root(x), and reductions of x. */
static const opw_argument x[] = {{"x", 0, NULL, NULL}};
static const opw_result second[] = {{1, is_writeable, -1, 0, NULL}};
static const int32_t root_slots[] = {0, N(0), 1, N(0), N(1), N(ANY), 0, N(0), 0, 1, 1};
static const opw_step root_steps[] = {INPUT(0), OFFER(2), {opw_run_stores, NULL, 7, "Root.c_code", 7, 8, 1, 1}, SYNC(10)};
static const opw_step reduce_steps[] = {INPUT(0), OFFER(2), {opw_run_folds, NULL, 7, "Reduce.c_code", 0, 8, 1, 1}, SYNC(10)};
static const int32_t reduce0_slots[] = {0, N(0), 1, N(0), N(1), N(ANY), 0, N(SUM_0), 0, 1, 1};
static const int32_t max0_slots[] = {0, N(0), 1, N(0), N(1), N(ANY), 0, N(0), 0, 1, 1};
static const int32_t reduce1_slots[] = {0, N(0), 1, N(0), N(1), N(ANY), 0, N(SUM_1), 0, 1, 1};
static const int32_t reduce2_slots[] = {0, N(0), 1, N(0), N(1), N(ANY), 0, N(SUM_ALL), 0, 1, 1};

/* perform(x, y): what Python gives, a careful vector and any array. x has a default; y is positional only. */
static const opw_argument perform_arguments[] = {{NULL, 0, NULL, NULL}, {"y", 1, NULL, NULL}};
static const uint32_t perform_types[] = {VECTOR, ANY, CAREFUL, ANY};
static const opw_result perform_results[] = {{2, NULL, -1, 0, NULL}, {3, NULL, -1, 0, NULL}};
static const int32_t perform_slots[] = {0, N(0), 1, N(1), N(0), N(2), N(2), 0, 1, N(CAREFUL), 2, N(ANY), 3};
static const opw_step perform_steps[] = {{vector_input, array_leave, 0, "Vector.c_extract", -1, 0, 0, 0}, INPUT(2),
                                         {opw_perform, opw_perform_undo, 4, "Op.perform", 0, 7, 2, 2}};

/* tally(x): gives the cell's value, and x more stays in it. */
static const opw_argument tally_arguments[] = {{"x", 0, NULL, NULL}, {NULL, 1, NULL, NULL}};
static const opw_result tally_results[] = {{1, NULL, -1, 0, NULL}, {2, NULL, 0, 0, NULL}};
static const int32_t tally_slots[] = {0, N(0), 1, N(1), 2, N(0), 0, 1, 2, 2};
static const opw_step tally_steps[] = {INPUT(0), {cell_input, array_leave, 2, "Doubles.c_extract", -1, 0, 0, 0}, INIT(4),
                                       {opw_run_stores, NULL, 5, "Add.c_code", 0, 6, 2, 1}, SYNC(9)};

/* thrice(x): x + (x + x), with the inner sum's storage kept. */
static const int32_t thrice_slots[] = {0, N(0), 2, N(0), 1, N(0), 0, 0, 2, N(0), 0, 2, 1, 1};
static const opw_step thrice_steps[] = {INPUT(0), {array_take, array_keep, 2, "Doubles.c_extract_out", -1, 0, 0, 0}, INIT(4),
                                        {opw_run_stores, NULL, 5, "Add.c_code", 0, 6, 2, 1},
                                        {opw_run_stores, NULL, 9, "Add.c_code", 1, 10, 2, 1}, SYNC(13)};
static const uint32_t thrice_kept[] = {2};
static const opw_result thrice_results[] = {{1, NULL, -1, 0, NULL}};

/* fitted(x, y): x + y, x of size 3 as it is. tripled(x): nothing; a shared value s becomes x + (x + s), with the inner sum's storage
   kept. Both of a type of which the runtime has all functions. */
static const uint32_t fitting[] = {FITTING, FITTING, FITTING, FITTING};
static const npy_intp of_three[] = {0, 3, -1};
static const opw_fit three = {NPY_DOUBLE, 1, 0, of_three}, vector = {NPY_DOUBLE, 1, 0, NULL}, written = {NPY_DOUBLE, 1, 1, NULL};
static const opw_argument fitted_arguments[] = {{"x", 0, NULL, &three}, {"y", 1, NULL, NULL}};
static const opw_result fitted_results[] = {{2, NULL, -1, 0, &written}};
#define FITTED(run, undo, i) {run, undo, i, "Fitting", -1, 0, 0, 0}
static const opw_step fitted_steps[] = {FITTED(opw_plain_input, opw_plain_leave, 0), FITTED(opw_plain_input, opw_plain_leave, 2),
                                        FITTED(opw_plain_offer_own, opw_plain_leave, 4),
                                        {opw_run_stores, NULL, 11, "Add.c_code", 0, 12, 2, 1}, FITTED(opw_plain_sync, NULL, 15)};
static const opw_argument tripled_arguments[] = {{"x", 0, NULL, &vector}, {NULL, 1, NULL, &vector}};
static const opw_result tripled_results[] = {{3, NULL, 0, 0, NULL}};
static const int32_t tripled_slots[] = {0, N(0), 1, N(1), 2, N(0), 3, N(0), N(0), 0, 1, 2, N(0), 0, 2, 3, 3};
static const opw_step tripled_steps[] = {FITTED(opw_plain_input, opw_plain_leave, 0), FITTED(opw_plain_cell, opw_plain_leave, 2),
                                         FITTED(opw_plain_take, opw_plain_keep, 4), FITTED(opw_plain_init_own, opw_plain_leave, 6),
                                         {opw_run_stores, NULL, 8, "Add.c_code", 0, 9, 2, 1},
                                         {opw_run_stores, NULL, 12, "Add.c_code", 1, 13, 2, 1}, FITTED(opw_plain_sync, NULL, 16)};

/* count(x): x + (the calls so far + the constant's first element). */
static const uint32_t count_types[] = {ANY, CAREFUL, ANY};
static const uint32_t count_constants[] = {1};
static const int32_t count_slots[] = {0, N(0), 2, 0, 2, N(0), 2, 1};
static const opw_step count_steps[] = {INPUT(0), INIT(2), {counter_run, NULL, 3, "Counter.c_code", 0, 3, 1, 1}, SYNC(6)};
static const opw_struct count_structs[] = {{counter_make, counter_drop, 7, "Counter.c_init_code_struct"}};

/* trouble(x): a copy, or what its first element asks for. */
static const uint32_t trouble_types[] = {VECTOR, VECTOR};
static const int32_t trouble_slots[] = {0, N(0), 1, N(0), N(1), N(VECTOR), 0, 0, 1, 1};
static const opw_step trouble_steps[] = {{vector_input, array_leave, 0, "Vector.c_extract", -1, 0, 0, 0}, OFFER(2),
                                         {storage_of, NULL, 0, "Trouble.c_code", -1, 0, 0, 0},
                                         {trouble, NULL, 7, "Trouble.c_code", 5, 7, 1, 1}, SYNC(9)};

/* large(x, y): add, with frames that do not lie on the stack. */
static const uint32_t large_types[] = {ANY, LARGE, LARGE};

/* expand(x, y): sqrt(x) + y, as one loop or as two; expand_over(x, y): over y; simply(x, y): as one alone. twice(x, y, z):
   [x + y, sqrt(x + y + z)]. pair(x, y): [sqrt(x), sqrt(y)]. total(x, y): the sum of sqrt(x) + y along the first axis. */
#define ONE_GROUP(n) {0, N(0), 1, N(1), 2, N(0), N(2), N(ANY), 0, N(ANY), 1, N(n), 0, 1, 2, 2}
static const int32_t expand_slots[] = ONE_GROUP(0), total_slots[] = ONE_GROUP(4), simply_slots[] = ONE_GROUP(5);
static const opw_step group_steps[] = {INPUT(0), INPUT(2), OFFER(4), {opw_run_group, NULL, 11, "Group.c_code", 0, 12, 2, 1}, SYNC(15)};
static const int32_t expand_over_slots[] = {0, N(0), 1, N(1), 1, N(1), N(ANY), 0, 2, N(1), 0, 1, 2, 2};
static const opw_step expand_over_steps[] = {INPUT(0), INPUT(2), {opw_separate, NULL, 4, "Add.c_code", -1, 0, 0, 0}, INIT(8),
                                             {opw_run_group, NULL, 9, "Group.c_code", 0, 10, 2, 1}, SYNC(13)};
static const opw_argument xyz[] = {{"x", 0, NULL, NULL}, {"y", 1, NULL, NULL}, {"z", 2, NULL, NULL}};
static const opw_result twice_results[] = {{3, is_writeable, -1, 0, NULL}, {4, is_writeable, -1, 0, NULL}};
static const int32_t twice_slots[] = {0, N(0), 1, N(1), 2, N(2), 3, N(0), N(3), N(ANY), 0, N(ANY), 1, N(ANY), 2,
                                      4, N(1), N(3), N(ANY), 0, N(ANY), 1, N(ANY), 2, N(2), 0, 1, 2, 3, 4, 3, 4};
static const opw_step twice_steps[] = {INPUT(0), INPUT(2), INPUT(4), OFFER(6), OFFER(15),
                                       {opw_run_group, NULL, 24, "Group.c_code", 0, 25, 3, 2}, SYNC(30), SYNC(31)};
static const int32_t pair_slots[] = {0, N(0), 1, N(1), 2, N(0), N(2), N(ANY), 0, N(ANY), 1, 3, N(1), N(2), N(ANY), 0, N(ANY), 1,
                                     N(3), 0, 1, 2, 3, 2, 3};
static const opw_step pair_steps[] = {INPUT(0), INPUT(2), OFFER(4), OFFER(11), {opw_run_group, NULL, 18, "Group.c_code", 0, 19, 2, 2},
                                      SYNC(23), SYNC(24)};

/* The same of a type that only holds its arrays: called without a walk. */
static const uint32_t plain[] = {PLAIN, PLAIN, PLAIN, PLAIN};
static const opw_argument plain_xy[] = {{"x", 0, is_doubles, NULL}, {"y", 1, is_doubles, NULL}};
static const opw_argument plain_x[] = {{"x", 0, is_doubles, NULL}};

/* add_floats(x, y); scale(x, y, z): x * y + z. */
static const uint32_t float_types[] = {FLOATS, FLOATS, FLOATS};
static const int32_t floats_slots[] = {0, N(0), 1, N(1), 2, N(ADD_FLOATS), 0, 1, 2, 2};
static const opw_result new_third[] = {{2, NULL, -1, 0, NULL}};
static const opw_step floats_steps[] = {{floats_input, array_leave, 0, "Floats.c_extract", -1, 0, 0, 0},
                                        {floats_input, array_leave, 2, "Floats.c_extract", -1, 0, 0, 0}, INIT(4),
                                        {opw_run_stores, NULL, 5, "Add.c_code", 0, 6, 2, 1}, SYNC(9)};
static const int32_t scale_slots[] = {0, N(0), 1, N(1), 2, N(2), 3, N(0), N(3), N(ANY), 0, N(ANY), 1, N(ANY), 2, N(SCALE), 0, 1, 2, 3, 3};
static const opw_result fourth[] = {{3, is_writeable, -1, 0, NULL}};
static const opw_step scale_steps[] = {INPUT(0), INPUT(2), INPUT(4), OFFER(6), {opw_run_stores, NULL, 15, "Scale.c_code", 0, 16, 3, 1},
                                       SYNC(20)};

/* turned(x, y), turned_total(x, y), slid(x, n), and reversed(x), over x. view(x, n): x[n:]; every(x, n): x[::n]; squeezed(x): without
   the first axis. */
static const int32_t turned_slots[] = ONE_GROUP(6), turned_total_slots[] = ONE_GROUP(7),
                     slid_slots[] = {0, N(0), 1, N(1), 2, N(0), N(2), N(ANY), 0, N(NUMBER), 1, N(8), 0, 1, 2, 2},
                     reversed_slots[] = {0, N(0), 0, N(0), N(ANY), 1, N(9), 0, 1, 1},
                     view_slots[] = {0, N(0), 1, N(1), 2, N(FROM), 0, 1, 2, 2}, at_slots[] = {0, N(0), 1, N(1), 2, N(AT_N), 0, 1, 2, 2},
                     every_slots[] = {0, N(0), 1, N(1), 2, N(EVERY), 0, 1, 2, 2}, squeezed_slots[] = {0, N(0), 1, N(SQUEEZED), 0, 1, 1};
static const uint32_t slid_types[] = {ANY, NUMBER, ANY};
static const opw_argument xn[] = {{"x", 0, NULL, NULL}, {"n", 1, NULL, NULL}};
static const opw_step slid_steps[] = {INPUT(0), {number_input, array_leave, 2, "Number.c_extract", -1, 0, 0, 0}, OFFER(4),
                                      {opw_run_group, NULL, 11, "Group.c_code", 0, 12, 2, 1}, SYNC(15)};
static const opw_step reversed_steps[] = {INPUT(0), {opw_separate, NULL, 2, "Add.c_code", -1, 0, 0, 0}, INIT(5),
                                          {opw_run_group, NULL, 6, "Group.c_code", 0, 7, 1, 1}, SYNC(9)};
static const opw_step view_steps[] = {INPUT(0), {number_input, array_leave, 2, "Number.c_extract", -1, 0, 0, 0}, INIT(4),
                                      {opw_run_view, NULL, 5, "View", 30, 6, 2, 1}, SYNC(9)};
static const opw_step squeezed_steps[] = {INPUT(0), INIT(2), {opw_run_view, NULL, 3, "View", 31, 4, 1, 1}, SYNC(6)};

#define PROGRAM(...) PROGRAM_OVER(__VA_ARGS__, loops)
#define PROGRAM_OVER(...) PROGRAM_LENT(__VA_ARGS__, 0)
#define LENT(...) LENT_OVER(__VA_ARGS__, loops)
#define LENT_OVER(...) PROGRAM_LENT(__VA_ARGS__, 1)
#define PROGRAM_LENT(name, variables, types_of, arguments, results, steps, slots, single, loops_of, lent) \
    name, variables, COUNT(arguments), COUNT(results), COUNT(steps), COUNT(slots), 0, 0, 0, 0, 0, 0, single, lent, types_of, none, none, \
        types, arguments, results, steps, slots, NULL, loops_of, groups, accesses, NULL

static const opw_program functions[] = {
    {PROGRAM("add", 3, any, xy, third, add_steps, add_slots, 1)},
    {PROGRAM("add_over", 3, any, xy, third, over_steps, over_slots, 1)},
    {PROGRAM("both", 4, any, xy, both_results, both_steps, both_slots, 0)},
    {PROGRAM_OVER("root", 2, any, x, second, root_steps, root_slots, 1, roots)},
    {PROGRAM("sum0", 2, any, x, second, reduce_steps, reduce0_slots, 1)},
    {PROGRAM("sum1", 2, any, x, second, reduce_steps, reduce1_slots, 1)},
    {PROGRAM("sum", 2, any, x, second, reduce_steps, reduce2_slots, 1)},
    {PROGRAM_OVER("max0", 2, any, x, second, reduce_steps, max0_slots, 1, maxima)},
    {"perform", 4, 2, 2, COUNT(perform_steps), COUNT(perform_slots), 0, 1, 0, 0, 0, 0, 0, 0, perform_types, none, none, types,
     perform_arguments, perform_results, perform_steps, perform_slots, NULL, loops, NULL, NULL, NULL},
    {"tally", 3, 2, 2, COUNT(tally_steps), COUNT(tally_slots), 0, 0, 0, 0, 1, 1, 1, 0, any, none, none, types, tally_arguments,
     tally_results, tally_steps, tally_slots, NULL, loops, NULL, NULL, NULL},
    {"thrice", 3, 1, 1, COUNT(thrice_steps), COUNT(thrice_slots), 0, 0, 0, 1, 0, 0, 1, 0, any, none, thrice_kept, types, x, thrice_results,
     thrice_steps, thrice_slots, NULL, loops, NULL, NULL, NULL},
    {"count", 3, 1, 1, COUNT(count_steps), COUNT(count_slots), 1, 0, 1, 0, 0, 0, 1, 0, count_types, count_constants, none, types, x,
     third, count_steps, count_slots, count_structs, loops, NULL, NULL, NULL},
    {PROGRAM("trouble", 2, trouble_types, x, second, trouble_steps, trouble_slots, 1)},
    {PROGRAM("large", 3, large_types, xy, third, add_steps, add_slots, 1)},
    {PROGRAM("expand", 3, any, xy, third, group_steps, expand_slots, 1)},
    {PROGRAM("expand_over", 3, any, xy, third, expand_over_steps, expand_over_slots, 1)},
    {PROGRAM("twice", 5, any, xyz, twice_results, twice_steps, twice_slots, 0)},
    {PROGRAM("pair", 4, any, xy, both_results, pair_steps, pair_slots, 0)},
    {PROGRAM("total", 3, any, xy, third, group_steps, total_slots, 1)},
    {PROGRAM("simply", 3, any, xy, third, group_steps, simply_slots, 1)},
    {"nothing", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, none, none, none, types, xy, third, add_steps, add_slots, NULL, loops, NULL, NULL, NULL},
    {LENT("add_plain", 3, plain, plain_xy, third, add_steps, add_slots, 1)},
    {LENT("both_plain", 4, plain, plain_xy, both_results, both_steps, both_slots, 0)},
    {LENT_OVER("root_plain", 2, plain, plain_x, second, root_steps, root_slots, 1, roots)},
    {LENT("expand_plain", 3, plain, plain_xy, third, group_steps, expand_slots, 1)},
    {PROGRAM("add_floats", 3, float_types, xy, new_third, floats_steps, floats_slots, 1)},
    {PROGRAM("scale", 4, any, xyz, fourth, scale_steps, scale_slots, 1)},
    {PROGRAM("turned", 3, any, xy, third, group_steps, turned_slots, 1)},
    {PROGRAM("turned_total", 3, any, xy, third, group_steps, turned_total_slots, 1)},
    {PROGRAM("slid", 3, slid_types, xn, third, slid_steps, slid_slots, 1)},
    {PROGRAM("reversed", 2, any, x, second, reversed_steps, reversed_slots, 1)},
    {PROGRAM("view", 3, slid_types, xn, new_third, view_steps, view_slots, 1)},
    {PROGRAM("at", 3, slid_types, xn, new_third, view_steps, at_slots, 1)},
    {PROGRAM("every", 3, slid_types, xn, new_third, view_steps, every_slots, 1)},
    {PROGRAM("squeezed", 2, any, x, second, squeezed_steps, squeezed_slots, 1)},
    {PROGRAM("fitted", 3, fitting, fitted_arguments, fitted_results, fitted_steps, add_slots, 1)},
    {"tripled", 4, 2, 1, COUNT(tripled_steps), COUNT(tripled_slots), 0, 0, 0, 1, 1, 1, 1, 0, fitting, none, thrice_kept, types,
     tripled_arguments, tripled_results, tripled_steps, tripled_slots, NULL, loops, NULL, NULL, NULL},
};

static int init_fails; /* 1: with an exception, 2: without */

static PyObject *init_step(void)
{
    if (init_fails == 1)
        PyErr_SetString(PyExc_OSError, "asked for");
    return init_fails ? NULL : Py_None;
}

static PyObject *init_numpy(void) { return PyArray_ImportNumPyAPI() < 0 ? NULL : Py_None; }

static const opw_init inits[] = {{init_numpy, "numpy"}, {init_step, "a step"}, {NULL, NULL}};

const opw_unit opw_the_unit = {COUNT(functions), functions, inits};

/* ---- for checks.py, by ctypes ---- */

#define EXPORTED __attribute__((visibility("default")))

static Py_ssize_t blocks, failing_in; /* how many there are more than at the start; which allocation from here on fails, 0: none */
static PyMemAllocatorEx real[3];
static const PyMemAllocatorDomain domains[] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};

static int refused(void) { return failing_in && !--failing_in; }
static void *counted(void *made)
{
    blocks += made != NULL;
    return made;
}

static void *any_malloc(void *of, size_t size)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)of;
    return refused() ? NULL : counted(a->malloc(a->ctx, size));
}
static void *any_calloc(void *of, size_t n, size_t size)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)of;
    return refused() ? NULL : counted(a->calloc(a->ctx, n, size));
}
static void *any_realloc(void *of, void *from, size_t size)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)of;
    void *made = refused() ? NULL : a->realloc(a->ctx, from, size);
    return from ? made : counted(made);
}
static void any_free(void *of, void *from)
{
    PyMemAllocatorEx *a = (PyMemAllocatorEx *)of;
    blocks -= from != NULL;
    a->free(a->ctx, from);
}

static void *data_malloc(void *of, size_t size) { return (void)of, refused() ? NULL : counted(malloc(size ? size : 1)); }
static void *data_calloc(void *of, size_t n, size_t size) { return (void)of, refused() ? NULL : counted(calloc(n ? n : 1, size ? size : 1)); }
static void *data_realloc(void *of, void *from, size_t size) { return (void)of, refused() ? NULL : realloc(from, size ? size : 1); }
static void data_free(void *of, void *from, size_t size)
{
    (void)of, (void)size;
    blocks -= from != NULL;
    free(from);
}

static PyDataMem_Handler handler = {"checked", 1, {NULL, data_malloc, data_calloc, data_realloc, data_free}};

/* Python's and NumPy's memory goes through here from now on. */
EXPORTED int checks_watch(void)
{
    PyObject *capsule, *old;
    int i;
    for (i = 0; i < 3; i++) {
        PyMemAllocatorEx own = {&real[i], any_malloc, any_calloc, any_realloc, any_free};
        PyMem_GetAllocator(domains[i], &real[i]);
        PyMem_SetAllocator(domains[i], &own);
    }
    capsule = PyCapsule_New(&handler, "mem_handler", NULL);
    old = capsule ? PyDataMem_SetHandler(capsule) : NULL;
    Py_XDECREF(old);
    Py_XDECREF(capsule);
    return old ? 0 : -1;
}

EXPORTED Py_ssize_t checks_blocks(void) { return blocks; }
/* How many roots have been taken since the last question. */
EXPORTED int checks_roots(void)
{
    int taken = roots_taken;
    roots_taken = 0;
    return taken;
}

/* Parts of a run that asks for what comes: each byte of an operand is counted up, a number's never. */
static const npy_intp *asked_sizes;
static int asked_parts;
static int count_up(npy_intp n_how, char *p0, char *p1, char *p2, char *p3, char *p4)
{
    char *const p[] = {p0, p1, p2, p3, p4};
    const npy_intp n = OPW_N_OF(n_how);
    int k;
    npy_intp i;
    if (OPW_HOW_OF(n_how) != 2)
        return 1;
    for (k = 0; k < 5; k++)
        for (i = 0; p[k] && i < n * asked_sizes[k]; i++)
            p[k][i]++;
    asked_parts++;
    return 0;
}

/* How many parts rows of n elements have of operands that are s apart, t from row to row; negative: they failed. */
EXPORTED int checks_asking(npy_intp n, npy_intp rows, npy_intp all, char *const *p, const npy_intp *s, const npy_intp *t, int operands)
{
    asked_sizes = s;
    asked_parts = 0;
    return opw_run_asking(n, rows, all, count_up, 2, p, s, t, operands) ? -1 : asked_parts;
}

EXPORTED int checks_structs(void) { return live_structs; }
EXPORTED void checks_fail_init(int how) { init_fails = how; }

/* callable(), whose nth allocation fails. *reached: there was an nth. */
EXPORTED PyObject *checks_call_failing(PyObject *callable, Py_ssize_t n, int *reached)
{
    PyObject *result;
    failing_in = n;
    result = PyObject_CallNoArgs(callable);
    *reached = !failing_in;
    failing_in = 0;
    return result;
}

PyMODINIT_FUNC PyInit_opweld_module(void)
{
    return opw_enter_module();
}
