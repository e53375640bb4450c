package gen

import (
	"fmt"
	"slices"

	"opweld/gen/scalar"
)

// StageView is a part of a body that is run for a block of elements before the next part is.
type StageView struct {
	Lines []LineView
	Call  string // or the call of a function for all elements
}

// BufferView is where a value waits for a later part.
type BufferView struct {
	Index int
	Type  string
}

// stageBlock is how many elements a part is run for. What waits of them stays in the nearest cache.
const stageBlock = 256

// stages parts a body where functions are called: what stands between two calls is a loop that a compiler can vectorise, and a
// call of a function has a loop of its own, in which the calls of neighbours overlap. In one loop with all, each would wait for
// the one before it.
//
// Parts have numbers: what is computed is in even ones, as late as may be, calls are in odd ones, as early as may be.
type stages struct {
	*Loop
	from   []int // value -> the instruction that makes it; -1: an input
	first  []int // of each instruction, the first value that it makes
	of     []int // of each instruction: its part
	last   int
	buffer map[int]bool // values that wait
}

// staged tells whether a body is parted.
func (l *Loop) staged() bool {
	plain := slices.DeleteFunc(slices.Clone(l.Body), func(in TypedInstruction) bool { return len(in.Takes) == 0 })
	return !l.scans() && (l.folds() || len(plain) > 1 || slices.ContainsFunc(plain, TypedInstruction.vector)) && slices.ContainsFunc(l.Body, TypedInstruction.apart)
}

// newStages decides what is computed when.
func newStages(l *Loop) *stages {
	s := &stages{Loop: l, buffer: map[int]bool{}}
	for range l.Inputs {
		s.from = append(s.from, -1)
	}
	ready := make([]int, len(l.Inputs)) // value -> the first part that can read it
	for i := range l.Body {
		in, part := &l.Body[i], 0
		for _, arg := range in.Args {
			part = max(part, ready[arg])
		}
		next := part
		if in.apart() {
			part, next = part+1, part+2
		}
		s.of, s.first, s.last = append(s.of, part), append(s.first, len(s.from)), max(s.last, next)
		for range in.Makes {
			s.from, ready = append(s.from, i), append(ready, next)
		}
	}
	s.late()
	s.wait()
	return s
}

// late moves what is no call to the part that needs it first.
func (s *stages) late() {
	needed := map[int]int{} // value -> part
	need := func(v, part int) {
		if have, known := needed[v]; !known || part < have {
			needed[v] = part
		}
	}
	for _, v := range s.wanted() {
		need(v, s.last)
	}
	for i := len(s.Body) - 1; i >= 0; i-- {
		in := &s.Body[i]
		if !in.apart() {
			part := s.last
			for v := range len(in.Makes) {
				if at, known := needed[s.first[i]+v]; known {
					part = min(part, at)
				}
			}
			s.of[i] = part &^ 1 // what a call reads is computed just before it
		}
		for _, arg := range in.Args {
			need(arg, s.of[i])
		}
	}
}

// wanted lists the values that the loop stores or folds.
func (s *stages) wanted() []int {
	var found []int
	for _, out := range s.Outputs {
		if out.Fold < 0 {
			found = append(found, out.Value)
		}
	}
	for _, f := range s.Folds {
		found = append(found, f.Values...)
	}
	return found
}

// wait finds the values that are read in a later part than the one that makes them, and all that functions are called with and
// give. To other parts inputs and constants are at hand.
func (s *stages) wait() {
	read := func(v, part int) {
		if i := s.from[v]; i >= 0 && s.Body[i].Op != OpConstant && s.of[i] != part {
			s.buffer[v] = true
		}
	}
	for i := range s.Body {
		if s.Body[i].apart() {
			s.buffer[s.first[i]] = true
		}
		for _, arg := range s.Body[i].Args {
			if read(arg, s.of[i]); s.Body[i].apart() {
				s.buffer[arg] = true
			}
		}
	}
	for _, v := range s.wanted() {
		read(v, s.last)
	}
}

// write gives the lines of a part: what it reads first, then what it computes, then what will wait; given are further values that
// it needs.
func (s *stages) write(b *body, part int, given []int) {
	b.lines = nil
	known := map[int]bool{}
	reads := slices.Clone(given)
	mine := func(i int) bool { return s.of[i] == part && s.Body[i].Op != OpConstant }
	for i := range s.Body {
		if mine(i) {
			reads = append(reads, s.Body[i].Args...)
		}
	}
	for _, v := range reads {
		if i := s.from[v]; !known[v] && (i < 0 || !mine(i)) {
			known[v] = true
			s.read(b, v)
		}
	}
	for i := range s.Body {
		if !mine(i) {
			continue
		}
		b.values = s.first[i]
		b.instruction(&s.Body[i])
		for v := range len(s.Body[i].Makes) {
			if v += s.first[i]; s.buffer[v] {
				s.save(b, v)
			}
		}
	}
	for _, v := range given {
		if i := s.from[v]; part != s.last && (i < 0 || s.Body[i].Op == OpConstant) {
			s.save(b, v)
		}
	}
}

func (s *stages) save(b *body, v int) {
	if s.near(v) {
		b.line("if (%s != %d)", s.step(v), s.Inputs[v].Size)
	}
	b.line("opw_b->%s[opw_k] = %s;", bufferName(v), valueName(v))
}

// read names a value that another part, or none, makes.
func (s *stages) read(b *body, v int) {
	i := s.from[v]
	switch {
	case i < 0:
		t := s.Inputs[v]
		b.line("const %s %s = %s;", t.Value, valueName(v), b.use(t.Load(s.place(v))))
	case s.Body[i].Op == OpConstant:
		b.values = s.first[i]
		b.instruction(&s.Body[i])
	default:
		b.line("const %s %s = opw_b->%s[opw_k];", s.typeOf(v).Value, valueName(v), bufferName(v))
	}
}

func bufferName(v int) string { return fmt.Sprintf("opw_b%d", v) }

// given lists the inputs and constants that functions are called with in the part behind one, and that do not wait yet.
func (s *stages) given(part int, waits map[int]bool) []int {
	var found []int
	for i := range s.Body {
		if in := &s.Body[i]; in.apart() && s.of[i] == part+1 {
			for _, v := range in.Args {
				if from := s.from[v]; (from < 0 || s.Body[from].Op == OpConstant) && !waits[v] {
					waits[v] = true
					found = append(found, v)
				}
			}
		}
	}
	return found
}

// parts writes all parts; the last one, with what it stores, is left in b.
func (b *body) parts(l *Loop, v *LoopView) {
	s, waits := newStages(l), map[int]bool{}
	for part := range s.last {
		if part%2 == 1 {
			for i := range s.Body {
				if s.of[i] == part && s.Body[i].apart() {
					v.Stages = append(v.Stages, StageView{Call: b.call(s, i)})
				}
			}
			continue
		}
		if s.write(b, part, s.given(part, waits)); len(b.lines) > 0 {
			v.Stages = append(v.Stages, StageView{Lines: b.lines})
		}
	}
	s.write(b, s.last, s.wanted())
	for value := range s.from {
		if s.buffer[value] {
			v.Buffers = append(v.Buffers, BufferView{value, s.typeOf(value).Value})
		}
	}
	b.stores(l)
}

// call writes the call of a function for all elements of a block.
func (b *body) call(s *stages, i int) string {
	in := &s.Body[i]
	if h, many := scalar.Vector(in.Op, in.Takes[0]); many {
		b.helpers = append(b.helpers, h)
		return b.callVector(s, i, h)
	}
	m := MapView{Name: fmt.Sprintf("opw_each_%s_%s", in.Op, in.Takes[0].Name), Type: in.Makes[0].Value}
	var names []string
	text := fmt.Sprintf("opw_b->%s", bufferName(s.first[i]))
	for j, arg := range in.Args {
		m.Args = append(m.Args, in.Takes[j].Value)
		names = append(names, fmt.Sprintf("opw_x%d[opw_k]", j))
		text += fmt.Sprintf(", opw_b->%s", bufferName(arg))
	}
	m.Text = b.use(scalar.Of(in.Op, in.Takes, in.Makes[0], names))
	b.maps = append(b.maps, m)
	return fmt.Sprintf("%s(%s, opw_m);", m.Name, text)
}

// typeOf gives a value's type.
func (s *stages) typeOf(value int) scalar.Type {
	if i := s.from[value]; i >= 0 {
		return s.Body[i].Makes[value-s.first[i]]
	}
	return s.Inputs[value]
}

// callVector writes the call of a function that takes many numbers. Of those that lie one after the other it needs no copy.
func (b *body) callVector(s *stages, i int, h scalar.Helper) string {
	text := fmt.Sprintf("%s(opw_b->%s", h.C(), bufferName(s.first[i]))
	for _, arg := range s.Body[i].Args {
		if from := bufferName(arg); s.near(arg) {
			text += fmt.Sprintf(", %s == %d ? (const %s *)(const void *)(%s) : opw_b->%s", s.step(arg), s.Inputs[arg].Size,
				s.Inputs[arg].Value, s.begin(arg), from)
		} else {
			text += ", opw_b->" + from
		}
	}
	return text + ", opw_m);"
}

// direct is the call that a loop is: of a function that takes its inputs and gives its output; nil: it is more.
func (l *Loop) direct() *DirectView {
	if len(l.Body) != 1 || len(l.Outputs) != 1 || l.Outputs[0].Value != len(l.Inputs) || !l.Body[0].vector() || len(l.Body[0].Args) != len(l.Inputs) {
		return nil
	}
	in, out := &l.Body[0], len(l.Inputs)
	h, _ := scalar.Vector(in.Op, in.Takes[0])
	d := &DirectView{Test: fmt.Sprintf("opw_s[%d] == %d", out, l.Outputs[0].Type.Size)}
	d.Call = fmt.Sprintf("%s((%s *)(void *)opw_p[%d]", h.C(), h.Type.Value, out)
	for _, arg := range in.Args {
		d.Test += fmt.Sprintf(" && opw_s[%d] == %d && opw_p[%d] != opw_p[%d]", arg, l.Inputs[arg].Size, arg, out)
		d.Call += fmt.Sprintf(", (const %s *)(const void *)opw_p[%d]", h.Type.Value, arg)
	}
	d.Call += ", opw_n);"
	return d
}

// step is how far apart the elements of an input lie in a block, begin where the first is.
func (s *stages) step(input int) string {
	if s.folds() {
		return fmt.Sprintf("(opw_across ? opw_t%d : opw_s%d)", input, input)
	}
	return fmt.Sprintf("opw_s%d", input)
}

func (s *stages) begin(input int) string {
	if s.folds() {
		return fmt.Sprintf("opw_p%d + opw_first * opw_s%d + opw_at * opw_t%d", input, input, input)
	}
	return fmt.Sprintf("opw_p%d + opw_begin * opw_s%d", input, input)
}

// near tells whether a value is an input that functions of many numbers alone are called with.
func (s *stages) near(v int) bool {
	if s.from[v] >= 0 {
		return false
	}
	for i := range s.Body {
		if in := &s.Body[i]; in.apart() && slices.Contains(in.Args, v) {
			if _, many := scalar.Vector(in.Op, in.Takes[0]); !many {
				return false
			}
		}
	}
	return true
}

// MapView is a function of the mathematical library, called for each of many numbers.
type MapView struct {
	Name, Type string
	Args       []string // types
	Text       string
}
