package cc

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a compiler's programs need is what debug/elf reads there, which takes the whole string table.
func TestDynamicTexts(t *testing.T) {
	seen := 0
	for _, name := range []string{"cc1", "cc1plus", "as", "ld", "collect2"} {
		said, err := exec.Command("gcc", "-print-prog-name="+name).Output()
		require.NoError(t, err)
		path, err := exec.LookPath(strings.TrimSpace(string(said)))
		if err != nil {
			continue // a machine without C++
		}
		f, err := elf.Open(path)
		require.NoError(t, err)
		defer f.Close()
		want, err := f.ImportedLibraries()
		require.NoError(t, err)
		require.Equal(t, want, dynamicTexts(f, elf.DT_NEEDED), path)
		seen += len(want)
	}
	require.NotZero(t, seen)
}

// A library of a compiler's that lies beside it is found by its run path, before that by LD_LIBRARY_PATH.
func TestCompilerLibraries(t *testing.T) {
	dir := t.TempDir()
	for _, place := range []string{"lib", "other"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, place), 0o777))
		build(t, "-shared", "-fPIC", "-o", filepath.Join(dir, place, "libLLVM-test.so"), "-x", "c", os.DevNull)
	}
	program := filepath.Join(dir, "driver")
	source := filepath.Join(dir, "main.c")
	require.NoError(t, os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o666))
	build(t, "-o", program, source, "-Wl,--no-as-needed", "-L"+filepath.Join(dir, "lib"), "-l:libLLVM-test.so", "-Wl,-rpath,$ORIGIN/lib")
	require.Equal(t, []string{filepath.Join(dir, "lib/libLLVM-test.so")}, compilerLibraries(program, ""))
	require.Equal(t, []string{filepath.Join(dir, "other/libLLVM-test.so")}, compilerLibraries(program, filepath.Join(dir, "other")))
	require.Empty(t, compilerLibraries(source, ""), "not a program")
}

// A place that is none, of a section that nobody reads, is passed over.
func TestDynamicTextsOutside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lib.so")
	build(t, "-shared", "-fPIC", "-o", path, "-x", "c", os.DevNull, "-Wl,-rpath,/somewhere")
	for _, place := range []uint64{0xfffffffffffffff0, 1 << 62, 1 << 40} {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := elf.NewFile(bytes.NewReader(data))
		require.NoError(t, err)
		dynamic := f.SectionByType(elf.SHT_DYNAMIC)
		for at := dynamic.Offset; at < dynamic.Offset+dynamic.Size; at += 16 {
			if tag := elf.DynTag(f.ByteOrder.Uint64(data[at:])); tag == elf.DT_RPATH || tag == elf.DT_RUNPATH {
				f.ByteOrder.PutUint64(data[at+8:], place)
			}
		}
		f, err = elf.NewFile(bytes.NewReader(data))
		require.NoError(t, err)
		require.Empty(t, dynamicTexts(f, elf.DT_RPATH, elf.DT_RUNPATH))
	}
}

func build(t *testing.T, args ...string) {
	t.Helper()
	said, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, string(said))
}
