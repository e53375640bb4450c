package gen

// The fields of each part of a Program, in the order of docs/program.md.

func (d *decoder) program(tree any) *Program {
	o := d.object(tree, place{})
	if v := o.num("program"); d.err == nil && v != Format {
		d.fail(place{field: "program"}, "this is a Program of format %d; this engine reads format %d: use the opweld that wrote it, or write it again with this one", v, Format)
		return nil
	}
	p := &Program{Name: o.str("name", false), Single: o.bool("single", false)}
	o.list("types", false, func(v any, where place) { p.Types = append(p.Types, d.typ(v, where)) })
	o.list("kernels", false, func(v any, where place) { p.Kernels = append(p.Kernels, d.kernel(v, where)) })
	o.list("variables", false, func(v any, where place) { p.Variables = append(p.Variables, d.variable(v, where)) })
	o.list("steps", false, func(v any, where place) { p.Steps = append(p.Steps, d.step(v, where)) })
	o.list("inputs", false, func(v any, where place) { p.Inputs = append(p.Inputs, d.input(v, where)) })
	o.list("outputs", false, func(v any, where place) { p.Outputs = append(p.Outputs, d.output(v, where)) })
	o.close()
	return p
}

func (d *decoder) typ(v any, where place) Type {
	o := d.object(v, where)
	t := Type{
		Label: o.str("label", false), Lang: o.lang(), Texts: o.texts(ofType),
		Build: d.build(o), Version: o.str("version", true), Array: d.array(o),
	}
	o.close()
	return t
}

func (d *decoder) kernel(v any, where place) Kernel {
	o := d.object(v, where)
	k := Kernel{
		Label: o.str("label", false), Lang: o.lang(),
		Inputs: o.nums("inputs"), Outputs: o.nums("outputs"), Perform: o.bool("perform", true),
	}
	if !k.Perform {
		k.Structure, k.View = d.structure(o), d.access(o)
		of := ofKernel
		if k.View == nil {
			k.GIL = o.gil()
		}
		if k.Structure == nil && k.View == nil {
			of |= ofText
			k.Declares, k.Params, k.ShapeOnly = o.strs("declares"), o.optional("params"), o.bool("shape_only", true)
		}
		k.Texts, k.Build, k.Version = o.texts(of), d.build(o), o.str("version", true)
	}
	o.close()
	return k
}

func (d *decoder) build(parent *object) Build {
	v, ok := parent.take("build", true)
	if !ok {
		return Build{}
	}
	o := d.object(v, parent.at("build"))
	b := Build{
		Headers: o.strs("headers"), HeaderDirs: o.strs("header_dirs"),
		Libraries: o.strs("libraries"), LibDirs: o.strs("lib_dirs"),
		CompileArgs: o.strs("compile_args"), NoCompileArgs: o.strs("no_compile_args"),
		Compiler: o.str("compiler", true),
	}
	o.close()
	return b
}

func (d *decoder) array(parent *object) *Array {
	v, ok := parent.take("array", true)
	if !ok {
		return nil
	}
	o := d.object(v, parent.at("array"))
	a := &Array{DType: o.str("dtype", false), NDim: o.num("ndim"), Plain: o.bool("plain", true)}
	o.close()
	return a
}

func (d *decoder) structure(parent *object) *Structure {
	v, ok := parent.take("loop", true)
	if !ok {
		return nil
	}
	o := d.object(v, parent.at("loop"))
	l := &Structure{Body: d.body(o), Exact: o.pairs("exact", "input", "axis")}
	if o.list("folds", true, func(v any, where place) { l.Folds = append(l.Folds, d.folding(v, where)) }); l.Folds != nil {
		l.Axes, l.KeepDims = o.nums("axes"), o.bool("keepdims", true)
	}
	o.list("outputs", false, func(v any, where place) { l.Outputs = append(l.Outputs, d.sink(v, where)) })
	o.close()
	return l
}

func (d *decoder) access(parent *object) *Access {
	v, ok := parent.take("view", true)
	if !ok {
		return nil
	}
	o := d.object(v, parent.at("view"))
	a := &Access{Told: o.bool("told", true)}
	if !a.Told {
		a.Axes, a.New = o.nums("axes"), o.nums("new")
		o.list("cuts", false, func(v any, where place) { a.Cuts = append(a.Cuts, d.cut(v, where)) })
	}
	o.close()
	return a
}

func (d *decoder) cut(v any, where place) Cut {
	o := d.object(v, where)
	c := Cut{Axis: o.num("axis"), At: o.optional("at"), Along: o.optional("along")}
	if c.At == nil && c.Along == nil {
		c.Start, c.Stop, c.Step = o.optional("start"), o.optional("stop"), o.optional("step")
	}
	o.close()
	return c
}

func (d *decoder) body(o *object) (body []Instruction) {
	o.list("body", false, func(v any, where place) { body = append(body, d.instruction(v, where)) })
	return body
}

func (d *decoder) folding(v any, where place) Folding {
	o := d.object(v, where)
	f := Folding{Op: o.str("op", false), Values: o.nums("values"), DTypes: o.strs("dtypes")}
	if f.Op == OpBody {
		f.Body, f.Results, f.Identity = d.body(o), o.nums("results"), o.strs("identity")
	}
	o.close()
	return f
}

func (d *decoder) sink(v any, where place) Sink {
	o := d.object(v, where)
	s := Sink{Value: o.num("value"), Over: o.optional("over"), Fold: o.optional("fold"), Scan: o.bool("scan", true)}
	o.close()
	return s
}

func (d *decoder) instruction(v any, where place) Instruction {
	o := d.object(v, where)
	in := Instruction{Op: o.str("op", false)}
	switch in.Op {
	case OpConstant:
		in.DType, in.Value = o.str("dtype", false), o.str("value", false)
	case OpCode:
		in.Label, in.Code = o.str("label", false), o.str("code", false)
		in.Args, in.DTypes = o.nums("args"), o.strs("dtypes")
	case OpIndex:
		in.DType = "int64"
	default:
		in.Args, in.DType = o.nums("args"), o.str("dtype", false)
	}
	o.close()
	return in
}

func (d *decoder) variable(v any, where place) Variable {
	o := d.object(v, where)
	out := Variable{Type: o.num("type"), Role: Role(o.str("role", false)), Name: o.str("name", true), Keep: o.bool("keep", true)}
	switch out.Role {
	case RoleInput, RoleConstant, RoleTemporary, RoleOutput:
	default:
		d.fail(o.at("role"), "expected input, constant, temporary or output, got %q", out.Role)
	}
	o.close()
	return out
}

func (d *decoder) step(v any, where place) Step {
	o := d.object(v, where)
	s := Step{
		Kernel: o.num("kernel"), Inputs: o.nums("inputs"), Outputs: o.nums("outputs"),
		Params: o.optional("params"), Destroys: o.pairs("destroys", "output position", "input position"), Views: o.pairs("views", "output position", "input position"),
	}
	o.close()
	return s
}

func (d *decoder) input(v any, where place) Input {
	o := d.object(v, where)
	in := Input{
		Variable: o.num("variable"), Name: o.str("name", true), Default: o.bool("default", true),
		Accept: o.text("accept"), Fit: d.fit(o), Shared: o.bool("shared", true),
	}
	o.close()
	return in
}

func (d *decoder) output(v any, where place) Output {
	o := d.object(v, where)
	out := Output{Variable: o.num("variable"), Accept: o.text("accept"), Fit: d.fit(o), Update: o.optional("update"), Scalar: o.bool("scalar", true)}
	o.close()
	return out
}

func (d *decoder) fit(parent *object) *Fit {
	v, ok := parent.take("fit", true)
	if !ok {
		return nil
	}
	o := d.object(v, parent.at("fit"))
	f := &Fit{Sizes: o.pairs("sizes", "axis", "size"), Writeable: o.bool("writeable", true)}
	o.close()
	return f
}
