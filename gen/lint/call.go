package lint

import (
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/pattern"
	"opweld/npyapi"
)

// call evaluates a call: its arguments, then what the function does.
func (r *run) call(n *ccode.Node, s *state) []result {
	function, arguments := n.Child("function"), n.Child("arguments")
	name := function.Text
	if slices.Contains(hints, name) && arguments != nil && len(arguments.Kids) > 0 {
		return r.eval(arguments.Kids[0], s)
	}
	if function.Kind != "identifier" {
		return r.strange(n, s)
	}
	if _, local := r.uses[function]; local {
		return r.strange(n, s)
	}
	var nodes []*ccode.Node
	if arguments != nil {
		nodes = arguments.Kids
	}
	if r.changes(name) { // a macro of a variable's, not of its value
		return r.release(n, name, nodes, s)
	}
	found := s.room.results.short()
	for _, c := range r.arguments(n, nodes, s) {
		found = append(found, r.dispatch(name, c)...)
	}
	return found
}

// called is a call whose arguments are known.
type called struct {
	*state
	n    *ccode.Node
	args []*ccode.Node
	vals []value
}

func (c *called) give(v value) []result { return only(c.state, v, c.n) }

// arguments evaluates the arguments of a call, from the left.
func (r *run) arguments(n *ccode.Node, nodes []*ccode.Node, s *state) []*called {
	calls := []*called{{s, n, nodes, make([]value, 0, len(nodes))}}
	for _, node := range nodes {
		var after []*called
		for _, c := range calls {
			found := r.eval(node, c.state)
			if len(calls) == 1 && len(found) == 1 { // as most have but one way
				c.state, c.vals, after = found[0].s, append(c.vals, found[0].v), calls
				continue
			}
			for _, one := range found {
				after = append(after, &called{one.s, n, nodes, append(slices.Clone(c.vals), one.v)})
			}
		}
		calls = after
	}
	return calls
}

// dispatch does what a function does, whose name is known.
func (r *run) dispatch(name string, c *called) []result {
	if c.released && npyapi.NeedsGIL(name) {
		r.wrong(WithoutGIL, c.state, c.n, "%s needs the lock, which is released here", name)
	}
	if own := r.own(name, c); own != nil {
		return own
	}
	if f, known := npyapi.Lookup(name); known {
		return r.api(f, c)
	}
	if f, known := npyapi.Library(name); known {
		return r.api(f, c)
	}
	if typed.MatchString(name) && len(c.vals) == 1 { // npy_intp(x)
		return c.give(c.vals[0])
	}
	if r.helpers.harmless(name) {
		return c.give(nothing)
	}
	return r.unfamiliar(c)
}

var typed = pattern.New(`^(?:npy_\w+|int|long|double|float|size_t|u?int\d+_t|Py_ssize_t|dtype_\w+)$`)

// strange is a call of something that is no name: a method, a pointer to a function, a template.
func (r *run) strange(n *ccode.Node, s *state) []result {
	var nodes []*ccode.Node
	if list := n.Child("arguments"); list != nil {
		nodes = list.Kids
	}
	found := s.room.results.short()
	for _, c := range r.arguments(n, nodes, s) {
		r.mentioned(n.Child("function"), c.state)
		found = append(found, r.unfamiliar(c)...)
	}
	return found
}

// unfamiliar is a call of what is not known: it may keep what it is given, and set an exception.
func (r *run) unfamiliar(c *called) []result {
	for i, v := range c.vals {
		c.escape(v)
		r.filled(c.state, c.args[i])
	}
	c.changed(-1)
	c.raised, c.by = maybe, nil
	return c.give(nothing)
}

// filled forgets a variable whose address is given away.
func (r *run) filled(s *state, n *ccode.Node) {
	inside := bare(n)
	if operator := inside.Child("operator"); inside.Kind == "pointer_expression" && operator != nil && operator.Text == "&" {
		if at, known := r.uses[bare(inside.Child("argument"))]; known {
			s.escape(s.vars[at])
			r.assign(s, at, nothing)
		}
	}
	if at, known := r.uses[inside]; known && r.locals[at].stars > 1 {
		if pointed, ok := r.pointee(at); ok {
			s.escape(s.vars[pointed])
			r.assign(s, pointed, nothing)
		}
	}
}

// pointee is the variable that stands for what a parameter of an entry function points to.
func (r *run) pointee(at int) (int, bool) {
	for i, l := range r.locals {
		if l.pointed && l.name == "*"+r.locals[at].name {
			return i, true
		}
	}
	return 0, false
}

// api is a call of a function that is known.
func (r *run) api(f npyapi.Function, c *called) []result {
	for i, v := range c.vals {
		if v.kind == number && v.n == 0 && (v.from == nil || f.TakesNull(i)) {
			continue
		}
		if t := c.held(v); t != nil && t.null == yes && f.TakesNull(i) {
			continue
		}
		if !r.usable(c.state, c.args[i], v, "is given to "+f.Name) {
			return nil
		}
	}
	if r.passes(f, c) {
		return c.give(c.vals[0])
	}
	r.arrays(f, c)
	for i := range c.vals {
		if !slices.Contains(f.Steals, i) {
			r.filled(c.state, c.args[i])
		}
		if t := c.held(c.vals[i]); t != nil && slices.Contains(f.Keeps, i) {
			t.shared = true
		}
	}
	for _, i := range f.Steals {
		if i < len(c.vals) {
			r.stolen(f, c, i)
		}
	}
	return r.outcome(f, c)
}

// passes tells of a function that takes what a call gave, NULL too, whether it was NULL.
func (r *run) passes(f npyapi.Function, c *called) bool {
	return len(c.vals) > 0 && slices.Equal(f.Steals, []int{0}) && f.TakesNull(0) && c.vals[0].kind == number && c.vals[0].n == 0
}

// stolen takes the reference of an argument.
func (r *run) stolen(f npyapi.Function, c *called, i int) {
	t := c.held(c.vals[i])
	if t == nil || t.loose || t.null == yes {
		return
	}
	switch t.owned--; {
	case t.owned >= 0:
		t.shared = true
	case t.fresh:
		r.wrong(Double, c.state, c.args[i], "%s takes the reference to %s, which was given up before", f.Name, r.title(t))
		t.loose = true
	default:
		r.wrong(Unowned, c.state, c.args[i], "%s takes a reference to `%s`, which is borrowed: it needs a Py_INCREF before", f.Name, told(c.args[i])).mends(r.taken(c.args[i])...)
		t.loose = true
	}
}

// outcome goes on where a function succeeded, and where it failed.
func (r *run) outcome(f npyapi.Function, c *called) []result {
	failed := map[npyapi.Fails]value{npyapi.Null: {from: c.n}, npyapi.Negative: {n: -1}, npyapi.Zero: {}, npyapi.Asks: {n: -1}}
	bad, mayFail := failed[f.Fails]
	if f.Fails == npyapi.Always {
		r.raise(c.state, c.n)
		return c.give(null)
	}
	found := c.room.results.short()
	if mayFail {
		s := c.state.copy()
		s.step(c.n, "fails")
		if !f.Silent {
			r.raise(s, c.n)
		}
		bad.kind = number
		found = append(found, result{s, bad, c.n})
	}
	return append(found, result{c.state, r.success(f, c), c.n})
}

func (r *run) raise(s *state, n *ccode.Node) { s.raised, s.by = yes, n }

// success is what a function gives that does not fail.
func (r *run) success(f npyapi.Function, c *called) value {
	switch {
	case f.Memory:
		return c.make(thing{at: c.n, owned: 1, null: no, given: -1, of: -1, memory: true, fresh: true, block: true})
	case f.Returns == npyapi.New:
		t := thing{at: c.n, owned: 1, null: no, given: -1, of: -1, fresh: true}
		r.shape(f, c, &t)
		return c.make(t)
	case f.Returns == npyapi.Borrowed:
		return r.borrowed(f, c)
	case f.Points && len(c.vals) > 0 && c.vals[0].kind == object:
		return value{kind: data, obj: c.vals[0].obj, raw: !strings.Contains(f.Name, "GETPTR")}
	case f.Fails == npyapi.Negative && f.Result == "":
		return null
	case f.Fails == npyapi.Negative:
		return value{kind: positive}
	case f.Fails == npyapi.Zero:
		return value{kind: number, n: 1}
	case f.Fails == npyapi.Null:
		return value{kind: nonzero}
	}
	return nothing
}

// borrowed is an object that somebody else owns. What is asked of the same object again is the same.
func (r *run) borrowed(f npyapi.Function, c *called) value {
	of, text := -1, squeezed(c.n)
	if len(c.vals) > 0 && c.vals[0].kind == object {
		of = int(c.vals[0].obj)
		for i := range c.things {
			if t := &c.things[i]; t.of == of && t.at != nil && squeezed(t.at) == text {
				return value{kind: object, obj: int32(i)}
			}
		}
	}
	present := no
	if f.Fails == npyapi.Never && !f.NoGIL {
		present = maybe // it may have nothing to give, without an exception
	}
	return c.make(thing{at: c.n, null: present, given: -1, of: of, shared: true})
}
