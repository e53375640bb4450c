package lint

import (
	"regexp"
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/pattern"
	"opweld/npyapi"
)

// The ways in which findings may be mended. Each is tried and looked at again, so that they may be guesses, as long as what they
// write does what the text was to do.

// frees is what gives back the memory of a function.
var frees = map[string]string{"malloc": "free", "calloc": "free", "realloc": "free", "strdup": "free",
	"PyMem_Malloc": "PyMem_Free", "PyMem_Calloc": "PyMem_Free", "PyMem_Realloc": "PyMem_Free",
	"PyMem_RawMalloc": "PyMem_RawFree", "PyMem_RawCalloc": "PyMem_RawFree", "PyMem_RawRealloc": "PyMem_RawFree",
	"PyObject_Malloc": "PyObject_Free", "PyArray_malloc": "PyArray_free", "PyDataMem_NEW": "PyDataMem_FREE"}

// holder is the only variable of the text's own that holds a thing.
func (r *run) holder(s *state, t *thing) (name string, only bool) {
	for at, v := range s.vars {
		if s.held(v) != t || v.kind != object {
			continue
		}
		l := r.locals[at]
		if only || l.given >= 0 || l.hidden || l.outer || l.outlast {
			return "", false
		}
		name, only = l.name, true
	}
	return name, only
}

// released gives up what a thing is, where the text is left.
func (r *run) released(s *state, n *ccode.Node, t *thing, where string) [][]edit {
	name, only := r.holder(s, t)
	if !r.mending || !only || t.at == nil || where == "at fail" && s.raised == no { // no exception: more is wrong than that
		return nil
	}
	put := r.before
	if where == "at the end" && n.Kind != "return_statement" {
		put = r.behind
	}
	if t.memory {
		if free := freeing(t.at, name); free != "" {
			return [][]edit{put(n, free)}
		}
		return nil
	}
	return [][]edit{put(n, "Py_DECREF("+name+");"), put(n, "Py_XDECREF("+name+");")}
}

// freeing is the statement that gives memory back; empty: it is not known.
func freeing(made *ccode.Node, name string) string {
	switch {
	case made.Kind == "new_expression" && made.Child("declarator") != nil:
		return "delete[] " + name + ";"
	case made.Kind == "new_expression":
		return "delete " + name + ";"
	case frees[made.Child("function").Text] != "":
		return frees[made.Child("function").Text] + "(" + name + ");"
	}
	return ""
}

// freed releases what an output held before it gets another value.
func (r *run) freed(n *ccode.Node, t *thing) [][]edit {
	statement := statementOf(n)
	if !r.mending || statement == nil || statement.Kind != "expression_statement" {
		return nil
	}
	for _, l := range r.locals {
		if l.given == t.given && l.stars == 1 {
			return [][]edit{r.before(statement, "Py_XDECREF("+l.name+");")}
		}
	}
	return nil
}

var nonzeroReturn = pattern.New(`\breturn\s+-?[1-9]\d*\s*;`)

// leaving is how the text says that it has failed; empty: it cannot.
func (r *run) leaving() string {
	switch {
	case r.function != nil && !r.entry:
		return ""
	case r.function != nil:
		if said := nonzeroReturn.FindString(r.function.Text); said != "" {
			return said
		}
		return "return 1;"
	case r.Fail != "" && !strings.Contains(r.Text, r.Fail):
		return "FAIL"
	}
	return r.Fail
}

// tested compares what a call gave with NULL, right behind it.
func (r *run) tested(call *ccode.Node) [][]edit {
	leave := r.leaving()
	if !r.mending || call == nil || leave == "" {
		return nil
	}
	statement := statementOf(call)
	name := keptIn(statement, call)
	if name == "" || r.looksAt(name, statement) {
		return nil
	}
	if f, known := npyapi.Library(call.Child("function").Text); known && f.Memory {
		return [][]edit{r.behind(statement, "if (!"+name+") { PyErr_NoMemory(); "+leave+" }")}
	}
	return [][]edit{r.behind(statement, "if (!"+name+") "+leave)}
}

// looksAt tells whether a text asks, behind a statement, if a variable is NULL: what is wrong is that test then.
func (r *run) looksAt(name string, behind *ccode.Node) bool {
	name = regexp.QuoteMeta(name)
	if name[0] != '\\' {
		name = `\b` + name
	}
	_, at := r.span(behind)
	return regexp.MustCompile(`!\s*` + name + `\b|` + name + `\s*[!=]=|[!=]=\s*` + name + `\b|(?:if\s*\(|&&|\|\|)\s*` + name + `\s*(?:\)|&&|\|\|)`).
		MatchString(r.Text[at:])
}

// keptIn is the variable that a statement puts what a call gives into, and does nothing else.
func keptIn(statement, call *ccode.Node) string {
	switch {
	case statement == nil:
	case statement.Kind == "declaration":
		kept := ""
		for _, kid := range statement.Kids {
			if value := kid.Child("value"); kid.Field == "declarator" && value != nil && bare(value) == call {
				kept = declaratorOf(kid, "identifier").Text
			} else if kid.Field == "declarator" && kept != "" {
				return ""
			}
		}
		return kept
	case statement.Kind == "expression_statement" && len(statement.Kids) > 0:
		if set := bare(statement.Kids[0]); set.Kind == "assignment_expression" && bare(set.Child("right")) == call {
			if left := set.Child("left"); left.Kind == "identifier" || left.Kind == "pointer_expression" {
				return left.Text
			}
		}
	}
	return ""
}

// heeded looks at what a call answers, or fails where an exception was set.
func (r *run) heeded(call *ccode.Node) [][]edit {
	leave := r.leaving()
	if !r.mending || call == nil || call.Kind != "call_expression" || leave == "" {
		return nil
	}
	statement := statementOf(call)
	f, known := npyapi.Lookup(call.Child("function").Text)
	alone := statement != nil && statement.Kind == "expression_statement" && bare(statement.Kids[0]) == call
	switch {
	case !known:
	case f.Fails == npyapi.Negative && alone:
		return [][]edit{r.instead(statement, "if ("+call.Text+" < 0) "+leave)}
	case f.Fails == npyapi.Null:
		return r.tested(call)
	case f.Fails == npyapi.Always && alone && statement.Parent.Kind == "compound_statement" && statement.Parent.Parent != nil &&
		statement.Parent.Parent.Kind == "if_statement":
		return [][]edit{r.behind(last(statement.Parent), leave)}
	}
	return nil
}

// raised sets the exception that malloc does not.
func (r *run) raised(s *state, n *ccode.Node) [][]edit {
	if !r.mending || s.way == nil || s.way.n.Kind != "call_expression" {
		return nil
	}
	if f, known := npyapi.Library(s.way.n.Child("function").Text); known && f.Memory {
		return [][]edit{r.before(n, "PyErr_NoMemory();")}
	}
	return nil
}

// repeated takes a statement out that is the same as the one before.
func (r *run) repeated(n *ccode.Node) [][]edit {
	statement := statementOf(n)
	if !r.mending || statement == nil || statement.Parent == nil {
		return nil
	}
	at := slices.Index(statement.Parent.Kids, statement)
	if at > 0 && statement.Parent.Kids[at-1].Text == statement.Text {
		return [][]edit{r.without(statement)}
	}
	return nil
}

// taken takes a reference of the text's own before it is handed on.
func (r *run) taken(n *ccode.Node) [][]edit {
	if of := bare(n); r.mending && (of.Kind == "identifier" || of.Kind == "call_expression" && r.pure(&question{n: of})) {
		return [][]edit{r.before(statementOf(n), "Py_INCREF("+of.Text+");")}
	}
	return nil
}

// signed are the types for which npyIntp may stand: what they hold it holds.
var signed = []string{"int", "short", "int32_t", "npy_int", "npy_int32", "long"}

// widened declares a variable npy_intp, and whatever else its declaration declares.
func (r *run) widened(l *local) [][]edit {
	if !r.mending || l.declaration == nil || l.declaration.Kind != "declaration" || !slices.Contains(signed, l.typ) {
		return nil
	}
	for _, kid := range l.declaration.Kids {
		if kid.Field != "declarator" {
			continue
		}
		at, known := r.uses[declaratorOf(kid, "identifier")]
		if !known || r.locals[at].stars > 0 || !r.sizesOnly(at) {
			return nil
		}
	}
	return [][]edit{r.instead(l.declaration.Child("type"), "npy_intp")}
}

// widenedOf does so with the variable whose address something is.
func (r *run) widenedOf(n *ccode.Node) [][]edit {
	of := bare(n)
	if of.Kind == "pointer_expression" {
		of = bare(of.Child("argument"))
	}
	if at, known := r.uses[of]; known {
		return r.widened(r.locals[at])
	}
	return nil
}

// sizesOnly tells whether nothing but what reads sizes is given a variable's address.
func (r *run) sizesOnly(at int) bool {
	only := true
	visit(r.body, func(n *ccode.Node) bool {
		if found, known := r.uses[n]; !known || found != at {
			return true
		}
		p, given := n.Parent, n
		if p.Kind == "pointer_expression" && p.Child("operator").Text == "&" {
			p, given = p.Parent, p
		} else if !r.locals[at].array || p.Kind == "subscript_expression" || p.Kind == "array_declarator" {
			return true
		}
		only = only && p != nil && p.Kind == "argument_list" && readsSizes(p, given)
		return true
	})
	return only
}

func readsSizes(list, argument *ccode.Node) bool {
	f, known := npyapi.Lookup(list.Parent.Child("function").Text)
	return known && slices.Contains(f.Sizes, slices.Index(list.Kids, argument))
}

// lengthsOf are the lengths that an integer of a type is printed with.
func lengthsOf(typ string) (length string, known bool) {
	switch typ {
	case "npy_intp", "Py_ssize_t", "size_t", "ptrdiff_t", "intptr_t":
		return "z", true
	case "long", "npy_long":
		return "l", true
	case "long long", "npy_longlong":
		return "ll", true
	case "int", "npy_int", "npy_int32", "int32_t", "short":
		return "", true
	}
	return "", false
}

// printedAs writes a directive for the type of what it prints: at is where it stands in the literal.
func (r *run) printedAs(literal *ccode.Node, at []int, typ string) [][]edit {
	length, known := lengthsOf(typ)
	if !r.mending || !known || literal.Kind != "string_literal" {
		return nil
	}
	text := literal.Text[at[0]:at[1]]
	letter := text[len(text)-1:]
	if !strings.Contains("diuxX", letter) {
		return nil
	}
	start, _ := r.span(literal)
	end := len(text) - 1
	for end > 0 && strings.ContainsRune("hlzjt", rune(text[end-1])) {
		end--
	}
	return [][]edit{{{start + at[0], start + at[1], text[:end] + length + letter}}}
}
