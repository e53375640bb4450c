package ccode

import (
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	treec "github.com/tree-sitter/tree-sitter-c/bindings/go"
	treecpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
)

// Node is a piece of a text's syntax, by the grammar's names, in memory of Go's: what needs more than one look at a text
// works on it.
type Node struct {
	Kind   string
	Field  string // what it is to its parent; empty: nothing in particular
	Text   string
	Start  int // in bytes of the text; what the grammar was given before it is not counted
	End    int
	Kids   []*Node // those that the grammar names, and those that are something in particular
	Parent *Node
}

// Child is the part that is so and so to its parent; nil: there is none.
func (n *Node) Child(field string) *Node {
	if n == nil {
		return nil
	}
	for _, kid := range n.Kids {
		if kid.Field == field {
			return kid
		}
	}
	return nil
}

// Tree gives a text's syntax: of one that stands inside a function the block, else the whole. It is nil where the grammar
// cannot follow; bad is the line where it stops, from 1.
func (f *Fragment) Tree() (tree *Node, bad int) {
	var root *sitter.Node
	if f.Body {
		root = f.root()
	} else if parsed, _ := parse([]byte(f.code), f.CXX); parsed != nil {
		defer parsed.Close()
		root = parsed.RootNode()
	}
	if root == nil {
		return nil, 1
	}
	if root.HasError() {
		line := 1
		if at := firstError(root); at != nil {
			line = int(at.StartPosition().Row) + 1
			if f.Body {
				line--
			}
		}
		return nil, max(line, 1)
	}
	if f.Body {
		return f.nodes(root).Kids[0].Child("body"), 0
	}
	text := f.code
	if len(f.code) == len(f.Text) {
		text = f.Text
	}
	return copied(root, text, 0, f.CXX), 0
}

// nodes is the whole syntax of a text that stands inside a function, copied once.
func (f *Fragment) nodes(root *sitter.Node) *Node {
	if f.whole == nil {
		f.whole = copied(root, string(f.written()), len(bodyHead), f.CXX)
	}
	return f.whole
}

// grammar has the names of a language: asked for node by node they are most of what a copy takes.
type grammar struct {
	language *sitter.Language
	kinds    []string
	wanted   []uint8 // of a kind: 1 where it is looked at whatever it is to its parent
	fields   []string
}

var (
	grammarC   = sync.OnceValue(func() *grammar { return newGrammar(sitter.NewLanguage(treec.Language())) })
	grammarCXX = sync.OnceValue(func() *grammar { return newGrammar(sitter.NewLanguage(treecpp.Language())) })
)

func grammarOf(cxx bool) *grammar {
	if cxx {
		return grammarCXX()
	}
	return grammarC()
}

func newGrammar(language *sitter.Language) *grammar {
	g := &grammar{language: language, fields: []string{""}}
	for id := range uint16(language.NodeKindCount()) {
		g.kinds = append(g.kinds, language.NodeKindForId(id))
		wanted := uint8(0)
		if language.NodeKindIsNamed(id) && g.kinds[id] != "comment" {
			wanted = 1
		}
		g.wanted = append(g.wanted, wanted)
	}
	for id := range uint16(language.FieldCount()) {
		g.fields = append(g.fields, language.FieldNameForId(id+1))
	}
	return g
}
