package gen

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// unitMark begins the part of a unit that depends on Program; what stands before it is the same for all: prelude.h.
const unitMark = "/* ---- loops */"

// glueLine leads back to the glue: it tells where that stands, which changes with all that stands before it.
var glueLine = regexp.MustCompile(`(?m)^#line \d+ ("opweld\.cc?")$`)

// TestGolden renders each testdata/<verb>_<what>.txtar: program.json in, unit.c (or error) out. What stands at the head of
// every unit is no part of it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	program := section(archive, "program.json")
	require.NotNil(t, program, "%s has no program.json", file)
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, program))

	got := map[string]string{}
	p, err := Decode(compact.Bytes())
	if err == nil {
		again, encodeErr := p.Encode()
		require.NoError(t, encodeErr)
		assert.Equal(t, compact.String(), string(again), "Decode and Encode do not undo each other")
		var unit *Unit
		if unit, err = Render(Alone(p)); err == nil {
			head, tail, found := strings.Cut(unit.Text, unitMark)
			require.True(t, found)
			got["unit.c"] = abridged(glueLine.ReplaceAllString(unitMark+tail, "#line - $1"))
			prelude, err := Prelude()
			require.NoError(t, err)
			require.Contains(t, head, prelude)
		}
	}
	if err != nil {
		got["error"] = err.Error() + "\n"
	}
	if *update {
		write(t, file, archive, got)
		return
	}
	for name, text := range got {
		assert.Equal(t, string(section(archive, name)), text, "%s of %s; -update rewrites", name, file)
	}
	assert.Len(t, archive.Files, 1+len(got), "%s holds other results", file)
}

var (
	ofAType  = regexp.MustCompile(`\bopw_T\d+`)
	users    = regexp.MustCompile(`(?ms)^(#line \d+ "[^"]*")$.*?^#line - `)
	headLine = regexp.MustCompile(`(?m)^(?:static|struct) .*\b(opw_T\d+\w*).*$`)
)

// abridged shows the functions of a type's lifecycle once: one that differs from an earlier one in nothing but the type and
// the user's text is a line with its name.
func abridged(unit string) string {
	var out strings.Builder
	seen := map[string]bool{}
	for _, chunk := range strings.SplitAfter(unit, "\n}\n") {
		head := headLine.FindStringSubmatch(chunk)
		if head == nil {
			out.WriteString(chunk)
			continue
		}
		begin := strings.Index(chunk, head[0])
		if comment := strings.LastIndex(chunk[:begin], "\n/* "); comment >= 0 {
			begin = comment + 1
		}
		glue := users.ReplaceAllString(ofAType.ReplaceAllString(chunk[begin:], "opw_T"), "$1")
		if !seen[glue] {
			seen[glue] = true
			out.WriteString(chunk)
			continue
		}
		out.WriteString(strings.TrimRight(chunk[:begin], "\n") + "\n/* " + head[1] + ": as before */\n")
	}
	return out.String()
}

func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func write(t *testing.T, file string, a *txtar.Archive, got map[string]string) {
	kept := a.Files[:0]
	for _, f := range a.Files {
		if f.Name == "program.json" {
			kept = append(kept, f)
		}
	}
	a.Files = kept
	for _, name := range []string{"unit.c", "error"} {
		if text, ok := got[name]; ok {
			a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o644))
}
