// Package ccode reads users' C and C++ by a grammar: what a text declares, which variables it may replace, whether it defines an
// object that outlives a call, what it may not do where it stands. What cannot be read with certainty it says so of, or takes
// for the worse. It writes no C.
package ccode
