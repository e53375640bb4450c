package ccode

import (
	"strconv"
	"strings"

	"opweld/gen/pattern"
)

var lineMark = pattern.New(`^#line (\d+) "([^"]+)"$`)

// Located follows the #line marks that a fragment from a file holds: which file a line of the text is of, and which line of
// it. Without a mark it is of origin.
func Located(text string, line int, origin string) (string, int) {
	at := 1
	for _, s := range strings.Split(text, "\n")[:line-1] {
		if m := lineMark.FindStringSubmatch(s); m != nil {
			at, _ = strconv.Atoi(m[1])
			origin = m[2]
		} else {
			at++
		}
	}
	return origin, at
}
