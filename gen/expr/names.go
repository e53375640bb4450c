package expr

import (
	"maps"
	"sort"
	"unicode/utf8"

	"opweld/gen/scalar"
)

// function is what can be called: how many arguments it takes, and what it becomes.
type function struct {
	least, most int    // most 0: any number
	op          string // of the instruction; a function of many arguments is that of two, again and again
}

// functions are all that have a name, NumPy's by each name that NumPy has for them.
var functions = table()

// builtin marks what only Python has: np.min and np.round are other functions.
var builtin = map[string]bool{"min": true, "max": true, "round": true}

func table() map[string]function {
	found := map[string]function{}
	for _, f := range scalar.Functions() {
		for _, name := range append(f.Also, f.Name) {
			if f.Results == 1 {
				found[name] = function{f.Args, f.Args, f.Name}
			}
		}
	}
	maps.Copy(found, map[string]function{ // Python's own, and what NumPy has no ufunc for
		"where": {3, 3, "where"}, "real": {1, 1, "real"}, "imag": {1, 1, "imag"}, "abs": {1, 1, "abs"}, "round": {1, 1, "round"}, "pow": {2, 2, "pow"},
		"min": {2, 0, "min"}, "max": {2, 0, "max"}, "clip": {3, 3, "clip"},
	})
	return found
}

// constants are Python's floats, as Python reads them.
var constants = map[string]string{
	"pi": "3.141592653589793", "e": "2.718281828459045", "inf": "inf", "nan": "nan",
}

// modules are the prefixes that may stand before the names of functions and constants.
var modules = words("np numpy math")

// refusedFunctions are known, but no part of an expression.
var refusedFunctions = refusedTable()

func refusedTable() map[string]string {
	found := map[string]string{}
	for _, f := range scalar.Functions() {
		if f.Results > 1 {
			found[f.Name] = "it has several results: apply opweld.tensor." + f.Name + " outside of the expression"
		}
	}
	found["divmod"] = "it has two results: write x // y and x % y"
	found["modf"] = "it has two results: write x - trunc(x) and trunc(x)"
	for name := range words("sum prod mean var std any all argmax argmin cumsum cumprod sort argsort dot matmul outer") {
		found[name] = "it works on whole arrays, and an expression on their elements: apply opweld.tensor." + name +
			" outside of it"
	}
	for name := range words("int float complex bool") {
		found[name] = "an expression has no casts: apply opweld.tensor.cast outside of it"
	}
	return found
}

// nearest gives the name that a person may have meant, or "".
func nearest(name string, candidates map[string]bool) string {
	sorted := make([]string, 0, len(candidates))
	for candidate := range candidates {
		sorted = append(sorted, candidate)
	}
	sort.Strings(sorted)
	best, bound, prefix := "", min(2, (utf8.RuneCountInString(name)+1)/3), -1
	for _, candidate := range sorted {
		d, same := distance(name, candidate), shared(name, candidate)
		if d < bound || d == bound && bound > 0 && same > prefix {
			best, bound, prefix = candidate, d, same
		}
	}
	return best
}

// shared counts the bytes that two names begin with alike.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// distance counts the letters to insert, remove, change or swap with their neighbours.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, old, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}

func also(guess string) string {
	if guess == "" {
		return ""
	}
	return "; did you mean '" + guess + "'?"
}
