/* What the pool of threads and those who use it must agree on. */
#ifndef OPW_POOL
#include <stdint.h>

#define OPW_POOL "opweld._threads.pool" /* the capsule that holds an opw_pool_run */

/* One part of a work: non-zero where it failed. Parts may run at the same time, in any order. */
typedef int (*opw_part_fn)(void *work, intptr_t part);
/* Runs parts 0 to n - 1 on `threads` threads at most, of which this is one: on this alone where the others are at another's work. 0, or
   what the first part that failed returned; those after it may not have run. The GIL is not held, and nothing of Python is touched. */
typedef int (*opw_pool_run)(int threads, intptr_t n, opw_part_fn part, void *work);

#ifdef Py_PYTHON_H
/* The pool of the process. NULL: an exception is set. */
__attribute__((unused)) static opw_pool_run opw_find_pool(void)
{
    PyObject *module = PyImport_ImportModule("opweld._threads");
    PyObject *capsule = module ? PyObject_GetAttrString(module, "pool") : NULL;
    const opw_pool_run *run = capsule ? (const opw_pool_run *)PyCapsule_GetPointer(capsule, OPW_POOL) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    return run ? *run : NULL;
}
#endif
#endif
