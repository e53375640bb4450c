package pyext

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// failed is the answer that carries an error instead of a value.
type failed struct {
	Error any `json:"error"`
}

// fault is an error that pyext itself found, with the fields of an error of gen/build that it can fill.
type fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// stackLines is how much of a panic's stack goes into its message: enough to find the place.
const stackLines = 16

// panicked describes a panic; call it from the deferred function that recovered.
func panicked(cause any) fault {
	stack := strings.Split(strings.TrimSpace(string(debug.Stack())), "\n")
	// The first lines are debug.Stack, this function, the deferred one and the panic's own: of no use to a reader.
	for i, line := range stack {
		if strings.HasPrefix(line, "panic(") && i+2 < len(stack) {
			stack = stack[i+2:]
			break
		}
	}
	if len(stack) > stackLines {
		stack = stack[:stackLines]
	}
	return fault{"internal", fmt.Sprintf("the engine panicked: %v\n%s", cause, strings.Join(stack, "\n"))}
}
