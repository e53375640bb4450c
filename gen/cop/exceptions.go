package cop

import "strings"

// exceptions are those that fail can raise: CPython's, by their names in Python.
var exceptions = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`
		ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError BufferError ChildProcessError
		ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError EOFError Exception FileExistsError
		FileNotFoundError FloatingPointError GeneratorExit ImportError IndentationError IndexError InterruptedError
		IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError
		NotImplementedError OSError OverflowError PermissionError ProcessLookupError RecursionError ReferenceError RuntimeError
		StopAsyncIteration StopIteration SyntaxError SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError
		UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError ValueError ZeroDivisionError`) {
		set[name] = true
	}
	return set
}()
