package ccode

import (
	"fmt"
	"strings"

	"opweld/gen/pattern"
	"opweld/npyapi"
)

// gilReader follows a text that runs without the GIL, from one token to the next.
type gilReader struct {
	callees map[string]callee
	found   []gilUse
}

// callee is a function or macro of the user's that such a text may call; a class by its constructor, and by its
// destructor under ~ and its name.
type callee struct {
	code  string
	read  bool   // or being read: it may call itself, however far below
	needs string // what in it needs the GIL, called without
	takes int    // how often it takes the GIL, called without
	keeps int    // how often it takes it, or gives it up, called with
}

// gilUse is a place that needs the GIL where it is not held, or leaves where it is.
type gilUse struct {
	at   int
	what string
}

var (
	gilToken  = pattern.New(`[A-Za-z_]\w*|[{}]`)
	directive = pattern.New(`(?m)^[ \t]*#(?:[^\n\\]|\\[ \t\r]*\n|\\.)*`)
	defined   = pattern.New(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?((?:[^\n\\]|\\[ \t\r]*\n|\\.)*)`)
	function  = pattern.New(`(~?\b[A-Za-z_]\w*)\s*\((?:[^(){};]|\([^(){};]*\))*\)\s*(?:(?:noexcept|const)\s*)*(?:->[^(){};]*)?` +
		`(?::\s*(\w+)[^;{}]*(?:\{[^{};]*\}\s*,[^;{}]*)*(?:\{[^{};]*\}\s*)?)?\{`)
	classWord  = pattern.New(`(?:~|\b(?:struct|class)\s+)$`)
	statements = pattern.New(`^(?:if|for|while|do|switch|catch)$`)
	returning  = pattern.New(`^Py_RETURN_\w+$`)
)

// what takes the GIL, and gives it up again; or the other way round, where it is held.
var gilSteps = map[string]int{
	"PyGILState_Ensure": 1, "NPY_ALLOW_C_API": 1, "Py_END_ALLOW_THREADS": 1, "NPY_END_ALLOW_THREADS": 1, "NPY_END_THREADS": 1,
	"Py_BLOCK_THREADS": 1, "PyGILState_Release": -1, "NPY_DISABLE_C_API": -1, "Py_BEGIN_ALLOW_THREADS": -1,
	"NPY_BEGIN_ALLOW_THREADS": -1, "NPY_BEGIN_THREADS": -1, "Py_UNBLOCK_THREADS": -1,
}

// withoutGIL finds what a fragment calls that needs the GIL, itself or through functions and macros of the support code.
func (f *Fragment) withoutGIL() {
	r := &gilReader{callees: map[string]callee{}}
	for _, text := range append(f.Support, f.Text) {
		r.learn(suffixing.ReplaceAllString(blank(text), "${1}_apply"))
	}
	code := f.expand(blank(f.Text)) // as f.code, but for the macros that open and close a brace
	r.walk(suffixed(code), 0)
	for _, use := range r.found {
		f.breach(f.code, use.at, "%s", use.what)
	}
}

// suffixed writes APPLY_SPECIFIC(f) as a name, in as many bytes.
func suffixed(code string) string {
	return suffixing.ReplaceAllStringFunc(code, func(s string) string {
		name := suffixing.FindStringSubmatch(s)[1] + "_apply"
		if len(name) > len(s) {
			return s
		}
		return name + strings.Repeat(" ", len(s)-len(name))
	})
}

// learn reads which functions and macros a text defines.
func (r *gilReader) learn(code string) {
	for _, m := range defined.FindAllStringSubmatch(code, -1) {
		if m[1] != "FAIL" && m[1] != "APPLY_SPECIFIC" {
			r.callees[m[1]] = callee{code: m[2]}
		}
	}
	code = directive.ReplaceAllStringFunc(code, spaces)
	for _, at := range function.FindAllStringSubmatchIndex(code, -1) {
		name, initial := code[at[2]:at[3]], ""
		if at[4] >= 0 {
			initial = code[at[4] : at[1]-1]
		}
		if !statements.MatchString(name) && (initial == "" || !statements.MatchString(code[at[4]:at[5]])) {
			r.callees[name] = callee{code: initial + body(code[at[1]-1:])}
		}
	}
}

// body gives the text from a brace to the one that closes it.
func body(code string) string {
	depth := 0
	for i, c := range code {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return code[:i+1]
			}
		}
	}
	return code
}

// look reads what a function or macro of the user's does with the GIL.
func (r *gilReader) look(name string) callee {
	c := r.callees[name]
	if c.read {
		return c
	}
	c.read = true
	r.callees[name] = c
	code := suffixed(c.code)
	without, with := &gilReader{callees: r.callees}, &gilReader{callees: r.callees}
	c.takes, c.keeps = without.walk(code, 0), with.walk(code, 1)-1
	if len(without.found) > 0 {
		c.needs = without.found[0].what
	}
	r.callees[name] = c
	return c
}

// gilBlock is what is known of a pair of braces while it is open.
type gilBlock struct {
	held   int  // where it began
	jumped bool // control does not reach its end
	leaves int  // what destructors of its objects do at its end
}

// walk goes through a text that begins with the GIL taken so often, and gives how often it is at its end.
func (r *gilReader) walk(code string, held int) int {
	skip := directive.FindAllStringIndex(code, -1)
	blocks := []gilBlock{{held: held}}
	for _, at := range gilToken.FindAllStringIndex(code, -1) {
		for len(skip) > 0 && skip[0][1] <= at[0] {
			skip = skip[1:]
		}
		if len(skip) > 0 && at[0] >= skip[0][0] {
			continue
		}
		token, top := code[at[0]:at[1]], &blocks[len(blocks)-1]
		switch token {
		case "{":
			blocks = append(blocks, gilBlock{held: held})
		case "}":
			if len(blocks) > 1 {
				held = top.end(held, len(blocks) == 2 && strings.HasPrefix(code, "{"))
				blocks[len(blocks)-2].jumped = blocks[len(blocks)-2].jumped || top.jumped
				blocks = blocks[:len(blocks)-1]
			}
		case "goto", "return", "break", "continue", "throw":
			if token == "goto" && held+leaving(blocks) > 0 && strings.HasPrefix(strings.TrimSpace(code[at[1]:]), "opw_fail") {
				r.use(at[0], "fail takes the GIL, which is held here already: give it up before, by PyGILState_Release or NPY_DISABLE_C_API")
			}
			top.jumped = true
		default:
			held = r.step(code, token, at, held, top)
		}
	}
	return held
}

// end gives how often the GIL is taken after a block; a function's own ends where it returns.
func (b *gilBlock) end(held int, function bool) int {
	if b.jumped && !function {
		return b.held
	}
	return max(held+b.leaves, 0)
}

// leaving gives what a jump out of all blocks does, by destructors.
func leaving(blocks []gilBlock) int {
	sum := 0
	for _, b := range blocks {
		sum += b.leaves
	}
	return sum
}

// step looks at a name, and gives how often the GIL is taken after it.
func (r *gilReader) step(code, token string, at []int, held int, top *gilBlock) int {
	if step := gilSteps[token]; step != 0 && held+step >= 0 {
		top.jumped = false
		return held + step
	}
	_, own := r.callees[token]
	if own && classWord.MatchString(code[:at[0]]) {
		return held // it is being defined
	}
	if held == 0 {
		r.name(code, token, at)
	}
	if !own {
		return held
	}
	c, change := r.look(token), 0
	if change = c.takes; held > 0 {
		change = c.keeps
	}
	if _, object := r.callees["~"+token]; object && change > 0 {
		top.leaves += min(r.look("~"+token).keeps, 0)
	}
	if change != 0 {
		top.jumped = false
	}
	return max(held+change, 0)
}

// name looks at a name that stands where the GIL is not held.
func (r *gilReader) name(code, token string, at []int) {
	called := strings.HasPrefix(strings.TrimLeft(code[at[1]:], " \t\n"), "(")
	const instead = "put it between PyGILState_STATE s = PyGILState_Ensure(); and PyGILState_Release(s);, or leave gil = 'released' out"
	if _, own := r.callees[token]; own {
		if needs := r.look(token).needs; needs != "" {
			r.use(at[0], fmt.Sprintf("`%s` runs without the GIL here, and in it %s", token, needs))
		}
		return
	}
	switch step, switches := gilSteps[token]; {
	case switches && step < 0:
		r.use(at[0], fmt.Sprintf("`%s` gives the GIL up, and gil = 'released' has done so already: leave it out", token))
	case called && npyapi.NeedsGIL(token), returning.MatchString(token):
		r.use(at[0], fmt.Sprintf("`%s` needs the GIL, which gil = 'released' has given up: %s", token, instead))
	}
}

func (r *gilReader) use(at int, what string) { r.found = append(r.found, gilUse{at, what}) }
