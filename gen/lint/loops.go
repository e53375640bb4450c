package lint

import (
	"slices"

	"opweld/gen/ccode"
	"opweld/npyapi"
)

// beyond looks at a loop that goes up to the size of an array, that included.
func (r *run) beyond(n *ccode.Node) {
	counter, known := r.uses[n.Child("left")]
	if !known || n.Child("operator").Text != "<=" || !r.size(n.Child("right")) || !r.fromZero(n.Parent, counter) {
		return
	}
	found := false
	visit(n.Parent.Child("body"), func(kid *ccode.Node) bool {
		found = found || r.indexes(kid, counter)
		return !found
	})
	if found {
		r.unit.report(Beyond, n.Start, nil, "`%s` goes from 0 to `%s`, which is the number of elements: the last index is one less", r.locals[counter].name, told(n.Child("right"))).mends(r.instead(n.Child("operator"), "<"))
	}
}

// fromZero tells whether a loop counts one by one from 0.
func (r *run) fromZero(loop *ccode.Node, counter int) bool {
	begun, step := loop.Child("initializer"), loop.Child("update")
	if begun == nil || step == nil || step.Kind != "update_expression" || begun.Kind != "declaration" {
		return false
	}
	first := begun.Child("declarator")
	at, known := r.uses[declaratorOf(first, "identifier")]
	return known && at == counter && first.Child("value") != nil && first.Child("value").Text == "0"
}

// indexes tells whether an element is taken by the counter itself.
func (r *run) indexes(n *ccode.Node, counter int) bool {
	is := func(index *ccode.Node) bool {
		at, known := r.uses[index]
		return known && at == counter
	}
	switch n.Kind {
	case "subscript_expression":
		index := n.Child("index")
		if list := n.Child("indices"); list != nil && len(list.Kids) == 1 {
			index = list.Kids[0]
		}
		return is(index)
	case "call_expression":
		f, known := npyapi.Lookup(n.Child("function").Text)
		if args := n.Child("arguments"); known && f.Points && args != nil {
			return slices.ContainsFunc(args.Kids, is)
		}
	}
	return false
}

// size tells whether an expression is the size of an array, or a variable that has no other value.
func (r *run) size(n *ccode.Node) bool {
	n = bare(n)
	switch n.Kind {
	case "call_expression":
		return slices.Contains([]string{"PyArray_DIM", "PyArray_SIZE"}, n.Child("function").Text)
	case "subscript_expression":
		argument := bare(n.Child("argument"))
		return argument.Kind == "call_expression" && slices.Contains([]string{"PyArray_DIMS", "PyArray_SHAPE"}, argument.Child("function").Text)
	case "identifier":
		at, known := r.uses[n]
		return known && r.locals[at].size
	}
	return false
}
