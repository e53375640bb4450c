package pyext

import (
	"context"
	"errors"

	"opweld/gen"
	"opweld/gen/async"
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

// panicked describes a panic; call it from the deferred function that recovered.
func panicked(cause any) *build.Error {
	return fault(build.KindInternal, async.Recovered(cause).Error(), "")
}
