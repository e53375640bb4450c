package lint

import (
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/npyapi"
)

// laying are the functions and macros by which a text looks at how an array lies.
var laying = []string{"PyArray_STRIDES", "PyArray_STRIDE", "PyArray_FLAGS", "PyArray_CHKFLAGS", "PyArray_IS_C_CONTIGUOUS",
	"PyArray_IS_F_CONTIGUOUS", "PyArray_ISCONTIGUOUS", "PyArray_ISFORTRAN", "PyArray_ISCARRAY", "PyArray_ISCARRAY_RO", "PyArray_ISFARRAY",
	"PyArray_ISFARRAY_RO", "PyArray_ISONESEGMENT", "PyArray_ISBEHAVED_RO"}

// blocks are the functions of C that take memory as one block, and which of their arguments are written and read.
var blocks = map[string]struct{ writes, reads []int }{
	"memcpy": {[]int{0}, []int{1}}, "memmove": {[]int{0}, []int{1}}, "memset": {[]int{0}, nil}, "memcmp": {nil, []int{0, 1}},
	"qsort": {[]int{0}, nil}, "strcpy": {[]int{0}, nil}, "bzero": {[]int{0}, nil},
}

// writing are the functions of NumPy's that write into their first argument.
var writing = []string{"PyArray_CopyInto", "PyArray_FILLWBYTE", "PyArray_FillWithScalar", "PyArray_SETITEM", "PyArray_Sort",
	"PyArray_Partition", "PyArray_PutTo", "PyArray_PutMask", "PyArray_CopyAnyInto"}

// arrays looks at what a call does with arrays' memory.
func (r *run) arrays(f npyapi.Function, c *called) {
	if slices.Contains(laying, f.Name) && len(c.vals) > 0 {
		if t := c.held(c.vals[0]); t != nil {
			t.block = true
		}
	}
	if slices.Contains(writing, f.Name) && len(c.vals) > 0 && c.vals[0].kind == object {
		r.writes(c.state, c.args[0], value{kind: data, obj: c.vals[0].obj})
	}
	r.owning(f, c)
	block, known := blocks[f.Name]
	for i, v := range c.vals {
		if !known || v.kind != data {
			continue
		}
		written := slices.Contains(block.writes, i)
		if written {
			r.writes(c.state, c.args[i], v)
		}
		if written || slices.Contains(block.reads, i) {
			r.whole(f, c, i)
		}
	}
}

// owning follows memory that an array is made over, and which that, or a capsule, is to free.
func (r *run) owning(f npyapi.Function, c *called) {
	for _, v := range c.vals {
		t := c.held(v)
		switch {
		case t == nil || !t.memory:
		case f.Name == "PyCapsule_New":
			c.escape(v)
		case f.Returns == npyapi.New:
			t.lies = true
		}
	}
	if f.Name != "PyArray_ENABLEFLAGS" || len(c.args) < 2 || !strings.Contains(c.args[1].Text, "OWNDATA") {
		return
	}
	for i := range c.things {
		c.things[i].loose = c.things[i].loose || c.things[i].lies
	}
}

// whole looks at memory that is taken as one block.
func (r *run) whole(f npyapi.Function, c *called, i int) {
	t := c.held(c.vals[i])
	if t == nil || t.block || t.flat || t.memory || t.null == yes || !c.vals[i].raw {
		return
	}
	if size := bare(c.args[len(c.args)-1]); strings.HasPrefix(size.Text, "sizeof") || size.Kind == "number_literal" {
		return // one element
	}
	r.wrong(Contiguous, c.state, c.args[i], "%s takes the memory of %s as one block, and neither its strides nor whether it is contiguous was looked at", f.Name, r.title(t))
	t.block = true
}

// shape says how a new array lies, and whose memory it may have.
func (r *run) shape(f npyapi.Function, c *called, t *thing) {
	t.block = !slices.Contains([]string{"PyArray_NewCopy", "PyArray_NewLikeArray"}, f.Name)
	if !t.block && len(c.args) > 1 {
		order := bare(c.args[1]).Text
		t.block = order != "NPY_ANYORDER" && order != "NPY_KEEPORDER"
	}
	for _, i := range f.Shares {
		if i >= len(c.vals) || slices.ContainsFunc(c.args, ensuresCopy) {
			continue
		}
		if of := c.held(c.vals[i]); of != nil {
			t.base |= of.base
		}
	}
}

// ensuresCopy tells whether flags ask for memory of its own.
func ensuresCopy(n *ccode.Node) bool { return strings.Contains(n.Text, "ENSURECOPY") }
