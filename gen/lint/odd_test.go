package lint

import (
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pieces are put into right fragments, where they make no sense.
var pieces = strings.Split("if (|(|)|{|}|;|goto out;|out: |x|&|[0]|->f|= NULL|try {|} catch (...) {|[&]{|case 1:|break;|continue;|return 1;|?|:|,|do |"+
	"while (1) |for (;;) |switch (x) {|#if A\n|#else\n|#endif\n|sizeof|new int[3]|static int f(int a) {|for (auto q : x) |T<int>(x)|x.y()|(*f)(x)|{1,2}|"+
	"Py_CLEAR()|Py_DECREF()|free()|PyErr_Format(PyExc_E, \"%d\")|FAIL", "|")

// Whatever a text is, the lint comes to an end and says what it says: it never panics.
func TestOddTexts(t *testing.T) {
	files, err := filepath.Glob("../../tests/lint_corpus/*.c*")
	require.NoError(t, err)
	var texts []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, strings.Split(string(raw), "//// ")[1:]...)
	}
	require.Greater(t, len(texts), 60)
	source := rand.New(rand.NewSource(1))
	for i := range 800 {
		text := texts[source.Intn(len(texts))]
		for range 1 + source.Intn(4) {
			from := source.Intn(len(text))
			text = text[:from] + pieces[source.Intn(len(pieces))] + text[min(len(text), from+source.Intn(12)):]
		}
		f := Fragment{Name: "odd", Text: text, CXX: i%2 == 0, File: i%5 == 0, Open: i%3 == 0, Fail: fail, Label: "opw_fail", Variables: given()}
		assert.NotPanics(t, func() { Check(&f) }, text)
	}
}
