package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An object that lasts in any of a kernel's texts gives each apply a function of its own, in C and in C++.
func TestEachTextOfAKernelMayKeepState(t *testing.T) {
	const keeps, none = "static double n = 0;\nV1 = V0 + n++;", "double n = 0;\nV1 = V0 + n++;"
	for name, kernel := range map[string]func(text string) Kernel{
		"c_code":         func(text string) Kernel { return Kernel{Code: text} },
		"c_code_cleanup": func(text string) Kernel { return Kernel{CodeCleanup: text} },
		"an element's": func(text string) Kernel {
			return Kernel{Elementwise: &Elementwise{Body: []Instruction{{Op: "neg", Args: []int{0}}, {Op: OpCode, Code: text}}}}
		},
		"a reduction's": func(text string) Kernel {
			return Kernel{Reduce: &Reduce{Op: OpBody, Body: []Instruction{{Op: OpCode, Code: text}}}}
		},
	} {
		for _, lang := range []Lang{C, CXX} {
			one, other := kernel(keeps), kernel(none)
			one.Lang, other.Lang = lang, lang
			assert.True(t, one.keepsState(nil), "%s, %v", name, lang)
			assert.False(t, other.keepsState(nil), "%s, %v", name, lang)
		}
	}
	apply := Kernel{SupportCodeApply: "static int calls_K;"}
	assert.True(t, apply.keepsState(nil))
	apply.SupportCodeApply = "static int one_K(void) { return 1; }"
	assert.False(t, apply.keepsState(nil))
	macro := Kernel{SupportCodeApply: "#define LASTING static", Elementwise: &Elementwise{Body: []Instruction{{Op: OpCode, Code: "LASTING int n; V1 = n++;"}}}}
	assert.True(t, macro.keepsState(nil), "a macro of the support code")
}
