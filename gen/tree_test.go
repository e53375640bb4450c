package gen

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainly gives a tree as encoding/json has it.
func plainly(v any) any {
	switch v := v.(type) {
	case []any:
		all := []any{}
		for _, one := range v {
			all = append(all, plainly(one))
		}
		return all
	case []named:
		all := map[string]any{}
		for _, field := range v {
			all[field.name] = plainly(field.value)
		}
		return all
	}
	return v
}

// TestTreeIsThatOfJSON reads texts as encoding/json does, and refuses what that refuses, and a key that stands twice.
func TestTreeIsThatOfJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `0`, `17`, `true`, `false`, `null`, `""`, `"plain"`, ` { "a" : [ 1 , {"b":"c"} , [] ] , "d":false } `,
		`"a\n\u00e9\\\""`, `"é"`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", "\"\x7f\"", `{"a\u0062":1}`, `[null,[null]]`,
		`-1`, `-0`, `1.5`, `1e3`, `-12.50E-7`, `[1.0,2]`, `0.1`, `1E+2`, "\t[\r\n0 ]\n",
		`01`, `-`, `-a`, `1.`, `.5`, `1.e3`, `1e`, `+1`, `1 2`, `00`, `[1 .5]`, `{"a":1,}`, `{,"a":1}`, `[1,]`, `[,1]`, `[1 2]`, `{a:1}`, `{"a" 1}`,
		`{"a":}`, `{"a"}`, `{1:2}`, `"`, `"\`, `"\"`, `"\x"`, `"\u12"`, "\"\n\"", `truth`, `tru`, `nul`, `{`, `[`, `[1`, `{"a":1`, `]`, `}`, `[}`, `{]`, ``, ` `,
		"1\x00", "\"a\"\x00", `'a'`, `NaN`, `// x`, `[1]]`, `{}{}`, "\ufeff{}",
	} {
		var want any
		dec := json.NewDecoder(bytes.NewReader([]byte(text)))
		dec.UseNumber()
		err := dec.Decode(&want)
		if err == nil {
			if _, more := dec.Token(); !errors.Is(more, io.EOF) {
				err = errors.New("something follows")
			}
		}
		found, refused := parse([]byte(text))
		if err != nil {
			assert.Error(t, refused, "%q", text)
			continue
		}
		require.NoError(t, refused, "%q", text)
		assert.Equal(t, want, plainly(found), "%q", text)
	}
	_, err := parse([]byte(`{"a":1,"b":{"c":1,"c":2}}`))
	assert.EqualError(t, err, `field "c" stands twice`)
}

// TestTreeHasALimitOfDepth: brackets without end are refused; read one within another, they would end the process.
func TestTreeHasALimitOfDepth(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 20_000_000), strings.Repeat(`{"a":`, 5_000_000)} {
		_, err := parse([]byte(text))
		assert.ErrorContains(t, err, "program is nested deeper than 10000 lists and objects at byte ")
	}
	_, err := parse([]byte(strings.Repeat("[", deepest) + strings.Repeat("]", deepest)))
	assert.NoError(t, err)
	_, err = parse([]byte("[" + strings.Repeat("[],", 2*deepest) + "[]]")) // beside one another
	assert.NoError(t, err)
}

// TestTreeSaysWhatIsCutOff tells of a word that has no end that the program ends too early, as of anything else.
func TestTreeSaysWhatIsCutOff(t *testing.T) {
	for _, text := range []string{`[`, `{"a"`, `"a`, `[tru`, `[n`, `{"a":fals`} {
		_, err := parse([]byte(text))
		assert.ErrorContains(t, err, "program ends too early, after", "%q", text)
	}
}
