package signature

import (
	"slices"
	"strconv"
	"strings"
)

// bind finds what every name stands for, and refuses what nothing binds.
func (s *Signature) bind(bounds []bound) error {
	for _, check := range []func() error{
		s.namesOnce, func() error { return s.bindTypes(bounds) }, s.bindSizes, s.checkSizes, s.checkArguments,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Signature) each(do func(a *Argument, input int) error) error {
	for i := range s.Inputs {
		if err := do(&s.Inputs[i], i); err != nil {
			return err
		}
	}
	for i := range s.Outputs {
		if err := do(&s.Outputs[i], -1); err != nil {
			return err
		}
	}
	return nil
}

func (s *Signature) namesOnce() error {
	seen := map[string]int{}
	return s.each(func(a *Argument, input int) error {
		if before, twice := seen[a.Name]; twice {
			if before >= 0 && input < 0 {
				return a.at.fail("output %q is also an input: call it otherwise, or write `%s: inout` before the arrow alone", a.Name, a.Name)
			}
			return a.at.fail("the name %q occurs twice", a.Name)
		}
		seen[a.Name] = input
		return nil
	})
}

// bindTypes gives each type variable that inputs bring its bound.
func (s *Signature) bindTypes(bounds []bound) error {
	err := s.each(func(a *Argument, input int) error {
		if !s.Variable(a.Dtype) || s.bound(a.Dtype) != nil {
			return nil
		}
		if input < 0 {
			return a.dtypeAt.fail("type variable %q is bound by no input: write a dtype, or an input of it", a.Dtype)
		}
		s.Types = append(s.Types, Bound{a.Dtype, slices.Clone(anything)})
		return nil
	})
	if err != nil {
		return err
	}
	said := map[string]bool{}
	for _, b := range bounds {
		found := s.bound(b.name.text)
		if found == nil {
			return b.name.fail("no input is of type %q", b.name.text)
		}
		if said[b.name.text] {
			return b.name.fail("the bound of %q is said twice: join the two by |", b.name.text)
		}
		said[b.name.text] = true
		found.Dtypes = unique(b.dtypes)
	}
	return s.each(func(a *Argument, _ int) error {
		for _, t := range s.Types {
			if a.Name == t.Name {
				return a.at.fail("%q is a type variable and an argument", a.Name)
			}
		}
		return nil
	})
}

func unique(names []string) []string {
	var found []string
	for _, name := range names {
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

func (s *Signature) bound(name string) *Bound {
	for i := range s.Types {
		if s.Types[i].Name == name {
			return &s.Types[i]
		}
	}
	return nil
}

// bindSizes finds which input binds each name: an integer among the arguments, a size alone, or one with a number added.
func (s *Signature) bindSizes() error {
	for i, a := range s.Inputs {
		if len(a.Dims) == 0 && !a.Inout && s.used(a.Name) {
			if !dtypes[a.Dtype] {
				return a.dtypeAt.fail("%q is a size, so it is an integer: write int64 for %s", a.Name, a.Dtype)
			}
			s.Sizes = append(s.Sizes, Size{a.Name, i, -1, 0})
		}
	}
	for _, simple := range []bool{true, false} {
		for i, a := range s.Inputs {
			for axis, d := range a.Dims {
				if name, less := d.shifted(); name != "" && (d.Op == "name") == simple && !s.sized(name) {
					s.Sizes = append(s.Sizes, Size{name, i, axis, less})
				}
			}
		}
	}
	return nil
}

// shifted is the name that a size is made of by adding a number; empty: it is made otherwise.
func (d *Dim) shifted() (string, int64) {
	if d.Op == "name" {
		return d.Name, 0
	}
	if d.Op != "+" && d.Op != "-" || d.Args[0].Op != "name" || d.Args[1].Op != "number" {
		return "", 0
	}
	if d.Op == "-" {
		return d.Args[0].Name, -d.Args[1].Number
	}
	return d.Args[0].Name, d.Args[1].Number
}

func (s *Signature) sized(name string) bool {
	return slices.ContainsFunc(s.Sizes, func(size Size) bool { return size.Name == name })
}

// used tells whether a name occurs among the sizes.
func (s *Signature) used(name string) bool {
	found := false
	_ = s.each(func(a *Argument, _ int) error {
		for _, d := range a.Dims {
			d.walk(func(leaf *Dim) { found = found || leaf.Name == name })
		}
		return nil
	})
	return found
}

// walk visits the names and numbers of a size.
func (d *Dim) walk(visit func(*Dim)) {
	if len(d.Args) == 0 {
		visit(d)
	}
	for _, arg := range d.Args {
		arg.walk(visit)
	}
}

// checkSizes refuses sizes that nothing binds, and names that are something else too.
func (s *Signature) checkSizes() error {
	return s.each(func(a *Argument, input int) error {
		var err error
		for _, d := range a.Dims {
			d.walk(func(leaf *Dim) {
				if leaf.Op == "name" && err == nil {
					err = s.checkSize(a, leaf, input)
				}
			})
		}
		return err
	})
}

func (s *Signature) checkSize(a *Argument, leaf *Dim, input int) error {
	if s.bound(leaf.Name) != nil {
		return leaf.at.fail("%q is a type variable and a size", leaf.Name)
	}
	err := s.each(func(other *Argument, input int) error {
		switch {
		case other.Name != leaf.Name:
		case len(other.Dims) > 0:
			return leaf.at.fail("%q is an array and a size: call one of them otherwise", leaf.Name)
		case input < 0:
			return leaf.at.fail("%q is an output and a size: call one of them otherwise", leaf.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case s.sized(leaf.Name):
		return nil
	case input < 0:
		return leaf.at.fail("size %q is bound by no input: an input's shape or an integer among the inputs must say it", leaf.Name)
	}
	return leaf.at.fail("size %q is bound by no input: %s alone, or with a number added, must be a size of one", leaf.Name, leaf.Name)
}

// checkArguments refuses what the parts of an argument say against one another.
func (s *Signature) checkArguments() error {
	returned := slices.ContainsFunc(s.Outputs, func(a Argument) bool { return !a.Work })
	if !returned && !slices.ContainsFunc(s.Inputs, func(a Argument) bool { return a.Inout }) {
		return &Error{"nothing comes out: write `-> y: T[n]`, or `inout` before the dtype of what is changed", 1, 1}
	}
	optional := ""
	return s.each(func(a *Argument, input int) error {
		switch {
		case a.Inout && len(a.Dims) == 0:
			return a.at.fail("'%s: inout' has no sizes: a number cannot be changed in place", a.Name)
		case a.Strided && len(a.Dims) == 0:
			return a.at.fail("'%s: strided' has no sizes: a number has no strides", a.Name)
		case a.Strided && input < 0:
			return a.at.fail("'%s: strided' is an output, and outputs are contiguous: leave the word out", a.Name)
		case a.Work && input >= 0:
			return a.at.fail("'%s: work' is memory for the body: write it after the arrow", a.Name)
		case a.Work && len(a.Dims) == 0:
			return a.at.fail("'%s: work' has no sizes: declare a number in the body", a.Name)
		case a.Work && a.Value != nil && !zero(*a.Value):
			return a.at.fail("'%s: work' begins with 0, or with anything", a.Name)
		case a.Value != nil && len(a.Dims) > 0 && input >= 0:
			return a.at.fail("%q has a default and is an array: numbers alone have defaults", a.Name)
		case a.Value == nil && input >= 0 && optional != "":
			return a.at.fail("%q has no default and stands after %q, which has one", a.Name, optional)
		case a.Dtype == Function && (input < 0 || len(a.Dims) > 0 || a.Value != nil):
			return a.dtypeAt.fail("%q is a function: one that is given, without sizes and default", a.Name)
		case len(a.Dims) > 32:
			return a.at.fail("%q has %d dimensions; arrays have at most 32", a.Name, len(a.Dims))
		case a.Value != nil && !fits(*a.Value, a.Dtype):
			return a.at.fail("%s is no value of dtype %s", *a.Value, a.Dtype)
		}
		if a.Value != nil && input >= 0 {
			optional = a.Name
		}
		return nil
	})
}

// fits tells whether a number can be of a dtype: whole where the dtype is, and within what it holds.
func fits(value, dtype string) bool {
	if dtype == "bool" {
		return slices.Contains([]string{"0", "1", "True", "False", "true", "false"}, value)
	}
	if !dtypes[dtype] {
		return true
	}
	bits, _ := strconv.Atoi(strings.TrimLeft(dtype, "uint"))
	var err error
	if strings.HasPrefix(dtype, "u") {
		_, err = strconv.ParseUint(value, 10, bits)
	} else {
		_, err = strconv.ParseInt(value, 10, bits)
	}
	return err == nil
}

func zero(value string) bool { return strings.Trim(value, "0.") == "" }
