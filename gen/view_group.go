package gen

// GroupView is an entry of a function's table of groups.
type GroupView struct {
	Main, Inputs, Outputs, Temps int // Main: which of the table of loops
	Folds                        int
	Masks                        []string
	Parts                        []PartView
	Members                      []MemberView
}

// PartView is a loop that runs where shapes differ.
type PartView struct {
	Loop     int
	Operands []int
}

// MemberView is one of the nodes that a group was.
type MemberView struct {
	Node  int
	Reads []ReadView
}

// ReadView is what a member reads, and of which type.
type ReadView struct {
	From int
	Enum string
}

// groups fills the table of groups.
func (v *functionViewer) groups() {
	for _, g := range v.of.Groups {
		w := GroupView{Main: v.plan.Kernels[g.Entry.Function].Loop, Inputs: g.Entry.Inputs, Outputs: g.Entry.Outputs,
			Temps: g.Temps, Folds: g.Folds}
		for _, inputs := range g.Masks {
			w.Masks = append(w.Masks, mask(inputs))
		}
		for i, part := range g.Parts {
			w.Parts = append(w.Parts, PartView{v.plan.Kernels[g.Functions[i]].Loop, part.Operands})
		}
		for _, m := range g.Members {
			member := MemberView{Node: m.Node}
			for _, read := range m.Reads {
				member.Reads = append(member.Reads, ReadView{read.From, read.Type.Enum})
			}
			w.Members = append(w.Members, member)
		}
		v.w.Groups = append(v.w.Groups, w)
	}
}
