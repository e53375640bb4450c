package gen

import (
	"bytes"
	"encoding/json"
)

// Encode writes a Program as Python writes it: keys sorted, no blanks, optional fields left out where empty. Decode and
// Encode undo each other.
func (p *Program) Encode() ([]byte, error) {
	types := []any{}
	for _, t := range p.Types {
		types = append(types, t.fields())
	}
	kernels := []any{}
	for _, k := range p.Kernels {
		kernels = append(kernels, k.fields())
	}
	variables := []any{}
	for _, v := range p.Variables {
		variables = append(variables, fields{"type": v.Type, "role": v.Role}.some("name", v.Name).flag("keep", v.Keep))
	}
	steps := []any{}
	for _, s := range p.Steps {
		steps = append(steps, fields{"kernel": s.Kernel, "inputs": s.Inputs, "outputs": s.Outputs}.
			index("params", s.Params).pairs("destroys", s.Destroys).pairs("views", s.Views))
	}
	inputs := []any{}
	for _, in := range p.Inputs {
		f := fields{"variable": in.Variable}.some("name", in.Name).text("accept", in.Accept).fit(in.Fit)
		inputs = append(inputs, f.flag("default", in.Default).flag("shared", in.Shared))
	}
	outputs := []any{}
	for _, out := range p.Outputs {
		f := fields{"variable": out.Variable}.text("accept", out.Accept).fit(out.Fit).index("update", out.Update)
		outputs = append(outputs, f.flag("scalar", out.Scalar))
	}
	all := fields{
		"program": Format, "name": p.Name, "types": types, "kernels": kernels, "variables": variables,
		"steps": steps, "inputs": inputs, "outputs": outputs, "single": p.Single,
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(all); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// fields is a JSON object; its methods add what is not empty.
type fields map[string]any

func (f fields) some(name, s string) fields {
	if s != "" {
		f[name] = s
	}
	return f
}

func (f fields) fit(fit *Fit) fields {
	if fit != nil {
		f["fit"] = fields{}.pairs("sizes", fit.Sizes).flag("writeable", fit.Writeable)
	}
	return f
}

func (f fields) text(name string, s *string) fields {
	if s != nil {
		f[name] = *s
	}
	return f
}

func (f fields) flag(name string, b bool) fields {
	if b {
		f[name] = true
	}
	return f
}

func (f fields) index(name string, i *int) fields {
	if i != nil {
		f[name] = *i
	}
	return f
}

func (f fields) strs(name string, s []string) fields {
	if len(s) > 0 {
		f[name] = s
	}
	return f
}

func (f fields) nums(name string, n []int) fields {
	if len(n) > 0 {
		f[name] = n
	}
	return f
}

func (f fields) pairs(name string, p [][2]int) fields {
	if len(p) > 0 {
		f[name] = p
	}
	return f
}

func (f fields) build(b Build) fields {
	o := fields{}.strs("headers", b.Headers).strs("header_dirs", b.HeaderDirs).
		strs("libraries", b.Libraries).strs("lib_dirs", b.LibDirs).
		strs("compile_args", b.CompileArgs).strs("no_compile_args", b.NoCompileArgs).
		some("compiler", b.Compiler)
	if len(o) > 0 {
		f["build"] = o
	}
	return f
}

func (t *Type) fields() fields {
	return fields{"label": t.Label, "lang": t.Lang}.texts(&t.Texts, ofType).build(t.Build).some("version", t.Version).array(t.Array)
}

func (f fields) array(a *Array) fields {
	if a != nil {
		f["array"] = fields{"dtype": a.DType, "ndim": a.NDim}.flag("plain", a.Plain)
	}
	return f
}

func (l *Structure) fields() fields {
	outputs, folds := []any{}, []any{}
	for _, out := range l.Outputs {
		outputs = append(outputs, fields{"value": out.Value}.index("over", out.Over).index("fold", out.Fold).flag("scan", out.Scan).flag("ended", out.Ended))
	}
	f := fields{"body": instructions(l.Body), "outputs": outputs}
	for _, fold := range l.Folds {
		folds = append(folds, fold.fields())
	}
	if len(folds) > 0 {
		f["folds"], f["axes"] = folds, l.Axes
	}
	if len(l.Ending) > 0 {
		f["ending"] = instructions(l.Ending)
	}
	return f.flag("keepdims", l.KeepDims).pairs("exact", l.Exact).nums("scalars", l.Scalars).nums("spread", l.Spread).flag("tabled", l.Tabled)
}

func (a *Access) fields() fields {
	if a.Told {
		return fields{"told": true}
	}
	cuts := []any{}
	for _, c := range a.Cuts {
		cuts = append(cuts, fields{"axis": c.Axis}.index("at", c.At).index("along", c.Along).index("start", c.Start).index("stop", c.Stop).index("step", c.Step))
	}
	return fields{"axes": a.Axes, "new": a.New, "cuts": cuts}
}

func (f *Folding) fields() fields {
	o := fields{"op": f.Op, "values": f.Values, "dtypes": f.DTypes}
	if f.Op == OpBody {
		o["body"], o["results"] = instructions(f.Body), f.Results
	}
	return o.strs("identity", f.Identity)
}

func instructions(body []Instruction) []any {
	all := []any{}
	for _, in := range body {
		all = append(all, in.fields())
	}
	return all
}

func (in *Instruction) fields() fields {
	f := fields{"op": in.Op}
	switch in.Op {
	case OpConstant:
		f["dtype"], f["value"] = in.DType, in.Value
	case OpCode:
		f["label"], f["args"], f["dtypes"], f["code"] = in.Label, in.Args, in.DTypes, in.Code
	case OpIndex:
	default:
		f["args"], f["dtype"] = in.Args, in.DType
	}
	if in.Member > 0 { // of a loop that the engine made, which has to be told from others
		f["member"] = in.Member
	}
	return f
}

func (k *Kernel) fields() fields {
	f := fields{"label": k.Label, "lang": k.Lang, "inputs": k.Inputs, "outputs": k.Outputs}
	if k.Perform {
		return f.flag("perform", true)
	}
	of := ofKernel
	switch {
	case k.Structure != nil:
		f["loop"] = k.Structure.fields()
	case k.View != nil:
		f["view"] = k.View.fields()
	default:
		f["declares"], of = k.Declares, ofKernel|ofText
	}
	return f.texts(&k.Texts, of).index("params", k.Params).some("gil", string(k.GIL)).flag("shape_only", k.ShapeOnly).build(k.Build).some("version", k.Version)
}
