package signature

import "fmt"

// String is a size as a person writes it.
func (d *Dim) String() string { return d.text(0) }

// binding is how tightly an operator binds.
var binding = map[string]int{"+": 1, "-": 1, "*": 2, "//": 2, "%": 2}

func (d *Dim) text(outer int) string {
	switch d.Op {
	case "name":
		return d.Name
	case "number":
		return fmt.Sprint(d.Number)
	case "min", "max":
		return fmt.Sprintf("%s(%s, %s)", d.Op, d.Args[0], d.Args[1])
	}
	own := binding[d.Op]
	between := " " + d.Op + " "
	if d.Op == "*" {
		between = d.Op
	}
	text := d.Args[0].text(own) + between + d.Args[1].text(own+1)
	if own < outer {
		return "(" + text + ")"
	}
	return text
}
