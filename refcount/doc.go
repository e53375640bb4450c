// Package refcount knows who owns what: it holds the ownership plan of the glue (what each action of a call takes on and what
// undoes it) and proves that every way out of a call gives up exactly what it holds. It writes no C, and reads none.
package refcount
