package ccode

import sitter "github.com/tree-sitter/go-tree-sitter"

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
	head, source, root := len(bodyHead), f.source, (*sitter.Node)(nil)
	if f.Body {
		root = f.root()
		source = f.source
	} else if parsed, _ := parse([]byte(f.code), f.CXX); parsed != nil {
		defer parsed.Close()
		head, source, root = 0, []byte(f.code), parsed.RootNode()
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
	c := &copier{text: string(source), head: head, cursor: root.Walk()}
	if len(f.code) == len(f.Text) && !f.Body {
		c.text = f.Text
	} else if f.Body {
		c.text = string(f.written())
	}
	defer c.cursor.Close()
	whole := c.node(nil)
	if f.Body {
		return whole.Kids[0].Child("body"), 0
	}
	return whole, 0
}

// copier copies a tree.
type copier struct {
	text   string
	head   int
	cursor *sitter.TreeCursor
}

// node copies what the cursor stands at.
func (c *copier) node(parent *Node) *Node {
	n := c.cursor.Node()
	start, end := int(n.StartByte()), int(n.EndByte())
	made := &Node{Kind: n.Kind(), Field: c.cursor.FieldName(), Text: c.text[start:end], Start: start - c.head, End: end - c.head, Parent: parent}
	for more := c.cursor.GotoFirstChild(); more; more = c.cursor.GotoNextSibling() {
		if kid := c.cursor.Node(); kid.IsNamed() && kid.Kind() != "comment" || c.cursor.FieldName() != "" {
			made.Kids = append(made.Kids, c.node(made))
		}
	}
	if len(made.Kids) > 0 || n.ChildCount() > 0 {
		c.cursor.GotoParent()
	}
	return made
}
