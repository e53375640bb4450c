package build

import (
	"context"
	"errors"
	"strings"

	"opweld/gen"
	"opweld/gen/cc"
)

// Kinds of errors; docs/engine.md says what Python makes of them.
const (
	KindProgram    = "program"
	KindNoCompiler = "no_compiler"
	KindCompile    = "compile"
	KindCancelled  = "cancelled"
	KindCache      = "cache"
	KindInternal   = "internal"
)

// Error is a failed build in the form that crosses to Python.
type Error struct {
	Kind        string          `json:"kind"`
	Message     string          `json:"message"`
	Op          string          `json:"op"`
	File        string          `json:"file"`
	Line        int             `json:"line"`
	Diagnostics []cc.Diagnostic `json:"diagnostics"`
	Log         string          `json:"log"`

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the error that e was made from; may be nil.
func (e *Error) Unwrap() error { return e.cause }

// classify gives err its kind.
func classify(err error) *Error {
	var known *Error
	var program *gen.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &program):
		return newError(KindProgram, err, program.Op)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return newError(KindCancelled, err, "")
	case errors.Is(err, cc.ErrStart):
		return newError(KindNoCompiler, err, "")
	}
	return newError(KindInternal, err, "")
}

// breached makes the error of fragments that do what they may not: it reads like the compiler's.
func breached(e *gen.FragmentError, sources map[string]cc.Source) *Error {
	ds := make([]cc.Diagnostic, len(e.Breaches))
	for i, b := range e.Breaches {
		ds[i] = cc.Diagnostic{Severity: "error", Op: b.Op, Hook: b.Hook, File: b.Origin, Line: b.Line,
			FragmentLine: b.FragmentLine, Column: b.Column, Message: b.Msg, Text: b.Text}
	}
	return refused(&cc.Error{Diagnostics: ds}, sources, "")
}

// newError makes an Error without diagnostics.
func newError(kind string, cause error, op string) *Error {
	return &Error{Kind: kind, Message: cause.Error(), Op: op, Diagnostics: []cc.Diagnostic{}, cause: cause}
}

// errChanged is a unit of one opweld beside the runtime of another.
var errChanged = errors.New("opweld was replaced on disk after this process had loaded it: start Python anew")

// refused makes the error of a text that the compiler refused.
func refused(e *cc.Error, sources map[string]cc.Source, log string) *Error {
	if strings.Contains(e.Output, "undefined") && strings.Contains(e.Output, gen.LayoutPrefix) {
		return newError(KindInternal, errChanged, "")
	}
	ds := cc.Map(e.Diagnostics, sources)
	first := cc.First(ds)
	return &Error{Kind: KindCompile, Message: cc.Message(ds, log), Op: first.Op, File: first.File, Line: first.Line,
		Diagnostics: ds, Log: log, cause: e}
}
