package gen

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"opweld/gen/async"
	"opweld/templates"
)

// Render turns a target's Programs into one translation unit: check, plan, view, text. It is a pure function.
func Render(t Target) (*Unit, error) {
	functions, err := t.check()
	if err != nil {
		return nil, err
	}
	plan, err := NewPlan(t, functions)
	if err != nil {
		return nil, err
	}
	view := NewView(plan)
	if t.Account {
		if view.Accounted, err = view.accounted(); err != nil {
			return nil, err
		}
	}
	unit, err := t.unit()
	if err != nil {
		return nil, err
	}
	unit.Light, unit.Parts = view.Light, view.Parts
	unit.Chooses = slices.ContainsFunc(plan.Loops, func(l LoopFunction) bool { return plan.Kernels[l.Kernel].TypedKernel.Loop.chooses() })
	for _, h := range view.helpers {
		if part := h.Vector(); part != "" && !slices.Contains(unit.Vector, part) {
			unit.Vector = append(unit.Vector, part)
		}
	}
	unit.Text, err = view.text(unit.Lang)
	return unit, err
}

// What a unit is written by: the two that are most of it, side by side, then the whole.
const (
	loopsTemplate  = "unit/loops.c.tmpl"
	tablesTemplate = "unit/tables.c.tmpl"
	unitTemplate   = "unit.c.tmpl"
)

// Ready reads the templates of units, which the first render would wait for.
func Ready() error {
	for _, name := range []string{loopsTemplate, tablesTemplate, unitTemplate} {
		if err := templates.Ready(name); err != nil {
			return err
		}
	}
	return nil
}

// Runtime is the part of every module that does not depend on its function, in C: compiled once, when the package is
// built for a CPython, and linked with each unit.
func Runtime() (string, error) { return plain("runtime.c") }

// Prelude is the head of every unit, by itself. Each build asks for it: it is put together once.
var Prelude = sync.OnceValues(func() (string, error) { return plain("prelude.h") })

// layoutToken stands in the head for the name of the data by which unit and runtime find one another; LayoutPrefix is what
// that name begins with.
const (
	layoutToken  = "OPW_LAYOUT"
	LayoutPrefix = "opw_unit_"
)

// SourceName is the constant name of a unit's file, which its #line marks and diagnostics carry.
func (l Lang) SourceName() string {
	if l == CXX {
		return "opweld.cc"
	}
	return "opweld.c"
}

// text writes a unit: the helpers of its loops first, then all.
func (v *View) text(lang Lang) (string, error) {
	for _, h := range v.helpers {
		written, err := text(h.Path(), h, lang)
		if err != nil {
			return "", err
		}
		v.Helpers = append(v.Helpers, written)
	}
	v.Bare = v.Light && v.bare()
	tables := async.Go(func() (err error) { // half of what there is to write of many nodes
		v.TablesText, err = templates.Text(tablesTemplate, v)
		return err
	})
	var err error
	v.LoopsText, err = templates.Text(loopsTemplate, v)
	if err = cmp.Or(err, tables()); err != nil {
		return "", wrong(err)
	}
	return text(unitTemplate, v, lang)
}

// plain gives a file of plain C.
func plain(name string) (string, error) {
	written, err := templates.Plain(name)
	if err == nil {
		written, err = laidOut(written)
	}
	if err != nil {
		return "", fmt.Errorf("opweld's runtime is wrong: %w", err)
	}
	return written, nil
}

// text executes a template and gives each mark that leads back to the glue its line number.
func text(name string, data any, lang Lang) (string, error) {
	written, err := templates.Text(name, data)
	if err == nil {
		written, err = laidOut(written)
	}
	if err != nil {
		return "", wrong(err)
	}
	const mark = "#opweld-glue"
	if !strings.Contains(written, mark) {
		return written, nil
	}
	lines := strings.Split(written, "\n")
	for i, line := range lines {
		if line == mark {
			lines[i] = fmt.Sprintf("#line %d %q", i+2, lang.SourceName())
		}
	}
	return strings.Join(lines, "\n"), nil
}

func wrong(err error) error { return fmt.Errorf("opweld's templates are wrong: %w", err) }

// laidOut puts the name that frame.h hashes to where a text holds its token.
func laidOut(written string) (string, error) {
	if !strings.Contains(written, layoutToken) {
		return written, nil
	}
	head, err := templates.Plain("frame.h")
	name := fmt.Sprintf("%s%x", LayoutPrefix, sha256.Sum256([]byte(head)))[:len(LayoutPrefix)+12]
	return strings.ReplaceAll(written, layoutToken, name), err
}

// unit merges what types and kernels ask of the build.
func (t Target) unit() (*Unit, error) {
	u := &Unit{Lang: C, Kept: true, Versions: []string{}}
	if t.cxx() {
		u.Lang = CXX
	}
	asked, conflict := "", error(nil)
	add := func(label string, b Build, version string) {
		if version == "" {
			u.Kept = false
		}
		if b.Compiler != "" && u.Build.Compiler != "" && b.Compiler != u.Build.Compiler && conflict == nil {
			conflict = &Error{Stage: "check", Op: label, Msg: fmt.Sprintf("asks for the compiler %q, but %s asks for %q: a function has one compiler", b.Compiler, asked, u.Build.Compiler)}
		}
		if b.Compiler != "" {
			asked = label
		}
		u.Versions = append(u.Versions, label+" "+version)
		u.Build.merge(b)
	}
	for _, p := range t.Programs {
		for _, t := range p.Types {
			add(t.Label, t.Build, t.Version)
		}
		for _, k := range p.Kernels {
			if !k.Perform {
				add(k.Label, k.Build, k.Version)
			}
		}
	}
	slices.Sort(u.Versions)
	u.Versions = slices.Compact(u.Versions)
	return u, conflict
}

// merge adds another's wishes, order kept, duplicates dropped.
func (b *Build) merge(o Build) {
	join := func(have *[]string, more []string) {
		for _, s := range more {
			if !slices.Contains(*have, s) {
				*have = append(*have, s)
			}
		}
	}
	join(&b.Headers, o.Headers)
	join(&b.HeaderDirs, o.HeaderDirs)
	join(&b.Libraries, o.Libraries)
	join(&b.LibDirs, o.LibDirs)
	join(&b.CompileArgs, o.CompileArgs)
	join(&b.NoCompileArgs, o.NoCompileArgs)
	if b.Compiler == "" {
		b.Compiler = o.Compiler
	}
}
