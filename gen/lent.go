package gen

import "slices"

// lent says whether a call may work on what others hold for it: the caller the arguments, the instance the constants. All
// variables are arrays of types that do no more than hold a reference to one; no shared value is read or set, no state kept, and
// no step gives what it reads another value or memory.
func (plan *FunctionPlan) lent() bool {
	for i := range plan.Variables {
		if a := plan.Program.Types[plan.Variables[i].Type].Array; a == nil || !a.Plain {
			return false
		}
	}
	for i := range plan.Table {
		e := &plan.Table[i]
		if e.Run == RunSeparate || e.Run == RunPerform || e.Step >= 0 && len(plan.replaces(e.Step)) > 0 {
			return false
		}
	}
	converted := slices.ContainsFunc(plan.Inputs, func(in Input) bool { return in.Shared || !in.taken() })
	return len(plan.Structs) == 0 && !converted && plan.resultsAreMade()
}

// resultsAreMade says whether each result is a variable of its own that a step fills.
func (plan *FunctionPlan) resultsAreMade() bool {
	seen := map[int]bool{}
	for _, out := range plan.Outputs {
		role := plan.Variables[out.Variable].Role
		if role == RoleInput || role == RoleConstant || out.Update != nil || seen[out.Variable] {
			return false
		}
		seen[out.Variable] = true
	}
	return true
}
