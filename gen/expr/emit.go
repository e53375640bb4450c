package expr

import (
	"fmt"
	"math/big"
	"strings"
)

// emit gives the value that an instruction makes; an equal one that is there already is not made again.
func (l *lowering) emit(t token, op string, args ...value) value {
	numbers := make([]int, len(args))
	for i, arg := range args {
		numbers[i] = int(arg)
	}
	return l.add(Instruction{Op: op, Args: numbers, Line: t.line, Column: t.column})
}

func (l *lowering) constant(t token, kind, text string) value {
	return l.add(Instruction{Op: "constant", Args: []int{}, Kind: kind, Value: text, Line: t.line, Column: t.column})
}

func (l *lowering) add(made Instruction) value {
	if l.failure != nil {
		return 0
	}
	key := fmt.Sprintf("%s %v %s %s", made.Op, made.Args, made.Kind, made.Value)
	if found, ok := l.seen[key]; ok {
		return found
	}
	l.body = append(l.body, made)
	l.seen[key] = value(len(l.body) - 1)
	return l.seen[key]
}

// number gives a literal's kind, and its text as Python's int and float take it.
func (l *lowering) number(t token) value {
	text := strings.ToLower(t.text)
	switch {
	case strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0o") || strings.HasPrefix(text, "0b"):
		whole, _ := new(big.Int).SetString(text, 0)
		return l.constant(t, "int", whole.String())
	case strings.HasSuffix(text, "j"):
		return l.constant(t, "imaginary", strings.TrimSuffix(text, "j"))
	case strings.ContainsAny(text, ".e"):
		return l.constant(t, "float", text)
	}
	whole, _ := new(big.Int).SetString(text, 10)
	return l.constant(t, "int", whole.String())
}

// expression numbers the values: arguments first, then what the results need, in the order of the text.
func (l *lowering) expression(results []value) *Expression {
	needed := make([]bool, len(l.body))
	for _, result := range results {
		if result >= 0 {
			needed[result] = true
		}
	}
	for i := len(l.body) - 1; i >= 0; i-- {
		for _, arg := range l.body[i].Args {
			if needed[i] && arg >= 0 {
				needed[arg] = true
			}
		}
	}
	numbers := make([]int, len(l.body))
	number := func(v int) int {
		if v < 0 {
			return ^v
		}
		return numbers[v]
	}
	found := &Expression{Args: append([]string{}, l.args...), Body: []Instruction{}, Results: []int{}}
	for i, made := range l.body {
		if !needed[i] {
			continue
		}
		for place, arg := range made.Args {
			made.Args[place] = number(arg)
		}
		numbers[i] = len(l.args) + len(found.Body)
		found.Body = append(found.Body, made)
	}
	for _, result := range results {
		found.Results = append(found.Results, number(int(result)))
	}
	return found
}
