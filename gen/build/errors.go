package build

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	KindPrivate    = "private" // the module cannot be kept, and no private folder was given
	KindTool       = "tool"
	KindUnseen     = "unseen"
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
	Folder      string          `json:"folder"` // of kind cache: where nothing can be written
	Reason      string          `json:"reason"` // and why

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the error that e was made from; may be nil.
func (e *Error) Unwrap() error { return e.cause }

// classify gives err its kind.
func classify(err error) *Error {
	var known *Error
	var program *gen.Error
	var trouble *cc.Trouble
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &trouble):
		return troubled(trouble)
	case errors.As(err, &program):
		return newError(KindProgram, err, program.Op)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return newError(KindCancelled, err, "")
	case errors.Is(err, cc.ErrStart):
		return newError(KindNoCompiler, err, "")
	}
	if trouble := unwritable(err); trouble != nil {
		return troubled(trouble)
	}
	return newError(KindInternal, err, "")
}

// troubled makes the error of a compile that could not be done.
func troubled(t *cc.Trouble) *Error {
	kind := KindTool
	switch t.Kind {
	case cc.FolderFails:
		kind = KindCache
	case cc.Unseen:
		kind = KindUnseen
	}
	e := newError(kind, t, "")
	e.Folder, e.Reason = t.Folder, t.Reason
	return e
}

// unwritable finds the folder in which the system refused something; nil: it is not that.
func unwritable(err error) *cc.Trouble {
	errno, ok := cc.Errno(err)
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case !ok:
		return nil
	case errors.As(err, &path):
		return cc.FolderTrouble(filepath.Dir(path.Path), errno.Error())
	case errors.As(err, &link):
		return cc.FolderTrouble(filepath.Dir(link.New), errno.Error())
	}
	return nil
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

// Refusal is what a compiler said of a text that it refused.
type Refusal struct {
	Diagnostics []cc.Diagnostic `json:"diagnostics"`
	Log         string          `json:"log"`
}

// Message tells a person of it.
func (r *Refusal) Message() string { return cc.Message(r.Diagnostics, r.Log) }

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
	ds := mapped(e.Diagnostics, sources)
	first := cc.First(ds)
	return &Error{Kind: KindCompile, Message: cc.Message(ds, log), Op: first.Op, File: first.File, Line: first.Line,
		Diagnostics: ds, Log: log, cause: e}
}
