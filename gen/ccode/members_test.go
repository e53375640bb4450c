package ccode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func members(text string) ([]Member, error) {
	f := Read(text, Place{Body: true, Declares: true})
	defer f.Close()
	return f.Members()
}

func TestMembers(t *testing.T) {
	for text, want := range map[string][]Member{
		"":                                    {},
		"double a = 3, *b;":                   {{"double a, *b", []string{"a", "b"}, []string{"a"}}},
		"char c=';'; char *s = \"/*\", d[2];": {{"char c", []string{"c"}, []string{"c"}}, {"char *s, d[2]", []string{"s", "d"}, []string{"s"}}},
		"int (*f)(int, char); struct s { int x; } v[2][3];": {
			{"int (*f)(int, char)", []string{"f"}, []string{}}, {"struct s { int x; } v[2][3]", []string{"v"}, []string{}},
		},
		"typedef int t; enum { x = 1, y }; struct s { int x; }; int g(int), n;": {{"int n", []string{"n"}, []string{}}},
		"int a[] = {1, 2}, /* ; */ *const p = 0;":                               {{"int a[], *const p", []string{"a", "p"}, []string{"a", "p"}}},
		"npy_intp n\n[3];": {{"npy_intp n\n[3]", []string{"n"}, []string{}}},
	} {
		found, err := members(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, found, text)
	}
}

func TestMembersThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"int a:3;":      "cannot tell which variables it declares",
		"if (x) { }":    "holds a if statement: write plain declarations",
		"static int x;": "declares with `static`, which has no place in a call's frame: leave the word out",
	} {
		_, err := members(text)
		assert.ErrorContains(t, err, want, text)
	}
}
