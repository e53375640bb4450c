// Package gen turns a Program into the text of one C translation unit: decode, check, plan, view, render. Rendering is
// a pure function of Program. The package runs no compiler, reads no clock, no environment and no file.
package gen
