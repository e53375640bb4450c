package gen

import (
	"fmt"
	"strings"
)

// GroupView is an entry of a function's table of groups.
type GroupView struct {
	Main, Inputs, Outputs, Temps int // Main: which of the table of loops
	Folds                        int
	Masks                        []string
	Parts                        []PartView
	Count                        int      // of members
	Members                      string   // of each its node, how many inputs it has, and which of Reads is the first
	Reads                        string   // of all members, one after the other: what is read, and of which type
	Exact                        []string // of each of these, a mask of axes; nil: there are none
	Sources                      int      // the step's inputs
	Views                        []ThroughView
	From                         []int
}

// ThroughView is a view that a group reads through.
type ThroughView struct {
	Node, Access int
	Reads        []int
}

// PartView is a loop that runs where shapes differ.
type PartView struct {
	Loop     int
	Operands string
}

// groups fills the table of groups.
func (v *functionViewer) groups() {
	for _, g := range v.of.Groups {
		w := GroupView{Main: v.plan.Kernels[g.Entry.Function].Loop, Inputs: len(g.From), Outputs: g.Entry.Outputs,
			Temps: g.Temps, Folds: g.Folds, Sources: g.Entry.Inputs, From: g.From}
		for i, view := range g.Views {
			w.Views = append(w.Views, ThroughView{view.Node, g.Accesses[i], view.Reads})
		}
		for _, inputs := range g.Masks {
			w.Masks = append(w.Masks, mask(inputs))
		}
		for i, part := range g.Parts {
			w.Parts = append(w.Parts, PartView{v.plan.Kernels[g.Functions[i]].Loop, numbers(part.Operands)})
		}
		w.members(g.Members)
		v.w.Groups = append(v.w.Groups, w)
		v.w.summary = append(v.w.summary, v.tell(&g)...)
	}
}

// members writes the tables of a group's members.
func (w *GroupView) members(all []Member) {
	var members, reads []int
	var exact []string
	wanted := false
	for _, m := range all {
		members = append(members, m.Node, len(m.Reads), len(reads)/2)
		for _, read := range m.Reads {
			reads, exact = append(reads, read.From, read.Type.Number), append(exact, mask(read.Exact))
			wanted = wanted || len(read.Exact) > 0
		}
	}
	if w.Count, w.Members, w.Reads = len(all), numbers(members), numbers(reads); wanted {
		w.Exact = exact
	}
}

// tell says for the reader which of Program's steps a group was, and where the C of each is.
func (v *functionViewer) tell(g *GroupPlan) []string {
	var steps []string
	for _, m := range g.Members {
		if m.Spare {
			continue
		}
		steps = append(steps, fmt.Sprintf("%d %s", m.Node, comment(m.Label)))
	}
	what := ": one loop of Program's steps"
	if len(steps) == 1 {
		what = ": the loop of Program's step"
	}
	told := append([]string{v.loopOf(g.Entry.Function) + what}, inLines(steps)...)
	var views []string
	for _, view := range g.Views {
		views = append(views, fmt.Sprintf("%d %s", view.Node, comment(v.of.Kernels[view.Kernel].Label)))
	}
	if len(views) > 0 {
		told = append(append(told, "  which reads through the views"), inLines(views)...)
	}
	if len(g.Parts) == 0 {
		return told
	}
	told = append(told, "  where shapes differ, one after the other:")
	for i, part := range g.Parts {
		nodes := strings.Trim(fmt.Sprint(part.Nodes), "[]")
		told = append(told, fmt.Sprintf("    %s: steps %s", v.loopOf(g.Functions[i]), nodes))
	}
	return told
}

// loopOf names the C of a kernel's loop, which several may share.
func (v *functionViewer) loopOf(kernel int) string {
	return v.view.Table[v.plan.Kernels[kernel].Loop].L
}

// inLines puts words on as few lines as they fit on, with commas between.
func inLines(words []string) []string {
	const width = 110
	lines := []string{"    " + words[0]}
	for _, word := range words[1:] {
		last := &lines[len(lines)-1]
		if *last += ","; len(*last)+len(word) < width {
			*last += " " + word
		} else {
			lines = append(lines, "    "+word)
		}
	}
	return lines
}
