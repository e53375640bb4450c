package lint

import (
	"slices"

	"opweld/gen/ccode"
)

// releasing are the macros that change the variable they are given.
var releasing = []string{"Py_CLEAR", "Py_SETREF", "Py_XSETREF"}

func (r *run) changes(name string) bool { return slices.Contains(releasing, name) }

// release is Py_CLEAR(x), Py_SETREF(x, y) and Py_XSETREF(x, y).
func (r *run) release(n *ccode.Node, name string, args []*ccode.Node, s *state) []result {
	if len(args) == 0 {
		return only(s, nothing, n)
	}
	if s.released {
		r.wrong(WithoutGIL, s, n, "%s needs the lock, which is released here", name)
	}
	given := []result{{s, null, n}}
	if len(args) > 1 {
		given = r.eval(args[1], s)
	}
	var found []result
	for _, one := range given {
		for _, old := range r.eval(args[0], one.s) {
			r.drop(old.s, args[0], old.v)
			for _, s := range r.store(args[0], one.v, old.s) {
				found = append(found, result{s, nothing, n})
			}
		}
	}
	return found
}

// drop gives up one reference.
func (r *run) drop(s *state, n *ccode.Node, v value) {
	t := s.held(v)
	if t == nil || v.kind != object || t.null == yes {
		return
	}
	if t.loose {
		return
	}
	switch t.owned--; {
	case t.owned > 0:
	case t.owned == 0:
		t.dead = !t.shared
	case t.fresh || t.given >= 0:
		r.wrong(Double, s, n, "the reference to %s was given up before, and is released once more", r.title(t)).mends(r.repeated(n)...)
		t.loose, t.dead = true, false
	default:
		r.wrongOf(Unowned, s, n, t, "`%s` is borrowed, from %s, and is released", told(n), r.title(t))
		t.loose = true
	}
}

// own are the functions that deal with references and exceptions; nil: it is none of them.
func (r *run) own(name string, c *called) []result {
	if len(c.vals) == 0 {
		return r.exceptions(name, c)
	}
	first := c.vals[0]
	switch name {
	case "Py_INCREF", "Py_XINCREF", "Py_NewRef", "Py_XNewRef":
		return r.acquire(name, c, first)
	case "Py_DECREF", "Py_XDECREF":
		if t := c.held(first); name == "Py_DECREF" && (t == nil || !t.dead) && !r.usable(c.state, c.args[0], first, "is released") {
			return []result{}
		}
		r.drop(c.state, c.args[0], first)
		return c.give(nothing)
	case "free", "PyMem_Free", "PyMem_RawFree", "PyObject_Free", "PyDataMem_FREE", "PyArray_free":
		r.free(c, first)
		return c.give(nothing)
	case "realloc", "PyMem_Realloc", "PyMem_RawRealloc":
		return r.realloc(c, first)
	}
	return r.exceptions(name, c)
}

// acquire is one reference more.
func (r *run) acquire(name string, c *called, v value) []result {
	if (name == "Py_INCREF" || name == "Py_NewRef") && !r.usable(c.state, c.args[0], v, "is given to "+name) {
		return []result{}
	}
	if t := c.held(v); t != nil && v.kind == object && !t.loose && t.null != yes {
		t.owned++
	}
	if name == "Py_NewRef" || name == "Py_XNewRef" {
		return c.give(v)
	}
	return c.give(nothing)
}

func (r *run) free(c *called, v value) {
	t := c.held(v)
	if t == nil || !t.memory || t.loose {
		return
	}
	if t.owned == 0 {
		r.wrong(Double, c.state, c.args[0], "the memory of %s was freed before, and is freed once more", r.title(t)).mends(r.repeated(c.n)...)
		t.loose = true
		return
	}
	t.owned, t.dead = 0, true
}

// made is what new gives; where it fails it throws.
func (r *run) made(n *ccode.Node, s *state) []result {
	if n.Child("placement") != nil {
		return r.other(n, s)
	}
	found := r.other(n, s)
	for i := range found {
		found[i].v = found[i].s.make(thing{at: n, owned: 1, null: no, given: -1, of: -1, memory: true, fresh: true, block: true})
	}
	return found
}

// deleted gives it back.
func (r *run) deleted(n *ccode.Node, s *state) []result {
	var found []result
	for _, one := range r.eval(n.Kids[len(n.Kids)-1], s) {
		c := &called{one.s, n, n.Kids[len(n.Kids)-1:], []value{one.v}}
		r.free(c, one.v)
		found = append(found, c.give(nothing)...)
	}
	return found
}

// realloc leaves the old memory where it fails.
func (r *run) realloc(c *called, v value) []result {
	failed := c.state.copy()
	failed.step(c.n, "fails")
	if t := c.held(v); t != nil && t.memory {
		t.owned, t.loose = 0, true
	}
	given := c.make(thing{at: c.n, owned: 1, null: no, given: -1, of: -1, memory: true, fresh: true, block: true})
	return []result{{failed, value{kind: number, from: c.n}, c.n}, {c.state, given, c.n}}
}

// exceptions are the functions that ask for an exception, or take it away.
func (r *run) exceptions(name string, c *called) []result {
	switch name {
	case "PyErr_Occurred":
		if c.raised == maybe {
			none := c.state.copy()
			none.raised = no
			r.raise(c.state, c.n)
			return []result{{c.state, value{kind: nonzero}, c.n}, {none, null, c.n}}
		}
		if c.raised == yes {
			return c.give(value{kind: nonzero})
		}
		return c.give(null)
	case "PyErr_Clear", "PyErr_Print", "PyErr_WriteUnraisable", "PyErr_Fetch", "PyErr_GetRaisedException":
		for _, arg := range c.args {
			r.filled(c.state, arg)
		}
		c.raised = no
		return c.give(nothing)
	case "PyErr_Restore", "PyErr_SetRaisedException":
		for _, v := range c.vals {
			c.escape(v)
		}
		c.raised, c.by = maybe, nil
		return c.give(nothing)
	}
	return nil
}
