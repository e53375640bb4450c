package scalar

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"opweld/templates"
)

var update = flag.Bool("update", false, "write what is made of the table")

const (
	root    = "../../"
	pieces  = root + "templates/vector/simple.h"
	aliases = root + "docs/aliasing.md"
	begin   = "<!-- from gen/scalar/table.go, by make golden -->\n"
	end     = "<!-- end -->\n"
)

// python are the files of the package that are made of the table, for an import reads no table and asks no engine.
var python = map[string]string{
	"operations.py": `"""The names of the engine's scalar operations: ` + "`make golden`" + ` writes this file from gen/scalar/table.go."""

from __future__ import annotations

__all__ = ["FUNCTIONS", "NAMES", "PARTS", "ROUNDED", "ROUNDED_COMPLEX"]

# NumPy's ufuncs, by the names that they call themselves.
NAMES = frozenset(
    """{{words .Names}}""".split()
)
# Of those that have several results, what gives each of them.
PARTS = {
{{- range .Joint}}
    "{{.Name}}": ({{range $i, $p := .Parts}}{{if $i}}, {{end}}"{{$p}}"{{end}}),
{{- end}}
}
# What no rounding rule of IEEE 754 fixes; everything else that NumPy computes element by element is exact.
ROUNDED = frozenset(
    """{{words .Rounded}}""".split()
)
ROUNDED_COMPLEX = ROUNDED | frozenset("""{{words .RoundedComplex}}""".split())
# Every name that opweld.tensor.ufuncs has for them.
FUNCTIONS = tuple(
    """{{words .Functions}}""".split()
)
`,
	"tensor/ufuncs.py": `"""NumPy's elementwise functions on tensors, under NumPy's names and those of Theano, Aesara and PyTensor.

` + "`make golden`" + ` writes this file from gen/scalar/table.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.promotion import rule
from opweld.tensor.elemwise import Elemwise, documented

__all__ = [
    {{quoted .Functions}},
]  # fmt: skip

_SAYS = {
{{- range .Rows}}
    "{{.Name}}": "{{.Doc}}",
{{- end}}
}
_SHOWS = {
{{- range .Rows}}
    "{{.Name}}": "{{.Shows}}",
{{- end}}
}
_ALSO = {
{{- range .Rows}}{{$name := .Name}}{{range .Also}}
    "{{.}}": "{{$name}}",
{{- end}}{{end}}
}


def __getattr__(name: str) -> Any:
    """Make a function when it is first asked for: a process needs few of them."""
    known = _ALSO.get(name, name)
    if known not in _SAYS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    if known != name:
        made = globals().get(known) or __getattr__(known)
    else:
        made = documented(rule(name), _SAYS[name], _SHOWS[name])
    return globals().setdefault(name, made)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if TYPE_CHECKING:
{{- range .Rows}}{{$type := "Elemwise"}}{{if .Joint}}{{$type = "Any"}}{{end}}
    {{.Name}}: {{$type}}
{{- range .Also}}
    {{.}}: {{$type}}
{{- end}}{{end}}
`,
}

// functions is what the files are made of.
type functions struct {
	Names, Rounded, RoundedComplex, Functions []string
	Joint                                     []struct {
		Name  string
		Parts []string
	}
	Rows []struct {
		Name, Doc, Shows string
		Also             []string
		Joint            bool // of several results, which a call gives as a list
	}
}

func known() functions {
	var f functions
	for _, row := range table {
		if row.doc == "" {
			continue
		}
		f.Names = append(f.Names, row.name)
		switch row.rounds {
		case always:
			f.Rounded = append(f.Rounded, row.name)
		case inComplex:
			f.RoundedComplex = append(f.RoundedComplex, row.name)
		}
		if row.parts != "" {
			f.Joint = append(f.Joint, struct {
				Name  string
				Parts []string
			}{row.name, strings.Fields(row.parts)})
		}
		also := strings.Fields(row.also + " " + row.short)
		f.Functions = append(append(f.Functions, row.name), also...)
		f.Rows = append(f.Rows, struct {
			Name, Doc, Shows string
			Also             []string
			Joint            bool // of several results, which a call gives as a list
		}{row.name, row.doc, row.shows, also, row.parts != ""})
	}
	for _, list := range [][]string{f.Names, f.Rounded, f.RoundedComplex, f.Functions} {
		slices.Sort(list)
	}
	return f
}

// lines joins words to lines of at most 116 characters.
func lines(words []string, between string) string {
	var found []string
	line := ""
	for i, word := range words {
		if i < len(words)-1 {
			word += strings.TrimRight(between, " ")
		}
		if line != "" && len(line)+1+len(word) > 112 {
			found, line = append(found, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return strings.Join(append(found, line), "\n")
}

func wrapped(words []string, mark, between string) string {
	marked := make([]string, len(words))
	for i, word := range words {
		marked[i] = mark + word + mark
	}
	return lines(marked, between)
}

// TestWhatIsMadeOfTheTable compares each file with the table.
func TestWhatIsMadeOfTheTable(t *testing.T) {
	f := known()
	indent := func(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }
	uses := template.FuncMap{
		"words":  func(words []string) string { return indent(lines(words, " ")) },
		"quoted": func(words []string) string { return indent(wrapped(words, `"`, ", ")) },
	}
	for name, text := range python {
		var b strings.Builder
		require.NoError(t, template.Must(template.New(name).Funcs(uses).Parse(text)).Execute(&b, f))
		matches(t, root+"python/opweld/"+name, b.String())
	}

	page, err := os.ReadFile(aliases)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(page), begin)
	require.True(t, found, begin)
	_, tail, found := strings.Cut(rest, end)
	require.True(t, found, end)
	list := lines(append(strings.Fields(wrapped(f.Rounded, "`", ",")+"; of complex numbers also"),
		strings.Fields(wrapped(f.RoundedComplex, "`", ",")+".")...), "")
	matches(t, aliases, head+begin+list+"\n"+end+tail)
}

// TestSimplePieces compares the pieces of the vector library with the table: they compute what loops would.
func TestSimplePieces(t *testing.T) {
	text := "/* Operations of an instruction or two, as pieces: `make golden` writes this file from gen/scalar/table.go. */\n"
	in := strings.NewReplacer("{0}", "x", "{1}", "y", "{T}", "OPW_T")
	for _, row := range table {
		if row.simple {
			o := op{name: row.name, args: row.args, code: row.code}
			pattern, found := o.pattern([]Type{{Class: 'f'}, {Class: 'f'}}[:row.args])
			require.True(t, found, row.name)
			if helper, ok := strings.CutPrefix(pattern, "@"); ok {
				name := "OPW_N(" + row.name + ")"
				written, err := templates.Text(Helper{Template: helper}.Path(), map[string]any{"C": name, "Type": Type{Value: "OPW_T"}})
				require.NoError(t, err)
				text, pattern = text+"\n"+written+"\n", name+"({0}, {1})"
			}
			pattern = regexp.MustCompile(`(\w+)\{F\}`).ReplaceAllString(pattern, "OPW_F($1)")
			macro := "OPW_SIMPLE"
			if row.name == "divide" {
				macro = "OPW_OVER"
			}
			text += fmt.Sprintf("%s%d(%s, %s)\n", macro, row.args, row.name, in.Replace(pattern))
		}
	}
	matches(t, pieces, text)
}

func matches(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(written), "%s is older than the table: make golden", path)
}

// TestRowsAreWhole holds what each row must say, and what no two may say.
func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range table {
		for _, name := range append(strings.Fields(row.also+" "+row.short), row.name) {
			assert.False(t, seen[name], "%s stands twice", name)
			seen[name] = true
		}
		assert.Equal(t, row.parts == "", row.code != nil, "%s has C, or parts", row.name)
		assert.Equal(t, row.parts == "", row.args > 0, "%s has arguments, or parts that have", row.name)
		assert.True(t, row.doc != "" || row.also+row.short == "", "%s: other names for what opweld.tensor does not have", row.name)
		for _, name := range strings.Fields(row.parts) {
			assert.NotNil(t, ops[name].code, "%s: %s", row.name, name)
		}
	}
}
