package faults

import (
	"encoding/json"
	"fmt"
	"strings"
)

// declarations are what marked text calls, on one line, so that no line moves. They stand behind the headers of either part.
const declarations = `struct _object; int opw_forced(unsigned); int opw_denied(unsigned); int opw_branch(unsigned); int opw_answered(unsigned); void opw_reached(unsigned);` +
	` struct _object *opw_undone(unsigned, struct _object *); int opw_unsaid(unsigned, int); int opw_minus_one(void);`

// begins stands where the first text of a unit may begin.
const begins = "/* ---- loops */"

// Unit writes a unit whose places can be forced, and the list of them that its module answers with. file is the name of the
// glue's own lines.
func Unit(text, file string) (string, error) {
	head, body, found := strings.Cut(text, begins)
	if !found {
		return "", fmt.Errorf("a unit has no line %q", begins)
	}
	said := declarations
	if strings.HasSuffix(file, ".cc") {
		said = `extern "C" { ` + said + " }"
	}
	body, places := Mark(body, FirstOfUnit, file)
	if len(places) > MostOfUnit {
		return "", fmt.Errorf("%d places can fail, more than the %d that can be numbered", len(places), MostOfUnit)
	}
	return head + begins + " " + said + body + listed("opw_unit_places", places, strings.HasSuffix(file, ".cc")), nil
}

// The runtime's places begin with its first file behind the headers; what forces them is left alone.
const (
	ownBegins = "/* ---- places that are forced"
	ownEnds   = "/* ---- end of what forces places */"
)

// Runtime writes the runtime so that its places can be forced.
func Runtime(text string) (string, error) {
	before, rest, found := strings.Cut(text, ownBegins)
	own, after, ended := strings.Cut(rest, ownEnds)
	if !found || !ended {
		return "", fmt.Errorf("the runtime does not say what forces its places")
	}
	before, first := Mark(before, 0, "runtime.c")
	lines := strings.Count(before+own, "\n") + 1
	after, second := Mark(after, len(first), "runtime.c")
	for i := range second {
		second[i].Line += lines
	}
	if len(first)+len(second) > FirstOfUnit {
		return "", fmt.Errorf("the runtime has %d places, more than can be numbered", len(first)+len(second))
	}
	all := listed("opw_runtime_places", append(first, second...), false)
	return declarations + " " + before + ownBegins + own + ownEnds + after + all, nil
}

// listed writes places as text that C can hold: a line of JSON for each.
func listed(name string, places []Place, cxx bool) string {
	var out strings.Builder
	out.WriteString("\n#if !defined OPW_PART || OPW_PART != 2\n")
	declared := fmt.Sprintf("extern const char %s[];", name)
	if cxx {
		declared = `extern "C" { ` + declared + " }"
	}
	fmt.Fprintf(&out, "%s\nconst char %s[] = \"\"", declared, name)
	for _, p := range places {
		line, _ := json.Marshal(p) // plain fields: it cannot fail
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "?", `\?`).Replace(string(line))
		fmt.Fprintf(&out, "\n\"%s\\n\"", quoted)
	}
	out.WriteString(";\n#endif\n")
	return out.String()
}
