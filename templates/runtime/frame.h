/* What units whose texts are C of users', and the runtime, know besides the tables. Stands before any user's text. */
#include "tables.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Whether an object, or NULL, is an array as a type promises it. opw_fits: of one that is not exactly so, where an exception may be set: then it is none; opw_dtypes: NumPy's
   own dtype of each number, which nearly every array has. */
OPW_SHARED extern PyArray_Descr *opw_dtypes[OPW_DTYPES];
OPW_SHARED int opw_fits(PyObject *object, int number, int ndim);
__attribute__((unused)) static inline int opw_is(const void *object, int number, int ndim)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (__builtin_expect(array && PyArray_CheckExact((PyObject *)array) && PyArray_DESCR(array) == opw_dtypes[number] &&
                         PyArray_NDIM(array) == ndim && PyArray_ISALIGNED(array), 1))
        return 1;
    return opw_fits((PyObject *)array, number, ndim);
}
/* Whether axes are as long as is said. */
__attribute__((unused)) static inline int opw_has_sizes(const npy_intp *size, PyArrayObject *array)
{
    for (; *size >= 0; size += 2)
        if (PyArray_DIM(array, (int)size[0]) != size[1])
            return 0;
    return 1;
}
/* Whether an object is taken as it is: by what an array must be, or by a text of its type's; not where there is neither. */
__attribute__((unused)) static inline int opw_fits_exactly(const opw_fit *fit, PyObject *object)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_CheckExact(object) || PyArray_TYPE(array) != fit->number || PyArray_NDIM(array) != fit->ndim ||
        !(fit->writeable ? PyArray_ISBEHAVED(array) : PyArray_ISBEHAVED_RO(array)))
        return 0;
    return !fit->sizes || opw_has_sizes(fit->sizes, array);
}
__attribute__((unused)) static inline int opw_accepts(const opw_argument *argument, PyObject *object)
{
    return argument->fit ? opw_fits_exactly(argument->fit, object) : argument->accept && argument->accept(object);
}
__attribute__((unused)) static inline int opw_accepts_out(const opw_result *result, PyObject *object)
{
    return result->fit ? opw_fits_exactly(result->fit, object) : result->accept && result->accept(object);
}
/* Refuses what a type's own c_extract took. Sets an exception unless there is one, returns 1. */
OPW_SHARED int opw_not_taken(const char *label, PyObject *object, int number, int ndim);

/* Passes an argument through its type's filter. A new reference, or NULL. */
OPW_SHARED PyObject *opw_convert(char *frame, uint32_t index, PyObject *value);
/* What a type's filter returned is not what the type accepts. Takes the reference; sets an exception, returns -1. */
OPW_SHARED int opw_refuse(PyObject *value, const char *label);
/* The out= object of a result for its step to write into, borrowed; NULL: none, or something that is still wanted lies
   there. slots: which result, how many variables are wanted, then of each the type and the slot. */
OPW_SHARED PyObject *opw_offered(char *frame, const uint32_t *slots);
/* The object in a cell, borrowed, or NULL. */
OPW_SHARED PyObject *opw_cell(char *frame, uint32_t index);
/* The object that the instance kept from an earlier run as a new reference, or NULL. Nobody else is given it. */
OPW_SHARED PyObject *opw_take_kept(char *frame, uint32_t index);
/* Keeps the object for the next run, or gives it up. Takes the reference. */
OPW_SHARED void opw_keep(char *frame, uint32_t index, PyObject *object);
/* storage_<name>: a new list of one, or NULL. */
OPW_SHARED PyObject *opw_storage(PyObject *object);

#ifdef __cplusplus
}

/* In C++ a declared variable that is more than bytes is an object of its own: made in place where its variable is entered,
   never copied or moved, deleted where it is left. Its slot points to it: a constant's slot is copied into each call's frame,
   and the object may point into itself, or need more than a slot's alignment. What is bytes is loaded and saved as in C. */
#include <new>                     /* bad_alloc */
#include <stdexcept>
#include <type_traits>
#include <utility>
#ifdef __GLIBCXX__                 /* a thread that is ended, as Python's at exit: no exception, and not to be kept */
#include <cxxabi.h>
#define OPW_UNWIND catch (abi::__forced_unwind &) { throw; }
#else
#define OPW_UNWIND
#endif

/* Makes an exception of Python's out of the C++ one that is being handled. */
__attribute__((unused)) static inline void opw_caught()
{
    if (PyErr_Occurred())
        return;
    try {
        throw;
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::exception &error) {
        PyErr_Format(PyExc_RuntimeError, "C++ exception: %s", error.what());
    } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "C++ exception of an unknown type");
    }
}
template <class T>
struct opw_bytes : std::integral_constant<bool, std::is_trivially_copyable<T>::value && std::is_trivially_default_constructible<T>::value> {};

template <class T> static constexpr size_t opw_room() { return opw_bytes<T>::value ? (sizeof(T) + 7) & ~(size_t)7 : sizeof(void *); }

/* A type, as a value. */
template <class T> struct opw_class { typedef T opw_type_of; };

template <class T> struct opw_box { T value; };

/* A variable that is entered already: bytes. */
template <class T, bool = opw_bytes<T>::value> class opw_bound {
    T value;
public:
    explicit opw_bound(char *&at) { memcpy((void *)&value, at, sizeof(T)); at += opw_room<T>(); }
    T &opw_get() { return value; }
    void opw_save(char *&at) { memcpy(at, (const void *)&value, sizeof(T)); at += opw_room<T>(); }
};

/* The same: an object. */
template <class T> class opw_bound<T, false> {
    opw_box<T> *box;
public:
    explicit opw_bound(char *&at) : box(*(opw_box<T> **)(void *)at) { at += opw_room<T>(); }
    T &opw_get() { return box->value; }
    void opw_save(char *&at) { at += opw_room<T>(); }
    void drop() { delete box; }
};

template <class T> static inline void opw_drop(opw_bound<T, true> &) {}
template <class T> static inline void opw_drop(opw_bound<T, false> &v)
{
    try {
        v.drop();
    } OPW_UNWIND catch (...) {
        opw_caught();
    }
}

/* A variable that is being entered: bytes, of what its initialiser gives, or zero. */
template <class T, bool = opw_bytes<T>::value> class opw_made {
    T value;
public:
    explicit opw_made(char *&at) { memset((void *)&value, 0, sizeof(T)); at += opw_room<T>(); }
    template <class F> opw_made(char *&at, F make) : value(make()) { at += opw_room<T>(); }
    opw_made(char *&at, const T &from, int) { memcpy((void *)&value, (const void *)&from, sizeof(T)); at += opw_room<T>(); }
    T &opw_get() { return value; }
    void opw_keep() {}
    void opw_save(char *&at) { memcpy(at, (const void *)&value, sizeof(T)); at += opw_room<T>(); }
};

/* The same: an object, which is dropped unless all that its type declares could be made. */
template <class T> class opw_made<T, false> {
    char *slot;
    opw_box<T> *box, *mine;
public:
    explicit opw_made(char *&at) : slot(at), box(new opw_box<T>), mine(box) { at += opw_room<T>(); }
    template <class F> opw_made(char *&at, F make) : slot(at), box(new opw_box<T>{make()}), mine(box) { at += opw_room<T>(); }
    opw_made(char *&, const T &, int) { static_assert(sizeof(T) == 0, "c_declare: an array of objects takes no initialiser here: set them in c_init and c_extract"); }
    opw_made(const opw_made &) = delete;
    ~opw_made() { delete mine; }
    T &opw_get() { return box->value; }
    void opw_keep() { memcpy(slot, (const void *)&box, sizeof(box)); mine = nullptr; }
    void opw_save(char *&at) { at += opw_room<T>(); }
};

#endif
