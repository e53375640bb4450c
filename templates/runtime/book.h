/* What accounted texts tell the runtime: of references taken and given up, and of memory. A place is what was called, and where. What is
   told where no text of an op's or a type's runs is not heard. */
#ifndef OPW_BOOK
#define OPW_BOOK
#ifdef __cplusplus
extern "C" {
#endif
#define OPW_FROM const char *what, const char *file, int line

/* A new reference came, which the text owns. NULL is no object, here and below. */
OPW_SHARED void opw_took(const void *object, OPW_FROM);
/* The text's reference went to who was called. */
OPW_SHARED void opw_gave(const void *object, OPW_FROM);
__attribute__((unused)) static inline void *opw_giving(const void *object, OPW_FROM) { opw_gave(object, what, file, line); return (void *)object; }
/* An object came whose reference somebody else owns. */
OPW_SHARED void opw_lent(const void *object, OPW_FROM);
/* An object is used. Gives it back. */
OPW_SHARED void *opw_looked(const void *object, OPW_FROM);
/* Py_XINCREF, which gives the object, and Py_XDECREF. */
OPW_SHARED PyObject *opw_increased(PyObject *object, OPW_FROM);
OPW_SHARED void opw_decreased(PyObject *object, OPW_FROM);
/* Py_BuildValue, which takes what N stands for. */
OPW_SHARED PyObject *opw_built(OPW_FROM, const char *format, ...);

/* Memory came, or NULL; how it is freed. Gives it back. */
OPW_SHARED void *opw_reserved(void *p, size_t n, void (*end)(void *), OPW_FROM);
/* Whether memory that is to be of another size is memory still; what became of it. */
OPW_SHARED int opw_may_renew(void *p, OPW_FROM);
OPW_SHARED void *opw_renewed(void *old, void *p, size_t n, void (*end)(void *), OPW_FROM);
/* Frees memory, unless it was freed before. */
OPW_SHARED void opw_freed(void *p, void (*end)(void *), OPW_FROM);

/* Runs a text of a type's for one variable: which type, what the text does, and its name. opw_account_leave: the one that leaves it,
   whose object is given up then. */
enum { OPW_ENTERS = 1, OPW_SYNCS, OPW_LEAVES };
OPW_SHARED int opw_account_hook(char *frame, const uint32_t *slots, uint32_t type, int way, const char *hook, opw_run_fn run);
OPW_SHARED void opw_account_leave(char *frame, const uint32_t *slots, uint32_t type, const char *hook, opw_undo_fn run);
#ifdef __cplusplus
}
#endif
#endif
