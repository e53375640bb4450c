package cc

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
)

// compilerLibraries finds the shared libraries that hold a compiler's code generator: clang's driver is a small
// program over libLLVM and libclang-cpp, and these change without it.
func compilerLibraries(driver string) []string {
	driver, err := filepath.EvalSymlinks(driver)
	if err != nil {
		return nil
	}
	f, err := elf.Open(driver)
	if err != nil {
		return nil // a script
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return nil
	}
	var found []string
	for _, name := range needed {
		if !strings.HasPrefix(name, "libLLVM") && !strings.HasPrefix(name, "libclang") {
			continue
		}
		for _, dir := range loaderDirs(f, driver) {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err == nil {
				found = append(found, path)
				break
			}
		}
	}
	return found
}

// loaderDirs lists where the dynamic loader looks for the libraries of an opened program.
func loaderDirs(f *elf.File, path string) []string {
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		values, _ := f.DynString(tag)
		for _, v := range values {
			v = strings.ReplaceAll(v, "$ORIGIN", filepath.Dir(path))
			dirs = append(dirs, strings.Split(v, ":")...)
		}
	}
	multiarch, _ := filepath.Glob("/usr/lib/*-linux-gnu*")
	dirs = append(dirs, filepath.Join(filepath.Dir(path), "../lib"))
	return append(append(dirs, multiarch...), "/usr/lib64", "/usr/lib")
}
