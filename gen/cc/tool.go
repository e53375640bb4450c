package cc

import (
	"strconv"
	"strings"

	"opweld/gen/pattern"
)

// Tool is who a compiler is: everything about it that can change its output, apart from the contents of its programs,
// which the caller hashes.
type Tool struct {
	Driver   string      `json:"driver"`   // as asked for; what is run
	Family   string      `json:"family"`   // "gcc", "clang", "other"
	Version  string      `json:"version"`  // the first line of --version
	Major    int         `json:"major"`    // 0: unknown
	Target   string      `json:"target"`   // target triple
	Programs []string    `json:"programs"` // the driver, then the programs that it runs and their libraries; links are not resolved, so a link that is moved shows
	Found    [][2]string `json:"found"`    // names of programs that the driver looks for on PATH, and where they are
	Early    []string    `json:"early"`    // paths that are empty, where the driver would have found a program first
	Resolved string      `json:"resolved"` // the compiler's own command line: what -march=native, specs and wrappers come to
	Native   bool        `json:"native"`   // what it compiles is for this processor
	Told     bool        `json:"told"`     // it is told which language a text is of: g++ takes C for C++, others do not say; the flags do not tell it
}

// family tells compilers apart by the text of --version.
func family(version string) string {
	switch low := strings.ToLower(version); {
	case strings.Contains(low, "clang"):
		return "clang"
	case strings.Contains(low, "free software foundation"):
		return "gcc"
	}
	return "other"
}

// x86 tells whether it is a compiler whose arguments are known, and compiles for x86.
func (t *Tool) x86() bool {
	kind, _, _ := strings.Cut(t.Target, "-")
	return (t.Family == "gcc" || t.Family == "clang") && (kind == "x86_64" || kind == "amd64" || len(kind) == 4 && kind[0] == 'i' && kind[2:] == "86")
}

var numberRE = pattern.New(`(?:^|[ v])(\d+)\.\d+`)

// major is the first number of the version that ends a version line.
func major(line string) int {
	all := numberRE.FindAllStringSubmatch(line, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1][1])
	return n
}

// plain are the arguments that keep diagnostics to one line of text each, with columns counted in bytes. The excerpt
// and its caret are made here instead: with #line names, a compiler has no file to cut them from.
func (t *Tool) plain() []string {
	switch t.Family {
	case "gcc":
		args := []string{"-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fmessage-length=0"}
		if t.Major >= 11 {
			args = append(args, "-fdiagnostics-column-unit=byte")
		}
		return args
	case "clang":
		return []string{"-fno-caret-diagnostics", "-fno-color-diagnostics", "-fmessage-length=0"}
	}
	return nil
}

// firstLine is s up to its first newline.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
