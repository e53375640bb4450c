/* How many threads the system lets this process start besides those that it has: they are started, and end. */
#include <pthread.h>
/* ---- threads that can be started -------------------------------------------------------------------------------------- */

enum { OPW_STARTED = 256 };

static void *opw_wait_for(void *gate)
{
    pthread_mutex_lock((pthread_mutex_t *)gate);
    pthread_mutex_unlock((pthread_mutex_t *)gate);
    return NULL;
}

static int opw_startable(int wanted)
{
    pthread_t threads[OPW_STARTED];
    pthread_mutex_t gate;
    int started = 0, i;
    pthread_mutex_init(&gate, NULL);
    pthread_mutex_lock(&gate);
    while (started < wanted && started < OPW_STARTED && !pthread_create(&threads[started], NULL, opw_wait_for, &gate))
        started++;
    pthread_mutex_unlock(&gate);
    for (i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&gate);
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
