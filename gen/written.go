package gen

import "opweld/gen/ccode"

// Written is a text of a user's, and what is known of where it stands.
type Written struct {
	ccode.Place
	Op, Hook string   // label and method
	Text     string   //
	Kernel   int      // whose it is; -1: a type's
	Names    []string // of the kernel's variables, where it may use them
	Params   string   // what the op's params are called there
}

// Written lists the texts of a Program that users wrote, types' first; not those of types that hold an array and do no more,
// nor declarations.
func (p *Program) Written() []Written {
	var found []Written
	for i := range p.Types {
		if t := &p.Types[i]; t.Array == nil || !t.Array.Plain {
			found = append(found, written(t.Label, -1, &t.Texts, func(h Hook) ccode.Place { return h.place(t.Lang) })...)
		}
	}
	types := make([]TypedType, len(p.Types))
	for i := range p.Types {
		types[i].Type = &p.Types[i]
	}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.Perform {
			continue
		}
		support := append(k.before(types), k.Text(SupportCodeApply))
		place := func(h Hook) ccode.Place {
			in := k.place(h, support)
			in.Support = support
			return in
		}
		for _, w := range written(k.Label, i, &k.Texts, place) {
			if w.Hook == Code.String() {
				w.Names, w.Params = k.variableNames()[:len(k.Inputs)+len(k.Outputs)], paramsToken
			}
			found = append(found, w)
		}
		for _, in := range k.instructions() {
			if in.Op == OpCode {
				found = append(found, Written{Code.place(k.Lang), in.Label, Code.String(), in.Code, i, nil, ""})
			}
		}
	}
	return found
}

// written lists the texts of an owner.
func written(label string, kernel int, texts *Texts, place func(Hook) ccode.Place) []Written {
	var found []Written
	for h := range hookCount {
		if h == Declare || hooks[h].scope == inStruct {
			continue // declarations, and members
		}
		for _, text := range texts[h] {
			found = append(found, Written{place(h), label, h.String(), text, kernel, nil, ""})
		}
	}
	return found
}
