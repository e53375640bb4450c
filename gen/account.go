package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/pattern"
	"opweld/npyapi"
	"opweld/templates"
)

// AccountedView is a function of the C API as an accounted unit calls it: which macro tells of it, and which of its arguments it takes.
type AccountedView struct {
	Name, Form, Takes string
}

// accounted lists the functions whose calls are told of: all that are known, but for those of which account.h itself tells, and the
// macros that stand for calls of others. What a text defines it may call as it likes. The texts of types are run by the runtime.
func (v *View) accounted() ([]AccountedView, error) {
	head, err := templates.Plain("account.h")
	if err != nil {
		return nil, fmt.Errorf("opweld's runtime is wrong: %w", err)
	}
	told := map[string]bool{}
	for _, m := range defined.FindAllStringSubmatch(head, -1) {
		told[m[1]] = true
	}
	texts := slices.Clone(v.Support)
	for _, k := range v.Kernels {
		texts = append(texts, k.Support...)
	}
	for _, f := range texts {
		for _, m := range definition.FindAllStringSubmatch(f.Text, -1) {
			told[m[1]+m[2]] = true
		}
	}
	for i, t := range v.Types {
		t.tell(i)
	}
	var found []AccountedView
	for _, name := range npyapi.Names() {
		if f, _ := npyapi.Lookup(name); !told[name] && !npyapi.IsMacro(name) {
			found = append(found, AccountedView{name, forms[f.Returns], takes(f)})
		}
	}
	return found, nil
}

var (
	defined = pattern.New(`(?m)^#define (\w+)\(`)
	// definition is where a text defines a function, or a macro, itself.
	definition = pattern.New(`(?m)^(?:[ \t]*#[ \t]*define[ \t]+(\w+)|[^\n;{}=()]*[ \t*](\w+)[ \t]*\([^;{}]*\)\s*\{)`)
	forms      = map[npyapi.Returns]string{npyapi.Nothing: "OPW_LOOKS", npyapi.New: "OPW_NEW", npyapi.Borrowed: "OPW_LENDS"}
)

// takes names the arguments that a function takes the references of.
func takes(f npyapi.Function) string {
	if len(f.Steals) == 0 {
		return "none"
	}
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(f.Steals)), ""), "[]")
}
