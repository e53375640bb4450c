/* What texts take and give up, counted: behind all headers of an accounted unit, before users' texts. Macros stand where functions
   of the C API are called; each calls the function and tells the runtime what that did, and where. What headers hold inline is not
   seen, nor what C++ does by new and delete. */
#ifndef OPW_ACCOUNTS
#define OPW_ACCOUNTS
#include "book.h"
#if defined(__has_include) && __has_include(<malloc.h>)
#include <malloc.h> /* before its names are macros */
#endif
#ifdef __cplusplus
#include <cstdlib>
#endif

#define OPW_AT(what) what, __builtin_FILE(), __builtin_LINE()

/* ---- references ---- */

__attribute__((unused)) static inline void opw_set_tuple(PyObject *tuple, Py_ssize_t i, PyObject *item, const char *what, const char *file, int line)
{
    opw_gave(item, what, file, line);
    PyTuple_SET_ITEM(tuple, i, item);
}
__attribute__((unused)) static inline void opw_set_list(PyObject *list, Py_ssize_t i, PyObject *item, const char *what, const char *file, int line)
{
    opw_gave(item, what, file, line);
    PyList_SET_ITEM(list, i, item);
}
/* Where an item lies: the macros are no values alone, but places. */
__attribute__((unused)) static inline PyObject **opw_in_tuple(PyObject *tuple, Py_ssize_t i, const char *what, const char *file, int line)
{
    opw_looked(tuple, what, file, line);
    opw_lent(((PyTupleObject *)tuple)->ob_item[i], what, file, line);
    return &((PyTupleObject *)tuple)->ob_item[i];
}
__attribute__((unused)) static inline PyObject **opw_in_list(PyObject *list, Py_ssize_t i, const char *what, const char *file, int line)
{
    opw_looked(list, what, file, line);
    opw_lent(((PyListObject *)list)->ob_item[i], what, file, line);
    return &((PyListObject *)list)->ob_item[i];
}

#undef Py_INCREF
#undef Py_XINCREF
#undef Py_DECREF
#undef Py_XDECREF
#undef Py_NewRef
#undef Py_XNewRef
#undef Py_CLEAR
#undef Py_SETREF
#undef Py_XSETREF
#undef PyTuple_SET_ITEM
#undef PyList_SET_ITEM
#undef PyTuple_GET_ITEM
#undef PyList_GET_ITEM
#define Py_INCREF(o) opw_increased((PyObject *)(o), OPW_AT("Py_INCREF"))
#define Py_XINCREF(o) opw_increased((PyObject *)(o), OPW_AT("Py_XINCREF"))
#define Py_IncRef(o) opw_increased((PyObject *)(o), OPW_AT("Py_IncRef"))
#define Py_DECREF(o) opw_decreased((PyObject *)(o), OPW_AT("Py_DECREF"))
#define Py_XDECREF(o) opw_decreased((PyObject *)(o), OPW_AT("Py_XDECREF"))
#define Py_DecRef(o) opw_decreased((PyObject *)(o), OPW_AT("Py_DecRef"))
#define Py_NewRef(o) opw_increased((PyObject *)(o), OPW_AT("Py_NewRef"))
#define Py_XNewRef(o) opw_increased((PyObject *)(o), OPW_AT("Py_XNewRef"))
#define PyTuple_SET_ITEM(tuple, i, o) opw_set_tuple((PyObject *)(tuple), (i), (PyObject *)(o), OPW_AT("PyTuple_SET_ITEM"))
#define PyList_SET_ITEM(list, i, o) opw_set_list((PyObject *)(list), (i), (PyObject *)(o), OPW_AT("PyList_SET_ITEM"))
#define PyTuple_GET_ITEM(tuple, i) (*opw_in_tuple((PyObject *)(tuple), (i), OPW_AT("PyTuple_GET_ITEM")))
#define PyList_GET_ITEM(list, i) (*opw_in_list((PyObject *)(list), (i), OPW_AT("PyList_GET_ITEM")))

#ifndef __cplusplus

#define OPW_SET_REFERENCE(what, variable, value)                                      \
    do {                                                                              \
        __typeof__(variable) *opw_place = &(variable), opw_old = *opw_place;          \
        *opw_place = (__typeof__(variable))(value);                                   \
        opw_decreased((PyObject *)opw_old, OPW_AT(what));                             \
    } while (0)
#define Py_CLEAR(variable) OPW_SET_REFERENCE("Py_CLEAR", variable, NULL)
#define Py_SETREF(variable, value) OPW_SET_REFERENCE("Py_SETREF", variable, value)
#define Py_XSETREF(variable, value) OPW_SET_REFERENCE("Py_XSETREF", variable, value)

/* An argument as it is, looked at where it is an object. */
#define OPW_IS_OBJECT(a) _Generic((a), PyObject *: 1, PyArrayObject *: 1, PyArray_Descr *: 1, default: 0)
#define OPW_SEEN(w, a) __builtin_choose_expr(OPW_IS_OBJECT(a), opw_looked((const void *)(uintptr_t)(a), OPW_AT(w)), (a))
#define OPW_SEEN_0(w)
#define OPW_SEEN_1(w, a) OPW_SEEN(w, a)
#define OPW_SEEN_2(w, a, ...) OPW_SEEN(w, a), OPW_SEEN_1(w, __VA_ARGS__)
#define OPW_SEEN_3(w, a, ...) OPW_SEEN(w, a), OPW_SEEN_2(w, __VA_ARGS__)
#define OPW_SEEN_4(w, a, ...) OPW_SEEN(w, a), OPW_SEEN_3(w, __VA_ARGS__)
#define OPW_SEEN_5(w, a, ...) OPW_SEEN(w, a), OPW_SEEN_4(w, __VA_ARGS__)
#define OPW_SEEN_MORE(w, a, b, c, d, e, ...) OPW_SEEN(w, a), OPW_SEEN(w, b), OPW_SEEN(w, c), OPW_SEEN(w, d), OPW_SEEN(w, e), __VA_ARGS__
#define OPW_NTH(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, n, ...) n
#define OPW_TAKING_none(w, ...)                                                                                                       \
    OPW_NTH(0 __VA_OPT__(,) __VA_ARGS__, OPW_SEEN_MORE, OPW_SEEN_MORE, OPW_SEEN_MORE, OPW_SEEN_MORE, OPW_SEEN_MORE, OPW_SEEN_MORE,    \
            OPW_SEEN_MORE, OPW_SEEN_MORE, OPW_SEEN_MORE, OPW_SEEN_5, OPW_SEEN_4, OPW_SEEN_3, OPW_SEEN_2, OPW_SEEN_1, OPW_SEEN_0)      \
    (w __VA_OPT__(,) __VA_ARGS__)
/* The same, of which some are taken. */
#define OPW_TAKING_0(w, a, ...) opw_giving((a), OPW_AT(w)) __VA_OPT__(,) __VA_ARGS__
#define OPW_TAKING_1(w, a, b, ...) OPW_SEEN(w, a), opw_giving((b), OPW_AT(w)) __VA_OPT__(,) __VA_ARGS__
#define OPW_TAKING_2(w, a, b, c, ...) OPW_SEEN(w, a), OPW_SEEN(w, b), opw_giving((c), OPW_AT(w)) __VA_OPT__(,) __VA_ARGS__
#define OPW_TAKING_012(w, a, b, c) opw_giving((a), OPW_AT(w)), opw_giving((b), OPW_AT(w)), opw_giving((c), OPW_AT(w))

/* Calls: of what gives no object; gives a new reference; gives one that somebody else owns. */
#define OPW_LOOKS(f, w, takes, ...) f(OPW_TAKING_##takes(w __VA_OPT__(,) __VA_ARGS__))
#define OPW_NEW(f, w, takes, ...) __extension__({ __auto_type opw_made = OPW_LOOKS(f, w, takes __VA_OPT__(,) __VA_ARGS__); opw_took(opw_made, OPW_AT(w)); opw_made; })
#define OPW_LENDS(f, w, takes, ...) __extension__({ __auto_type opw_made = OPW_LOOKS(f, w, takes __VA_OPT__(,) __VA_ARGS__); opw_lent(opw_made, OPW_AT(w)); opw_made; })

#else

template <class T> static inline void opw_set_reference(T *&variable, T *value, const char *what, const char *file, int line)
{
    T *old = variable;
    variable = value;
    opw_decreased((PyObject *)old, what, file, line);
}
template <class T> static inline void opw_clear_reference(T *&variable, const char *what, const char *file, int line)
{
    opw_set_reference(variable, (T *)0, what, file, line);
}
#define Py_CLEAR(variable) opw_clear_reference(variable, OPW_AT("Py_CLEAR"))
#define Py_SETREF(variable, value) opw_set_reference(variable, value, OPW_AT("Py_SETREF"))
#define Py_XSETREF(variable, value) opw_set_reference(variable, value, OPW_AT("Py_XSETREF"))

/* An argument that is an object, or NULL. */
template <class T> static inline const void *opw_object(const T &) { return 0; }
static inline const void *opw_object(PyObject *const &object) { return object; }
static inline const void *opw_object(PyArrayObject *const &object) { return object; }
static inline const void *opw_object(const PyArrayObject *const &object) { return object; }
static inline const void *opw_object(PyArray_Descr *const &object) { return object; }

/* What a call does, and where it stands: which arguments it takes, a bit for each; what it gives. */
enum opw_gives { OPW_GIVES_NONE, OPW_GIVES_NEW, OPW_GIVES_LENT };
struct opw_telling {
    unsigned takes;
    opw_gives gives;
    const char *what, *file;
    int line;

    void look(unsigned) const {}
    template <class A, class... B> void look(unsigned bit, const A &first, const B &...rest) const
    {
        if (takes & bit)
            opw_gave(opw_object(first), what, file, line);
        else if (const void *object = opw_object(first))
            opw_looked(object, what, file, line);
        look(bit << 1, rest...);
    }
    template <class R> R *gave(R *made) const
    {
        if (gives == OPW_GIVES_NEW)
            opw_took((const void *)made, what, file, line);
        else if (gives == OPW_GIVES_LENT)
            opw_lent((const void *)made, what, file, line);
        return made;
    }
    template <class R> R gave(R made) const { return made; }
};
template <class R> struct opw_calling {
    template <class F, class... A> static R call(const opw_telling &tells, F f, A... a) { return tells.gave(f(a...)); }
};
template <> struct opw_calling<void> {
    template <class F, class... A> static void call(const opw_telling &, F f, A... a) { f(a...); }
};
/* A function as it is called: its arguments become what it asks for, as without this. */
template <class F> struct opw_told;
template <class R, class... P> struct opw_told<R (*)(P...)> {
    R (*f)(P...);
    opw_telling tells;
    R operator()(P... p) const { tells.look(1, p...); return opw_calling<R>::call(tells, f, p...); }
};
template <class R, class... P> struct opw_told<R (*)(P..., ...)> {
    R (*f)(P..., ...);
    opw_telling tells;
    template <class... V> R operator()(P... p, V... v) const { tells.look(1, p..., v...); return opw_calling<R>::call(tells, f, p..., v...); }
};
template <class F> static inline opw_told<F *> opw_tell(F *f, unsigned takes, opw_gives gives, const char *what, const char *file, int line)
{
    return {f, {takes, gives, what, file, line}};
}
#define OPW_TAKING_none 0
#define OPW_TAKING_0 1
#define OPW_TAKING_1 2
#define OPW_TAKING_2 4
#define OPW_TAKING_012 7
#define OPW_LOOKS(f, w, takes, ...) opw_tell(f, OPW_TAKING_##takes, OPW_GIVES_NONE, OPW_AT(w))(__VA_ARGS__)
#define OPW_NEW(f, w, takes, ...) opw_tell(f, OPW_TAKING_##takes, OPW_GIVES_NEW, OPW_AT(w))(__VA_ARGS__)
#define OPW_LENDS(f, w, takes, ...) opw_tell(f, OPW_TAKING_##takes, OPW_GIVES_LENT, OPW_AT(w))(__VA_ARGS__)

#endif

/* ---- memory ---- */

#define OPW_FAMILY(New, Zeroed, Renew, Free)                                                                                  \
    __attribute__((unused)) static inline void opw_end_##Free(void *p) { Free(p); }                                           \
    __attribute__((unused)) static inline void *opw_##New(size_t n, const char *file, int line)                               \
    {                                                                                                                         \
        return opw_reserved(New(n), n, opw_end_##Free, #New, file, line);                                                     \
    }                                                                                                                         \
    __attribute__((unused)) static inline void *opw_##Zeroed(size_t n, size_t size, const char *file, int line)               \
    {                                                                                                                         \
        return opw_reserved(Zeroed(n, size), n * size, opw_end_##Free, #Zeroed, file, line);                                  \
    }                                                                                                                         \
    __attribute__((unused)) static inline void *opw_##Renew(void *p, size_t n, const char *file, int line)                    \
    {                                                                                                                         \
        return opw_may_renew(p, #Renew, file, line) ? opw_renewed(p, Renew(p, n), n, opw_end_##Free, #Renew, file, line) : NULL; \
    }                                                                                                                         \
    __attribute__((unused)) static inline void opw_##Free(void *p, const char *file, int line) { opw_freed(p, opw_end_##Free, #Free, file, line); }
OPW_FAMILY(malloc, calloc, realloc, free)
OPW_FAMILY(PyMem_Malloc, PyMem_Calloc, PyMem_Realloc, PyMem_Free)
OPW_FAMILY(PyMem_RawMalloc, PyMem_RawCalloc, PyMem_RawRealloc, PyMem_RawFree)
OPW_FAMILY(PyObject_Malloc, PyObject_Calloc, PyObject_Realloc, PyObject_Free)
OPW_FAMILY(PyDataMem_NEW, PyDataMem_NEW_ZEROED, PyDataMem_RENEW, PyDataMem_FREE)
__attribute__((unused)) static inline char *opw_strdup(const char *text, const char *file, int line)
{
    return (char *)opw_reserved(strdup(text), strlen(text) + 1, opw_end_free, "strdup", file, line);
}
__attribute__((unused)) static inline void *opw_aligned_alloc(size_t alignment, size_t n, const char *file, int line)
{
    return opw_reserved(aligned_alloc(alignment, n), n, opw_end_free, "aligned_alloc", file, line);
}
#ifdef __cplusplus
namespace std { /* where texts may ask for C's */
using ::opw_malloc;
using ::opw_calloc;
using ::opw_realloc;
using ::opw_free;
using ::opw_aligned_alloc;
}
#endif

#define OPW_HERE __builtin_FILE(), __builtin_LINE()
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef strdup
#undef PyDataMem_NEW
#undef PyDataMem_NEW_ZEROED
#undef PyDataMem_RENEW
#undef PyDataMem_FREE
#define malloc(n) opw_malloc((n), OPW_HERE)
#define calloc(n, size) opw_calloc((n), (size), OPW_HERE)
#define realloc(p, n) opw_realloc((p), (n), OPW_HERE)
#define free(p) opw_free((p), OPW_HERE)
#define strdup(text) opw_strdup((text), OPW_HERE)
#define aligned_alloc(alignment, n) opw_aligned_alloc((alignment), (n), OPW_HERE)
#define PyMem_Malloc(n) opw_PyMem_Malloc((n), OPW_HERE)
#define PyMem_Calloc(n, size) opw_PyMem_Calloc((n), (size), OPW_HERE)
#define PyMem_Realloc(p, n) opw_PyMem_Realloc((p), (n), OPW_HERE)
#define PyMem_Free(p) opw_PyMem_Free((p), OPW_HERE)
#define PyMem_RawMalloc(n) opw_PyMem_RawMalloc((n), OPW_HERE)
#define PyMem_RawCalloc(n, size) opw_PyMem_RawCalloc((n), (size), OPW_HERE)
#define PyMem_RawRealloc(p, n) opw_PyMem_RawRealloc((p), (n), OPW_HERE)
#define PyMem_RawFree(p) opw_PyMem_RawFree((p), OPW_HERE)
#define PyObject_Malloc(n) opw_PyObject_Malloc((n), OPW_HERE)
#define PyObject_Calloc(n, size) opw_PyObject_Calloc((n), (size), OPW_HERE)
#define PyObject_Realloc(p, n) opw_PyObject_Realloc((p), (n), OPW_HERE)
#define PyObject_Free(p) opw_PyObject_Free((p), OPW_HERE)
#define PyDataMem_NEW(n) opw_PyDataMem_NEW((n), OPW_HERE)
#define PyDataMem_NEW_ZEROED(n, size) opw_PyDataMem_NEW_ZEROED((n), (size), OPW_HERE)
#define PyDataMem_RENEW(p, n) opw_PyDataMem_RENEW((p), (n), OPW_HERE)
#define PyDataMem_FREE(p) opw_PyDataMem_FREE((p), OPW_HERE)

/* ---- what gives or takes by an address ---- */

__attribute__((unused)) static inline void opw_fetched(PyObject **type, PyObject **value, PyObject **traceback, const char *what, const char *file, int line)
{
    PyErr_Fetch(type, value, traceback);
    opw_took(*type, what, file, line);
    opw_took(*value, what, file, line);
    opw_took(*traceback, what, file, line);
}
/* What stands in a variable was given up, and what stands there now is the text's. */
__attribute__((unused)) static inline void opw_replaced(const void *old, const void *made, const char *what, const char *file, int line)
{
    if (old == made)
        return;
    opw_gave(old, what, file, line);
    opw_took(made, what, file, line);
}
__attribute__((unused)) static inline void opw_normalized(PyObject **type, PyObject **value, PyObject **traceback, const char *what, const char *file, int line)
{
    PyObject *old[] = {*type, *value, *traceback};
    PyErr_NormalizeException(type, value, traceback);
    opw_replaced(old[0], *type, what, file, line);
    opw_replaced(old[1], *value, what, file, line);
    opw_replaced(old[2], *traceback, what, file, line);
}
__attribute__((unused)) static inline int opw_tuple_resized(PyObject **tuple, Py_ssize_t n, const char *what, const char *file, int line)
{
    PyObject *old = *tuple;
    int failed = _PyTuple_Resize(tuple, n);
    opw_replaced(old, *tuple, what, file, line);
    return failed;
}
__attribute__((unused)) static inline int opw_bytes_resized(PyObject **bytes, Py_ssize_t n, const char *what, const char *file, int line)
{
    PyObject *old = *bytes;
    int failed = _PyBytes_Resize(bytes, n);
    opw_replaced(old, *bytes, what, file, line);
    return failed;
}
__attribute__((unused)) static inline int opw_descr_converted(int converted, PyArray_Descr **made, const char *what, const char *file, int line)
{
    if (converted)
        opw_took(*made, what, file, line);
    return converted;
}
__attribute__((unused)) static inline int opw_next_of(PyObject *dict, Py_ssize_t *at, PyObject **key, PyObject **value, const char *what, const char *file, int line)
{
    int more = PyDict_Next((PyObject *)opw_looked(dict, what, file, line), at, key, value);
    if (more && key)
        opw_lent(*key, what, file, line);
    if (more && value)
        opw_lent(*value, what, file, line);
    return more;
}
#ifdef PyArray_DescrConverter /* places in NumPy's table */
__attribute__((unused)) static inline int opw_descr(PyObject *object, PyArray_Descr **made) { return PyArray_DescrConverter(object, made); }
__attribute__((unused)) static inline int opw_descr2(PyObject *object, PyArray_Descr **made) { return PyArray_DescrConverter2(object, made); }
#undef PyArray_DescrConverter
#undef PyArray_DescrConverter2
#define PyArray_DescrConverter(o, made) opw_descr_converted(opw_descr((o), (made)), (made), OPW_AT("PyArray_DescrConverter"))
#define PyArray_DescrConverter2(o, made) opw_descr_converted(opw_descr2((o), (made)), (made), OPW_AT("PyArray_DescrConverter2"))
#endif
#define PyErr_Fetch(type, value, traceback) opw_fetched((type), (value), (traceback), OPW_AT("PyErr_Fetch"))
#define PyErr_NormalizeException(type, value, traceback) opw_normalized((type), (value), (traceback), OPW_AT("PyErr_NormalizeException"))
#define _PyTuple_Resize(tuple, n) opw_tuple_resized((tuple), (n), OPW_AT("_PyTuple_Resize"))
#define _PyBytes_Resize(bytes, n) opw_bytes_resized((bytes), (n), OPW_AT("_PyBytes_Resize"))
#define PyDict_Next(dict, at, key, value) opw_next_of((dict), (at), (key), (value), OPW_AT("PyDict_Next"))
#undef Py_BuildValue
#define Py_BuildValue(...) opw_built(OPW_AT("Py_BuildValue"), __VA_ARGS__)
#endif
