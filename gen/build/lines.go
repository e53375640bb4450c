package build

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"opweld/gen/pattern"
)

// Written is where the lines of a fragment were written: what a debugger is told, in the place of the fragment's name.
type Written struct {
	File  string            `json:"file"`
	First int               `json:"first"` // the number of its first line there
	Lines []int             `json:"lines"` // those of all its lines; none: they follow the first one
	Names map[string]string `json:"names"` // how its author wrote which variable
}

// line gives the number in the author's file of a line of the fragment, which counts from 1.
func (w Written) line(number int) int {
	if len(w.Lines) == 0 {
		return w.First + number - 1
	}
	return w.Lines[min(max(number, 1), len(w.Lines))-1]
}

var markRE = pattern.New(`^#line (\d+) "((?:[^"\\]|\\.)*)"$`)

// asWritten replaces the names of fragments in the marks of a unit by the files and lines that they were written in, and
// adds what a debugger reads of their variables. A line that goes on in the next one is not parted from it.
func asWritten(text string, places map[string]Written) string {
	var out strings.Builder
	var at Written
	number, next, inside, goesOn := 0, 0, false, false
	for _, line := range strings.Split(text, "\n") {
		if m := markRE.FindStringSubmatch(line); m != nil {
			at, inside = places[m[2]]
			number, _ = strconv.Atoi(m[1])
			next = -1
			if inside {
				continue
			}
		} else if inside {
			if wanted := at.line(number); wanted != next && !goesOn {
				fmt.Fprintf(&out, "#line %d %s\n", wanted, strconv.Quote(at.File))
				next = wanted
			}
			number, next = number+1, next+1
		}
		goesOn = strings.HasSuffix(line, "\\")
		out.WriteString(line + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n") + namesOf(places)
}

// namesOf is a text that a debugger finds in the module: of each fragment its variables, and their author's names for them.
func namesOf(places map[string]Written) string {
	var said []string
	for key, place := range places {
		for variable, name := range place.Names {
			said = append(said, key+" "+variable+" "+name)
		}
	}
	slices.SortFunc(said, cmp.Compare[string])
	return fmt.Sprintf("\n__attribute__((used)) static const char opw_names[] = %s;\n", strconv.Quote(strings.Join(said, "\n")))
}
