package gen

import (
	"slices"
	"strings"
)

// What is computed of what folds leave, and of numbers, needs no loop of its own: where the folding of a column ends it is at hand. So
// steps that do nothing else end the folds of their group: nobody stores what they read.

const behindFold = "would read what a fold leaves before that is there"

// endings finds the steps that end folds, and those of numbers alone that only these read.
func (a *analysis) endings() string {
	if !a.folds {
		return ""
	}
	a.ends = map[int]bool{}
	for _, step := range a.steps {
		if !slices.ContainsFunc(a.Steps[step].Inputs, func(v int) bool { return a.left(v) || a.scanned(v) }) {
			continue
		}
		if !a.mayEnd(step) {
			return behindFold
		}
		a.ends[step] = true
	}
	if len(a.ends) == 0 {
		return ""
	}
	for i := len(a.steps) - 1; i >= 0; i-- { // numbers: whoever reads them comes later
		step := a.steps[i]
		if !a.ends[step] && slices.ContainsFunc(a.Steps[step].Outputs, a.endsRead) {
			if slices.ContainsFunc(a.Steps[step].Outputs, a.asked) || !a.mayEnd(step) {
				return behindFold
			}
			a.ends[step] = true
		}
	}
	return ""
}

// left tells whether folds of these steps leave a variable, or what ends them does.
func (a *analysis) left(v int) bool {
	step, inside := a.makes(v)
	return inside && (a.ends[step] || a.sink(v).Fold >= 0 && !a.sink(v).Scan)
}

// scanned tells whether one of these steps scans it.
func (a *analysis) scanned(v int) bool {
	_, inside := a.makes(v)
	return inside && a.sink(v).Scan
}

// endsRead tells whether a step that ends folds reads a number that another one of these makes.
func (a *analysis) endsRead(v int) bool {
	return !a.left(v) && slices.ContainsFunc(a.shapes.readers[v], func(step int) bool { return a.ends[step] })
}

// asked tells whether anybody else reads it.
func (a *analysis) asked(v int) bool {
	return a.wanted(v) || slices.ContainsFunc(a.shapes.readers[v], func(step int) bool {
		return slices.Contains(a.steps, step) && !a.ends[step]
	})
}

// mayEnd tells whether a step may be computed where folds end: it takes nothing but what they leave, and numbers, cannot fail, and calls
// nothing.
func (a *analysis) mayEnd(step int) bool {
	l := a.kernel(step).Loop
	if l.folds() || !l.pure() || l.Exact != nil || slices.ContainsFunc(l.Body, func(in TypedInstruction) bool { return in.calls() || in.apart() || in.vector() }) {
		return false
	}
	for i, v := range a.Steps[step].Inputs {
		if !ending(l.Inputs[i].Class) || !a.left(v) && a.typeOf(v).Array.NDim > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(l.Outputs, func(out LoopOutput) bool { return !ending(out.Type.Class) })
}

// ending tells whether what is left is of a type that is stored as it is folded.
func ending(class byte) bool { return strings.IndexByte("iuf", class) >= 0 }
