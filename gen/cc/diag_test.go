package cc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnIncluderIsThatOfOneDiagnostic(t *testing.T) {
	found := parse(`In file included from Op.c_headers:2:
/a/x.h:3:1: error: unknown type name 'one'
    3 | one a;
      | ^~~
/a/y.h:4:1: error: unknown type name 'two'
opweld.c:7:1: error: expected identifier
`, &Tool{Family: "gcc"})
	require.Len(t, found, 3)
	require.Equal(t, []string{"Op", "", ""}, []string{found[0].Op, found[1].Op, found[2].Op})
	require.Equal(t, []int{2, 0, 0}, []int{found[0].FragmentLine, found[1].FragmentLine, found[2].FragmentLine})
}
