package cc

import (
	"bufio"
	"debug/elf"
	"io"
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
	needed, dirs := dynamicTexts(f, elf.DT_NEEDED), loaderDirs(f, driver, search)
	var found []string
	for _, name := range needed {
		if !slices.ContainsFunc(workers, func(w string) bool { return strings.HasPrefix(name, w) }) {
			continue
		}
		for _, dir := range dirs {
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
func loaderDirs(f *elf.File, path, search string) []string {
	dirs := filepath.SplitList(search)
	for _, list := range dynamicTexts(f, elf.DT_RPATH, elf.DT_RUNPATH) {
		dirs = append(dirs, strings.Split(strings.ReplaceAll(list, "$ORIGIN", filepath.Dir(path)), ":")...)
	}
	multiarch, _ := filepath.Glob("/usr/lib/*-linux-gnu*")
	dirs = append(dirs, filepath.Join(filepath.Dir(path), "../lib"))
	return append(append(dirs, multiarch...), "/usr/lib64", "/usr/lib")
}

// longestText is how long a text of a dynamic section may be.
const longestText = 1 << 16

// dynamicTexts lists the texts of tags in the dynamic section of an opened program. It reads these alone: elf's own
// DynString reads the whole string table for each tag, which in a compiler that takes plugins is larger than a megabyte.
func dynamicTexts(f *elf.File, tags ...elf.DynTag) []string {
	dynamic := f.SectionByType(elf.SHT_DYNAMIC)
	if dynamic == nil || int(dynamic.Link) >= len(f.Sections) {
		return nil
	}
	table := f.Sections[dynamic.Link]
	var texts []string
	for _, tag := range tags {
		places, _ := f.DynValue(tag)
		for _, place := range places {
			if place >= table.Size {
				continue // no text: the loader passes over what is behind the section's end, too
			}
			read := bufio.NewReader(io.NewSectionReader(table, int64(place), int64(min(table.Size-place, longestText))))
			if text, err := read.ReadString(0); err == nil {
				texts = append(texts, strings.TrimSuffix(text, "\x00"))
			}
		}
	}
	return texts
}
