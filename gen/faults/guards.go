package faults

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/pattern"
	"opweld/npyapi"
)

// failure is what `fail` stands for, of an op's or a type's text, and of a member of a struct.
var failure = pattern.New(`^\{ opw_fail(?:ure|ed) = 1; goto opw_\w+; \}`)

// declared finds a condition of C++ that declares, and cannot stand in brackets.
var declared = pattern.New(`;|^\s*[\w:<>\s]*\w[\s*&]+\w+\s*=[^=]`)

// guard is a condition, between its brackets, and what leads on: that it holds, that it does not, or the label of a switch.
type guard struct {
	start, end int
	not        bool
	label      string // of a switch
}

// walker goes through statements and knows what led to each.
type walker struct {
	*marker
	tokens []token
	i      int
}

// fails finds what `fail` stands for, by its text and by the macro FAIL.
func (m *marker) fails(tokens []token) {
	w := &walker{marker: m, tokens: tokens}
	for w.i < len(tokens) {
		w.statement(nil, 0)
	}
}

func (w *walker) at(text string) bool { return w.i < len(w.tokens) && w.tokens[w.i].text == text }

// brackets steps over a pair and gives what lies between.
func (w *walker) brackets() (start, end int, ok bool) {
	if !w.at("(") {
		return 0, 0, false
	}
	last, ok := closing(w.tokens, w.i)
	start, end = w.tokens[w.i].end, w.tokens[last].start
	w.i = last + 1
	return start, end, ok
}

// statement steps over one, of which is known what led there, and where what it leads to begins.
func (w *walker) statement(led []guard, begin int) {
	if w.i >= len(w.tokens) {
		return
	}
	t := w.tokens[w.i]
	switch {
	case w.failure(led, begin):
	case t.text[0] == '#' || t.text == ";" || t.text == "}":
		w.i++
	case t.text == "{":
		w.block(led, begin)
	case t.text == "if":
		w.choice(nil)
	case t.text == "switch":
		w.i++
		if start, end, ok := w.brackets(); ok {
			w.cases(start, end)
		}
	case t.text == "while" || t.text == "for":
		w.i++
		w.brackets()
		w.statement(nil, 0)
	case t.text == "do" || t.text == "try":
		w.i++
		w.statement(nil, 0)
	default:
		w.expression(led, begin)
	}
}

// failure steps over what `fail` stands for, if it stands here.
func (w *walker) failure(led []guard, begin int) bool {
	t := w.tokens[w.i]
	end, short := w.failureEnds()
	if end == 0 {
		return false
	}
	for w.i < len(w.tokens) && w.tokens[w.i].start < end {
		w.i++
	}
	asks := "opw_branch"
	if begin == 0 || !short && !w.says(begin, t.start) {
		asks = "opw_answered"
		if !w.answered(led) {
			led = nil // whoever set the exception before is the one to be forced
		}
	}
	w.found = append(w.found, &place{
		Place: Place{Kind: Fail, Name: "fail", Branch: len(led) > 0},
		start: t.start,
		write: func(number int) []edit {
			return append(forced(led, asks, number), counted(number, t.start, end, short)...)
		},
	})
	return true
}

// failureEnds is where what `fail` stands for ends that begins here; 0: it is something else. short: it is the `fail(Kind, …)` of short
// forms, which sets the exception itself and is a statement up to its semicolon.
func (w *walker) failureEnds() (end int, short bool) {
	t := w.tokens[w.i]
	switch {
	case t.text == "{":
		if length := len(failure.FindString(w.code[t.start:])); length > 0 {
			return t.start + length, false
		}
	case t.text == "FAIL":
		return t.end, false
	case t.text == "fail" && w.i+1 < len(w.tokens) && w.tokens[w.i+1].text == "(":
		if last, closed := closing(w.tokens, w.i+1); closed {
			return w.tokens[last].end, true
		}
	}
	return 0, false
}

// counted writes a `fail` that says that it was come to.
func counted(number, start, end int, short bool) []edit {
	if short {
		return []edit{{start, 1, fmt.Sprintf("do { opw_reached(%d); ", number)}, {end, 1, "; } while (0)"}}
	}
	return []edit{{start, 1, fmt.Sprintf("{ opw_reached(%d); ", number)}, {end, 1, " }"}}
}

// says tells whether an exception is set between two offsets.
func (w *walker) says(from, to int) bool {
	for _, t := range w.marker.tokens(from, to) {
		if f, known := npyapi.Lookup(t.text); known && f.Fails == npyapi.Always {
			return true
		}
	}
	return false
}

var (
	assigned = pattern.New(`[^=!<>]=[^=]|\+\+|--`)
	called   = pattern.New(`\b([A-Za-z_]\w*)\s*\(`)
)

// answered tells whether the condition that leads on is what a function of the user's answers, which it can be without: nothing is
// assigned in it.
func (w *walker) answered(led []guard) bool {
	if len(led) == 0 {
		return false
	}
	last := led[len(led)-1]
	condition := w.code[last.start:last.end]
	if last.label != "" || assigned.MatchString(condition) {
		return false
	}
	for _, name := range called.FindAllStringSubmatch(condition, -1) {
		_, known := npyapi.Lookup(name[1])
		_, library := npyapi.Library(name[1])
		if known || library || name[1] == "realloc" || name[1] == "sizeof" {
			return false
		}
	}
	return called.MatchString(condition)
}

// forced writes the conditions that lead to a `fail`.
func forced(led []guard, asks string, number int) []edit {
	var edits []edit
	for _, g := range led {
		head, tail := fmt.Sprintf("%s(%d) || (", asks, number), ")"
		switch {
		case g.label != "":
			head = fmt.Sprintf("%s(%d) ? (%s) : (", asks, number, g.label)
		case g.not:
			head = fmt.Sprintf("!%s(%d) && (", asks, number)
		}
		edits = append(edits, edit{g.start, 0, head}, edit{g.end, 3, tail})
	}
	return edits
}

// block steps over a pair of braces.
func (w *walker) block(led []guard, begin int) {
	w.i++
	for w.i < len(w.tokens) && !w.at("}") {
		w.statement(led, begin)
	}
	w.i++
}

// choice steps over an if and all that hangs on its else; before are the conditions that did not hold.
func (w *walker) choice(before []guard) {
	w.i++
	if w.at("constexpr") {
		w.i++
	}
	start, end, ok := w.brackets()
	if !ok {
		return
	}
	led := append(before[:len(before):len(before)], guard{start: start, end: end})
	if declared.MatchString(w.code[start:end]) {
		led = nil
	}
	w.statement(led, end)
	if !w.at("else") {
		return
	}
	begin := w.tokens[w.i].end
	w.i++
	led = slices.Clone(led)
	if len(led) > 0 {
		led[len(led)-1].not = true
	}
	if w.at("if") {
		w.choice(led)
		return
	}
	w.statement(led, begin)
}

// elsewhere is a value that no label of a switch has.
const elsewhere = "2147480001"

// cases steps over what a switch decides of.
func (w *walker) cases(start, end int) {
	if !w.at("{") {
		w.statement(nil, 0)
		return
	}
	w.i++
	var led []guard
	begin := 0
	for w.i < len(w.tokens) && !w.at("}") {
		if !w.at("case") && !w.at("default") {
			w.statement(led, begin)
			continue
		}
		label := elsewhere
		first := w.tokens[w.i].end
		for w.i < len(w.tokens) && !w.at(":") {
			w.i++
		}
		if w.i >= len(w.tokens) {
			return
		}
		if word := strings.TrimSpace(w.text[first:w.tokens[w.i].start]); word != "" {
			label = word
		}
		begin = w.tokens[w.i].end
		w.i++
		led = []guard{{start: start, end: end, label: label}}
	}
	w.i++
}

// expression steps over a statement that is none of these, a declaration or a function: to its semicolon, or over its braces.
func (w *walker) expression(led []guard, begin int) {
	for first := w.i; w.i < len(w.tokens); {
		switch t := w.tokens[w.i]; {
		case t.text == ";":
			w.i++
			return
		case t.text == "}":
			return
		case t.text == ":" && w.i == first+1:
			w.i++
			w.statement(led, begin) // behind a label
			return
		case t.text == "{":
			w.block(nil, 0)
			return
		case t.text == "(" || t.text == "[":
			last, _ := closing(w.tokens, w.i)
			w.i = last + 1
		default:
			w.i++
		}
	}
}
