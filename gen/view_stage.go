package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"opweld/gen/pattern"
	"opweld/gen/scalar"
)

// StagedView is a loop that is run in stages, each for a block of elements before the next one is.
type StagedView struct {
	Written   []PieceView // pieces that no loop before has
	Stages    []StageView // parts, each with what it is run on
	Slots     []SlotView  // where values wait for a later stage
	Width     int         // bytes that an element takes in all of them
	Pieces    []string    // that stages run; none: they run those of the vector library alone
	Order     string      // of each stage the number of its piece and where its places begin, as numbers() has them
	Where     string      // of all stages: operands of the loop, or slots behind them
	Sizes     string      // of the operands' elements; 0: an input without dimensions
	SlotSizes string
	Reads     string // a mask of the inputs that stages read
	Exact     int    // 1: no piece is run for more elements than there are
	own       bool   // stages run pieces that are written in the unit
	where     []int
	rest      []int // the operands that the last part of a loop that folds reads or stores
}

// StageView is a run of a piece; First is where its places begin.
type StageView struct {
	Piece string
	First int
	own   *PieceView // the piece, where it is written in the unit
	id    string     // of its text
}

// SlotView is a place for a value of each element of a block.
type SlotView struct {
	Index int
	Type  string
	size  int
	holds int // a value
}

// PieceView is a function that computes a block. Pointers are to what it reads, and to what it writes; Fill: what a function that is
// called for each element gives, and of which a whole vector is wanted.
type PieceView struct {
	Name     string
	Pointers []string // "const ", or nothing
	Held     []string // statements before the loop
	Lines    []LineView
	Call     string // or the call of a function for all elements
	Fill     string
	Exact    bool
	Fails    bool
	Guarded  bool
	Raises   int
}

// stageBlock is how many elements a stage is run for; of one that folds the last block is of fewer than two. What waits of them stays in
// the nearest cache.
const stageBlock = 256

// stager gives what waits a place, and writes the pieces.
type stager struct {
	*stages
	*body
	whole *StagedView
	until []int // of each value, the last stage that reads it
	slots []int // of each value that waits
	reads []int // inputs
}

// staged writes the pieces of a loop. Of one that folds, what is computed in the last part is left in b.
func (b *body) staged(l *Loop, operands []OperandView) *StagedView {
	s := &stager{stages: newStages(l), body: b, whole: &StagedView{Sizes: numbers(l.contiguous(operands))}}
	if s.exact {
		s.whole.Exact = 1
	}
	order := s.order()
	s.until, s.slots = s.lives(order), make([]int, len(s.from))
	for at := range order {
		s.write(at, &order[at])
	}
	if b.lines = nil; l.folds() {
		s.rest()
	}
	s.whole.Reads = mask(s.reads)
	s.arrange()
	return s.whole
}

// arrange has larger slots lie before smaller ones, so that each is aligned, and says where slots are.
func (s *stager) arrange() {
	operands := len(s.Inputs) + len(s.stored())
	slices.SortStableFunc(s.whole.Slots, func(a, b SlotView) int { return b.size - a.size })
	for i, at := range s.whole.where {
		if at < 0 {
			s.whole.where[i] = operands + slices.IndexFunc(s.whole.Slots, func(slot SlotView) bool { return slot.Index == -1-at })
		}
	}
	var sizes []int
	for _, slot := range s.whole.Slots {
		sizes = append(sizes, slot.size)
		s.whole.Width += slot.size
	}
	s.whole.Where, s.whole.SlotSizes = numbers(s.whole.where), numbers(sizes)
}

// number gives the pieces that stages run their numbers: in the vector library's list, of which it gives what there is now, where they
// run no others.
func (w *StagedView) number(library []string) []string {
	list, order := &library, make([]int, 0, 2*len(w.Stages))
	if w.own {
		list = &w.Pieces
	}
	for _, st := range w.Stages {
		at := slices.Index(*list, st.Piece)
		if at < 0 {
			at = len(*list)
			*list = append(*list, st.Piece)
		}
		order = append(order, at, st.First)
	}
	w.Order = numbers(order)
	return library
}

// write writes a stage, and its piece where the library has none.
func (s *stager) write(at int, st *stage) {
	p := &piece{stager: s, view: PieceView{Exact: s.whole.Exact > 0, Raises: s.raises}}
	s.lines = nil
	name := p.simple(st)
	switch {
	case name != "":
	case st.call && s.Body[st.body[0]].vector():
		name = p.vector(st)
	default:
		p.compute(st)
	}
	next := StageView{Piece: name, First: len(s.whole.where)}
	if name == "" {
		next.own, next.id = p.written()
		s.whole.own = true
	}
	s.whole.Stages = append(s.whole.Stages, next)
	s.whole.where = append(s.whole.where, p.places(at, st.call)...)
}

// written gives the piece that s.lines and p say, and what tells it from others.
func (p *piece) written() (*PieceView, string) {
	p.view.Lines = p.lines
	p.rename()
	for _, l := range p.view.Lines {
		p.view.Fails = p.view.Fails || l.Code != nil || strings.Contains(l.Text, "opw_failure") || strings.Contains(l.Text, "opw_member")
		p.view.Guarded = p.view.Guarded || l.Code != nil && p.guarded
	}
	return &p.view, fmt.Sprint(p.view)
}

// settle names the pieces of a loop that are written in the unit, and has those written that no loop before has. pieces: their texts ->
// their names, of those that the loop sees.
func (w *StagedView) settle(loop string, pieces map[string]string) {
	for i := range w.Stages {
		st := &w.Stages[i]
		if st.own == nil {
			continue
		}
		name, known := pieces[st.id]
		if !known {
			name = fmt.Sprintf("%s_piece%d", loop, len(w.Written))
			pieces[st.id], st.own.Name = name, name
			w.Written = append(w.Written, *st.own)
		}
		st.Piece = name
	}
}

// rest names what the last part of a loop that folds reads, and computes.
func (s *stager) rest() {
	known := map[int]bool{}
	read := func(v int) {
		if i := s.from[v]; i >= 0 && s.of[i] == s.last && s.Body[i].Op != OpConstant || known[v] {
			return
		}
		known[v] = true
		switch i := s.from[v]; {
		case i < 0:
			s.whole.rest = append(s.whole.rest, v)
			s.line("const %s %s = %s;", s.Inputs[v].Value, valueName(v), s.use(s.Inputs[v].Load(s.place(v))))
		case s.Body[i].Op == OpConstant:
			s.again(i)
		default:
			s.line("const %s %s = opw_b->opw_w%d[opw_k];", s.typeOf(v).Value, valueName(v), s.slots[v])
		}
	}
	for _, v := range s.wanted() {
		read(v)
	}
	for i := range s.Body {
		if s.of[i] == s.last && s.Body[i].Op != OpConstant {
			for _, v := range s.Body[i].Args {
				read(v)
			}
		}
	}
	for i := range s.Body {
		if s.of[i] == s.last && s.Body[i].Op != OpConstant {
			s.again(i)
		}
	}
	s.stores(s.Loop)
	for i := range s.stored() {
		s.whole.rest = append(s.whole.rest, len(s.Inputs)+i)
	}
}

// again writes an instruction, by the names of its values.
func (s *stager) again(i int) {
	s.values = s.first[i]
	s.instruction(&s.Body[i])
}

// piece is one that is written.
type piece struct {
	*stager
	view   PieceView
	points []int // what its pointers are to: operands, or values as -1 - value
	writes []int // values that wait
}

// to names the pointer to something.
func (p *piece) to(what int, constant string) string {
	at := slices.Index(p.points, what)
	if at < 0 {
		at = p.point(what, constant)
	}
	return pointer(at)
}

// point adds a pointer, and gives its number.
func (p *piece) point(what int, constant string) int {
	p.points, p.view.Pointers = append(p.points, what), append(p.view.Pointers, constant)
	return len(p.points) - 1
}

// pointer names the pointer of a number.
func pointer(at int) string { return "opw_x" + strconv.Itoa(at) }

// compute reads what a stage needs, computes, and writes what will wait or is stored.
func (p *piece) compute(st *stage) {
	known := map[int]bool{}
	for _, i := range st.body {
		for v := range p.Body[i].Makes {
			known[p.first[i]+v] = true
		}
	}
	wanted := slices.Clone(st.given)
	for _, i := range st.body {
		wanted = append(wanted, p.Body[i].Args...)
	}
	for _, at := range st.stores {
		wanted = append(wanted, p.Outputs[at].Value)
	}
	for _, v := range wanted {
		if !known[v] {
			known[v] = true
			p.read(v)
		}
	}
	for _, i := range st.body {
		p.again(i)
		for v := range len(p.Body[i].Makes) {
			p.keep(p.first[i] + v)
		}
	}
	for _, v := range st.given {
		p.keep(v)
	}
	if st.call && !p.view.Exact {
		v := p.first[st.body[0]]
		p.view.Fill = fmt.Sprintf("((%s *)(void *)%s)", p.typeOf(v).Value, p.to(-1-v, ""))
	}
	for _, at := range st.stores {
		out := p.Outputs[at]
		p.line("%s", p.use(out.Type.Store(p.at(p.output(at), out.Type, ""), valueName(out.Value))))
	}
}

// output is the operand that an output is stored to.
func (p *piece) output(at int) int { return len(p.Inputs) + slices.Index(p.stored(), at) }

// read names a value that is there.
func (p *piece) read(v int) {
	switch i := p.from[v]; {
	case p.held(v):
		t := p.Inputs[v]
		p.view.Held = append(p.view.Held, fmt.Sprintf("const %s %s = %s;", t.Value, valueName(v), p.use(t.Load(p.to(p.input(v), "const ")))))
	case i < 0:
		t := p.Inputs[v]
		p.line("const %s %s = %s;", t.Value, valueName(v), p.use(t.Load(p.at(p.input(v), t, "const "))))
	case p.Body[i].Op == OpConstant:
		p.again(i)
	default:
		t := waiting(p.typeOf(v))
		p.line("const %s %s = %s;", t.Value, valueName(v), p.use(t.Load(p.at(-1-v, t, "const "))))
	}
}

// input notes that an input is read.
func (p *piece) input(v int) int {
	if !slices.Contains(p.reads, v) {
		p.reads = append(p.reads, v)
	}
	return v
}

// at is where the element of an operand, or of a value that waits, lies.
func (p *piece) at(what int, t scalar.Type, constant string) string {
	return fmt.Sprintf("%s + opw_k * %d", p.to(what, constant), t.Size)
}

// keep writes a value that will wait.
func (p *piece) keep(v int) {
	if p.waits[v] {
		t := waiting(p.typeOf(v))
		p.line("%s", p.use(t.Store(p.at(-1-v, t, ""), valueName(v))))
		p.writes = append(p.writes, v)
	}
}

// places gives what is written a slot, in that of what is read for the last time unless a function is called, and says where all is.
func (p *piece) places(at int, call bool) []int {
	for _, v := range p.writes {
		t := waiting(p.typeOf(v))
		free := func(slot SlotView) bool {
			last := p.until[slot.holds]
			return slot.Type == t.Value && (last < at || last == at && !call && !slices.Contains(p.writes, slot.holds))
		}
		slot := slices.IndexFunc(p.whole.Slots, free)
		if slot < 0 {
			slot = len(p.whole.Slots)
			p.whole.Slots = append(p.whole.Slots, SlotView{Index: slot, Type: t.Value, size: t.Size})
		}
		p.whole.Slots[slot].holds, p.slots[v] = v, slot
	}
	var found []int
	for _, what := range p.points {
		if what < 0 {
			what = -1 - p.slots[-1-what]
		}
		found = append(found, what)
	}
	return found
}

var valueNamed = pattern.New(`\b` + gluePrefix + `v\d+\b`)

// rename has values named in the order in which they come, so that equal parts are equal texts.
func (p *piece) rename() {
	names := map[string]string{}
	name := func(text string) string {
		return valueNamed.ReplaceAllStringFunc(text, func(old string) string {
			if names[old] == "" {
				names[old] = valueName(len(names))
			}
			return names[old]
		})
	}
	for i := range p.view.Held {
		p.view.Held[i] = name(p.view.Held[i])
	}
	for i := range p.view.Lines {
		l := &p.view.Lines[i]
		l.Text = name(l.Text)
		for j := range l.Before {
			l.Before[j] = name(l.Before[j])
		}
		for j := range l.After {
			l.After[j] = name(l.After[j])
		}
	}
}
