// Package lint follows every path through users' C before it runs, and says what goes wrong on one: references that are lost
// or given up twice, failures that nobody looks at, arrays that are written or handed on without saying so. What it knows of
// the C API stands in npyapi. What it cannot see through, a macro or a function that is not known, it takes for something that may do
// anything, and says nothing of what depends on it. It writes no C and changes none.
package lint
