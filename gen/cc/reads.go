package cc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"opweld/gen/pattern"
)

// linkLineRE knows the linker's command line, as -v prints it, by the output and a folder of libraries.
var linkLineRE = pattern.New(`^ .*[ "]-o"? "?` + regexp.QuoteMeta(Output) + `"? .*[ "]-L`)

// readsOf collects what a compile read: headers from the depfile, libraries from the linker's trace, and the search
// paths from the driver's own account (-v), which is right whatever the arguments and the environment hold.
func readsOf(dir, source string, job *Job, out *outcome) (*Reads, error) {
	if out.cut {
		return nil, job.Unfit(dir, fmt.Errorf("it wrote more than %d bytes of messages", outputLimit))
	}
	dep, err := os.ReadFile(filepath.Join(dir, depfile))
	if err != nil || !bytes.HasSuffix(dep, []byte("\n")) {
		return nil, job.Unfit(dir, cmp.Or(err, errors.New("its list of headers is cut short")))
	}
	r := &Reads{}
	for _, path := range prerequisites(string(dep)) {
		if path != source && !inside(path, dir) && strings.TrimSuffix(path, ".gch") != job.Prefix {
			r.Headers = append(r.Headers, absolute(path, dir))
		}
	}
	r.Libs = traced(out.stdout+"\n"+out.stderr, dir)
	r.others(out.stderr, dir, job.Tool)
	r.AsmSeen = r.AsmSeen && job.asmSeen()
	r.searchPaths(out.stderr, job)
	return r, nil
}

// Headers gives the headers of a compile in dir as soon as the compiler proper has listed them, which is before the
// assembler and the linker work; false: not yet. A list that is cut short misses some.
func Headers(dir string) ([]string, bool) {
	dep, err := os.ReadFile(filepath.Join(dir, depfile))
	if err != nil || !bytes.HasSuffix(dep, []byte("\n")) {
		return nil, false
	}
	var headers []string
	for _, path := range prerequisites(string(dep)) {
		if filepath.IsAbs(path) && !inside(path, dir) && !strings.HasSuffix(path, ".gch") {
			headers = append(headers, path)
		}
	}
	return headers, true
}

// others collects what the assembler read besides the compiler's text, the driver's own files, and the programs that it ran
// without saying so when it was asked: a wrapper may lead to the compiler of the other language.
func (r *Reads) others(verbose, dir string, tool *Tool) {
	add := func(path string) {
		if filepath.IsAbs(path) && !inside(path, dir) && !slices.Contains(r.Headers, path) && !slices.Contains(r.Others, path) {
			r.Others = append(r.Others, path)
		}
	}
	for n := range 2 {
		list, err := os.ReadFile(filepath.Join(dir, asDeps(n+1)))
		if err != nil {
			continue // of the other part, or of a wrapper that ran no assembler
		}
		r.AsmSeen = true
		for _, path := range prerequisites(string(list)) {
			add(path)
		}
	}
	for _, m := range configuredRE.FindAllStringSubmatch(verbose, -1) {
		add(filepath.Clean(strings.TrimSpace(m[1])))
	}
	for _, line := range strings.Split(verbose, "\n") {
		if m := runningRE.FindStringSubmatch(line); m != nil && !tool.knows(m[1]) && executable(m[1]) {
			add(m[1])
		}
	}
}

// prerequisites parses a depfile of one rule: blanks separate, a backslash escapes blanks and #, $$ is a dollar.
func prerequisites(dep string) []string {
	dep = strings.ReplaceAll(dep, "\\\n", " ")
	_, dep, _ = strings.Cut(dep, ": ")
	dep, _, _ = strings.Cut(dep, "\n")
	var paths []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			paths = append(paths, word.String())
			word.Reset()
		}
	}
	for i := 0; i < len(dep); i++ {
		c := dep[i]
		next := byte(0)
		if i+1 < len(dep) {
			next = dep[i+1]
		}
		switch {
		case c == '\\' && (next == ' ' || next == '#' || next == '\\' || next == ':'), c == '$' && next == '$':
			word.WriteByte(next)
			i++
		case c == ' ' || c == '\t':
			flush()
		default:
			word.WriteByte(c)
		}
	}
	flush()
	return paths
}

// traced picks the paths out of a linker's trace: one a line, a member of an archive as archive(member) or
// (archive)member. Files of the private folder are left out.
func traced(output, dir string) []string {
	var libs []string
	seen := map[string]bool{}
	for _, line := range strings.Split(output, "\n") {
		line = strings.TrimSpace(line)
		if archive, _, ok := strings.Cut(strings.TrimPrefix(line, "("), ")"); ok && strings.HasPrefix(line, "(") {
			line = archive
		}
		if i := strings.LastIndex(line, "("); i > 0 && strings.HasSuffix(line, ")") {
			line = line[:i]
		}
		if !filepath.IsAbs(line) || inside(line, dir) || seen[line] || strings.Contains(line, ": ") {
			continue
		}
		if info, err := os.Stat(line); err == nil && info.Mode().IsRegular() {
			seen[line] = true
			libs = append(libs, line)
		}
	}
	return libs
}

// searchPaths reads the search paths from what -v prints.
func (r *Reads) searchPaths(verbose string, job *Job) {
	var into *[]string
	for _, line := range strings.Split(verbose, "\n") {
		switch {
		case strings.HasPrefix(line, `#include "..." search`):
			r.Quote, into = nil, &r.Quote
		case strings.HasPrefix(line, `#include <...> search`):
			r.Search, into = nil, &r.Search
		case strings.HasPrefix(line, "End of search list"):
			into = nil
		case strings.HasPrefix(line, "ignoring nonexistent directory "):
			r.Missing = append(r.Missing, strings.Trim(strings.TrimPrefix(line, "ignoring nonexistent directory "), `"`))
		case into != nil && strings.HasPrefix(line, " "):
			*into = append(*into, strings.TrimSpace(line))
		case linkLineRE.MatchString(line):
			r.LibDirs = libDirs(line, job.LibDirs)
		}
	}
	if r.LibDirs == nil {
		r.LibDirs = job.LibDirs
	}
}

// libDirs picks the -L folders out of the linker's command line as -v prints it. gcc does not quote there: a folder
// that is cut at a blank is completed from the ones that were asked for.
func libDirs(line string, asked []string) []string {
	var dirs []string
	for _, word := range splitQuoted(line) {
		dir, ok := strings.CutPrefix(word, "-L")
		if !ok || !filepath.IsAbs(dir) {
			continue
		}
		if i := slices.IndexFunc(asked, func(a string) bool { return strings.HasPrefix(a, dir+" ") }); i >= 0 {
			dir = asked[i]
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// splitQuoted splits a printed command line at blanks; double quotes hold blanks together, a backslash escapes.
func splitQuoted(line string) []string {
	var words []string
	var word strings.Builder
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted:
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteByte(c)
		}
	}
	return append(words, word.String())
}

// inside tells whether path lies in dir; a relative path does, for a compiler runs there.
func inside(path, dir string) bool {
	return strings.HasPrefix(path, dir+"/")
}

// absolute resolves a path that the compiler spelled relative to its folder.
func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
