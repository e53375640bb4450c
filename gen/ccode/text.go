package ccode

import (
	"fmt"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Fragment is a user's text and where it stands: what all that is asked of a text is read from. Its tree is built once,
// when it is first needed, and is memory of C's: whoever reads a Fragment closes it.
type Fragment struct {
	Place
	Text string // as the user wrote it

	code   string // of the same length up to macros: comments and literals blanked, FAIL expanded
	source []byte // code as the grammar sees it, inside a function
	tree   *sitter.Tree
	whole  *Node // its copy
	found  []Breach
}

// A text that runs inside a function of the glue is read inside of one. What ends in a label needs a statement after it;
// what declares must end its last declaration itself.
const (
	bodyHead    = "void opw_(void) {\n"
	bodyTail    = "\n;}"
	declareTail = "\n}"
)

func (f *Fragment) inside(code string) []byte {
	if f.Declares {
		return []byte(bodyHead + code + declareTail)
	}
	return []byte(bodyHead + code + bodyTail)
}

// Read takes a text up.
func Read(text string, place Place) *Fragment {
	return &Fragment{Place: place, Text: text, code: braces(place.expand(blank(text)))}
}

// Close frees the tree.
func (f *Fragment) Close() {
	if f.tree != nil {
		f.tree.Close()
		f.tree = nil
	}
}

// root is the tree of the text inside a function; nil where there is no grammar for it.
func (f *Fragment) root() *sitter.Node {
	if f.tree == nil {
		f.source = f.inside(f.code)
		f.tree, _ = parse(f.source, f.CXX)
	}
	if f.tree == nil {
		return nil
	}
	return f.tree.RootNode()
}

// written is the source with what is blanked in it, as the user wrote it: strings have their text.
func (f *Fragment) written() []byte {
	if len(f.code) != len(f.Text) { // FAIL was expanded
		return f.source
	}
	return f.inside(f.Text)
}

func parse(source []byte, cxx bool) (*sitter.Tree, error) {
	parser := sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(grammarOf(cxx).language); err != nil {
		return nil, fmt.Errorf("cannot load the grammar: %w", err)
	}
	return parser.Parse(source, nil), nil
}
