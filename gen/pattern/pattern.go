// Package pattern holds regular expressions that are compiled when they are first asked: the engine has a hundred, of which one
// build needs a few, and the load of its library would take twice as long for them.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Its methods are those of *regexp.Regexp.
type Pattern struct {
	text     string
	compiled func() *regexp.Regexp
}

// New is regexp.MustCompile, later: what is wrong with the expression is told by whoever asks first, and by a test.
func New(text string) *Pattern {
	return &Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Ready compiles patterns that will be asked soon.
func Ready(all ...*Pattern) {
	for _, p := range all {
		p.compiled()
	}
}

// Match is that of *regexp.Regexp.
func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

// MatchString is that of *regexp.Regexp.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindString is that of *regexp.Regexp.
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindSubmatch is that of *regexp.Regexp.
func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.compiled().FindSubmatch(b) }

// FindSubmatchIndex is that of *regexp.Regexp.
func (p *Pattern) FindSubmatchIndex(b []byte) []int { return p.compiled().FindSubmatchIndex(b) }

// FindStringSubmatch is that of *regexp.Regexp.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is that of *regexp.Regexp.
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

// FindAllIndex is that of *regexp.Regexp.
func (p *Pattern) FindAllIndex(b []byte, n int) [][]int { return p.compiled().FindAllIndex(b, n) }

// FindAllString is that of *regexp.Regexp.
func (p *Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

// FindAllStringIndex is that of *regexp.Regexp.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is that of *regexp.Regexp.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of *regexp.Regexp.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is that of *regexp.Regexp.
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.compiled().ReplaceAllString(s, with)
}

// ExpandString is that of *regexp.Regexp.
func (p *Pattern) ExpandString(dst []byte, template, src string, match []int) []byte {
	return p.compiled().ExpandString(dst, template, src, match)
}

// ReplaceAllStringFunc is that of *regexp.Regexp.
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, with)
}
