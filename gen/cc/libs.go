package cc

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// workers are the beginnings of the names of shared libraries in which compilers, assemblers and linkers do their work:
// clang's driver is a small program over libLLVM, GNU ld over libbfd, and these change without it.
var workers = []string{"libLLVM", "libclang", "liblld", "libbfd", "libopcodes", "libctf", "libisl", "libmpc", "libmpfr", "libgmp"}

// compilerLibraries finds the libraries in which a program does its work. search is LD_LIBRARY_PATH.
func compilerLibraries(driver, search string) []string {
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
		if !slices.ContainsFunc(workers, func(w string) bool { return strings.HasPrefix(name, w) }) {
			continue
		}
		for _, dir := range append(filepath.SplitList(search), loaderDirs(f, driver)...) {
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
