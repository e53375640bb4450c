package ccode

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	sitter "github.com/tree-sitter/go-tree-sitter"
)

// asked copies a tree node by node, by the module's own functions.
func asked(c *sitter.TreeCursor, text string, parent *Node) *Node {
	n := c.Node()
	made := &Node{Kind: n.Kind(), Field: c.FieldName(), Text: text[n.StartByte():n.EndByte()], Start: int(n.StartByte()), End: int(n.EndByte()), Parent: parent}
	for more := c.GotoFirstChild(); more; {
		if kid := c.Node(); c.FieldId() != 0 || kid.IsNamed() && kid.Kind() != "comment" {
			made.Kids = append(made.Kids, asked(c, text, made))
		}
		if more = c.GotoNextSibling(); !more {
			c.GotoParent()
		}
	}
	return made
}

func alike(t *testing.T, want, got *Node) int {
	require.Equal(t, [5]any{want.Kind, want.Field, want.Text, want.Start, want.End}, [5]any{got.Kind, got.Field, got.Text, got.Start, got.End})
	require.Len(t, got.Kids, len(want.Kids), want.Text)
	count := 1
	for i, kid := range want.Kids {
		require.Same(t, got, got.Kids[i].Parent)
		count += alike(t, kid, got.Kids[i])
	}
	return count
}

// A copied tree is what one finds by asking for each node.
func TestCopiedTrees(t *testing.T) {
	paths, err := filepath.Glob("../../templates/runtime/*.c")
	require.NoError(t, err)
	texts := map[string]string{"nothing": "", "a word": "x;", "comments": "/* a */ int f(void) { /* b */ ; // c\n }\n"}
	for _, path := range append(paths, "../lint/testdata/long.c") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[path] = string(text)
		texts["inside "+path] = string((&Fragment{}).inside(string(text)))
	}
	read := 0
	for _, text := range texts {
		for _, cxx := range []bool{false, true} {
			tree, err := parse([]byte(text), cxx)
			require.NoError(t, err)
			if root := tree.RootNode(); !root.HasError() {
				cursor := root.Walk()
				read += alike(t, asked(cursor, text, nil), copied(root, text, 0, cxx))
				cursor.Close()
			}
			tree.Close()
		}
	}
	require.Greater(t, read, 100000)
}
