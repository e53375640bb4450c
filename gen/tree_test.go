package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestQuickReadsAsJSON reads texts in both ways: what the quick one does not refuse it reads as the other does.
func TestQuickReadsAsJSON(t *testing.T) {
	texts := map[string]bool{ // and whether the quick one reads them
		`{}`: true, `[]`: true, `0`: true, `17`: true, `true`: true, `false`: true, `""`: true, `"plain"`: true,
		` { "a" : [ 1 , {"b":"c"} , [] ] , "d":false } `: true, `"a\n\u00e9\\\""`: true, `"é"`: true, `"\ud800"`: true,
		"\"\xff\"": true, `{"a\u0062":1}`: true,
		`null`: false, `-1`: false, `1.5`: false, `1e3`: false, `01`: false, `1 2`: false, `{"a":1,"a":2}`: false, `{"a":1,}`: false,
		`[1,]`: false, `[,1]`: false, `[1 2]`: false, `{a:1}`: false, `{"a" 1}`: false, `{"a":}`: false, `"`: false, `"\`: false,
		`"\x"`: false, "\"\n\"": false, `truth`: false, `tru`: false, `{`: false, `[`: false, `[1`: false, ``: false, ` `: false,
		"1\x00": false, "\"a\"\x00": false,
	}
	for text, reads := range texts {
		found, ok := quick([]byte(text))
		assert.Equal(t, reads, ok, "%q", text)
		if ok {
			want, err := parse([]byte(text))
			require.NoError(t, err, "%q", text)
			assert.Equal(t, want, found, "%q", text)
		}
	}
}
