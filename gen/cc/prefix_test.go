package cc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsCompiledAhead(t *testing.T) {
	tool := &Tool{Family: "gcc", Driver: "/usr/bin/gcc"}
	for _, c := range []struct {
		args, read []string
		ahead      bool
	}{
		{nil, nil, true},
		{[]string{"-DNDEBUG", "-w", "-fpermissive", "-lm", "-Wl,--as-needed"}, []string{"-DNDEBUG", "-w", "-fpermissive"}, true},
		{[]string{"-O1", "-Wall", "-march=x86-64-v2", "-fopenmp"}, []string{"-O1", "-Wall", "-march=x86-64-v2", "-fopenmp"}, true},
		{[]string{"-g"}, nil, false},
		{[]string{"-include", "/a.h"}, nil, false},
		{[]string{"-D", "NDEBUG"}, nil, false},
		{[]string{"-flto"}, nil, false},
		{[]string{"-fplugin=/a.so"}, nil, false},
		{[]string{"-Wp,-DX"}, nil, false},
		{[]string{"/a.o"}, nil, false},
	} {
		j := &Job{Tool: tool, Args: c.args}
		require.Equal(t, c.ahead, j.Ahead(), c.args)
		if c.ahead {
			require.Equal(t, c.read, j.reading(), c.args)
			require.Equal(t, len(c.args) > 0, j.Own(), c.args)
		}
	}
	require.True(t, (&Job{Tool: tool, Headers: []string{"/op"}}).Own())
	require.False(t, (&Job{Tool: &Tool{Family: "clang"}}).Ahead())
	require.Equal(t, []string{"/op"}, (&Job{Tool: tool, Headers: []string{"/op"}}).Head().Headers)
}
