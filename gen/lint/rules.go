package lint

// Rule is a kind of finding.
type Rule struct {
	ID       string `json:"id"`
	Severity string `json:"severity"` // error: wrong on the path that is shown; warning: wrong for some arguments; note: not looked at
	Title    string `json:"title"`
	Mend     string `json:"mend"`
}

// The rules.
var (
	Lost = Rule{"lost-reference", "error", "a reference is overwritten or dropped without being released",
		"keep the result in a variable and release it with Py_DECREF before that gets another value; an output's old array with Py_XDECREF"}
	Leaked = Rule{"leaked-reference", "error", "a new reference is not released before fail or the end",
		"release it with Py_DECREF, or Py_XDECREF where it may be NULL, before the fragment is left on this path"}
	Memory = Rule{"leaked-memory", "error", "memory is not freed before fail or the end",
		"free it before the fragment is left on this path"}
	Double = Rule{"double-release", "error", "a reference is released twice",
		"release each reference once: Py_CLEAR sets the variable to NULL; what a function such as PyTuple_SET_ITEM takes is no longer yours"}
	Unowned = Rule{"borrowed-release", "error", "a borrowed reference is released or handed on as one's own",
		"take a reference of your own with Py_INCREF first, or leave the object to its owner"}
	Dead = Rule{"use-after-release", "error", "an object is used after its last known reference was released",
		"release it after its last use"}
	Unchecked = Rule{"unchecked-null", "error", "a result is used before it was compared with NULL",
		"test it where it comes from: if (!p) {fail}"}
	Quiet = Rule{"fail-without-exception", "error", "fail is reached with no exception set",
		"set one before: PyErr_SetString(PyExc_ValueError, \"…\"); after malloc PyErr_NoMemory()"}
	Ignored = Rule{"exception-without-fail", "error", "an exception is set, and the fragment ends as if nothing had happened",
		"test the result and use fail, or PyErr_Clear() where the failure changes nothing"}
	Written = Rule{"input-written", "error", "an input is written that destroy_map does not name",
		"write into a copy, or say destroy_map = {output: [input]}"}
	View = Rule{"undeclared-view", "error", "an output may share memory with an input, and view_map does not say so",
		"hand on a copy, or say view_map = {output: [input]}"}
	Unset = Rule{"unset-output", "error", "an output is left unset on a path",
		"give it a value on every path that does not fail"}
	Narrow = Rule{"narrow-int", "warning", "a size, index or stride is kept in an int",
		"declare it npy_intp, or convert it with a cast where its size is known"}
	Beyond = Rule{"past-the-end", "error", "a loop takes one element more than there are",
		"write < instead of <="}
	Format = Rule{"format-mismatch", "warning", "a format does not fit what is printed",
		"npy_intp and Py_ssize_t are %zd, long %ld, int %d; PyErr_Format knows neither %f nor %g"}
	Contiguous = Rule{"contiguity-assumed", "warning", "an array's memory is taken as one block, and its strides were not looked at",
		"test PyArray_IS_C_CONTIGUOUS, or copy by PyArray_CopyInto"}
	Strides = Rule{"strides-ignored", "warning", "an array is indexed as if it were contiguous, and its strides were not looked at",
		"use PyArray_GETPTR1 or PyArray_STRIDE, or test PyArray_IS_C_CONTIGUOUS first"}
	WithoutGIL = Rule{"python-without-gil", "error", "Python's API is used where the lock is released",
		"take the lock again before: Py_END_ALLOW_THREADS, or NPY_END_THREADS"}
	ControlFlow = Rule{"contract", "error", "the text does what the contract forbids",
		"docs/contract.md says what a fragment may do"}
	NotUnderstood = Rule{"not-understood", "note", "the text, or some of its paths, was not looked at",
		"nothing has to be mended; the compiler has the last word"}
)

// Rules lists them all, by weight.
func Rules() []Rule {
	return []Rule{Lost, Leaked, Memory, Double, Unowned, Dead, Unchecked, Quiet, Ignored, Written, View, Unset, Beyond, Narrow, Format,
		Contiguous, Strides, WithoutGIL, ControlFlow, NotUnderstood}
}
