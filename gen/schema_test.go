package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record is a kind of object in a Program, as the decoder reads it.
type record struct {
	name   string // of its class in Python
	fields []entry
}

// entry is what Python knows of one: a class, and whether it may be left out.
type entry struct {
	name, class string
	optional    bool
}

// schema reads which fields each part has out of the functions that decode them.
type schema struct {
	t     *testing.T
	funcs map[string]*ast.FuncDecl
	parts []record
	of    *record
}

// classOf names what a function of the decoder reads.
func classOf(function string) string {
	if name, short := map[string]string{"typ": "type", "structure": "loop", "folding": "fold"}[function]; short {
		function = name
	}
	return strings.ToUpper(function[:1]) + function[1:] + "Fields"
}

// readSchema lists the parts of a Program, in the order of fields.go.
func readSchema(t *testing.T) []record {
	file, err := parser.ParseFile(token.NewFileSet(), "fields.go", nil, 0)
	require.NoError(t, err)
	s := &schema{t: t, funcs: map[string]*ast.FuncDecl{}}
	var order []string
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			s.funcs[f.Name.Name] = f
			order = append(order, f.Name.Name)
		}
	}
	for _, name := range order {
		s.of = &record{name: classOf(name)}
		s.read(s.funcs[name].Body, false)
		if makesObject(s.funcs[name]) {
			s.parts = append(s.parts, *s.of)
		}
	}
	return s.parts
}

// makesObject tells whether a function reads an object of its own, and not some fields of its caller's.
func makesObject(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && method(call, "d") == "object"
		return !found
	})
	return found
}

// method is the name of a method that is called of a variable; empty: it is none.
func method(call *ast.CallExpr, of string) string {
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
		if x, ok := selector.X.(*ast.Ident); ok && x.Name == of {
			return selector.Sel.Name
		}
	}
	return ""
}

// read takes in the fields that are asked for below a node; those that are asked for at times may be left out.
func (s *schema) read(node ast.Node, atTimes bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Init != nil {
				s.read(n.Init, atTimes)
			}
			s.read(n.Body, true)
			return false
		case *ast.CaseClause:
			for _, statement := range n.Body {
				s.read(statement, true)
			}
			return false
		case *ast.CallExpr:
			return s.call(n, atTimes)
		}
		return true
	})
}

// call takes in what a call of the decoder asks for; false: there is nothing more in it.
func (s *schema) call(call *ast.CallExpr, atTimes bool) bool {
	if cast, ok := call.Fun.(*ast.Ident); ok && cast.Name == "Role" {
		s.add(unquoted(s.t, call.Args[0].(*ast.CallExpr).Args[0]), `Literal["input", "constant", "temporary", "output"]`, atTimes)
		return false
	}
	if kind := method(call, "o"); kind != "" && kind != "close" && kind != "at" {
		s.own(kind, call, atTimes)
		return false
	}
	if inner := s.funcs[method(call, "d")]; inner != nil && len(call.Args) == 1 {
		s.inner(inner, atTimes)
		return false
	}
	return true
}

// own takes in a field of the part's own.
func (s *schema) own(kind string, call *ast.CallExpr, atTimes bool) {
	switch kind {
	case "lang":
		s.add("lang", `Literal["c", "c++"]`, atTimes)
	case "gil":
		s.add("gil", `Literal["released", "free-threaded"]`, true)
	case "texts":
		s.texts(atTimes)
	case "list":
		read := ""
		ast.Inspect(call.Args[2], func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && s.funcs[method(c, "d")] != nil {
				read = classOf(method(c, "d"))
			}
			return true
		})
		s.add(unquoted(s.t, call.Args[0]), "list["+read+"]", atTimes || said(call))
	default:
		class, known := map[string]string{"str": "str", "bool": "bool", "num": "int", "nums": "list[int]", "strs": "list[str]",
			"text": "str", "optional": "int", "pairs": "list[list[int]]"}[kind]
		require.True(s.t, known, "o.%s", kind)
		never := kind == "strs" || kind == "text" || kind == "optional" || kind == "pairs"
		s.add(unquoted(s.t, call.Args[0]), class, atTimes || never || said(call))
	}
}

// inner takes in what another function reads: an object under a name, or fields of the same part.
func (s *schema) inner(f *ast.FuncDecl, atTimes bool) {
	if !makesObject(f) {
		s.read(f.Body, atTimes)
		return
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && method(call, "parent") == "take" {
			s.add(unquoted(s.t, call.Args[0]), classOf(f.Name.Name), atTimes || said(call))
		}
		return true
	})
}

// texts adds the hooks of the part.
func (s *schema) texts(atTimes bool) {
	whose := map[string]owner{"TypeFields": ofType, "KernelFields": ofKernel | ofText}[s.of.name]
	require.NotZero(s.t, whose, s.of.name)
	for _, h := range hooksOf(whose) {
		class := map[bool]string{false: "str", true: "list[str]"}[hooks[h].form == listed]
		s.add(hooks[h].field, class, atTimes || hooks[h].form != required)
	}
}

func (s *schema) add(name, class string, optional bool) {
	for i, f := range s.of.fields {
		if f.name == name {
			require.Equal(s.t, f.class, class, "%s.%s", s.of.name, name)
			s.of.fields[i].optional = f.optional && optional
			return
		}
	}
	s.of.fields = append(s.of.fields, entry{name, class, optional})
}

// said tells whether a call's second argument says that the field may be left out.
func said(call *ast.CallExpr) bool {
	if len(call.Args) < 2 {
		return false
	}
	word, ok := call.Args[1].(*ast.Ident)
	return ok && word.Name == "true"
}

func unquoted(t *testing.T, e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	require.True(t, ok)
	text, err := strconv.Unquote(literal.Value)
	require.NoError(t, err)
	return text
}

// python writes the parts as classes that a type checker knows.
func (p record) python() string {
	var must, may strings.Builder
	for _, f := range p.fields {
		into := &must
		if f.optional {
			into = &may
		}
		fmt.Fprintf(into, "    %s: %s\n", f.name, f.class)
	}
	base, text := "TypedDict", ""
	if must.Len() > 0 && may.Len() > 0 {
		base = "_" + p.name
		text = fmt.Sprintf("class %s(TypedDict):\n%s\n\n", base, must.String())
	}
	total := ""
	if may.Len() > 0 {
		total, must = ", total=False", strings.Builder{}
	}
	return text + fmt.Sprintf("class %s(%s%s):\n    \"\"\"See docs/program.md.\"\"\"\n\n%s%s", p.name, base, total, must.String(), may.String())
}

// wordsOf lists the fields that Python goes through one after the other: texts that types may give, that types and ops give
// alike, that ops may give for a node; and what a build may ask for.
func wordsOf(parts []record) []struct {
	name  string
	words []string
} {
	texts := func(of owner, as form) (words []string) {
		for _, h := range hooksOf(of) {
			if hooks[h].form == as {
				words = append(words, hooks[h].field)
			}
		}
		return words
	}
	var wishes []string
	for _, p := range parts {
		for _, f := range p.fields {
			if p.name == "BuildFields" && f.class == "list[str]" {
				wishes = append(wishes, f.name)
			}
		}
	}
	return []struct {
		name  string
		words []string
	}{
		{"TypeText", texts(ofType, given)}, {"SharedText", texts(ofBoth, listed)}, {"NodeText", texts(ofKernel|ofText, filled)},
		{"Wish", wishes},
	}
}

// What Python writes is what the decoder reads: its classes for a type checker are made of fields.go.
func TestPythonKnowsTheFields(t *testing.T) {
	const path = "../python/opweld/schema.py"
	text := `"""The parts of Program, for type checkers alone: ` + "`make golden`" + ` writes this file from gen/fields.go."""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = [
`
	parts := readSchema(t)
	names := wordsOf(parts)
	for _, p := range parts {
		text += fmt.Sprintf("    %q,\n", p.name)
	}
	for _, w := range names {
		text += fmt.Sprintf("    %q,\n", w.name)
	}
	text += "]\n\n"
	for _, w := range names {
		text += fmt.Sprintf("%s = Literal[\n", w.name)
		for _, word := range w.words {
			text += fmt.Sprintf("    %q,\n", word)
		}
		text += "]\n"
	}
	for _, p := range parts {
		text += "\n\n" + p.python()
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(written), "make golden writes it")
}
