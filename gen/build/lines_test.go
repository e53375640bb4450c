package build

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinesAreTheAuthors(t *testing.T) {
	text := "glue\n#line 1 \"Op.c_code\"\na\nb \\\nc\nd\n#line 7 \"opweld.c\"\nmore\n#line 1 \"k/body\"\ne\nf\n#line 12 \"opweld.c\"\n"
	places := map[string]Written{
		"Op.c_code": {File: `/u/m "x".py`, Lines: []int{4, 5, 9, 10}, Names: map[string]string{"opw_V0": "x"}},
		"k/body":    {File: "/u/k.c", First: 30},
	}
	require.Equal(t, "glue\n#line 4 \"/u/m \\\"x\\\".py\"\na\nb \\\nc\n#line 10 \"/u/m \\\"x\\\".py\"\nd\n#line 7 \"opweld.c\"\nmore\n"+
		"#line 30 \"/u/k.c\"\ne\nf\n#line 12 \"opweld.c\"\n\n__attribute__((used)) static const char opw_names[] = \"Op.c_code opw_V0 x\";\n",
		asWritten(text, places))
}
