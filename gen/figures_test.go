package gen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"opweld/npyapi"
	"opweld/templates"
)

// TestTypeNumbers holds the numbers that tables have for types against those that a unit without NumPy's headers knows, and that the
// runtime holds against NumPy's.
func TestTypeNumbers(t *testing.T) {
	known, err := templates.Plain("numbers.h")
	require.NoError(t, err)
	for _, d := range npyapi.DTypes {
		assert.True(t, strings.Contains(known, fmt.Sprintf("OPW_NUMBERED(%s, %d)\n", d.Enum, d.Number)), d.Name)
	}
}

// TestNumbersAreWideStrings pins how a table of the runtime's is written.
func TestNumbersAreWideStrings(t *testing.T) {
	assert.Equal(t, `L"\x8\x0\xff\x10000\xffffffff"`, numbers([]int{8, 0, 255, 1 << 16, -1}))
	assert.Equal(t, `L""`, numbers(nil))
}
