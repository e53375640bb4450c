// Package npyapi holds what is known of CPython's and NumPy's C API, as data: element types, array flags, and for each
// function what it returns, when it fails and whether it needs the GIL. Sources: the CPython C API reference (reference
// count annotations) and the NumPy C API reference. It holds no logic beyond look-ups.
package npyapi

import "slices"

// Returns says what a call's result means for ownership.
type Returns int

const (
	// Nothing: no object comes back.
	Nothing Returns = iota
	// New: a reference that the caller owns.
	New
	// Borrowed: a reference that somebody else owns.
	Borrowed
)

// Fails says how a call reports that it failed, with an exception set unless it is silent.
type Fails int

const (
	// Never: it cannot fail.
	Never Fails = iota
	// Null: it returns NULL.
	Null
	// Negative: it returns a negative number.
	Negative
	// Zero: it returns 0.
	Zero
	// Asks: any result may also be an error; PyErr_Occurred tells.
	Asks
	// Always: it sets an exception; that is what it is for.
	Always
)

// Function is what is known of one function or macro.
type Function struct {
	Name     string
	Returns  Returns
	Fails    Fails
	Silent   bool   // it may fail, or have nothing to give, without an exception
	Steals   []int  // positions of arguments whose reference it takes, also when it fails
	Keeps    []int  // positions of arguments that it takes a reference of its own to, for others
	Nullable []int  // positions of arguments that may be NULL
	Shares   []int  // positions of arguments whose memory the result may have
	Sizes    []int  // positions of arguments that are read as npy_intp
	Memory   bool   // it gives memory that is to be freed
	Points   bool   // it gives an address in the memory of its first argument, an array
	Result   string // the C type of the result, where a size, a number or a text comes back; of Negative: else it is 0 or -1
	NoGIL    bool   // may be called without the GIL
}

// TakesNull tells whether an argument may be NULL.
func (f Function) TakesNull(position int) bool { return slices.Contains(f.Nullable, position) }

// Lookup finds a function by its name.
func Lookup(name string) (Function, bool) {
	f, ok := functions[name]
	f.Name = name
	return f, ok
}

// Names lists all functions and macros that are known.
func Names() []string {
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
