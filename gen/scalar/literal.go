package scalar

import (
	"fmt"
	"math/big"
	"strings"

	"opweld/gen/pattern"
)

var (
	integer  = pattern.New(`^-?[0-9]+$`)
	floating = pattern.New(`^-?([0-9]+\.?[0-9]*([eE][-+]?[0-9]+)?|0x[01]\.?[0-9a-f]*p[-+]?[0-9]+)$`)
)

// A long double has at most 113 bits, which 36 digits tell apart.
const (
	longBits   = 128
	longDigits = 36
)

// Literal writes a constant of a type; its text is what docs/program.md says of a constant's value.
func Literal(t Type, text string) (Code, error) {
	wrong := fmt.Errorf("%q is no constant of dtype %s", text, t.Name)
	switch t.Class {
	case 'b':
		switch text {
		case "true":
			return Code{Text: "((npy_bool)1)"}, nil
		case "false":
			return Code{Text: "((npy_bool)0)"}, nil
		}
		return Code{}, wrong
	case 'i', 'u':
		n, ok := new(big.Int).SetString(text, 10)
		if !ok || !integer.MatchString(text) || !fits(n, t) {
			return Code{}, wrong
		}
		if t.Class == 'u' { // the number, not the text: C reads 010 as 8
			return Code{Text: fmt.Sprintf("((%s)%sULL)", t.Value, n)}, nil
		}
		if n.Cmp(new(big.Int).Lsh(big.NewInt(-1), 63)) == 0 {
			return Code{Text: fmt.Sprintf("((%s)(-9223372036854775807LL - 1))", t.Value)}, nil
		}
		return Code{Text: fmt.Sprintf("((%s)%sLL)", t.Value, n)}, nil
	case 'c':
		re, im, two := strings.Cut(text, " ")
		a, b := real_(re, t.Part), real_(im, t.Part)
		if !two || a == "" || b == "" {
			return Code{}, wrong
		}
		h := Helper{"make_c", "make", t}
		c := Code{Text: fmt.Sprintf("%s(%s, %s)", h.C(), a, b)}
		c.needs(h)
		return c, nil
	}
	found := real_(text, t.Part)
	if found == "" {
		return Code{}, wrong
	}
	if t.Class != 'e' {
		return Code{Text: found}, nil
	}
	c := Code{Text: "opw_half_round(" + found + ")"}
	c.needs(Helper{"half", "half", t})
	return c, nil
}

// real_ writes a floating point number; empty: it is none.
func real_(text, ctype string) string {
	switch text {
	case "inf":
		return "((" + ctype + ")INFINITY)"
	case "-inf":
		return "(-(" + ctype + ")INFINITY)"
	case "nan":
		return "((" + ctype + ")NAN)"
	}
	if !floating.MatchString(text) {
		return ""
	}
	long := strings.HasPrefix(ctype, "npy_long") || ctype == "long double"
	whole := integer.MatchString(text)
	if whole {
		text += ".0"
	}
	if long && strings.Contains(text, "x") { // in decimal digits, since C++ before 2017 knows no others
		if f, _, err := big.ParseFloat(text, 0, longBits, big.ToNearestEven); err == nil {
			text, whole = f.Text('e', longDigits), true
		}
	}
	if long && whole { // exact; decimal fractions are of doubles
		text += "L"
	}
	return "((" + ctype + ")" + text + ")"
}

func fits(n *big.Int, t Type) bool {
	if t.Class == 'u' {
		return n.Sign() >= 0 && n.BitLen() <= t.Bits
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n)
	}
	return n.BitLen() < t.Bits
}
