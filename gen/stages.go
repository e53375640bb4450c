package gen

import (
	"math"
	"slices"

	"opweld/gen/scalar"
)

// stages parts a body where functions are called: what stands between two calls is a loop that a compiler can vectorise, and a
// call of a function has a loop of its own, in which the calls of neighbours overlap. In one loop with all, each would wait for
// the one before it.
//
// Parts have numbers: what is computed is in even ones, as late as may be, calls are in odd ones, as early as may be.
type stages struct {
	*Loop
	from  []int // value -> the instruction that makes it; -1: an input
	first []int // of each instruction, the first value that it makes
	of    []int // of each instruction: its part
	last  int
	waits []bool // of each value whether a later part reads it
	exact bool   // no stage computes more elements than there are
}

// staged tells whether a body is parted.
func (l *Loop) staged() bool {
	if l.Tabled || l.scans() {
		return l.Tabled
	}
	plain, vector, apart := 0, false, false
	for i := range l.Body {
		in := &l.Body[i]
		if len(in.Takes) > 0 {
			plain++
		}
		vector, apart = vector || in.vector(), apart || in.apart()
	}
	return (l.folds() || plain > 1 || vector) && apart
}

// newStages decides what is computed when.
func newStages(l *Loop) *stages {
	s := &stages{Loop: l, exact: l.codes() || l.fails()}
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
		switch {
		case l.Tabled: // in the order of the body: of those, few values wait at a time
			part, next = 2*i+1, 2*i+2
		case s.apart(in):
			part, next = part+1, part+2
		}
		s.of, s.first, s.last = append(s.of, part), append(s.first, len(s.from)), max(s.last, next)
		for range in.Makes {
			s.from, ready = append(s.from, i), append(ready, next)
		}
	}
	s.waits = make([]bool, len(s.from))
	s.late()
	s.wait()
	return s
}

// late moves what is no call to the part that needs it first.
func (s *stages) late() {
	needed := make([]int, len(s.from)) // of each value, the part that reads it first
	for v := range needed {
		needed[v] = s.last
	}
	need := func(v, part int) { needed[v] = min(needed[v], part) }
	for _, v := range s.wanted() {
		need(v, s.last)
	}
	for i := len(s.Body) - 1; i >= 0; i-- {
		in := &s.Body[i]
		if !s.apart(in) {
			part := s.last
			for v := range len(in.Makes) {
				part = min(part, needed[s.first[i]+v])
			}
			s.of[i] = part &^ 1 // what a call reads is computed just before it
		}
		for _, arg := range in.Args {
			need(arg, s.of[i])
		}
	}
}

// apart tells whether an instruction is a stage of its own.
func (s *stages) apart(in *TypedInstruction) bool {
	return in.apart() || s.Tabled && in.Op != OpConstant || s.byNumber(in)
}

// byNumber tells whether an instruction divides by a number what is none, which a piece of the library does by products.
func (s *stages) byNumber(in *TypedInstruction) bool {
	return in.Op == "divide" && in.simple() && !s.exact && s.held(in.Args[1]) && !s.number(in.Args[0])
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

// held tells whether a value is an input without dimensions.
func (s *stages) held(v int) bool { return s.from[v] < 0 && slices.Contains(s.Scalars, v) }

// number tells whether a value is that, or a constant.
func (s *stages) number(v int) bool {
	return s.held(v) || s.from[v] >= 0 && s.Body[s.from[v]].Op == OpConstant
}

// close tells whether a value is an input of which each element has one.
func (s *stages) close(v int) bool { return s.from[v] < 0 && !s.held(v) }

// wait finds the values that are read in a later part than the one that makes them, what functions give, and the numbers that
// functions of many are called with. To other parts inputs and constants are at hand.
func (s *stages) wait() {
	read := func(v, part int) {
		if i := s.from[v]; i >= 0 && s.Body[i].Op != OpConstant && s.of[i] != part {
			s.waits[v] = true
		}
	}
	for i := range s.Body {
		in := &s.Body[i]
		if s.apart(in) {
			s.waits[s.first[i]] = true
		}
		for _, arg := range in.Args {
			if read(arg, s.of[i]); in.vector() && !s.close(arg) {
				s.waits[arg] = true
			}
		}
	}
	for _, v := range s.wanted() {
		read(v, s.last)
	}
}

// stage is what is run for a block before the next stage is: instructions, one of them where it calls a function, constants that
// wait for functions, and stores.
type stage struct {
	body, given []int
	stores      []int // outputs
	call        bool
}

// order lists the stages; the last part of a loop that folds is none.
func (s *stages) order() []stage {
	var found []stage
	parts, given := s.parts(), s.given()
	for part := 0; part <= s.last; part++ {
		next := stage{given: given[part]}
		for _, i := range parts[part] {
			if in := &s.Body[i]; s.apart(in) {
				found = append(found, stage{body: []int{i}, call: in.apart()})
			} else {
				next.body = append(next.body, i)
			}
		}
		if part == s.last && !s.folds() {
			next.stores = s.stored()
			return s.ended(found, next)
		}
		if part == s.last {
			next.body = nil
		}
		for _, body := range s.apieces(next.body) {
			found = append(found, stage{body: body})
		}
		if len(next.given) > 0 {
			found = append(found, stage{given: next.given})
		}
	}
	return found
}

// parts lists the instructions of each part but constants.
func (s *stages) parts() [][]int {
	found := make([][]int, s.last+1)
	for i := range s.Body {
		if s.Body[i].Op != OpConstant {
			found[s.of[i]] = append(found[s.of[i]], i)
		}
	}
	return found
}

// ended adds the last stage, which stores. What is made just before is written where it belongs, by a piece of the library; where each
// instruction is a stage each output is one, for nothing that is stored is read any more.
func (s *stages) ended(found []stage, last stage) []stage {
	given := func(at int) bool { return !s.waits[s.Outputs[at].Value] || s.from[s.Outputs[at].Value] < 0 }
	if len(found) == 0 || len(last.body)+len(last.given) > 0 || slices.ContainsFunc(last.stores, given) {
		return append(found, last)
	}
	if end := &found[len(found)-1]; len(last.stores) == 1 && s.writes(end, &s.Outputs[last.stores[0]]) {
		end.stores = last.stores
		return found
	}
	for _, at := range last.stores {
		if !s.Tabled {
			return append(found, last)
		}
		found = append(found, stage{stores: []int{at}})
	}
	return found
}

// writes tells whether a stage is a piece of the library that may write an output itself: one of several instructions must not lie where
// its arguments do, which an input might.
func (s *stages) writes(st *stage, out *LoopOutput) bool {
	if len(st.body) != 1 || s.first[st.body[0]] != out.Value || s.typeOf(out.Value).Name != out.Type.Name {
		return false
	}
	in := &s.Body[st.body[0]]
	if !st.call {
		return in.simple()
	}
	return in.vector() && !slices.ContainsFunc(in.Args, s.close)
}

// apieces parts instructions of which none reads what another gives, nor both something that a third gives: smaller pieces
// are more often equal.
func (s *stages) apieces(body []int) [][]int {
	found := connected(body, func(piece []int, i int) bool {
		return slices.ContainsFunc(s.Body[i].Args, func(v int) bool { return s.from[v] >= 0 && slices.Contains(piece, s.from[v]) })
	})
	for _, piece := range found {
		slices.Sort(piece)
	}
	return found
}

// connected parts what comes in an order in which nothing reads what follows: a part is what reads one another. The part that
// was joined last is the last.
func connected(all []int, reads func(part []int, one int) bool) [][]int {
	var found [][]int
	for _, one := range all {
		mine := []int{one}
		found = slices.DeleteFunc(found, func(part []int) bool {
			joined := reads(part, one)
			if joined {
				mine = slices.Concat(part, mine)
			}
			return joined
		})
		found = append(found, mine)
	}
	return found
}

// given lists for each part the numbers that functions of many are called with in the next part, and in none before.
func (s *stages) given() [][]int {
	found := make([][]int, s.last+1)
	for v := range s.from {
		if !s.number(v) || !s.waits[v] {
			continue
		}
		if part := s.called(v) - 1; part >= 0 && part <= s.last {
			found[part] = append(found[part], v)
		}
	}
	return found
}

// called is the first part that calls a function of many numbers with a value.
func (s *stages) called(v int) int {
	first := math.MaxInt
	for i := range s.Body {
		if in := &s.Body[i]; in.vector() && slices.Contains(in.Args, v) {
			first = min(first, s.of[i])
		}
	}
	return first
}

// lives finds the last stage that reads each value; what is folded is read behind all.
func (s *stages) lives(order []stage) []int {
	last := make([]int, len(s.from))
	for at := range order {
		for _, i := range order[at].body {
			for _, v := range s.Body[i].Args {
				last[v] = at
			}
		}
	}
	end := len(order) - 1
	if s.folds() {
		end = math.MaxInt
		for i := range s.Body {
			for _, v := range s.Body[i].Args {
				if s.of[i] == s.last {
					last[v] = end
				}
			}
		}
	}
	for _, v := range s.wanted() {
		last[v] = end
	}
	return last
}

// typeOf gives a value's type.
func (s *stages) typeOf(value int) scalar.Type {
	if i := s.from[value]; i >= 0 {
		return s.Body[i].Makes[value-s.first[i]]
	}
	return s.Inputs[value]
}

// waiting is the type as which a value waits: one of float16 is a float.
func waiting(t scalar.Type) scalar.Type {
	if t.Class == 'e' {
		t, _ = scalar.TypeOf("float32") // there is one
	}
	return t
}
