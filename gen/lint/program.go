package lint

import (
	"slices"
	"strings"

	"opweld/gen"
	"opweld/gen/pattern"
)

// Program gives the fragments of a Program: what the types and ops of users wrote, each text once.
func Program(p *gen.Program) []Fragment {
	var found []Fragment
	seen := map[string]bool{}
	calls := map[int]Fragment{}  // of kernels whose code calls a function in a .c file: the code
	cleanups := map[int]string{} // of kernels: what runs behind their code
	texts := p.Written()
	for _, w := range texts {
		if w.Hook == gen.CodeCleanup.String() {
			cleanups[w.Kernel] = w.Text
		}
		if w.Names != nil && handed.MatchString(w.Text) {
			calls[w.Kernel] = fragment(p, w)
		}
	}
	for _, w := range texts {
		if !w.Body && strings.HasPrefix(w.Hook, "c_init_code") {
			continue // statements of a function that may return
		}
		f := fragment(p, w)
		if w.Names != nil {
			f.Cleanup = cleanups[w.Kernel]
		}
		if code, ok := calls[w.Kernel]; ok && f.File {
			m := handed.FindStringSubmatch(code.Text)
			f.Entry, f.Variables, f.Open = entryName(m[1]), entered(code.Variables, m[2]), false
		}
		id := f.Name + "\x00" + f.Text
		if strings.TrimSpace(f.Text) != "" && !seen[id] {
			seen[id] = true
			found = append(found, f)
		}
	}
	return found
}

// fragment is a text as the lint takes it.
func fragment(p *gen.Program, w gen.Written) Fragment {
	f := Fragment{Name: w.Op + "." + w.Hook, Op: w.Op, Hook: w.Hook, Text: w.Text, CXX: w.CXX, File: !w.Body, Support: w.Support,
		Released: w.Released, Open: true}
	if w.Fails {
		f.Fail, f.Label = w.Fail, w.Label
	}
	if w.Names != nil {
		f.Variables, f.Open, f.Params = variables(p, w), false, w.Params
	}
	return f
}

// variables are what a kernel's code is given. What it may destroy and view is what each of its steps says.
func variables(p *gen.Program, w gen.Written) []Variable {
	k := &p.Kernels[w.Kernel]
	var found []Variable
	for at, t := range slices.Concat(k.Inputs, k.Outputs) {
		v := Variable{Name: w.Names[at], Shown: strings.TrimPrefix(w.Names[at], "opw_"), Output: at >= len(k.Inputs), Views: []int{}}
		if array := p.Types[t].Array; array != nil {
			v.Array, v.NDim = true, array.NDim
		}
		found = append(found, v)
	}
	at := slices.IndexFunc(p.Steps, func(s gen.Step) bool { return s.Kernel == w.Kernel })
	if at < 0 {
		return found
	}
	for _, pair := range p.Steps[at].Destroys {
		found[pair[1]].Destroyed = true
	}
	for _, pair := range slices.Concat(p.Steps[at].Views, p.Steps[at].Destroys) {
		out := &found[len(k.Inputs)+pair[0]]
		out.Views = append(out.Views, pair[1])
	}
	return found
}

var (
	// handed is the call of an op's function in a .c file, as opweld writes it.
	handed  = pattern.New(`int opw_returned = ([\w()]+?)\(((?:[&\w]+(?:, )?)*)\);`)
	applied = pattern.New(`^APPLY_SPECIFIC\((\w+)\)$`)
)

func entryName(called string) string { return applied.ReplaceAllString(called, "${1}_apply") }

// entered are the variables in the order of a call's arguments.
func entered(variables []Variable, arguments string) []Variable {
	var found []Variable
	places := map[int]int{} // of the fragment's variables: which argument
	for i, argument := range strings.Split(arguments, ", ") {
		name := strings.TrimPrefix(argument, "&")
		at := slices.IndexFunc(variables, func(v Variable) bool { return v.Name == name })
		if at < 0 {
			found = append(found, Variable{Name: name})
			continue
		}
		places[at] = i
		found = append(found, variables[at])
	}
	for i := range found {
		views := []int{}
		for _, of := range found[i].Views {
			views = append(views, places[of])
		}
		found[i].Views = views
	}
	return found
}
