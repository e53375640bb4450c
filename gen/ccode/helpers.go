package ccode

import (
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"

	"opweld/gen/pattern"
)

// Helpers are the functions that texts at file scope define and whose arguments are copies of what they are given: all in
// C, in C++ those that take pointers and numbers alone. A name that is a macro as well, there or in the body that calls it, is none, nor is
// any in a text that the grammar does not follow.
func Helpers(cxx bool, body string, texts ...string) map[string]bool {
	found := map[string]bool{}
	for _, text := range texts {
		source := []byte(blank(text) + "\n")
		tree, err := parse(source, cxx)
		if err != nil || tree == nil {
			continue
		}
		if root := tree.RootNode(); !root.HasError() {
			helpersIn(root, source, cxx, found)
		}
		tree.Close()
	}
	for _, defined := range defines.FindAllStringSubmatch(spliced(strings.Join(append(texts, body), "\n")), -1) {
		found[defined[1]] = false
	}
	return found
}

var defines = pattern.New(`#[ \t]*define[ \t]+(\w+)`)

func helpersIn(root *sitter.Node, source []byte, cxx bool, found map[string]bool) {
	for i := uint(0); i < root.NamedChildCount(); i++ {
		n := root.NamedChild(i)
		if n.Kind() != "function_definition" || n.ChildByFieldName("type") == nil {
			continue
		}
		d := n.ChildByFieldName("declarator")
		for d != nil && d.Kind() != "function_declarator" {
			d = declared(d)
		}
		if d == nil || d.ChildByFieldName("declarator") == nil || d.ChildByFieldName("parameters") == nil {
			continue
		}
		name := d.ChildByFieldName("declarator").Utf8Text(source)
		_, again := found[name]
		found[name] = !again && (!cxx || valuesAlone(d.ChildByFieldName("parameters"), source))
	}
}

// valuesAlone tells whether no parameter can be a reference: also one that a name for a type hides.
func valuesAlone(parameters *sitter.Node, source []byte) bool {
	for i := uint(0); i < parameters.NamedChildCount(); i++ {
		parameter := parameters.NamedChild(i)
		kind, text := parameter.ChildByFieldName("type"), parameter.Utf8Text(source)
		if kind == nil || kind.Kind() != "primitive_type" && !strings.Contains(text, "*") || strings.Contains(text, "&") {
			return false
		}
	}
	return true
}
