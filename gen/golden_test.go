package gen

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// unitMark begins the part of a unit that depends on Program; what stands before it is the same for all: head.c.
const unitMark = "/* ---- loops */"

// TestGolden renders each testdata/<verb>_<what>.txtar: program.json in, unit.c (or error) out. What stands
// at the head of every unit is held once, in head.c.
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
		if unit, err = Render(p); err == nil {
			head, tail, found := strings.Cut(unit.Text, unitMark)
			require.True(t, found)
			got["unit.c"] = unitMark + tail
			_, head, found = strings.Cut(head, "*/\n") // less the comment that names the Program
			require.True(t, found)
			once(t, "testdata/head.c", head)
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

// once compares a text that is the same for every Program with its golden file.
func once(t *testing.T, name, text string) {
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), text, "%s; -update rewrites", name)
}

func TestGoldenRuntime(t *testing.T) {
	text, err := Runtime()
	require.NoError(t, err)
	once(t, "testdata/runtime.c", text)
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
