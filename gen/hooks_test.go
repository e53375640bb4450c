package gen

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOfHooks writes the table of hooks as docs/program.md has it.
func pageOfHooks() string {
	var b strings.Builder
	b.WriteString("| field | of | is what this gives | it stands | may `fail` | needed by |\n|---|---|---|---|---|---|\n")
	owners := map[owner]string{ofType: "type", ofKernel: "kernel", ofText: "kernel that is a text", ofBoth: "type, kernel"}
	forms := map[form]string{given: ", optional", filled: ", optional", listed: ", a list, optional"}
	scopes := map[scope]string{atFile: "at file scope", inFunction: "in a function of its own", inBody: "inside the glue's function", inStruct: "in the op's C++ struct"}
	for h, row := range hooks {
		fails := map[bool]string{true: "yes", false: ""}[row.fails]
		var needs []string
		for _, n := range row.needs {
			needs = append(needs, string(n))
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | `%s(%s)` | %s | %s | %s |\n",
			row.field, forms[row.form], owners[row.owner], Hook(h), row.args, scopes[row.scope], fails, strings.Join(needs, "; "))
	}
	return b.String()
}

// docs/program.md has the table of hooks as it is.
func TestThePageHasTheTableOfHooks(t *testing.T) {
	const path, begin, end = "../docs/program.md", "<!-- hooks: written by `make golden` -->\n", "<!-- end of hooks -->"
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	want := before + begin + pageOfHooks() + end + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(page), "-update writes it")
}

// Each hook has a row of its own: no field, and no method, stands for two.
func TestEachHookHasARow(t *testing.T) {
	fields, names := map[string]bool{}, map[string]bool{}
	for h, row := range hooks {
		assert.NotEmpty(t, row.field, "hook %d", h)
		name := Hook(h).String()
		assert.Equal(t, "c_"+row.field, name)
		assert.False(t, fields[row.field] || names[name], row.field)
		fields[row.field], names[name] = true, true
	}
}
