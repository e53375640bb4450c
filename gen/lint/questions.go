package lint

import (
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/npyapi"
)

// question is a condition of one piece: what is the same wherever the same is asked of the same variables.
type question struct {
	id     int
	turned bool   // what it asks is false where the condition is true
	count  *count // nil: it is not of one piece
	vars   []int
	far    bool // it depends on memory
	pure   tri  // whether it gives the same as long as what it depends on is the same; maybe: nobody asked
	n      *ccode.Node
}

// count is how often a question stands in a text, as a condition or not, and how often as a condition.
type count struct{ written, asked int }

// questions numbers the conditions of a text.
type questions struct {
	nodes  map[*ccode.Node]*question
	ids    map[string]int
	counts []*count
	about  map[int][]int // of a variable: which questions depend on it
}

// number looks at every node of a text.
func (r *run) number(body *ccode.Node) {
	r.questions = questions{make(map[*ccode.Node]*question, len(body.Text)/8), map[string]int{}, nil, map[int][]int{}}
	visit(body, func(n *ccode.Node) bool {
		if q := r.question(n); q.count != nil {
			q.count.written++
		}
		return true
	})
	r.conditions(body, false)
}

// conditions counts what is asked: where a truth is wanted, and by each comparison.
func (r *run) conditions(n *ccode.Node, wanted bool) {
	switch operator := n.Child("operator"); n.Kind {
	case "binary_expression":
		if slices.Contains(comparisons, operator.Text) {
			r.question(n).asks()
		}
		wanted = operator.Text == "&&" || operator.Text == "||"
	case "unary_expression":
		wanted = operator.Text == "!"
	case "identifier", "field_expression", "subscript_expression", "call_expression":
		if wanted {
			r.question(n).asks()
		}
		wanted = n.Kind == "call_expression" && wanted && slices.Contains(hints, n.Child("function").Text)
	case "parenthesized_expression", "cast_expression", "condition_clause":
	case "argument_list": // of a hint
	default:
		wanted = false
	}
	for _, kid := range n.Kids {
		r.conditions(kid, wanted || kid.Field == "condition")
	}
}

func (q *question) asks() {
	if q.count != nil {
		q.count.asked++
	}
}

// again tells whether the answer to a question may be wanted once more.
func (r *run) again(q *question, b *block) bool {
	if q.count == nil || q.count.written < 2 || !r.pure(q) {
		return false
	}
	return q.count.asked > 1 || slices.ContainsFunc(b.next, func(next *block) bool { return next != nil && next.needs.answers.has(q.id) })
}

// question is what a node asks. Names that are written alike and mean different variables ask different things.
func (r *run) question(n *ccode.Node) *question {
	switch n.Kind {
	case "binary_expression", "identifier", "call_expression", "field_expression", "subscript_expression":
	default:
		return &none
	}
	if q := r.nodes[n]; q != nil {
		return q
	}
	text, turned := atom(n)
	if text == "" {
		return &none
	}
	q := &question{turned: turned, n: n}
	q.vars, q.far = r.depends(n)
	q.id, q.count = r.intern(text, q.vars)
	r.nodes[n] = q
	return q
}

// none is no question of one piece.
var none question

func (r *run) intern(text string, vars []int) (id int, found *count) {
	named := slices.Clone(vars)
	slices.Sort(named)
	named = slices.Compact(named)
	key := []byte(text)
	for _, at := range named {
		key = append(key, '@', byte(at), byte(at>>8))
	}
	id, known := r.ids[string(key)]
	if !known {
		id = len(r.counts)
		r.ids[string(key)] = id
		r.counts = append(r.counts, new(count))
		for _, at := range named {
			r.about[at] = append(r.about[at], id)
		}
	}
	return id, r.counts[id]
}

// asked is how often a text looks whether an expression is 0.
func (r *run) asked(n *ccode.Node) int {
	vars, _ := r.depends(n)
	_, count := r.intern(squeezed(n)+"==0", vars)
	return count.written
}

// atom is the text of a condition of one piece, the same for a condition and its opposite, of which turned is true.
func atom(n *ccode.Node) (text string, turned bool) {
	switch n.Kind {
	case "binary_expression":
		operator := n.Child("operator").Text
		if !slices.Contains(comparisons, operator) {
			return "", false
		}
		left, right := squeezed(n.Child("left")), squeezed(n.Child("right"))
		switch operator {
		case "==":
			return equal(left, right), false
		case "!=":
			return equal(left, right), true
		case "<":
			return left + "<" + right, false
		case ">=":
			return left + "<" + right, true
		case ">":
			return right + "<" + left, false
		case "<=":
			return right + "<" + left, true
		}
	case "identifier", "call_expression", "field_expression", "subscript_expression":
		return squeezed(n) + "==0", true
	}
	return "", false
}

// equal orders the sides of a comparison.
func equal(left, right string) string {
	if left == "NULL" || left == "nullptr" {
		left = "0"
	}
	if right == "NULL" || right == "nullptr" {
		right = "0"
	}
	if left == "0" {
		left, right = right, left
	}
	return left + "==" + right
}

func squeezed(n *ccode.Node) string {
	text := bare(n).Text
	if strings.ContainsAny(text, " \t\n\r") {
		return strings.Join(strings.Fields(text), "")
	}
	return text
}

// pure tells whether an expression gives the same as long as what it depends on is the same.
func (r *run) pure(q *question) bool {
	if q.pure != maybe {
		return q.pure == yes
	}
	pure := true
	visit(q.n, func(kid *ccode.Node) bool {
		switch kid.Kind {
		case "assignment_expression", "update_expression", "lambda_expression":
			pure = false
		case "call_expression":
			f, known := npyapi.Lookup(kid.Child("function").Text)
			pure = pure && known && f.Fails == npyapi.Never && f.Returns != npyapi.New
		}
		return pure
	})
	q.pure = no
	if pure {
		q.pure = yes
	}
	return pure
}

// depends lists the variables that an expression reads, and tells whether it reads memory.
func (r *run) depends(n *ccode.Node) (vars []int, far bool) {
	visit(n, func(kid *ccode.Node) bool {
		if at, ok := r.uses[kid]; ok {
			vars = append(vars, at)
			far = far || r.locals[at].hidden
		}
		switch kid.Kind {
		case "call_expression", "field_expression", "subscript_expression", "pointer_expression":
			far = true
		}
		return true
	})
	return vars, far
}
