package lint

import (
	"slices"
	"strconv"

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
	n    int64
	obj  int
	from *ccode.Node // of a NULL: the call that failed
	raw  bool        // data: where the elements begin, in the order of the strides
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
	block  bool   // contiguous, or its strides were looked at
	flat   bool   // without dimensions
}

// fact is a condition that was found true or false.
type fact struct {
	text  string
	truth bool
	vars  []int
	far   bool // it depends on memory
}

// state is what is known at a place on a path.
type state struct {
	vars     []value
	things   []thing
	facts    []fact
	raised   tri         // whether an exception is set
	by       *ccode.Node // what set it
	released bool        // the lock
	chosen   bool        // what the op's params say decided the way: it may be one that no node takes
	touched  uint64      // which of the given variables were used
	way      *way
}

// way is how a state was reached.
type way struct {
	before *way
	n      *ccode.Node
	text   string
}

func (s *state) copy() *state {
	c := *s
	c.vars, c.things, c.facts = slices.Clone(s.vars), slices.Clone(s.things), slices.Clone(s.facts)
	return &c
}

// step notes what was taken for granted on the way.
func (s *state) step(n *ccode.Node, text string) { s.way = &way{s.way, n, text} }

// held is the thing that a value is, or nil.
func (s *state) held(v value) *thing {
	if v.kind == object || v.kind == data {
		return &s.things[v.obj]
	}
	return nil
}

func (s *state) make(t thing) value {
	s.things = append(s.things, t)
	return value{kind: object, obj: len(s.things) - 1}
}

// key is the same for states from which the same can follow.
func (s *state) key() string {
	s.tidy()
	b := make([]byte, 0, 16*(len(s.vars)+len(s.things)))
	num := func(n int) { b = append(strconv.AppendInt(b, int64(n), 36), ' ') }
	for _, v := range s.vars {
		b = append(b, byte('a'+v.kind))
		switch v.kind {
		case number:
			num(int(v.n))
			if v.from != nil {
				num(v.from.Start)
			}
		case object, data:
			num(v.obj)
			if v.raw {
				b = append(b, '^')
			}
		}
	}
	for i := range s.things {
		t := &s.things[i]
		b = append(b, '|')
		if t.at != nil {
			num(t.at.Start)
		}
		num(t.owned)
		num(t.of)
		num(int(t.base))
		b = append(b, byte('0'+t.null))
		for _, flag := range []bool{t.shared, t.loose, t.dead, t.block} {
			if flag {
				b = append(b, 'x')
			} else {
				b = append(b, '.')
			}
		}
	}
	for _, f := range s.facts {
		b = append(append(b, f.text...), '?')
		if f.truth {
			b = append(b, '!')
		}
	}
	b = append(b, '/', byte('0'+s.raised))
	if s.released {
		b = append(b, 'r')
	}
	if s.chosen {
		b = append(b, 'c')
	}
	num(int(s.touched))
	if s.by != nil && s.raised == yes {
		num(s.by.Start)
	}
	return string(b)
}

// tidy drops what nothing refers to, and numbers the rest in the order of the variables.
func (s *state) tidy() {
	order := make([]int, len(s.things))
	var kept []thing
	var keep func(i int) int
	keep = func(i int) int {
		if order[i] == 0 {
			t := s.things[i]
			kept = append(kept, t)
			order[i] = len(kept)
			if t.of >= 0 {
				of := keep(t.of)
				kept[order[i]-1].of = of
			}
		}
		return order[i] - 1
	}
	for i := range s.vars {
		if v := &s.vars[i]; v.kind == object || v.kind == data {
			v.obj = keep(v.obj)
		}
	}
	for i := range s.things {
		if s.things[i].of >= 0 && s.things[i].owned > 0 && order[s.things[i].of] > 0 {
			keep(i) // what was asked of something that is still there may be asked again
		}
	}
	s.things = kept
}

// learn notes a fact.
func (s *state) learn(f fact) {
	for i := range s.facts {
		if s.facts[i].text == f.text {
			s.facts[i] = f
			return
		}
	}
	at, _ := slices.BinarySearchFunc(s.facts, f.text, func(a fact, text string) int {
		if a.text < text {
			return -1
		}
		if a.text > text {
			return 1
		}
		return 0
	})
	s.facts = slices.Insert(s.facts, at, f)
}

func (s *state) known(text string) tri {
	for _, f := range s.facts {
		if f.text == text {
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
		s.vars[i] = nothing
	}
	for i := range s.things {
		s.things[i].loose = true
	}
	s.facts, s.raised, s.by, s.touched = nil, maybe, nil, ^uint64(0)
}
