package gen

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type tree = map[string]any

// sample is the Program of a golden file, as a tree that a test may damage.
func sample(t *testing.T, name string) tree {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".txtar")
	require.NoError(t, err)
	var root tree
	require.NoError(t, json.Unmarshal(section(txtar.Parse(data), "program.json"), &root))
	return root
}

func member(at any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			at = at.(tree)[p]
		case int:
			at = at.([]any)[p]
		}
	}
	return at
}

// fault damages the Program of render_perform: variables x, constant, temporary, temporary, output; steps Add,
// PyNeg (perform), Add.
func fault(t *testing.T, damage func(p tree)) string {
	t.Helper()
	root := sample(t, "render_perform")
	damage(root)
	data, err := json.Marshal(root)
	require.NoError(t, err)
	p, err := Decode(data)
	if err == nil {
		_, err = Render(Alone(p))
	}
	require.Error(t, err)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.NotEmpty(t, e.Stage)
	return err.Error()
}

func TestMalformedProgramsSayWhere(t *testing.T) {
	at := func(path ...any) func(p tree) tree {
		return func(p tree) tree { return member(p, path...).(tree) }
	}
	set := func(of func(p tree) tree, field string, value any) func(tree) {
		return func(p tree) { of(p)[field] = value }
	}
	without := func(of func(p tree) tree, field string) func(tree) {
		return func(p tree) { delete(of(p), field) }
	}
	step, typ, kernel, in := at("steps", 0), at("types", 0), at("kernels", 0), at("inputs", 0)
	root := func(p tree) tree { return p }
	for want, damage := range map[string]func(tree){
		"program: this is a Program of format 2; this engine reads format 4: use the opweld that wrote it, or write it again with this one": set(root, "program", 2),
		`field "program" is missing`:                                                                                 without(root, "program"),
		`steps: expected a list, got the string "none"`:                                                              set(root, "steps", "none"),
		`single: expected true or false, got the number 1`:                                                           set(root, "single", 1),
		`steps[0]: unknown field "fast"; known are destroys, inputs, kernel, outputs, params, views`:                 set(at("steps", 0), "fast", true),
		`types[0]: field "label" is missing`:                                                                         without(typ, "label"),
		`types[0].label: a label may not be empty`:                                                                   set(typ, "label", ""),
		"types[0].label: label \"a\\\"b\" holds '\"', which cannot stand in #line names, comments and strings alike": set(typ, "label", `a"b`),
		`types[0].lang: expected "c" or "c++", got "d"`:                                                              set(typ, "lang", "d"),
		`types[0].init: expected a string, got null`:                                                                 set(typ, "init", nil),
		`types[0].declare: holds a NUL character, which no compiler reads`:                                           set(typ, "declare", "int V;\x00"),
		`kernels[0].declares: Add: 2 texts for 3 variables`:                                                          set(kernel, "declares", []string{"", ""}),
		`kernels[0].outputs[0]: no type 9, there are 1`:                                                              set(kernel, "outputs", []int{9}),
		`variables[1].role: expected input, constant, temporary or output, got "shared"`:                             set(at("variables", 1), "role", "shared"),
		`variables[1].type: expected an integer from 0 to 2147483647, got -1`:                                        set(at("variables", 1), "type", -1),
		`steps[0].kernel: no kernel 7, there are 3`:                                                                  set(step, "kernel", 7),
		`steps[0].inputs: Add: the kernel takes 2, the step gives 1`:                                                 set(step, "inputs", []int{0}),
		`steps[0].inputs[1]: no variable 17, there are 5`:                                                            set(step, "inputs", []int{0, 17}),
		`steps[0].outputs[0]: variable 1 is a constant; a step cannot make it`:                                       set(step, "outputs", []int{1}),
		`steps[1].outputs[0]: variable 2 is made by steps[0] already`:                                                set(at("steps", 1), "outputs", []int{2}),
		`steps[0].destroys[0][1]: no input 2, there are 2`:                                                           set(step, "destroys", [][]int{{0, 2}}),
		`steps[0].views[0]: expected [output position, input position], got a list of 1`:                             set(step, "views", [][]int{{0}}),
		`inputs[0].variable: variable 2 is a temporary, not an input`:                                                set(in, "variable", 2),
		`inputs[1].variable: variable 0 is listed twice`: func(p tree) {
			p["inputs"] = append(p["inputs"].([]any), tree{"variable": 0})
		},
		`inputs[1].name: inputs[0] is called "x" too`: func(p tree) {
			p["variables"] = append(p["variables"].([]any), tree{"type": 0, "role": "input"})
			p["inputs"] = append(p["inputs"].([]any), tree{"variable": 5, "name": "x"})
		},
		`variables[0]: is an input that is not listed in inputs`: set(root, "inputs", []any{}),
		`variables[4]: is an output that is not listed in outputs`: func(p tree) {
			p["single"], p["outputs"] = true, []any{}
		},
		`variables[2]: is a temporary that no step makes`: func(p tree) {
			p["steps"] = p["steps"].([]any)[1:]
		},
		`variables[0]: Double: the type has no c_extract, which an input needs: write it`:                       without(typ, "extract"),
		`variables[2]: Double: the type has no c_init, which a temporary needs: write it`:                       without(typ, "init"),
		`variables[4]: Double: the type has no c_sync, which an output needs: write it`:                         without(typ, "sync"),
		`outputs[0].accept: Double: the type has no c_extract_out, which an output with accept needs: write it`: set(at("outputs", 0), "accept", "1"),
		`outputs[0].fit: Double: the type's array is not plain: accept says which objects are taken`:            set(at("outputs", 0), "fit", tree{}),
		`outputs[0].scalar: variable 4 is not of a type whose array has no dimensions`:                          set(at("outputs", 0), "scalar", true),
		`outputs[0].scalar: what a shared value becomes is an array`: func(p tree) {
			in(p)["shared"] = true
			delete(in(p), "name")
			at("outputs", 0)(p)["scalar"], at("outputs", 0)(p)["update"] = true, 0
		},
		`kernels[0].gil: expected "released" or "free-threaded", got "dropped"`:   set(kernel, "gil", "dropped"),
		`kernels[0].lang: Add: struct code is C++: expected "c++", got "c"`:       set(kernel, "support_code_struct", "int n;"),
		`steps[0].params: Add: kernel and step must both have params, or neither`: set(step, "params", 1),
		`steps[0].params: Add: variable 0 is an input; params are a constant`: func(p tree) {
			k := kernel(p)
			k["params"], k["declares"] = 0, append(k["declares"].([]any), "double opw_VP;")
			for i := range p["steps"].([]any) {
				member(p, "steps", i).(tree)["params"] = 0
			}
		},
		`variables[4].keep: Double: only a temporary that a kernel makes is kept, this is an output`: func(p tree) {
			typ(p)["extract_out"] = ""
			member(p, "variables", 4).(tree)["keep"] = true
		},
		`kernels[3]: Add: the same as kernels[0]; equal applies share one kernel`: func(p tree) {
			kernels := p["kernels"].([]any)
			p["kernels"] = append(kernels, kernels[0])
		},
		`steps[0].inputs[1]: Add: variable 0 is inputs[0] too; a kernel has one name for each variable`: set(step, "inputs", []int{0, 0}),
		`steps[0].params: Add: variable 1 is an input too; params are a constant of their own`: func(p tree) {
			k := kernel(p)
			k["params"], k["declares"] = 0, append(k["declares"].([]any), "double opw_VP;")
			step(p)["params"] = 1
		},
		`steps[0]: a cycle: steps[0] Add -> steps[0] Add`: set(step, "inputs", []int{0, 2}),
	} {
		assert.Equal(t, want, fault(t, damage))
	}
}

func TestTextThatIsNoProgram(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "program ends too early, after 0 bytes",
		`{"program":1`:              "program ends too early, after 12 bytes",
		`[1]`:                       "expected an object, got a list of 1",
		`{"program":1}x`:            "something follows the program at byte",
		`{"program":2,"program":1}`: `field "program" stands twice`,
		`{"program":01}`:            `program is not JSON: expected a comma or '}', got "1" at byte 12`,
		`{"program" 4}`:             `program is not JSON: expected a colon, got "4" at byte 11`,
		`{program: 4}`:              `program is not JSON: expected a field's name, got "p" at byte 1`,
		`{"program":}`:              `program is not JSON: expected a value, got "}" at byte 11`,
		`{"program":-é}`:            `program is not JSON: expected a number, got "-" at byte 11`,
		`{"name":"\x"}`:             "program is not JSON: invalid character 'x' in string escape code in the string at byte 8",
		`{"name":"f`:                "program ends too early, after 10 bytes",
	} {
		_, err := Decode([]byte(text))
		require.Error(t, err, text)
		assert.True(t, strings.HasPrefix(err.Error(), want), "%s: %s", text, err)
	}
}

// A table of thousands of steps is planned and rendered in time that grows with its length, and its functions do not
// multiply with it.
func TestManyStepsShareOneKernel(t *testing.T) {
	root := sample(t, "render_perform")
	const n = 3000
	variables := []any{tree{"type": 0, "role": "input"}}
	steps := []any{}
	for i := range n {
		role := "temporary"
		if i == n-1 {
			role = "output"
		}
		variables = append(variables, tree{"type": 0, "role": role})
		steps = append(steps, tree{"kernel": 0, "inputs": []int{i}, "outputs": []int{i + 1}})
	}
	root["variables"], root["steps"] = variables, steps
	root["kernels"] = root["kernels"].([]any)[2:] // Add of one variable twice
	root["inputs"], root["outputs"] = []any{tree{"variable": 0}}, []any{tree{"variable": n}}
	data, err := json.Marshal(root)
	require.NoError(t, err)
	p, err := Decode(data)
	require.NoError(t, err)
	unit, err := Render(Alone(p))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(unit.Text, "#line 1 \"Add.c_code\""))
	assert.Equal(t, n, strings.Count(unit.Text, "/* Add */"))
	again, err := Render(Alone(p))
	require.NoError(t, err)
	assert.Equal(t, unit.Text, again.Text)
}

func TestAxesOfAReductionAscend(t *testing.T) {
	for _, axes := range [][]int{{0, 0}, {1, 0}, {2}, {0, 2}} {
		root := sample(t, "render_reduce")
		member(root, "kernels", 2, "loop").(tree)["axes"] = axes
		data, err := json.Marshal(root)
		require.NoError(t, err)
		p, err := Decode(data)
		require.NoError(t, err)
		_, err = Render(Alone(p))
		require.ErrorContains(t, err, "expected ascending axes of 2 dimensions", "%v", axes)
	}
}
