/* Whether files are as they were: a hit of the cache looks at each header and program that its module was made from, hundreds of them,
   and Python makes an object of each answer. */
#include <fcntl.h>
#include <sys/stat.h>
/* ---- files that have not changed ------------------------------------------------------------------------------------- */

static unsigned long long opw_nanoseconds(const struct statx_timestamp *time)
{
    return (unsigned long long)time->tv_sec * 1000000000u + (unsigned long long)time->tv_nsec;
}

/* Whether a file is as [path, size, mtime_ns, ctime_ns, inode, sum] says, without a look at its content; -1: an exception is set. */
static int opw_unchanged_file(PyObject *known)
{
    unsigned long long wanted[4];
    struct statx now; /* stat is another function in each glibc */
    PyObject *path;
    int failed;
    if (PySequence_Fast_GET_SIZE(known) != 6) {
        PyErr_Format(PyExc_ValueError, "what is known of a file has 6 parts, got %zd", PySequence_Fast_GET_SIZE(known));
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        wanted[i] = PyLong_AsUnsignedLongLongMask(PySequence_Fast_GET_ITEM(known, i + 1));
        if (PyErr_Occurred())
            return -1;
    }
    if (!PyUnicode_FSConverter(PySequence_Fast_GET_ITEM(known, 0), &path))
        return -1;
    Py_BEGIN_ALLOW_THREADS
    failed = statx(AT_FDCWD, PyBytes_AS_STRING(path), 0, STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO, &now);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    return !failed && now.stx_size == wanted[0] && opw_nanoseconds(&now.stx_mtime) == wanted[1] &&
           opw_nanoseconds(&now.stx_ctime) == wanted[2] && now.stx_ino == wanted[3];
}

static PyObject *opw_py_unchanged(PyObject *module, PyObject *args)
{
    PyObject *files, *known;
    Py_ssize_t at;
    int same = 1;
    (void)module;
    if (!PyArg_ParseTuple(args, "On:unchanged", &files, &at) || !(files = PySequence_Fast(files, "files come in a sequence")))
        return NULL;
    for (; same == 1 && at >= 0 && at < PySequence_Fast_GET_SIZE(files); at += same == 1) {
        known = PySequence_Fast(PySequence_Fast_GET_ITEM(files, at), "what is known of a file is a sequence");
        same = known ? opw_unchanged_file(known) : -1;
        Py_XDECREF(known);
    }
    Py_DECREF(files);
    return same < 0 ? NULL : PyLong_FromSsize_t(at);
}
