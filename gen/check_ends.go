package gen

import (
	"slices"

	"opweld/gen/scalar"
)

// ending checks what is computed where folds end, and gives all values that there are after it; nil: there is nothing.
func (c *checker) ending(where string, k *Kernel, l *Loop) []scalar.Type {
	if len(k.Structure.Ending) == 0 {
		return nil
	}
	values := l.Inputs
	for i := range l.Folds {
		values = slices.Concat(values, l.Folds[i].Accs)
	}
	l.Ending, values = c.body(where, k, k.Structure.Ending, values)
	return values
}
