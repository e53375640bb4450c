package expr

import "strings"

// statements are the words that begin what is no expression and no assignment.
var statements = words("assert break class continue def del for from global if import nonlocal pass raise return try " +
	"while with async match")

// operators are the keywords an expression may hold.
var operators = words("and else if is in lambda not or True False")

// keywords are Python 3.4's, and what has become one since.
var keywords = words("False None True and as assert async await break class continue def del elif else except finally " +
	"for from global if import in is lambda nonlocal not or pass raise return try while with yield")

// startValues are the keywords that a value may begin with, where an operator is expected.
var startValues = words("True False lambda")

// comparisons are the signs that end with '=' and assign nothing.
var comparisons = words("== != <= >=")

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// advice says, for signs that no expression has, what to write instead.
var advice = map[string]string{
	":=":  "':=' (Python 3.8) is not read here: assign on a line of its own, t = ...",
	"@":   "'@' (Python 3.5) is a product of matrices and not elementwise: use opweld.tensor.matmul",
	"->":  "annotations are not read here",
	"...": "'...' is no value of an expression",
	"&&":  "write 'and', or '&' for bits",
	"||":  "write 'or', or '|' for bits",
	"!":   "write 'not'",
	"<>":  "write '!='",
	"{":   "sets and dicts are no values of an expression",
	"@=":  "'@=' (Python 3.5) is a product of matrices and not elementwise: use opweld.tensor.matmul",
}

// refuse finds what no expression may hold, whatever its grammar.
func refuse(lines [][]token) error {
	for n, line := range lines {
		if first := line[0]; beginsStatement(line) {
			return first.fail("'%s' statements are not part of an expression, which is assignments to names and, as the "+
				"last line, the value", first.text)
		}
		if first := line[0]; n > 0 && first.column != lines[0][0].column {
			return first.fail("this line is indented otherwise than the first")
		}
		depth := 0
		for i, t := range line {
			if t.is("(") {
				depth++
			} else if t.is(")") {
				depth--
			}
			var before token
			if i > 0 {
				before = line[i-1]
			}
			if err := refuseToken(t, before); err != nil {
				return err
			}
			if t.is("=") && depth > 0 && endsValue(before) {
				return before.fail("keyword arguments are not read here: give arguments in order; to compare write '=='")
			}
		}
	}
	return nil
}

// beginsStatement tells whether a line is another statement than an assignment or a value. Of the words that Python
// reserves only in some places, match among them, names may be made.
func beginsStatement(line []token) bool {
	first := line[0]
	if first.kind != name || !statements[first.text] {
		return false
	}
	return first.text != "match" || len(line) > 1 && line[1].kind == name && !keywords[line[1].text]
}

func refuseToken(t, before token) *Error {
	switch t.kind {
	case name:
		return refuseWord(t, before)
	case number:
		return nil
	}
	if text, found := advice[t.text]; found {
		return t.fail("%s", text)
	}
	switch {
	case t.text == "[" && endsValue(before):
		return t.fail("subscripts are not elementwise: index the array before it is given to the expression")
	case (t.text == "*" || t.text == "**") && (before.text == "" || before.is("(") || before.is(",") || before.is("=")):
		return t.fail("starred arguments are not read here: write each one")
	case t.text == "[":
		return t.fail("lists are no values of an expression")
	case len(t.text) > 1 && strings.HasSuffix(t.text, "=") && !comparisons[t.text]:
		return t.fail("%q changes a value in place: write %s = %s %s ...", t.text, orName(before),
			orName(before), strings.TrimSuffix(t.text, "="))
	}
	return nil
}

func orName(t token) string {
	if t.kind == name && t.text != "" {
		return t.text
	}
	return "t"
}

// refuseString says of a string, by its prefix, why it is not read.
func refuseString(t token, prefix string) *Error {
	switch prefix {
	case "f", "rf", "fr":
		return t.fail("f-strings (Python 3.6) are not read here: put the numbers into the text before expr is called")
	case "t", "rt", "tr":
		return t.fail("t-strings (Python 3.14) are not read here: put the numbers into the text before expr is called")
	case "", "r", "b", "u", "br", "rb":
		return t.fail("strings are no values of an expression")
	}
	return t.fail("%q before a quote is no prefix of a string, and strings are no values of an expression", t.text)
}

func refuseWord(t, before token) *Error {
	switch {
	case !keywords[t.text] || operators[t.text] && t.text != "in" && t.text != "is":
		return nil
	case t.text == "None":
		return t.fail("None is no value of an expression")
	case t.text == "for":
		return t.fail("comprehensions are not part of an expression: it is computed for each element as it is")
	case t.text == "is":
		return t.fail("'is' compares objects, not values: write '==' or '!='")
	case t.text == "in" && before.is("not"):
		return before.fail("'not in' is not elementwise: compare by '!=' and 'and'")
	case t.text == "in":
		return t.fail("'in' is not elementwise: compare by '==' and 'or'")
	case t.text == "await" || t.text == "async":
		return t.fail("%q (Python 3.5) is not part of an expression", t.text)
	}
	return t.fail("%q is not part of an expression", t.text)
}

// endsValue tells whether a value may end with the token, so that what follows must be an operator.
func endsValue(t token) bool {
	switch t.kind {
	case name:
		return t.text != "" && (!keywords[t.text] || t.text == "True" || t.text == "False")
	case number:
		return true
	}
	return t.is(")") || t.is("]")
}

// beginsValue tells whether a value may begin with the token and no operator can be it.
func beginsValue(t token) bool {
	switch t.kind {
	case name:
		return !keywords[t.text] || startValues[t.text]
	case number:
		return true
	}
	return t.is("(")
}
