package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Check looks at what the parts of a Program say of one another: indices, arity, roles, one producer a variable, the
// texts that a role needs; then reads the texts. The first fault is an *Error that says where; what texts do that they may
// not is a *FragmentError.
func (p *Program) Check() (*Typed, error) {
	c := &checker{p: p, producer: make([]int, len(p.Variables)), arrays: make([]*TypedArray, len(p.Types)), loops: make([]*Loop, len(p.Kernels)), ways: map[wayName]*way{}}
	for i := range c.producer {
		c.producer[i] = -1
	}
	for _, look := range []func(){c.labels, c.types, c.kernels, c.accesses, c.structures, c.variables, c.steps, c.interface_, c.cells, c.produced, c.texts} {
		if look(); c.err != nil {
			return nil, c.err
		}
	}
	typed, err := newTyped(p, c.arrays, c.loops)
	if err != nil {
		return nil, err
	}
	typed.ways = c.ways
	return typed, nil
}

type checker struct {
	p        *Program
	producer []int            // step that makes a variable, or -1
	arrays   []*TypedArray    // of each type that has one
	loops    []*Loop          // of each kernel whose loops the engine writes
	known    map[wayName]*way // found before, and read by others at the same time
	ways     map[wayName]*way
	err      *Error
}

func (c *checker) fail(where, op, format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Stage: "check", Where: where, Op: op, Msg: fmt.Sprintf(format, args...)}
	}
}

// index says whether i is one of n things called what.
func (c *checker) index(where, what string, i, n int) bool {
	if i < n {
		return true
	}
	c.fail(where, "", "no %s %d, there are %d", what, i, n)
	return false
}

func (c *checker) labels() {
	for i, t := range c.p.Types {
		c.label(fmt.Sprintf("types[%d].label", i), t.Label)
		c.headers(fmt.Sprintf("types[%d].build.headers", i), t.Label, t.Build.Headers)
	}
	for i, k := range c.p.Kernels {
		c.label(fmt.Sprintf("kernels[%d].label", i), k.Label)
		c.headers(fmt.Sprintf("kernels[%d].build.headers", i), k.Label, k.Build.Headers)
	}
}

func (c *checker) label(where, label string) {
	if fault := labelFault(label); fault != "" {
		c.fail(where, "", "%s", fault)
	}
}

// headers checks that each header fills one #include.
func (c *checker) headers(where, op string, headers []string) {
	for i, h := range headers {
		if strings.ContainsAny(h, "\n\r") || strings.TrimSpace(h) == "" {
			c.fail(fmt.Sprintf("%s[%d]", where, i), op, "%q is no header: give the names of headers, one an item, and C in c_support_code", h)
		}
	}
}

func (c *checker) kernels() {
	seen := map[string]int{}
	for i := range c.p.Kernels {
		k := &c.p.Kernels[i]
		where := fmt.Sprintf("kernels[%d]", i)
		for j, t := range k.Inputs {
			c.index(fmt.Sprintf("%s.inputs[%d]", where, j), "type", t, len(c.p.Types))
		}
		for j, t := range k.Outputs {
			c.index(fmt.Sprintf("%s.outputs[%d]", where, j), "type", t, len(c.p.Types))
		}
		if k.Params != nil {
			c.index(where+".params", "type", *k.Params, len(c.p.Types))
		}
		if k.stateful() && k.Lang != CXX {
			c.fail(where+".lang", k.Label, "struct code is C++: expected %q, got %q", CXX, k.Lang)
		}
		if n := len(k.types()); !k.fixed() && len(k.Declares) != n {
			c.fail(where+".declares", k.Label, "%d texts for %d variables", len(k.Declares), n)
		}
		id := k.digest()
		if j, twice := seen[id]; twice {
			c.fail(where, k.Label, "the same as kernels[%d]; equal applies share one kernel", j)
		}
		seen[id] = i
	}
}

func (c *checker) variables() {
	for i, v := range c.p.Variables {
		c.index(fmt.Sprintf("variables[%d].type", i), "type", v.Type, len(c.p.Types))
	}
}

func (c *checker) steps() {
	for i := range c.p.Steps {
		s := &c.p.Steps[i]
		where := fmt.Sprintf("steps[%d]", i)
		if !c.index(where+".kernel", "kernel", s.Kernel, len(c.p.Kernels)) {
			return
		}
		k := &c.p.Kernels[s.Kernel]
		c.arity(where+".inputs", k.Label, s.Inputs, k.Inputs)
		c.arity(where+".outputs", k.Label, s.Outputs, k.Outputs)
		c.params(where+".params", k, s.Params)
		c.distinct(where, k, s)
		if c.err != nil {
			return
		}
		for j, v := range s.Outputs {
			c.produces(fmt.Sprintf("%s.outputs[%d]", where, j), i, v)
		}
		c.maps(where+".destroys", k, s.Destroys)
		c.maps(where+".views", k, s.Views)
		c.overwritten(where+".destroys", k, s)
		c.viewed(where+".views", k, s)
	}
}

// arity checks a step's variables against its kernel's types, one by one.
func (c *checker) arity(where, op string, vars, types []int) {
	if len(vars) != len(types) {
		c.fail(where, op, "the kernel takes %d, the step gives %d", len(types), len(vars))
		return
	}
	for j, v := range vars {
		at := func() string { return fmt.Sprintf("%s[%d]", where, j) }
		if v >= len(c.p.Variables) {
			c.index(at(), "variable", v, len(c.p.Variables))
			return
		}
		if have := c.p.Variables[v].Type; have != types[j] {
			c.fail(at(), op, "variable %d is of type %d (%s), the kernel takes type %d (%s)",
				v, have, c.p.Types[have].Label, types[j], c.p.Types[types[j]].Label)
		}
	}
}

// distinct checks that a kernel of user's text, which may replace what it reads, has one name for each variable.
func (c *checker) distinct(where string, k *Kernel, s *Step) {
	seen := map[int]int{}
	for j, v := range s.Inputs {
		if first, twice := seen[v]; twice && !k.fixed() {
			c.fail(fmt.Sprintf("%s.inputs[%d]", where, j), k.Label, "variable %d is inputs[%d] too; a kernel has one name for each variable", v, first)
		}
		seen[v] = j
	}
	if s.Params != nil {
		if _, twice := seen[*s.Params]; twice {
			c.fail(where+".params", k.Label, "variable %d is an input too; params are a constant of their own", *s.Params)
		}
	}
}

// params checks that a step has params where its kernel has, and that they are a constant of that type.
func (c *checker) params(where string, k *Kernel, v *int) {
	switch {
	case (v == nil) != (k.Params == nil):
		c.fail(where, k.Label, "kernel and step must both have params, or neither")
	case v == nil || !c.index(where, "variable", *v, len(c.p.Variables)):
	case c.p.Variables[*v].Role != RoleConstant:
		c.fail(where, k.Label, "variable %d is %s; params are a constant", *v, c.p.Variables[*v].Role.article())
	case c.p.Variables[*v].Type != *k.Params:
		c.fail(where, k.Label, "variable %d is of type %d, the kernel takes type %d", *v, c.p.Variables[*v].Type, *k.Params)
	}
}

func (c *checker) produces(where string, step, v int) {
	if role := c.p.Variables[v].Role; role == RoleInput || role == RoleConstant {
		c.fail(where, "", "variable %d is %s; a step cannot make it", v, role.article())
	}
	if by := c.producer[v]; by >= 0 {
		c.fail(where, "", "variable %d is made by steps[%d] already", v, by)
	}
	c.producer[v] = step
}

func (c *checker) maps(where string, k *Kernel, pairs [][2]int) {
	for j, pair := range pairs {
		at := fmt.Sprintf("%s[%d]", where, j)
		c.index(at+"[0]", "output", pair[0], len(k.Outputs))
		c.index(at+"[1]", "input", pair[1], len(k.Inputs))
	}
}

// interface_ checks that inputs and outputs name each variable of that role exactly once.
func (c *checker) interface_() {
	names := map[string]int{}
	listed := make([]bool, len(c.p.Variables))
	for i, in := range c.p.Inputs {
		where := fmt.Sprintf("inputs[%d]", i)
		c.lists(where+".variable", in.Variable, RoleInput, listed)
		if j, twice := names[in.Name]; twice && in.Name != "" {
			c.fail(where+".name", "", "inputs[%d] is called %q too", j, in.Name)
		}
		names[in.Name] = i
	}
	for i, out := range c.p.Outputs {
		where := fmt.Sprintf("outputs[%d]", i)
		c.lists(where+".variable", out.Variable, RoleOutput, listed)
		if out.Scalar {
			c.scalar(where+".scalar", out)
		}
	}
	returned := 0
	for _, out := range c.p.Outputs {
		if out.Update == nil {
			returned++
		}
	}
	if c.p.Single && returned > 1 {
		c.fail("single", "", "a single output is asked for, there are %d", returned)
	}
	for i, v := range c.p.Variables {
		if (v.Role == RoleInput || v.Role == RoleOutput) && !listed[i] {
			c.fail(fmt.Sprintf("variables[%d]", i), "", "is %s that is not listed in %ss", v.Role.article(), v.Role)
		}
	}
}

// scalar checks that what is to be a scalar is an array without dimensions, which the caller gets.
func (c *checker) scalar(where string, out Output) {
	if out.Update != nil {
		c.fail(where, "", "what a shared value becomes is an array")
	}
	if out.Variable >= len(c.p.Variables) || c.p.Variables[out.Variable].Type >= len(c.p.Types) {
		return // said already
	}
	if array := c.p.Types[c.p.Variables[out.Variable].Type].Array; array == nil || array.NDim != 0 {
		c.fail(where, "", "variable %d is not of a type whose array has no dimensions", out.Variable)
	}
}

func (c *checker) lists(where string, v int, role Role, listed []bool) {
	if !c.index(where, "variable", v, len(c.p.Variables)) {
		return
	}
	if have := c.p.Variables[v].Role; have != role {
		c.fail(where, "", "variable %d is %s, not %s", v, have.article(), role.article())
	}
	if listed[v] {
		c.fail(where, "", "variable %d is listed twice", v)
	}
	listed[v] = true
}

func (c *checker) produced() {
	for i, v := range c.p.Variables {
		if made := c.producer[i] >= 0; !made && (v.Role == RoleTemporary || v.Role == RoleOutput) {
			c.fail(fmt.Sprintf("variables[%d]", i), "", "is %s that no step makes", v.Role.article())
		}
	}
}

// texts checks that each variable's type has the texts that its place in the graph needs.
func (c *checker) texts() {
	for i, v := range c.p.Variables {
		byPython := c.producer[i] >= 0 && c.p.Kernels[c.p.Steps[c.producer[i]].Kernel].Perform
		where, what := fmt.Sprintf("variables[%d]", i), v.Role.article()
		if byPython {
			what = "what a perform returns"
		}
		if v.Role == RoleInput || v.Role == RoleConstant || byPython {
			c.needs(where, i, entered, what)
		} else {
			c.needs(where, i, computed, what)
		}
		if v.Role == RoleOutput {
			c.needs(where, i, returned, what)
		}
		if v.Keep {
			c.needs(where, i, preserved, "a temporary that is kept")
		}
		if v.Keep && (v.Role != RoleTemporary || byPython) {
			c.fail(where+".keep", c.p.Types[v.Type].Label, "only a temporary that a kernel makes is kept, this is %s", v.Role.article())
		}
	}
	for i, s := range c.p.Steps {
		if c.p.Kernels[s.Kernel].Perform {
			for j, v := range s.Inputs {
				c.needs(fmt.Sprintf("steps[%d].inputs[%d]", i, j), v, performed, "what a perform reads")
			}
		}
	}
	for i := range c.p.Inputs {
		in := &c.p.Inputs[i]
		c.fit(fmt.Sprintf("inputs[%d]", i), in.Variable, in.Accept, in.Fit)
	}
	for i := range c.p.Outputs {
		out := &c.p.Outputs[i]
		c.fit(fmt.Sprintf("outputs[%d]", i), out.Variable, out.Accept, out.Fit)
		if out.taken() {
			c.needs(fmt.Sprintf("outputs[%d].accept", i), out.Variable, accepting, "an output with accept")
		}
	}
}

// needs checks that the type of a variable has every text that a place in the graph needs.
func (c *checker) needs(where string, variable int, place need, what string) {
	t := &c.p.Types[c.p.Variables[variable].Type]
	if t.Array != nil && t.Array.Plain { // the runtime does what they would
		return
	}
	for _, h := range hooksOf(ofType) {
		if slices.Contains(hooks[h].needs, place) && !t.Given(h) {
			c.fail(where, t.Label, "the type has no %s, which %s needs: write it", h, what)
		}
	}
}
