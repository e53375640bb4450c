package ccode

import "opweld/gen/pattern"

var private = pattern.New(`\b(?:private|protected)(\s*:)`)

// Public is the text of a struct's members with all of them public, in as many bytes: the glue's functions are members of a
// class that is made of it.
func Public(text string) string {
	out := []byte(text)
	for _, at := range private.FindAllStringSubmatchIndex(blank(text), -1) {
		word := out[at[0]:at[2]]
		for i := range word {
			word[i] = ' '
		}
		copy(word[len(word)-len("public"):], "public")
	}
	return string(out)
}
