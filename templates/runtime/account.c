/* What the texts of ops take and give up, step by step. Compiled once more, for accounted modules, with OPW_ACCOUNT; else all is as if
   it were not there. */
/* ---- accounts ---------------------------------------------------------------------------------------------------- */

#ifdef OPW_ACCOUNT
#include "account_page.c"
#include "account_refs.c"
#include "account_memory.c"
#include "account_holders.c"
#include "account_step.c"
#include "account_told.c"

#undef OPW_ENTRY
#undef OPW_COST_METHODS
#undef opw_run_entry
#define OPW_ENTRY opw_accounted_call
#define OPW_COST_METHODS {"_accounts", opw_function_accounts, METH_NOARGS, NULL}, {"_forget_accounts", opw_function_forget_accounts, METH_NOARGS, NULL},
#define OPW_FINALIZE_SLOT {Py_tp_finalize, (void *)opw_function_finalize},
#define opw_comes_back(object) (PyObject_CallFinalizerFromDealloc(object) < 0)
#define opw_run_entry opw_account_entry
#else
#define opw_make_book(self) 0
#define opw_drop_book(self) (void)0
#define OPW_FINALIZE_SLOT
#define opw_comes_back(object) 0
#endif
