package cop

import (
	"fmt"
	"regexp"
	"strings"

	"opweld/gen/signature"
)

// local declares a number that the body may need.
func (w *writer) local(name, value string) {
	w.v.Locals = append(w.v.Locals, fmt.Sprintf("__attribute__((unused)) const npy_intp %s = %s;", name, value))
}

// checker defines the tests of indices; `| 0` takes whole numbers alone, as [] does.
func (w *writer) checker() {
	if !w.r.Check {
		return
	}
	test := `({ const npy_intp opw_i = (npy_intp)((opw_index) | 0); if (opw_i < 0 || opw_i >= %s) fail(IndexError, %s, %s); opw_i; })`
	w.v.Macros = append(w.v.Macros,
		Macro{"opw_cop_at", "opw_cop_at(opw_index, opw_name)", fmt.Sprintf(test, "opw_count_##opw_name",
			quote(w.r.Name+": %s[%zd] in line %d of the body: %s has %zd elements"),
			"#opw_name, opw_i, __LINE__, #opw_name, opw_count_##opw_name")},
		Macro{"opw_cop_along", "opw_cop_along(opw_index, opw_name, opw_axis)", fmt.Sprintf(test, "opw_dim_##opw_name##_##opw_axis",
			quote(w.r.Name+": index %zd of %s in line %d of the body: its axis %d has %zd elements"),
			"opw_i, #opw_name, __LINE__, opw_axis, opw_dim_##opw_name##_##opw_axis")})
}

// index is the C of an index along an axis: no cast, so that a pointer and a fraction stay errors.
func (w *writer) index(name string, axis int) string {
	if w.r.Check {
		return fmt.Sprintf("opw_cop_along(opw_%d, %s, %d)", axis, name, axis)
	}
	return fmt.Sprintf("(opw_%d)", axis)
}

func head(name string, ndim int) string {
	var names []string
	for i := range ndim {
		names = append(names, fmt.Sprintf("opw_%d", i))
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(names, ", "))
}

// called tells whether the body reads elements of an array as name(i, j); a member of a class may be called so too.
func (w *writer) called(name string) bool {
	return regexp.MustCompile(`(?:^|[^.>\w])` + name + `\s*\(`).MatchString(w.r.Body)
}

// block is an array that the body sees as a pointer, and whose elements name(i, j) are.
func (w *writer) block(a *signature.Argument, kind string, reads bool) {
	if reads {
		kind = "const " + kind
	}
	w.v.Parameters = append(w.v.Parameters, fmt.Sprintf("%s *__restrict %s", kind, a.Name))
	if !w.called(a.Name) && !w.r.Check {
		return
	}
	place, count := "", "1"
	for axis, d := range a.Dims {
		size := fmt.Sprintf("opw_dim_%s_%d", a.Name, axis)
		w.local(size, expression(d))
		count += " * " + size
		if axis > 0 {
			place = fmt.Sprintf("(%s) * %s + ", place, size)
		}
		place += w.index(a.Name, axis)
	}
	if w.r.Check {
		w.local("opw_count_"+a.Name, count)
	}
	if w.called(a.Name) {
		w.v.Macros = append(w.v.Macros, Macro{a.Name, head(a.Name, len(a.Dims)), fmt.Sprintf("%s[%s]", a.Name, place)})
	}
}

// strided is an array that the body sees by its elements alone: where it begins, then of each axis stride and size.
func (w *writer) strided(a *signature.Argument, kind string) {
	w.v.Parameters = append(w.v.Parameters, "char *const opw_data_"+a.Name)
	place := "opw_data_" + a.Name
	for axis := range a.Dims {
		stride, dim := fmt.Sprintf("opw_stride_%s_%d", a.Name, axis), fmt.Sprintf("opw_dim_%s_%d", a.Name, axis)
		w.v.Parameters = append(w.v.Parameters, "const npy_intp "+stride, "const npy_intp "+dim)
		place += fmt.Sprintf(" + %s * %s", w.index(a.Name, axis), stride)
	}
	if !a.Inout {
		kind = "const " + kind
	}
	w.v.Macros = append(w.v.Macros, Macro{a.Name, head(a.Name, len(a.Dims)), fmt.Sprintf("(*(%s *)(void *)(%s))", kind, place)})
}
