/* What texts tell of references. */
/* ---- references ---- */

void opw_took(const void *object, const char *what, const char *file, int line)
{
    opw_item *item = opw_item_of(opw_page_now, object);
    if (!item)
        return;
    if (!item->balance && !item->before && item->kept == OPW_FREE) { /* what was there may be gone, and this another */
        item->came = OPW_HERE_IS;
        item->lent = 0;
    }
    item->known = 1;
    item->taken[item->takes++ % OPW_TAKEN] = OPW_HERE_IS;
    item->balance++;
}

static void opw_given_up(opw_item *item, opw_spot at)
{
    item->balance--;
    if (item->takes)
        item->takes--;
    if (item->balance + item->before == 0)
        item->ended = at;
    item->left = at;
}

void opw_gave(const void *object, const char *what, const char *file, int line)
{
    opw_item *item = opw_item_of(opw_page_now, object);
    if (!item)
        return;
    opw_used(item, OPW_HERE_IS);
    opw_given_up(item, OPW_HERE_IS);
}

void opw_lent(const void *object, const char *what, const char *file, int line)
{
    opw_item *item = opw_item_of(opw_page_now, object);
    if (!item)
        return;
    if (!item->known) {
        item->came = OPW_HERE_IS;
        item->lent = 1;
    }
    item->known = 1;
    if (item->kept == OPW_FREE && !item->before && item->balance <= 0 && PyGILState_Check()) {
        item->kept = OPW_GUARDED;
        Py_INCREF(item->object);
    }
}

void *opw_looked(const void *object, const char *what, const char *file, int line)
{
    opw_item *item = opw_known_item(opw_page_now, object);
    if (item && item->kept != OPW_FREE)
        opw_used(item, OPW_HERE_IS);
    return (void *)object;
}

PyObject *opw_increased(PyObject *object, const char *what, const char *file, int line)
{
    opw_item *item = opw_item_of(opw_page_now, object);
    if (item) {
        opw_used(item, OPW_HERE_IS);
        item->taken[item->takes++ % OPW_TAKEN] = OPW_HERE_IS;
        item->balance++;
    }
    Py_XINCREF(object);
    return object;
}

/* Gives up what an object holds that nobody can reach any more, if it is one of Python's that hold others. */
static void opw_empty(PyObject *object)
{
    Py_ssize_t i;
    if (PyList_CheckExact(object) || PyDict_CheckExact(object) || PyAnySet_CheckExact(object))
        Py_TYPE(object)->tp_clear(object);
    for (i = 0; PyTuple_CheckExact(object) && i < PyTuple_GET_SIZE(object); i++)
        Py_CLEAR(((PyTupleObject *)object)->ob_item[i]);
}

void opw_decreased(PyObject *object, const char *what, const char *file, int line)
{
    opw_item *item = opw_item_of(opw_page_now, object);
    if (item) {
        int dead = opw_is_dead(item);
        opw_given_up(item, OPW_HERE_IS);
        if (dead) {
            item->refused++;
            return;
        }
        if (item->kept == OPW_FREE && Py_REFCNT(object) == 1 && opw_page_now->withheld < OPW_WITHHOLDS) {
            item->kept = OPW_WITHHELD;
            opw_page_now->withheld++;
            opw_empty(object); /* what it held may be dead now */
            return;
        }
    }
    Py_XDECREF(object);
}

/* Tells of what N stands for in a format. */
static void opw_look_at_format(const char *format, va_list values, const char *what, const char *file, int line)
{
    for (; *format; format++)
        switch (*format) {
        case 'b': case 'B': case 'h': case 'H': case 'i': case 'I': case 'c': case 'C': case 'p':
            (void)va_arg(values, int);
            break;
        case 'l': case 'k':
            (void)va_arg(values, long);
            break;
        case 'L': case 'K':
            (void)va_arg(values, long long);
            break;
        case 'n': case '#':
            (void)va_arg(values, Py_ssize_t);
            break;
        case 'd': case 'f':
            (void)va_arg(values, double);
            break;
        case 'N':
            opw_gave(va_arg(values, void *), what, file, line);
            break;
        case 'O':
            if (format[1] == '&') { /* a converter, and what it is given */
                (void)va_arg(values, void *);
                format++;
            }
            (void)va_arg(values, void *);
            break;
        case 's': case 'z': case 'y': case 'u': case 'U': case 'S': case 'D':
            (void)va_arg(values, void *);
            break;
        default:
            break;
        }
}

PyObject *opw_built(const char *what, const char *file, int line, const char *format, ...)
{
    va_list values;
    PyObject *made;
    va_start(values, format);
    opw_look_at_format(format, values, what, file, line);
    va_end(values);
    va_start(values, format);
    made = Py_VaBuildValue(format, values);
    va_end(values);
    opw_took(made, what, file, line);
    return made;
}
