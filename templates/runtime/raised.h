/* An exception in flight, put aside and brought back. */
#ifndef OPW_RAISED_H
#define OPW_RAISED_H

#if PY_VERSION_HEX >= 0x030C0000
#define OPW_FETCH(type, value, traceback) ((void)(type), (void)(traceback), *(value) = PyErr_GetRaisedException())
#define OPW_RESTORE(type, value, traceback) ((void)(type), (void)(traceback), PyErr_SetRaisedException(value))
#else
#define OPW_FETCH(type, value, traceback) PyErr_Fetch(type, value, traceback)
#define OPW_RESTORE(type, value, traceback) PyErr_Restore(type, value, traceback)
#endif

#endif
