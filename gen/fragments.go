package gen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"opweld/refcount"
)

// failText is what hooks get as sub['fail'], and failLabel where it leads.
const (
	failText  = "{ opw_failure = 1; goto opw_fail; }"
	failLabel = "opw_fail"
)

// Breach is a thing that a fragment may not do, with the place that a #line mark would give it.
type Breach struct {
	Op, Hook     string // label and hook
	Origin       string // #line name
	Line         int    // under that name
	FragmentLine int
	Column       int
	Text         string // the line
	Msg          string
}

// FragmentError says what fragments do that they may not, before a compiler sees them.
type FragmentError struct{ Breaches []Breach }

// Error gives the first.
func (e *FragmentError) Error() string {
	b := e.Breaches[0]
	return fmt.Sprintf("%s:%d: %s", b.Origin, b.Line, b.Msg)
}

// CheckFragments reads every text of a checked Program for what a fragment may not do; the error is a *FragmentError.
func (p *Program) CheckFragments() error {
	r := &fragmentReader{seen: map[string]bool{}}
	for i := range p.Types {
		r.typ(&p.Types[i])
	}
	for i := range p.Kernels {
		if !p.Kernels[i].Perform {
			r.kernel(&p.Kernels[i], p.Types)
		}
	}
	if len(r.found) == 0 {
		return nil
	}
	return &FragmentError{r.found}
}

type fragmentReader struct {
	found []Breach
	seen  map[string]bool
}

func (r *fragmentReader) typ(t *Type) {
	runs := refcount.Place{Body: true, Fails: true, CXX: t.Lang == CXX, Fail: failText, Label: failLabel}
	ends := runs
	ends.Fails = false
	r.read(t.Label, "c_declare", t.Declare, ends)
	r.read(t.Label, "c_init", value(t.Init), runs)
	r.read(t.Label, "c_extract", value(t.Extract), runs)
	r.read(t.Label, "c_extract_out", value(t.ExtractOut), runs)
	r.read(t.Label, "c_sync", value(t.Sync), runs)
	r.read(t.Label, "c_cleanup", value(t.Cleanup), ends)
	r.file(t.Label, t.Lang, t.SupportCode, t.InitCode)
}

func (r *fragmentReader) kernel(k *Kernel, types []Type) {
	runs := k.place()
	ends, code := runs, runs
	ends.Fails = false
	code.Scope = strings.TrimSpace(k.CodeCleanup) != ""
	if code.Released = k.GIL == GILReleased; code.Released {
		code.Support = append(k.before(types), k.SupportCodeApply, k.Struct.Support)
	}
	r.read(k.Label, "c_code", k.Code, code)
	for _, in := range k.body() {
		if in.Op == OpCode {
			r.read(in.Label, "c_code", in.Code, runs)
		}
	}
	r.read(k.Label, "c_code_cleanup", k.CodeCleanup, ends)
	r.read(k.Label, "c_init_code_struct", k.Struct.Init, runs)
	r.read(k.Label, "c_cleanup_code_struct", k.Struct.Cleanup, ends)
	r.file(k.Label, k.Lang, k.SupportCode, k.InitCode)
	r.read(k.Label, "c_support_code_apply", k.SupportCodeApply, refcount.Place{CXX: k.Lang == CXX})
	r.read(k.Label, "c_support_code_struct", k.Struct.Support, refcount.Place{CXX: true})
}

// place is where the texts of a kernel that run stand.
func (k *Kernel) place() refcount.Place {
	return refcount.Place{Body: true, Fails: true, CXX: k.Lang == CXX, Fail: failText, Label: failLabel}
}

// file reads what stands at file scope, where functions return as they like.
func (r *fragmentReader) file(label string, lang Lang, support, init []string) {
	for _, text := range support {
		r.read(label, "c_support_code", text, refcount.Place{CXX: lang == CXX})
	}
	for _, text := range init {
		r.read(label, "c_init_code", text, refcount.Place{CXX: lang == CXX})
	}
}

func (r *fragmentReader) read(label, hook, text string, place refcount.Place) {
	if id := fmt.Sprint(hook, place.Released, place.Support, text); strings.TrimSpace(text) == "" || r.seen[id] {
		return
	} else {
		r.seen[id] = true
	}
	for _, b := range place.Breaches(text) {
		line := strings.Split(text, "\n")[b.Line-1]
		origin, at := located(text, b.Line, label+"."+hook)
		r.found = append(r.found, Breach{Op: label, Hook: hook, Origin: origin, Line: at, FragmentLine: b.Line,
			Column: b.Column, Text: line, Msg: b.Msg})
	}
}

var lineMark = regexp.MustCompile(`^#line (\d+) "([^"]+)"$`)

// located follows the #line marks that a fragment from a file holds.
func located(text string, line int, origin string) (string, int) {
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
