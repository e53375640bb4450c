package lint

import (
	"encoding/binary"
	"errors"
	"slices"

	"opweld/gen/ccode"
)

// tri is what is known of something that is or is not.
type tri byte

const (
	maybe tri = iota
	no
	yes
)

// valueKind is what is known of a value.
type valueKind byte

const (
	unknown  valueKind = iota
	number             // exactly n; 0 is NULL too
	positive           // not negative
	nonzero            // not 0, and not NULL
	object             // a reference
	data               // an address in the memory of an object
)

// value is what an expression gives.
type value struct {
	kind valueKind
	raw  bool  // data: where the elements begin, in the order of the strides
	obj  int32 // of an object and data: which of the things
	n    int64
	from *ccode.Node // of a NULL: the call that failed
}

var (
	null    = value{kind: number}
	nothing = value{}
)

// thing is an object or memory that is followed.
type thing struct {
	at     *ccode.Node // what it came from; nil: what the fragment was given
	name   string      // of that, for people
	owned  int         // how many references this text holds
	null   tri
	given  int    // which of the fragment's variables held it at the beginning; -1: none
	base   uint64 // the inputs whose memory it may share
	of     int    // what it was asked of; -1: nothing
	memory bool   // malloc's, not an object
	fresh  bool   // it came with a reference of its own
	shared bool   // others hold it too: it outlives our references
	loose  bool   // who owns it is not known any more
	dead   bool   // nobody is known to hold it
	lies   bool   // memory that an array was made over, which may come to own it
	block  bool   // contiguous, or its strides were looked at
	flat   bool   // without dimensions
}

// fact is a condition that was found true or false.
type fact struct {
	of    int // which question
	truth bool
	vars  []int
	far   bool // it depends on memory
}

// state is what is known at a place on a path.
type state struct {
	vars     []value
	from     *values // what these are
	things   []thing
	facts    []fact
	raised   tri         // whether an exception is set
	by       *ccode.Node // what set it
	released bool        // the lock
	chosen   bool        // what the op's params say decided the way: it may be one that no node takes
	blind    bool        // something before could not be followed: what is known may be of a way that there is not
	touched  uint64      // which of the given variables were used
	way      *way
	room     *room
}

// way is how a state was reached: by taking for granted that a node, or a thing that it asks about, is so and so.
type way struct {
	before *way
	n      *ccode.Node
	how    string
	asks   bool // about a thing: what it came from, and what it is called
	at     *ccode.Node
	name   string
}

// values are those of a state's variables. Others may have the same: whoever sets one copies them before.
type values struct {
	all   []value
	count int // how many states have them
}

// room is the memory of states that are gone, for few are at once of the thousands that there are, and of what the look at
// one block needs: lists of one or two.
type room struct {
	states []*state
	values []*values
	copies int // that the look at one block made

	results  lists[result]
	outcomes lists[outcome]
	ways     lists[*state]
}

// clear is for when nobody has one of the lists any more.
func (r *room) clear() {
	r.results.used, r.outcomes.used, r.ways.used, r.copies = 0, 0, 0, 0
}

// lists is memory for short lists.
type lists[T any] struct {
	all  []T
	used int
}

// short is an empty list; what does not fit in goes elsewhere.
func (l *lists[T]) short() []T {
	if l.used+2 > len(l.all) {
		l.all, l.used = make([]T, 128), 0
	}
	at := l.used
	l.used += 2
	return l.all[at : at : at+2]
}

// errCrowded ends the look at a function that has too many paths, from within an expression too: of twenty arguments that may
// each fail there are a million.
var errCrowded = errors.New("too many paths")

func (s *state) copy() *state {
	if s.room.copies++; s.room.copies > limit {
		panic(errCrowded)
	}
	c := &state{}
	if last := len(s.room.states) - 1; last >= 0 {
		c, s.room.states = s.room.states[last], s.room.states[:last]
	}
	things, facts := append(c.things[:0], s.things...), append(c.facts[:0], s.facts...)
	*c = *s
	c.things, c.facts = things, facts
	s.from.count++
	return c
}

// gone gives the memory of a state back that nobody will look at any more.
func (s *state) gone() {
	if s.from.count--; s.from.count == 0 {
		s.room.values = append(s.room.values, s.from)
	}
	s.vars, s.from, s.way = nil, nil, nil
	s.room.states = append(s.room.states, s)
}

// set gives a variable a value.
func (s *state) set(at int, v value) {
	if s.vars[at] == v {
		return
	}
	if s.from.count > 1 {
		s.from.count--
		own := &values{}
		if last := len(s.room.values) - 1; last >= 0 {
			own, s.room.values = s.room.values[last], s.room.values[:last]
		}
		own.all, own.count = append(own.all[:0], s.vars...), 1
		s.vars, s.from = own.all, own
	}
	s.vars[at] = v
}

// step notes what was taken for granted on the way.
func (s *state) step(n *ccode.Node, how string) { s.way = &way{before: s.way, n: n, how: how} }

// stepOf notes what was taken for granted of a thing.
func (s *state) stepOf(n *ccode.Node, t *thing, how string) {
	s.way = &way{s.way, n, how, true, t.at, t.name}
}

// String is for people.
func (w *way) String() string {
	text := "`" + told(w.n) + "`"
	if w.asks {
		text += ": " + titled(w.at, w.name)
	}
	return text + " " + w.how
}

// held is the thing that a value is, or nil.
func (s *state) held(v value) *thing {
	if v.kind == object || v.kind == data {
		return &s.things[v.obj]
	}
	return nil
}

func (s *state) make(t thing) value {
	s.things = append(s.things, t)
	return value{kind: object, obj: int32(len(s.things) - 1)}
}

// keys writes states as text, in memory that it keeps.
type keys struct {
	text  []byte
	order []int
	kept  []thing
	told  uint64 // the given variables of which it is asked whether they were used
}

func (k *keys) num(n int) { k.text = binary.AppendVarint(k.text, int64(n)) }

func (k *keys) flags(all ...bool) {
	bits := 0
	for i, flag := range all {
		if flag {
			bits |= 1 << i
		}
	}
	k.num(bits)
}

// of is the same for states at a block from which the same can follow. It is good until the next.
func (k *keys) of(s *state, at *block) []byte {
	k.tidy(s)
	k.text = k.text[:0]
	k.num(at.id)
	for at, v := range s.vars {
		if v.kind == unknown {
			continue
		}
		k.num(at)
		k.text = append(k.text, byte(v.kind))
		switch v.kind {
		case number:
			k.num(int(v.n))
			k.at(v.from)
		case object, data:
			k.num(int(v.obj))
			k.flags(v.raw)
		}
	}
	k.num(-1)
	k.num(len(s.things))
	for i := range s.things {
		t := &s.things[i]
		k.at(t.at)
		k.num(t.owned)
		k.num(t.of)
		k.num(int(t.base))
		k.num(int(t.null))
		k.flags(t.shared, t.loose, t.dead, t.block, t.lies)
	}
	for _, f := range s.facts {
		k.num(f.of)
		k.flags(f.truth)
	}
	k.num(-1)
	k.num(int(s.raised))
	k.flags(s.released, s.chosen, s.blind)
	k.num(int(s.touched & k.told))
	if s.raised == yes {
		k.at(s.by)
	}
	return k.text
}

func (k *keys) at(n *ccode.Node) {
	if n == nil {
		k.num(-1)
	} else {
		k.num(n.Start)
	}
}

// tidy drops what nothing refers to, and numbers the rest in the order of the variables.
func (k *keys) tidy(s *state) {
	k.order, k.kept = append(k.order[:0], make([]int, len(s.things))...), k.kept[:0]
	for i, v := range s.vars {
		if v.kind == object || v.kind == data {
			v.obj = int32(k.keep(s, int(v.obj)))
			s.set(i, v)
		}
	}
	for i := range s.things {
		if s.things[i].of >= 0 && s.things[i].owned > 0 && k.order[s.things[i].of] > 0 {
			k.keep(s, i) // what was asked of something that is still there may be asked again
		}
	}
	s.things = append(s.things[:0], k.kept...)
}

func (k *keys) keep(s *state, i int) int {
	if k.order[i] == 0 {
		k.kept = append(k.kept, s.things[i])
		k.order[i] = len(k.kept)
		if t := s.things[i]; t.of >= 0 {
			at := k.order[i] - 1
			k.kept[at].of = k.keep(s, t.of)
		}
	}
	return k.order[i] - 1
}

// learn notes a fact.
func (s *state) learn(f fact) {
	at, known := slices.BinarySearchFunc(s.facts, f.of, func(a fact, of int) int { return a.of - of })
	if known {
		s.facts[at] = f
	} else {
		s.facts = slices.Insert(s.facts, at, f)
	}
}

func (s *state) known(of int) tri {
	for _, f := range s.facts {
		if f.of == of {
			if f.truth {
				return yes
			}
			return no
		}
	}
	return maybe
}

// changed forgets what depended on a variable; -1: on memory.
func (s *state) changed(at int) {
	s.facts = slices.DeleteFunc(s.facts, func(f fact) bool { return at < 0 && f.far || slices.Contains(f.vars, at) })
}

// forget is for what cannot be followed: nothing is known after it but what the text was given.
func (s *state) forget() {
	for i := range s.vars {
		s.set(i, nothing)
	}
	for i := range s.things {
		s.things[i].loose = true
	}
	s.facts, s.raised, s.by, s.touched, s.blind = s.facts[:0], maybe, nil, ^uint64(0), true
}
