/* How many threads the system lets this process start besides those that it has: they are started, and end. */
#include <pthread.h>
/* ---- threads that can be started -------------------------------------------------------------------------------------- */

enum { OPW_STARTED = 256, OPW_STACK = 256 << 10 };

/* All pass at once where a gate for readers opens; of a mutex each would wake the next. */
static void *opw_wait_for(void *gate)
{
    pthread_rwlock_rdlock((pthread_rwlock_t *)gate);
    pthread_rwlock_unlock((pthread_rwlock_t *)gate);
    return NULL;
}

static int opw_startable(int wanted)
{
    pthread_t threads[OPW_STARTED];
    pthread_rwlock_t gate;
    pthread_attr_t small;
    int started = 0, i;
    if (pthread_attr_init(&small))
        return 0;
    pthread_attr_setstacksize(&small, OPW_STACK); /* of more the C library keeps few: each would be mapped and unmapped */
    pthread_rwlock_init(&gate, NULL);
    pthread_rwlock_wrlock(&gate);
    while (started < wanted && started < OPW_STARTED && !pthread_create(&threads[started], &small, opw_wait_for, &gate))
        started++;
    pthread_rwlock_unlock(&gate);
    for (i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_rwlock_destroy(&gate);
    pthread_attr_destroy(&small);
    return started;
}

static PyObject *opw_py_startable(PyObject *module, PyObject *number)
{
    long wanted = PyLong_AsLong(number);
    int started;
    (void)module;
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    started = opw_startable(wanted > OPW_STARTED ? OPW_STARTED : (int)wanted);
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(started);
}
