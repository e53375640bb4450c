package ccode

// What a text declares, keeps or replaces, read once and closed.

func declarations(text string, cxx bool) ([]Declared, error) {
	f := Read(text, Place{Body: true, Declares: true, CXX: cxx})
	defer f.Close()
	return f.Declarations()
}

func keepsState(text string, cxx bool, before ...string) bool {
	f := Read(text, Place{CXX: cxx})
	defer f.Close()
	return f.KeepsState(before...)
}

func codeKeepsState(text string, cxx bool, before ...string) bool {
	f := Read(text, Place{Body: true, CXX: cxx})
	defer f.Close()
	return f.KeepsState(before...)
}

// helperTexts are what stands before the bodies in the tests of what is replaced.
var helperTexts = []string{`
#include "elsewhere.h"
static int looks(PyArrayObject *x, int n) { return n; } /* hides(V) */
static inline PyArrayObject *
turns(PyArrayObject *const x)
{
    return x;
}
int counts(wide x) { return x; }
#define masks(x) (x = 0)
int masks(int *x) { return 0; }
int declares(int *x);
NEITHER(x) { }
`, "int looks_on(int *x) { ", "static int twice(int *x) { return 1; }", "static int twice(int *y) { return 2; }"}

func replaced(p Place, text string, names []string) map[string]bool {
	f := Read(text, p)
	defer f.Close()
	return f.Replaced(names, func() map[string]bool { return Helpers(p.CXX, text, helperTexts...) })
}

func breaches(p Place, text string) []Breach {
	f := Read(text, p)
	defer f.Close()
	return f.Breaches()
}
