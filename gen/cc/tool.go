package cc

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"opweld/gen/async"
)

// Tool is who a compiler is: everything about it that can change its output, apart from the contents of its programs,
// which the caller hashes.
type Tool struct {
	Driver   string   `json:"driver"`   // as asked for; what is run
	Family   string   `json:"family"`   // "gcc", "clang", "other"
	Version  string   `json:"version"`  // the first line of --version
	Major    int      `json:"major"`    // 0: unknown
	Target   string   `json:"target"`   // target triple
	Programs []string `json:"programs"` // the driver, then the programs that it runs; links are not resolved, so a link that is moved shows
}

// subprograms are what drivers run to compile and link.
var subprograms = []string{"cc1", "cc1plus", "as", "collect2", "ld"}

// Identify asks a driver who it is: seven short runs side by side, about 10 ms, so callers keep the answer.
func Identify(ctx context.Context, driver string, env map[string]string, process Process, bounds Bounds) (*Tool, error) {
	if !filepath.IsAbs(driver) {
		return nil, fmt.Errorf("%q %w: an absolute path is needed", driver, ErrStart)
	}
	ask := func(args ...string) (string, error) {
		out, err := run(ctx, command{argv: append([]string{driver}, args...), dir: "/", env: environ(env, process, os.TempDir()), bounds: bounds})
		if err != nil {
			return "", err
		}
		if out.code != 0 {
			said := strings.TrimSuffix(": "+firstLine(out.stderr), ": ")
			return "", fmt.Errorf("%s %w: %s gives status %d%s", driver, ErrStart, args[0], out.code, said)
		}
		return strings.TrimSpace(out.stdout), nil
	}
	questions := []string{"--version", "-dumpmachine"}
	for _, name := range subprograms {
		questions = append(questions, "-print-prog-name="+name)
	}
	answers, errs := make([]string, len(questions)), make([]error, len(questions))
	panicked := async.Each(len(questions), func(i int) error {
		answers[i], errs[i] = ask(questions[i])
		return nil
	})
	if err := cmp.Or(ctx.Err(), panicked, errs[0], errs[1]); err != nil {
		return nil, err
	}
	t := &Tool{Driver: driver, Family: family(answers[0]), Version: firstLine(answers[0]), Target: answers[1]}
	t.Major = major(t.Version)
	t.Programs = []string{driver}
	for i, path := range answers[2:] {
		if errs[i+2] != nil {
			continue // a driver that does not know the question runs itself
		}
		if p := program(path); p != "" && !slices.Contains(t.Programs, p) {
			t.Programs = append(t.Programs, p)
		}
	}
	for _, lib := range compilerLibraries(driver) {
		if !slices.Contains(t.Programs, lib) {
			t.Programs = append(t.Programs, lib)
		}
	}
	return t, nil
}

// program resolves an answer to -print-prog-name; a bare name is what the driver would look for on PATH.
func program(answer string) string {
	path, err := exec.LookPath(answer)
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return path
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

var numberRE = regexp.MustCompile(`(?:^|[ v])(\d+)\.\d+`)

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
