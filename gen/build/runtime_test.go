package build

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"opweld/gen"
	"opweld/gen/cache"
)

// runtimeText stands for the runtime: it holds the init function, and asks the unit for its data.
const runtimeText = `#include <stddef.h>
#include <limits.h>
extern const int opw_the_answer;
__attribute__((visibility("default"))) const int *PyInit_opweld_module(void) { return &opw_the_answer; }
`

func linked(text string) *gen.Unit {
	u := unit(text)
	u.Runtime = runtimeText
	return u
}

// objects lists the kept objects of a store.
func objects(t *testing.T, req *Request) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(req.Root, "v1", "module", "*", "*.o"))
	require.NoError(t, err)
	return found
}

func TestRuntimeIsCompiledOnceAndLinkedWithEachUnit(t *testing.T) {
	req := request(t)
	first := mustRun(t, req, linked("const int opw_the_answer = 1;"))
	kept := objects(t, req)
	require.Len(t, kept, 1)
	before, err := os.Stat(kept[0])
	require.NoError(t, err)

	req.Index = cache.Digest([]byte("second"))
	second := mustRun(t, req, linked("const int opw_the_answer = 2;"))
	require.NotEqual(t, first.Key, second.Key)
	require.Equal(t, kept, objects(t, req))
	after, err := os.Stat(kept[0])
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime(), "the kept object is used")

	f, err := elf.Open(second.Module)
	require.NoError(t, err)
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	require.Contains(t, symbolNames(symbols), "PyInit_opweld_module")
}

func symbolNames(symbols []elf.Symbol) []string {
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	return names
}

// A module depends on what its runtime's compile read, and on the runtime's text and flags.
func TestModuleDependsOnItsRuntime(t *testing.T) {
	req := request(t)
	first := mustRun(t, req, linked("const int opw_the_answer = 1;"))
	entry, err := cache.New(req.Root).Lookup(req.Index)
	require.NoError(t, err)
	limits := false
	for _, f := range entry.Files {
		limits = limits || filepath.Base(f.Path) == "limits.h"
	}
	require.True(t, limits, "a header that only the runtime includes is checked by a hit")

	changed := linked("const int opw_the_answer = 1;")
	changed.Runtime += "/* changed */\n"
	require.NotEqual(t, first.Key, mustRun(t, req, changed).Key)
	req.CFlags = append(req.CFlags, "-DX")
	require.NotEqual(t, first.Key, mustRun(t, req, linked("const int opw_the_answer = 1;")).Key)
}

func TestDamagedObjectIsCompiledAgain(t *testing.T) {
	req := request(t)
	mustRun(t, req, linked("const int opw_the_answer = 1;"))
	path := objects(t, req)[0]
	good := mustRead(t, path)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("damage"), 0o666))
	mustRun(t, req, linked("const int opw_the_answer = 3;"))
	require.Equal(t, good, mustRead(t, path))
}

func TestRuntimeWithoutAStore(t *testing.T) {
	req := request(t)
	req.Root = ""
	r := mustRun(t, req, linked("const int opw_the_answer = 1;"))
	require.False(t, r.Kept)
}
