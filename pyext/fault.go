package pyext

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"opweld/gen"
	"opweld/gen/build"
)

// failed is the answer that carries an error instead of a value.
type failed struct {
	Error *build.Error `json:"error"`
}

// describe gives an error the shape that crosses the border.
func describe(err error) *build.Error {
	var shaped *build.Error
	var program *gen.Error
	var fragments *gen.FragmentError
	switch {
	case errors.As(err, &shaped):
		return shaped
	case errors.As(err, &program):
		return fault(build.KindProgram, program.Error(), program.Op)
	case errors.As(err, &fragments):
		return fault(build.KindCompile, fragments.Error(), fragments.Breaches[0].Op)
	case errors.Is(err, context.Canceled):
		return fault(build.KindCancelled, "cancelled", "")
	}
	return fault(build.KindInternal, err.Error(), "")
}

// fault makes an error that pyext itself found. Its list of diagnostics is empty, not null.
func fault(kind, message, op string) *build.Error {
	e := &build.Error{Kind: kind, Message: message, Op: op}
	e.Diagnostics = empty(e.Diagnostics)
	return e
}

func empty[T any]([]T) []T { return []T{} }

// stackLines is how much of a panic's stack goes into its message: enough to find the place.
const stackLines = 16

// panicked describes a panic; call it from the deferred function that recovered.
func panicked(cause any) *build.Error {
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
	message := fmt.Sprintf("the engine panicked: %v\n%s", cause, strings.Join(stack, "\n"))
	return fault(build.KindInternal, message, "")
}
