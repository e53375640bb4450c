package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// nameToken stands in a kernel's texts for the kernel's own name, which is made from those texts.
const nameToken = "OPW_NAME"

// What the glue calls its own begins with gluePrefix, which no text of a user may: so that neither a macro nor an
// identifier of theirs can meet it. Hooks are asked under variableToken (types), variableName (kernels), paramsToken.
const (
	gluePrefix    = "opw_"
	variableToken = gluePrefix + "V"
	paramsToken   = variableToken + "P"
)

// variableName is what a kernel calls its variables: inputs first, then outputs.
func variableName(i int) string { return variableToken + strconv.Itoa(i) }

// valueName is what a loop calls the values of its instructions.
func valueName(i int) string { return gluePrefix + "v" + strconv.Itoa(i) }

func valueNames(values []int) []string {
	var names []string
	for _, i := range values {
		names = append(names, valueName(i))
	}
	return names
}

// Shown is a text as messages show it to a person: canonical names without their prefix.
func Shown(text string) string {
	return strings.ReplaceAll(text, variableToken, variableToken[len(gluePrefix):])
}

// digest hashes an object of Program, of which there are few.
func digest(f fields) string {
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // strings, integers and booleans always marshal
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// cName is the kernel's name in C: its label and the first digits of what its texts hash to. It does not depend on
// what else is in the Program; kernels whose texts are equal have one name and one function.
func (k *TypedKernel) cName() string {
	texts := *k.Kernel
	if k.Loop != nil { // nor does the shape
		texts.Label = k.Label + "(" + strings.Join(k.dtypes(), ",") + ")"
	} else { // its end tests the arrays that it stored
		texts.Label = k.Label + k.promises()
	}
	// Indices of this Program say nothing, the declarations say what matters; but which variables are outputs counts.
	texts.Inputs, texts.Outputs, texts.Params = make([]int, len(k.Inputs)), make([]int, len(k.Outputs)), nil
	label, _, several := strings.Cut(k.Label, " ")
	if several { // their names stand at the head of the unit; here they would be most of its text
		label += "_and_more"
	}
	return identifier(label) + "_" + texts.digest()[:10]
}

func (k *TypedKernel) dtypes() []string {
	var names []string
	for _, v := range k.Variables {
		names = append(names, v.Type.Array.Name)
	}
	return names
}

// promises writes the arrays that must be there once an op's code has run: its outputs, and the inputs that it replaces.
func (k *TypedKernel) promises() string {
	var b strings.Builder
	for i := range k.Outputs {
		at := len(k.Inputs) + i
		if a := k.Variables[at].Type.Array; a != nil {
			fmt.Fprintf(&b, " %s:%d", a.Name, a.NDim)
			if slices.Contains(k.Unread, at) {
				b.WriteByte('?')
			}
		} else {
			b.WriteString(" -")
		}
	}
	for _, i := range k.Replaced {
		if a := k.Variables[i].Type.Array; a != nil {
			fmt.Fprintf(&b, " %d=%s:%d", i, a.Name, a.NDim)
		}
	}
	return b.String()
}

// types lists the types of a kernel's variables: inputs, outputs, params.
func (k *Kernel) types() []int {
	all := slices.Concat(k.Inputs, k.Outputs)
	if k.Params != nil {
		all = append(all, *k.Params)
	}
	return all
}

// identifier makes a C identifier out of any label.
func identifier(label string) string {
	var b strings.Builder
	for i, r := range label {
		switch {
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && i > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}
