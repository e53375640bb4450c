// Package host keeps what belongs to the process that loads the engine: its signal handlers and its limit of open files,
// both of which the start of Go's runtime changes. It knows nothing of what the engine does.
package host

// #include "host.h"
import "C"

// Restore gives back what was there before this library was loaded. Go keeps the handlers of the faults that become panics,
// for faults in the engine's own code alone. It is called once, as soon as the library is loaded.
func Restore() { C.opweld_host_restore() }
