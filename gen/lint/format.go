package lint

import (
	"slices"
	"strings"

	"opweld/gen/ccode"
	"opweld/gen/pattern"
	"opweld/npyapi"
)

var printing = pattern.New(`%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|j|t)?(.)`)

// formats looks at each format that a text prints by, and at what is printed.
func (r *run) formats(body *ccode.Node) {
	visit(body, func(n *ccode.Node) bool {
		if n.Kind == "call_expression" {
			if f, known := npyapi.Printer(n.Child("function").Text); known {
				r.format(n, f)
			}
		}
		return true
	})
}

func (r *run) format(n *ccode.Node, p npyapi.Format) {
	args := n.Child("arguments").Kids
	if p.At >= len(args) {
		return
	}
	text, plain := written(bare(args[p.At]))
	if !plain {
		return
	}
	given, at := args[p.At+1:], 0
	for _, place := range printing.FindAllStringSubmatchIndex(text, -1) {
		m := printing.FindStringSubmatch(text[place[0]:place[1]])
		if m[4] == "%" {
			continue
		}
		at += strings.Count(m[0], "*")
		if at < len(given) {
			if f := r.printed(n, p, m, given[at]); f != nil {
				f.mends(r.printedAs(bare(args[p.At]), place[:2], strings.ReplaceAll(r.typeOf(given[at]), "const ", ""))...)
			}
		}
		at++
	}
	if at != len(given) {
		r.unit.report(Format, args[p.At].Start, nil, "the format asks for %d values, and there are %d", at, len(given))
	}
}

// written is the text of a literal; it is not plain where a macro such as NPY_INTP_FMT stands in it.
func written(n *ccode.Node) (string, bool) {
	switch n.Kind {
	case "string_literal":
		return n.Text, !strings.HasPrefix(n.Text, "R\"")
	case "concatenated_string":
		var all strings.Builder
		for _, kid := range n.Kids {
			if kid.Kind != "string_literal" {
				return "", false
			}
			all.WriteString(kid.Text)
		}
		return all.String(), true
	}
	return "", false
}

// printed compares a directive with what it prints.
func (r *run) printed(n *ccode.Node, p npyapi.Format, m []string, arg *ccode.Node) *Finding {
	if p.Python && strings.ContainsAny(m[4], "feEgGaF") {
		return r.unit.report(Format, arg.Start, nil, "%s does not know %s", n.Child("function").Text, m[0])
	}
	typ := strings.TrimPrefix(strings.ReplaceAll(r.typeOf(arg), "const ", ""), "unsigned ")
	class, wanted := classOf(typ), ""
	switch {
	case strings.ContainsAny(m[4], "diuxXo"):
		wanted = "int"
		if slices.Contains([]string{"l", "ll", "z", "j", "t"}, m[3]) {
			wanted = "long"
		}
	case strings.ContainsAny(m[4], "feEgGaF"):
		wanted = "double"
	case m[4] == "s":
		wanted = "text"
	case m[4] == "c":
		wanted = "int"
	default:
		return nil
	}
	if class == "" || class == wanted {
		return nil
	}
	return r.unit.report(Format, arg.Start, nil, "`%s` is of type %s, and is printed by %s", told(arg), r.typeOf(arg), m[0])
}

// classOf is what of types is the same to a format; empty: not known.
func classOf(typ string) string {
	switch {
	case slices.Contains(wide, typ), slices.Contains([]string{"long", "long long", "npy_int64", "int64_t", "npy_long", "npy_longlong", "npy_uint64", "uint64_t"}, typ):
		return "long"
	case slices.Contains(narrower, typ), slices.Contains([]string{"char", "bool", "npy_bool", "npy_int8", "npy_int16", "npy_uint8", "npy_uint16"}, typ):
		return "int"
	case typ == "double", typ == "float", typ == "npy_double", typ == "npy_float", typ == "npy_float64", typ == "npy_float32":
		return "double"
	case typ == "char *":
		return "text"
	case strings.HasSuffix(typ, "Object *"):
		return "object"
	}
	return ""
}
