package signature

import (
	"slices"
	"strconv"
)

// parser walks the tokens.
type parser struct {
	tokens []token
	at     int
	bounds []bound // as written after where
}

type bound struct {
	name   token
	dtypes []string
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// accept takes a sign or word if it is there.
func (p *parser) accept(text string) bool {
	if !p.peek().is(text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(text, why string) error {
	if !p.accept(text) {
		return p.peek().fail("expected %q %s, found %s", text, why, p.peek().shown())
	}
	return nil
}

// after tells whether this comes after the next token.
func (p *parser) after(text string) bool {
	return p.at+1 < len(p.tokens) && p.tokens[p.at+1].is(text)
}

func (p *parser) signature() (*Signature, error) {
	s := &Signature{Inputs: []Argument{}, Outputs: []Argument{}, Types: []Bound{}, Sizes: []Size{}}
	closing := ""
	if p.peek().kind == word && p.after("(") {
		name := p.take()
		if err := checkName(name, "function"); err != nil {
			return nil, err
		}
		s.Name, closing = name.text, ")"
		p.take()
	}
	var err error
	if s.Inputs, err = p.arguments(closing); err != nil {
		return nil, err
	}
	if closing != "" {
		if err := p.expect(closing, "after the inputs"); err != nil {
			return nil, err
		}
	}
	if p.accept("->") {
		if s.Outputs, err = p.outputs(); err != nil {
			return nil, err
		}
	}
	if p.accept("where") {
		if err := p.where(); err != nil {
			return nil, err
		}
	}
	if t := p.peek(); t.kind != end {
		return nil, t.fail("expected ',', '->', where or the end, found %s", t.shown())
	}
	return s, nil
}

// arguments reads the inputs, none if what closes them, or an arrow, comes first.
func (p *parser) arguments(closing string) ([]Argument, error) {
	found := []Argument{}
	for {
		t := p.peek()
		if t.is("->") || t.kind == end || closing != "" && t.is(closing) {
			if len(found) > 0 {
				return nil, t.fail("expected an input after ',', found %s", t.shown())
			}
			return found, nil
		}
		a, err := p.named()
		if err != nil {
			return nil, err
		}
		found = append(found, a)
		if !p.accept(",") {
			return found, nil
		}
	}
}

func (p *parser) outputs() ([]Argument, error) {
	if p.peek().kind == word && !p.after(":") { // the value of a function: a dtype alone
		a, err := p.typed(Argument{at: p.peek()})
		return []Argument{a}, err
	}
	found := []Argument{}
	for {
		a, err := p.named()
		if err != nil {
			return nil, err
		}
		if a.Inout {
			return nil, a.at.fail("'%s: inout' is an input: write it before the arrow", a.Name)
		}
		found = append(found, a)
		if !p.accept(",") {
			return found, nil
		}
	}
}

// named reads "name: [inout] [strided] [work] dtype[sizes] [= value]".
func (p *parser) named() (Argument, error) {
	t := p.take()
	if t.kind != word {
		return Argument{}, t.fail("expected an argument's name, found %s", t.shown())
	}
	if err := checkName(t, "argument"); err != nil {
		return Argument{}, err
	}
	if !p.accept(":") {
		return Argument{}, p.peek().fail("expected ':' and a dtype after %q, found %s", t.text, p.peek().shown())
	}
	return p.typed(Argument{Name: t.text, at: t})
}

func (p *parser) typed(a Argument) (Argument, error) {
	for {
		switch {
		case p.peek().is("inout"):
			a.Inout = true
		case p.peek().is("strided"):
			a.Strided = true
		case p.peek().is("work"):
			a.Work = true
		default:
			return p.dtyped(a)
		}
		p.take()
	}
}

func (p *parser) dtyped(a Argument) (Argument, error) {
	t := p.take()
	if t.kind != word {
		return a, t.fail("expected a dtype or a type variable, found %s", t.shown())
	}
	if err := checkDtype(t); err != nil {
		return a, err
	}
	a.Dtype, a.dtypeAt, a.Dims = t.text, t, []*Dim{}
	if p.accept("[") && !p.accept("]") {
		for {
			d, err := p.sum()
			if err != nil {
				return a, err
			}
			a.Dims = append(a.Dims, d)
			if p.accept("]") {
				break
			}
			if !p.accept(",") {
				return a, p.peek().fail("expected ',' or ']' after a size, found %s", p.peek().shown())
			}
		}
	}
	return a, p.value(&a)
}

// value reads "= 0.5".
func (p *parser) value(a *Argument) error {
	if !p.accept("=") {
		return nil
	}
	t := p.take()
	boolean := t.is("True") || t.is("False") || t.is("true") || t.is("false")
	if t.kind != number && !boolean && !t.is("inf") && !t.is("nan") {
		return t.fail("expected a number after '=', found %s", t.shown())
	}
	a.Value = &t.text
	return nil
}

// ---- sizes ----

func (p *parser) sum() (*Dim, error)     { return p.chain(p.product, "+", "-") }
func (p *parser) product() (*Dim, error) { return p.chain(p.atom, "*", "//", "%") }

// chain reads operands with operators between them, from the left.
func (p *parser) chain(operand func() (*Dim, error), operators ...string) (*Dim, error) {
	left, err := operand()
	for err == nil && slices.Contains(operators, p.peek().text) {
		op := p.take()
		var right *Dim
		right, err = operand()
		if err == nil && (op.text == "//" || op.text == "%") && right.Op == "number" && right.Number == 0 {
			err = op.fail("a size cannot be divided by 0")
		}
		left = &Dim{Op: op.text, Args: []*Dim{left, right}, at: left.start()}
	}
	return left, err
}

func (d *Dim) start() token {
	if d == nil {
		return token{}
	}
	return d.at
}

func (p *parser) atom() (*Dim, error) {
	t := p.take()
	switch {
	case t.is("("):
		d, err := p.sum()
		if err == nil {
			err = p.expect(")", "after a size")
		}
		return d, err
	case t.kind == number:
		value, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil || value > 1<<40 {
			return nil, t.fail("%s is no size", t.text)
		}
		return &Dim{Op: "number", Number: value, at: t}, nil
	case t.is("min") || t.is("max"):
		return p.least(t)
	case t.kind == word:
		return &Dim{Op: "name", Name: t.text, at: t}, checkName(t, "size")
	case t.is("]") || t.is(","):
		return nil, t.fail("expected a size before %s", t.shown())
	case t.is("*"):
		return nil, t.fail("expected a size, found \"*\": a power is written n*n")
	case t.is(":"):
		return nil, t.fail("a size is a name or a number: write n for ':'")
	}
	return nil, t.fail("expected a size, found %s", t.shown())
}

// least reads "min(a, b)".
func (p *parser) least(t token) (*Dim, error) {
	if err := p.expect("(", "after "+t.text); err != nil {
		return nil, err
	}
	a, err := p.sum()
	if err != nil {
		return nil, err
	}
	if err := p.expect(",", "between the two sizes of "+t.text); err != nil {
		return nil, err
	}
	b, err := p.sum()
	if err != nil {
		return nil, err
	}
	return &Dim{Op: t.text, Args: []*Dim{a, b}, at: t}, p.expect(")", "after the two sizes of "+t.text)
}

// ---- bounds ----

// where reads "T: float, U: int32 | int64".
func (p *parser) where() error {
	for {
		t := p.take()
		if t.kind != word {
			return t.fail("expected a type variable after where, found %s", t.shown())
		}
		if err := p.expect(":", "after "+t.text); err != nil {
			return err
		}
		b := bound{name: t}
		for {
			members, err := p.member()
			if err != nil {
				return err
			}
			b.dtypes = append(b.dtypes, members...)
			if !p.accept("|") {
				break
			}
		}
		p.bounds = append(p.bounds, b)
		if !p.accept(",") {
			return nil
		}
	}
}

func (p *parser) member() ([]string, error) {
	t := p.take()
	if members, known := groups[t.text]; known && t.kind == word {
		return members, nil
	}
	if _, known := dtypes[t.text]; known && t.kind == word && t.text != Function {
		return []string{t.text}, nil
	}
	if near := nearest(t.text); t.kind == word && near != "" {
		return nil, t.fail("unknown dtype %q; did you mean %s?", t.text, near)
	}
	return nil, t.fail("expected a dtype, or float, int, signed, unsigned, complex or number, found %s", t.shown())
}
