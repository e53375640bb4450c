package cc

import (
	"strconv"
	"strings"

	"opweld/gen/pattern"
)

// Diagnostic is one error or warning. As the compiler gives it, File is a #line name and Line a line of it; Map turns
// them into the user's. FragmentLine, Column and Text always speak of the fragment.
type Diagnostic struct {
	Severity     string `json:"severity"` // "error", "warning"
	Op           string `json:"op"`       // label; empty where the line is not a fragment's
	Hook         string `json:"hook"`     // "c_code"; empty for a fragment from a file
	File         string `json:"file"`
	Line         int    `json:"line"`
	Exact        bool   `json:"exact"` // Line is the line of the text itself, not of the method that returns it
	FragmentLine int    `json:"fragment_line"`
	Column       int    `json:"column"` // in bytes, from 1; 0: unknown
	Message      string `json:"message"`
	Text         string `json:"text"`            // the fragment's line
	Option       string `json:"option"`          // "-Wformat"; empty: none
	Hint         string `json:"hint,omitempty"`  // what to do; empty: the message says it
	After        string `json:"after,omitempty"` // #line name of the fragment that stands before a line of the glue
}

// Source says where a user keeps a fragment.
type Source struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Exact bool   `json:"exact"`
}

var (
	placedRE = pattern.New(`^([^\s:][^:]*):(\d+):(?:(\d+):)? (fatal error|error|warning|sorry, unimplemented|internal compiler error): (.*)$`)
	fromRE   = pattern.New(`^(?:In file included|\s+) from ([^:]+):(\d+)(?::\d+)?[,:]$`)
	bareRE   = pattern.New(`^(?:fatal )?error: (.*)$`)
	driverRE = pattern.New(`^([\w./+-]+): (?:(fatal error|error|warning|internal compiler error): )?(.*)$`)
	undefRE  = pattern.New(`(?:^|: |>>> )((?:undefined reference to|undefined symbol:?|multiple definition of|duplicate symbol:?) .*)$`)
	optionRE = pattern.New(` \[(-W[^\]]+)\]$`)
	linkerRE = pattern.New(`(?:^|[/-])(?:ld|collect2|mold|lld)(?:\.\w+)?$`)
)

// parse reads gcc's and clang's text. Notes and context lines are dropped, repeats are dropped, order is kept.
func parse(output string, tool *Tool) []Diagnostic {
	var found []Diagnostic
	seen := map[Diagnostic]bool{}
	var includer place
	includers := map[string]place{} // header -> who includes it; said once for errors that follow one another
	var through []string            // the headers on the way
	for _, line := range strings.Split(output, "\n") {
		if m := fromRE.FindStringSubmatch(line); m != nil {
			if includer.name == "" || isFragment(m[1]) {
				includer.name = m[1]
				includer.line, _ = strconv.Atoi(m[2])
			}
			through = append(through, m[1])
			continue
		}
		d, ok := placed(line)
		if ok {
			for _, header := range append(through, d.File) {
				if includer.name != "" {
					includers[header] = includer
				}
			}
			if from := includers[d.File]; isFragment(from.name) && !isFragment(d.File) {
				d.Op, d.Hook = fragment(from.name)
				d.FragmentLine = from.line
			}
		} else {
			d, ok = unplaced(line, tool)
		}
		if ok && !seen[d] {
			seen[d] = true
			found = append(found, d)
		}
		if !strings.HasPrefix(line, " ") {
			includer, through = place{}, nil
		}
	}
	return withoutSummary(found)
}

// placed parses file:line:column: severity: message [-Woption].
func placed(line string) (Diagnostic, bool) {
	m := placedRE.FindStringSubmatch(line)
	if m == nil {
		return Diagnostic{}, false
	}
	d := Diagnostic{Severity: severity(m[4]), File: m[1], Message: m[5]}
	d.Line, _ = strconv.Atoi(m[2])
	d.Column, _ = strconv.Atoi(m[3])
	if m := optionRE.FindStringSubmatch(d.Message); m != nil {
		d.Message, d.Option = strings.TrimSuffix(d.Message, m[0]), strings.TrimPrefix(m[1], "-Werror=")
		if d.Option == m[1] {
			d.Option = strings.TrimPrefix(d.Option, "-Werror,")
		} else {
			d.Option = "-W" + d.Option
		}
	}
	if isFragment(d.File) {
		d.Op, d.Hook = fragment(d.File)
		d.FragmentLine = d.Line
	}
	return d, true
}

// unplaced parses what the driver, the assembler and the linker say, which has no line of the text.
func unplaced(line string, tool *Tool) (Diagnostic, bool) {
	if m := undefRE.FindStringSubmatch(line); m != nil {
		return Diagnostic{Severity: "error", Message: m[1]}, true
	}
	if m := bareRE.FindStringSubmatch(line); m != nil {
		return Diagnostic{Severity: "error", Message: m[1]}, true
	}
	m := driverRE.FindStringSubmatch(line)
	if m == nil {
		return Diagnostic{}, false
	}
	program, severe, message := m[1], m[2], m[3]
	switch {
	case linkerRE.MatchString(program):
		if severe == "warning" || strings.HasPrefix(message, "warning: ") {
			return Diagnostic{Severity: "warning", Message: strings.TrimPrefix(message, "warning: ")}, true
		}
		if severe == "" && !linkerComplaint(message) {
			return Diagnostic{}, false
		}
		return Diagnostic{Severity: "error", Message: message}, true
	case severe != "" && isTool(program, tool):
		return Diagnostic{Severity: severity(severe), Message: message}, true
	}
	return Diagnostic{}, false
}

// linkerComplaint tells an error of a linker that writes no "error:" from its account of what it does.
func linkerComplaint(message string) bool {
	for _, part := range []string{"cannot find", "not recognized", "relocation ", "cannot open", "final link failed",
		"incompatible", "No such file", "unrecognized", "unknown option"} {
		if strings.Contains(message, part) {
			return !strings.HasPrefix(message, "skipping incompatible")
		}
	}
	return false
}

// isTool tells whether the name before a colon is the driver's or one of its programs'.
func isTool(program string, tool *Tool) bool {
	base := program[strings.LastIndex(program, "/")+1:]
	if base == tool.Driver[strings.LastIndex(tool.Driver, "/")+1:] {
		return true
	}
	for _, name := range []string{"cc1", "cc1plus", "gcc", "g++", "clang", "clang++", "as", "lto1", "cc", "c++", "zig"} {
		if base == name || strings.HasSuffix(base, "-"+name) {
			return true
		}
	}
	return false
}

// severity has two values; what stops a compile is an error.
func severity(word string) string {
	if word == "warning" {
		return word
	}
	return "error"
}

// withoutSummary drops the line in which the driver repeats that the linker failed, where the linker said why.
func withoutSummary(ds []Diagnostic) []Diagnostic {
	var kept, summaries []Diagnostic
	errors := 0
	for _, d := range ds {
		if isSummary(d) {
			summaries = append(summaries, d)
			continue
		}
		if d.Severity == "error" {
			errors++
		}
		kept = append(kept, d)
	}
	if errors == 0 {
		return append(kept, summaries...)
	}
	return kept
}

// isSummary tells whether the driver only says that the linker failed.
func isSummary(d Diagnostic) bool {
	return d.File == "" && (strings.Contains(d.Message, "ld returned ") || strings.Contains(d.Message, "linker command failed"))
}

// isFragment tells a #line name from the path of a header and from the glue.
func isFragment(name string) bool {
	switch name {
	case "", SourceC, SourceCXX:
		return false
	}
	return !strings.ContainsRune("/<.", rune(name[0]))
}

// fragment splits a #line name: Label.hook, or Label/file.
func fragment(name string) (op, hook string) {
	if op, _, ok := strings.Cut(name, "/"); ok {
		return op, ""
	}
	if i := strings.LastIndex(name, "."); i >= 0 {
		return name[:i], name[i+1:]
	}
	return name, ""
}
