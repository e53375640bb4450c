package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// keepsState reads a kernel's texts alone.
func keepsState(k Kernel) bool {
	r := &textReader{seen: map[string]bool{}, declared: map[string]Declares{}}
	return r.kernel(&k, nil, nil).State
}

func textsOf(h Hook, text string) (t Texts) {
	t[h] = []string{text}
	return t
}

// An object that lasts in any of a kernel's texts gives each apply a function of its own, in C and in C++.
func TestEachTextOfAKernelMayKeepState(t *testing.T) {
	const keeps, none = "static double n = 0;\nV1 = V0 + n++;", "double n = 0;\nV1 = V0 + n++;"
	for name, kernel := range map[string]func(text string) Kernel{
		"c_code":         func(text string) Kernel { return Kernel{Texts: textsOf(Code, text)} },
		"c_code_cleanup": func(text string) Kernel { return Kernel{Texts: textsOf(CodeCleanup, text)} },
		"an element's": func(text string) Kernel {
			return Kernel{Structure: &Structure{Body: []Instruction{{Op: "neg", Args: []int{0}}, {Op: OpCode, Code: text}}}}
		},
		"a reduction's": func(text string) Kernel {
			return Kernel{Structure: &Structure{Folds: []Folding{{Op: OpBody, Body: []Instruction{{Op: OpCode, Code: text}}}}}}
		},
	} {
		for _, lang := range []Lang{C, CXX} {
			one, other := kernel(keeps), kernel(none)
			one.Lang, other.Lang = lang, lang
			assert.True(t, keepsState(one), "%s, %v", name, lang)
			assert.False(t, keepsState(other), "%s, %v", name, lang)
		}
	}
	assert.True(t, keepsState(Kernel{Texts: textsOf(SupportCodeApply, "static int calls_K;")}))
	assert.False(t, keepsState(Kernel{Texts: textsOf(SupportCodeApply, "static int one_K(void) { return 1; }")}))
	macro := Kernel{Texts: textsOf(SupportCodeApply, "#define LASTING static"),
		Structure: &Structure{Body: []Instruction{{Op: OpCode, Code: "LASTING int n; V1 = n++;"}}}}
	assert.True(t, keepsState(macro), "a macro of the support code")
}
