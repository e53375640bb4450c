package gen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLabelsFitEverywhereInC(t *testing.T) {
	for _, label := range []string{"Add", "Elemwise.cast to float64", "A~2", "Größe", "C<int, 2>", "Clip{lo=1, kind='x'}", "x*y", "漢字"} {
		assert.Empty(t, labelFault(label), label)
	}
	for _, label := range []string{
		"", "A*/", "/* A", "a/b", `a"b`, `a\b`, "a??/b", "a\nb", "a\tb", "a:b", " a", "a ", ".a", "<lambda>", "a\x00b", "a\x7fb",
		"a\u2028b", "a\u202eb", "a\u00a0b", "a\u0085b", "a\ufffdb", "#", "%d", "$", "a;b", strings.Repeat("a", labelMax+1),
	} {
		assert.NotEmpty(t, labelFault(label), label)
	}
}

func TestComment(t *testing.T) {
	for text, want := range map[string]string{
		"x*/ int n; /*": "x* / int n; / *",
		"/*/":           "/ * /",
		"*/*/*":         "* / * / *",
		"a\nb\rc\td":    "a b c d",
		"ends in \\":    "ends in  ",
		"a\u202eb":      "a b",
		"a\u2028b":      "a b",
		"**//":          "** //",
		"Größe 漢":       "Größe 漢",
	} {
		assert.Equal(t, want, comment(text))
		assert.NotContains(t, comment(text), "*/")
	}
}

func TestCString(t *testing.T) {
	for text, want := range map[string]string{
		`a"b\c`:    `"a\"b\\c"`,
		"a\nb\x00": `"a\012b\000"`,
		"a??/b":    `"a\?\?/b"`,
		"ö*/":      `"\303\266*/"`,
		"\x1f9":    `"\0379"`,
	} {
		assert.Equal(t, want, cString(text))
	}
}
