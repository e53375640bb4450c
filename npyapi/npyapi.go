// Package npyapi holds what is known of CPython's and NumPy's C API, as data: element types, array flags, and for each
// function what it returns, when it fails and whether it needs the GIL. Sources: the CPython C API reference (reference
// count annotations) and the NumPy C API reference. It holds no logic beyond look-ups.
package npyapi

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

// Fails says how a call reports that it failed, with an exception set.
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
	Name    string
	Returns Returns
	Fails   Fails
	Steals  []int // positions of arguments whose reference it takes, also when it fails
	NoGIL   bool  // may be called without the GIL
}

// Lookup finds a function by its name.
func Lookup(name string) (Function, bool) {
	f, ok := functions[name]
	f.Name = name
	return f, ok
}
