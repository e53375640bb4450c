package gen

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	gluesOwn    = regexp.MustCompile(`^(py_|storage_|dtype_)?opw_|^OPW_`)
	everybodys  = regexp.MustCompile(`^(Py|NPY_|npy_|PyMem_|_Py)`)
	ignorable   = regexp.MustCompile(`(?s)/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`)
	identifier_ = regexp.MustCompile(`\b[A-Za-z_]\w*`)
)

// words are the languages', and what of their libraries the glue uses.
var words = strings.Fields(`auto catch char const constexpr decltype delete double else false float for if int long new return
	signed sizeof static struct throw true try typedef unsigned void while goto class public template typename nullptr
	define undef endif ifdef ifndef include pragma elif size_t uint32_t int32_t NULL memcpy`)

// After the users' headers nothing of the glue's own has a name that a user's macro or identifier may have.
func TestNamesOfTheGlue(t *testing.T) {
	files, err := filepath.Glob("testdata/render_*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		_, text, found := strings.Cut(string(section(archive, "unit.c")), "/* ---- users' headers and fragments")
		require.True(t, found, file)
		text = strings.ReplaceAll(text, `L"`, `"`) // a string of wide characters is one word
		for _, name := range identifier_.FindAllString(ignorable.ReplaceAllString(glue(text), " "), -1) {
			known := gluesOwn.MatchString(name) || everybodys.MatchString(name)
			for _, word := range words {
				known = known || name == word
			}
			assert.True(t, known, "%s: the glue says %s", file, name)
		}
	}
}

// glue is a unit without the users' texts.
func glue(text string) string {
	var kept []string
	ours := true
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#line"):
			ours = strings.Contains(line, `"opweld.c`)
		case ours && !strings.HasPrefix(line, "#include"):
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
