package ccode

import (
	"iter"
	"strings"
)

// Blank replaces the same as reading a text does, byte for byte: comments, what stands between the quotes of a literal, and
// what #if 0 leaves out.
func Blank(text string) string { return blank(text) }

// blank replaces comments, what stands between the quotes of a literal, and what #if 0 leaves out, by blanks, so that
// words in them are not taken for code.
func blank(text string) string {
	text = uncommented(text)
	if !strings.Contains(text, "#") {
		return text
	}
	return unused.ReplaceAllStringFunc(text, func(s string) string {
		first, last := strings.IndexByte(s, '\n'), strings.LastIndexByte(s, '\n')
		return s[:first] + spaces(s[first:last]) + s[last:]
	})
}

func uncommented(text string) string {
	code := []byte(text)
	for _, at := range ignored(text) {
		from, to := at[0], at[1]
		if text[from] != '/' {
			from, to = from+1, to-1
		}
		blankOut(code[from:to])
	}
	return string(code)
}

// spaces are as many blanks as a text has bytes, in as many lines.
func spaces(text string) string {
	blanks := []byte(text)
	blankOut(blanks)
	return string(blanks)
}

func blankOut(text []byte) {
	for i, b := range text {
		if b != '\n' {
			text[i] = ' '
		}
	}
}

// ignored are where the comments and literals of a text stand.
func ignored(text string) (found [][2]int) {
	for i := 0; i < len(text); {
		end := -1
		switch text[i] {
		case '/':
			end = comment(text, i)
		case '"', '\'':
			end = quoted(text, i)
		}
		if end < 0 {
			i++
			continue
		}
		found = append(found, [2]int{i, end})
		i = end
	}
	return found
}

// comment is where a comment ends that begins at a slash; -1: none does.
func comment(text string, at int) int {
	switch {
	case strings.HasPrefix(text[at:], "/*"):
		if end := strings.Index(text[at+2:], "*/"); end >= 0 {
			return at + 2 + end + 2
		}
	case strings.HasPrefix(text[at:], "//"):
		for at += 2; at < len(text) && text[at] != '\n'; at++ {
			if text[at] == '\\' {
				if at+1 == len(text) {
					return at
				}
				at++
			}
		}
		return at
	}
	return -1
}

// quoted is where a literal ends, behind its second quote; -1: it does not in this line.
func quoted(text string, at int) int {
	quote := text[at]
	for at++; at < len(text); at++ {
		switch text[at] {
		case quote:
			return at + 1
		case '\n':
			return -1
		case '\\':
			at++
		}
	}
	return -1
}

// words are the names of a text, and where each begins.
func words(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := 0; i < len(text); i++ {
			if !isWord(text[i]) {
				continue
			}
			start := i
			for i < len(text) && isWord(text[i]) {
				i++
			}
			if digit := text[start] >= '0' && text[start] <= '9'; !digit && !yield(start, text[start:i]) {
				return
			}
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
