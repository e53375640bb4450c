package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What an instance keeps and the cells of shared values are not locked: an interpreter without a GIL switches it on for
// every module, whatever its fragments say of themselves.
func TestEveryModuleKeepsTheGIL(t *testing.T) {
	text, err := Runtime()
	require.NoError(t, err)
	assert.Contains(t, text, "{Py_mod_gil, Py_MOD_GIL_USED}")
	assert.NotContains(t, text, "Py_MOD_GIL_NOT_USED")
}
