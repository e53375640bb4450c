package gen

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"opweld/gen/scalar"
)

// The first kernel of render_reduce sums a matrix along axis 0: what is wrong of its structure is said with the place.
func TestStructuresThatDoNotFit(t *testing.T) {
	fold := func(p tree) tree { return member(p, "folds", 0).(tree) }
	out := func(p tree) tree { return member(p, "outputs", 0).(tree) }
	const at = "kernels[0].loop"
	for want, damage := range map[string]func(tree){
		at + `.folds[0].op: CAReduce.add: no reduction by "subtract"`: func(p tree) { fold(p)["op"] = "subtract" },
		at + ".folds[0].values[0]: no value 1, there are 1":           func(p tree) { fold(p)["values"] = []int{1} },
		at + ".folds[0].values[0]: CAReduce.add: value 0 is float32, the accumulator float64: cast it": func(p tree) {
			fold(p)["dtypes"] = []string{"float64"}
		},
		at + `.folds[0]: CAReduce.add: 2 values, 2 dtypes, 0 results, 0 identities: expected one of each for each accumulator, and one accumulator of "add"`: func(p tree) {
			fold(p)["values"], fold(p)["dtypes"] = []int{0, 0}, []string{"float32", "float32"}
		},
		at + `.folds[0]: CAReduce.add: 1 values, 1 dtypes, 2 results, 0 identities: expected one of each for each accumulator, and one accumulator of "body"`: func(p tree) {
			fold(p)["op"], fold(p)["body"], fold(p)["results"] = "body", []any{}, []int{0, 1}
		},
		at + ".folds[0].results[0]: no value 5, there are 2": func(p tree) {
			fold(p)["op"], fold(p)["body"], fold(p)["results"] = "body", []any{}, []int{5}
		},
		at + `.folds[0].identity[0]: CAReduce.add: "none" is no constant of dtype float32`: func(p tree) {
			fold(p)["op"], fold(p)["body"], fold(p)["results"], fold(p)["identity"] = "body", []any{}, []int{0}, []string{"none"}
		},
		at + ".folds[0].body[0]: CAReduce.add: an index is an element's place along the axes of folds: expected folds, and it in the structure's own body": func(p tree) {
			fold(p)["op"], fold(p)["body"], fold(p)["results"] = "body", []any{tree{"op": "index"}}, []int{0}
		},
		at + ".body[0]: CAReduce.add: an index is an element's place along the axes of folds: expected folds, and it in the structure's own body": func(p tree) {
			delete(p, "folds")
			delete(p, "axes")
			p["body"], p["outputs"] = []any{tree{"op": "index"}}, []any{tree{"value": 0}}
		},
		at + `: unknown field "axes"; known are body, exact, folds, outputs`:           func(p tree) { delete(p, "folds") },
		at + ".exact[0]: CAReduce.add: axis 2: input 0 has 2 dimensions":               func(p tree) { p["exact"] = [][]int{{0, 2}} },
		at + ".exact[0]: no input 1, there are 1":                                      func(p tree) { p["exact"] = [][]int{{1, 0}} },
		at + ".axes[1]: CAReduce.add: axis 2: expected ascending axes of 2 dimensions": func(p tree) { p["axes"] = []int{0, 2} },
		at + ".outputs: CAReduce.add: 2 for the kernel's 1 outputs":                    func(p tree) { p["outputs"] = []any{out(p), out(p)} },
		at + ".outputs[0].fold: no fold 1, there are 1":                                func(p tree) { out(p)["fold"] = 1 },
		at + ".outputs[0].value: no value 1, there are 1":                              func(p tree) { out(p)["value"] = 1 },
		at + ".outputs[0]: CAReduce.add: the output has 1 dimensions, not 2":           func(p tree) { out(p)["scan"] = true },
		at + ".outputs[0].scan: CAReduce.add: a scan is of a fold along 1 axis, this structure has 2": func(p tree) {
			p["axes"] = []int{0, 1}
			out(p)["scan"] = true
		},
		at + ".outputs[0].over: CAReduce.add: a structure that folds writes over nothing": func(p tree) { out(p)["over"] = 0 },
		at + ".outputs[0].over: no input 3, there are 1":                                  func(p tree) { out(p)["over"] = 3 },
	} {
		root := sample(t, "render_reduce")
		damage(member(root, "kernels", 0, "loop").(tree))
		data, err := json.Marshal(root)
		require.NoError(t, err)
		p, err := Decode(data)
		if err == nil {
			_, err = p.Check()
		}
		assert.EqualError(t, err, want)
	}
}

// A choice among values of which NumPy may warn has to compute those that are not chosen too; one among those that are there
// does not.
func TestWhatAChoiceMustCompute(t *testing.T) {
	double, _ := scalar.TypeOf("float64")
	truth, _ := scalar.TypeOf("bool")
	in := func(op string, makes scalar.Type, args ...int) TypedInstruction {
		takes := make([]scalar.Type, len(args))
		for i := range takes {
			takes[i] = double
		}
		return TypedInstruction{Instruction: &Instruction{Op: op, Args: args}, Takes: takes, Makes: []scalar.Type{makes}}
	}
	compare := in("greater", truth, 0, 1) // value 2
	for name, of := range map[string]struct {
		body []TypedInstruction
		want bool
	}{
		"inputs":              {[]TypedInstruction{compare, in("where", double, 2, 0, 1)}, false},
		"what is done after":  {[]TypedInstruction{compare, in("where", double, 2, 0, 1), in("multiply", double, 3, 1)}, false},
		"silent values":       {[]TypedInstruction{compare, in("absolute", double, 0), in("where", double, 2, 3, 1)}, false},
		"a quotient":          {[]TypedInstruction{compare, in("divide", double, 0, 1), in("where", double, 2, 3, 1)}, true},
		"what comes of one":   {[]TypedInstruction{compare, in("divide", double, 0, 1), in("negative", double, 3), in("where", double, 2, 0, 4)}, true},
		"a second choice":     {[]TypedInstruction{compare, in("where", double, 2, 0, 1), in("sqrt", double, 3), in("where", double, 2, 4, 0)}, true},
		"no choice at all":    {[]TypedInstruction{in("divide", double, 0, 1)}, false},
		"a choice among bool": {[]TypedInstruction{compare, in("divide", double, 0, 1), in("greater", truth, 3, 0), in("where", truth, 2, 4, 2)}, false},
	} {
		loop := Loop{Inputs: []scalar.Type{double, double}, Body: of.body}
		assert.Equal(t, of.want, loop.chooses(), name)
	}
	fold := Fold{Body: []TypedInstruction{in("where", double, 0, 1, 1)}}
	assert.True(t, (&Loop{Folds: []Fold{fold}}).chooses(), "of a fold nothing is known of what its values come of")
}

// A user's code runs without the GIL where its op says so, and on several threads at once where it keeps nothing.
func TestWhichLoopsAreWorthThreads(t *testing.T) {
	double, _ := scalar.TypeOf("float64")
	one := func(in TypedInstruction) *Loop { return &Loop{Body: []TypedInstruction{in}} }
	of := func(op string) *Loop {
		return one(TypedInstruction{Instruction: &Instruction{Op: op}, Takes: []scalar.Type{double, double}, Makes: []scalar.Type{double}})
	}
	code := one(TypedInstruction{Instruction: &Instruction{Op: OpCode}})
	fails := one(TypedInstruction{Instruction: &Instruction{Op: "power"}, Expr: scalar.Code{Fails: true}})
	for _, c := range []struct {
		kernel TypedKernel
		worth  int
	}{
		{TypedKernel{Kernel: &Kernel{}, Loop: of("add")}, worthPlain},
		{TypedKernel{Kernel: &Kernel{}, Loop: of("divide")}, worthDear},
		{TypedKernel{Kernel: &Kernel{}, Loop: fails}, 0},
		{TypedKernel{Kernel: &Kernel{}, Loop: code}, 0},
		{TypedKernel{Kernel: &Kernel{GIL: GILFreeThreaded}, Loop: code}, 0},
		{TypedKernel{Kernel: &Kernel{GIL: GILReleased}, Loop: code}, worthDear},
		{TypedKernel{Kernel: &Kernel{GIL: GILReleased}, Loop: code, State: true}, 0},
	} {
		assert.Equal(t, c.worth, c.kernel.worth())
	}
}

// A division is by one number where all that its divisor comes of is; what is divided is not.
func TestWhichDivisionsAreByOneNumber(t *testing.T) {
	double, _ := scalar.TypeOf("float64")
	long, _ := scalar.TypeOf("longdouble")
	in := func(of scalar.Type, op string, args ...int) TypedInstruction {
		return TypedInstruction{Instruction: &Instruction{Op: op, Args: args}, Takes: []scalar.Type{of, of}, Makes: []scalar.Type{of}}
	}
	for name, c := range map[string]struct {
		body    []TypedInstruction
		strides []int
		want    []int
	}{
		"an input":                {[]TypedInstruction{in(double, "divide", 0, 1)}, []int{8, 0}, []int{0}},
		"an array":                {[]TypedInstruction{in(double, "divide", 0, 1)}, []int{8, 8}, nil},
		"of two numbers":          {[]TypedInstruction{in(double, "divide", 0, 1)}, []int{0, 0}, nil},
		"what comes of a number":  {[]TypedInstruction{in(double, "sqrt", 1), in(double, "divide", 0, 2)}, []int{8, 0}, []int{1}},
		"what comes of an array":  {[]TypedInstruction{in(double, "sqrt", 0), in(double, "divide", 0, 2)}, []int{8, 0}, nil},
		"of a type without fuses": {[]TypedInstruction{in(long, "divide", 0, 1)}, []int{16, 0}, nil},
		"beside a user's code":    {[]TypedInstruction{in(double, "divide", 0, 1), in(double, OpCode, 2)}, []int{8, 0}, nil},
	} {
		loop := Loop{Inputs: []scalar.Type{double, double}, Body: c.body}
		assert.Equal(t, c.want, loop.divides(c.strides), name)
		loop.Tabled = true // run in stages
		assert.Nil(t, loop.divides(c.strides), name)
	}
}

// Beside functions a division by a number is a stage by itself, which a piece of the library is; other arithmetic is not.
func TestDivisionsByNumbersBesideFunctionsAreStages(t *testing.T) {
	double, _ := scalar.TypeOf("float64")
	in := func(of way, op string, args ...int) TypedInstruction {
		return TypedInstruction{Instruction: &Instruction{Op: op, Args: args}, Takes: []scalar.Type{double, double}, Makes: []scalar.Type{double}, way: &of}
	}
	function, plain := way{apart: true, vector: true}, way{simple: true}
	for name, c := range map[string]struct {
		scalars []int
		op      string
		want    int
	}{
		"by a number": {[]int{1}, "divide", 3}, "by an array": {nil, "divide", 2}, "a number by an array": {[]int{0}, "divide", 2}, "times a number": {[]int{1}, "multiply", 2},
	} {
		loop := &Loop{
			Inputs: []scalar.Type{double, double}, Scalars: c.scalars,
			Body:    []TypedInstruction{in(plain, "add", 0, 1), in(plain, c.op, 0, 1), in(plain, "add", 2, 3), in(function, "exp", 4)},
			Outputs: []LoopOutput{{Value: 5, Fold: -1, Over: -1, Type: double}},
		}
		assert.Len(t, newStages(loop).order(), c.want, name)
	}
}
