package gen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"opweld/templates"
)

// Render turns a decoded Program into one translation unit: check, plan, view, text. It is a pure function.
func Render(p *Program) (*Unit, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := p.CheckFragments(); err != nil {
		return nil, err
	}
	plan, err := NewPlan(p)
	if err != nil {
		return nil, err
	}
	view, err := NewView(plan)
	if err != nil {
		return nil, err
	}
	unit, err := p.unit()
	if err != nil {
		return nil, err
	}
	unit.Text, err = text("unit.c.tmpl", view, unit.Lang)
	return unit, err
}

// Runtime is the part of every module that does not depend on its function, in C: compiled once, when the package is
// built for a CPython, and linked with each unit.
func Runtime() (string, error) { return text("runtime.c.tmpl", nil, C) }

// Prelude is the head of every unit, by itself.
func Prelude() (string, error) { return text("prelude.h.tmpl", nil, C) }

// SourceName is the constant name of a unit's file, which its #line marks and diagnostics carry.
func (l Lang) SourceName() string {
	if l == CXX {
		return "opweld.cc"
	}
	return "opweld.c"
}

// text executes the templates and gives each mark that leads back to the glue its line number.
func text(name string, data any, lang Lang) (string, error) {
	root, err := templates.Load()
	if err != nil {
		return "", fmt.Errorf("opweld's templates are wrong: %w", err)
	}
	var buf bytes.Buffer
	if err := root.ExecuteTemplate(&buf, name, data); err != nil {
		return "", fmt.Errorf("opweld's templates are wrong: %w", err)
	}
	lines := strings.Split(buf.String(), "\n")
	for i, line := range lines {
		if line == "#opweld-glue" {
			lines[i] = fmt.Sprintf("#line %d %q", i+2, lang.SourceName())
		}
	}
	return strings.Join(lines, "\n"), nil
}

// unit merges what types and kernels ask of the build.
func (p *Program) unit() (*Unit, error) {
	u := &Unit{Lang: C, Kept: true, Versions: []string{}}
	asked, conflict := "", error(nil)
	add := func(label string, lang Lang, b Build, version string) {
		if lang == CXX {
			u.Lang = CXX
		}
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
	for _, t := range p.Types {
		add(t.Label, t.Lang, t.Build, t.Version)
	}
	for _, k := range p.Kernels {
		if !k.Perform {
			add(k.Label, k.Lang, k.Build, k.Version)
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
