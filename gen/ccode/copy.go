package ccode

/*
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is needed of tree_sitter/api.h, which lies in a module's folder whose name cgo does not know.
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;

uint32_t ts_node_descendant_count(TSNode);
uint32_t ts_node_start_byte(TSNode);
uint32_t ts_node_end_byte(TSNode);
uint16_t ts_node_symbol(TSNode);
TSTreeCursor ts_tree_cursor_new(TSNode);
void ts_tree_cursor_delete(TSTreeCursor *);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
bool ts_tree_cursor_goto_parent(TSTreeCursor *);
void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));

// A node, before its kids and these before its siblings.
typedef struct { uint32_t start, end, kids; uint16_t kind, field; } opw_node;

static uint32_t opw_count(const void *root) { return ts_node_descendant_count(*(const TSNode *)root); }

static opw_node opw_at(const TSTreeCursor *cursor, TSNode node)
{
    return (opw_node){ts_node_start_byte(node), ts_node_end_byte(node), 0, ts_node_symbol(node),
                      ts_tree_cursor_current_field_id(cursor)};
}

// Writes a tree out, without what `wanted` does not name by its kind and is nothing in particular to its parent. There is
// room for as many nodes as `opw_count` gives, and for an index each. Gives how many were written.
static uint32_t opw_copy(const void *root, const uint8_t *wanted, opw_node *to, uint32_t *around)
{
    TSTreeCursor cursor = ts_tree_cursor_new(*(const TSNode *)root);
    uint32_t count = 1, depth = 0;
    around[0] = 0;
    to[0] = opw_at(&cursor, ts_tree_cursor_current_node(&cursor));
    bool more = ts_tree_cursor_goto_first_child(&cursor);
    while (more) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        opw_node found = opw_at(&cursor, node);
        bool kept = found.field || wanted[found.kind];
        if (kept) {
            to[around[depth]].kids++;
            to[count] = found;
            if (ts_tree_cursor_goto_first_child(&cursor)) {
                around[++depth] = count++;
                continue;
            }
            count++;
        }
        while (!(more = ts_tree_cursor_goto_next_sibling(&cursor)) && depth > 0) {
            ts_tree_cursor_goto_parent(&cursor);
            depth--;
        }
    }
    ts_tree_cursor_delete(&cursor);
    return count;
}

// The module hands every request for memory to Go, which hands it back to C.
static void opw_own_memory(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }
*/
import "C"

import (
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

func init() { C.opw_own_memory() }

// What is declared above is as large as what the module has.
var (
	_ [unsafe.Sizeof(sitter.Node{})]byte       = [C.sizeof_TSNode]byte{}
	_ [unsafe.Sizeof(sitter.TreeCursor{})]byte = [C.sizeof_TSTreeCursor]byte{}
)

// copier builds a tree of ours from one that was written out.
type copier struct {
	*grammar
	text  string
	head  int
	all   []C.opw_node
	at    int
	nodes []Node
	kids  []*Node // room for those that are left
}

// copied copies a tree without errors: asked for node by node, across to C and back, that would take longer than parsing.
func copied(root *sitter.Node, text string, head int, cxx bool) *Node {
	c := &copier{grammar: grammarOf(cxx), text: text, head: head}
	n := C.opw_count(unsafe.Pointer(root))
	c.all = make([]C.opw_node, n)
	around := make([]C.uint32_t, n)
	n = C.opw_copy(unsafe.Pointer(root), (*C.uint8_t)(&c.wanted[0]), &c.all[0], &around[0])
	c.nodes, c.kids = make([]Node, n), make([]*Node, n-1)
	return c.node(nil)
}

// node makes the next node, and those in it.
func (c *copier) node(parent *Node) *Node {
	from, made := &c.all[c.at], &c.nodes[c.at]
	c.at++
	start, end := int(from.start), int(from.end)
	*made = Node{c.kinds[from.kind], c.fields[from.field], c.text[start:end], start - c.head, end - c.head, nil, parent}
	if n := from.kids; n > 0 {
		made.Kids, c.kids = c.kids[:n:n], c.kids[n:]
		for i := range made.Kids {
			made.Kids[i] = c.node(made)
		}
	}
	return made
}
