package gen

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decoded is what encoding/json makes of a text.
func decoded(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows")
	}
	return v, nil
}

// What parse takes, and what it makes of it, is what encoding/json does: of Programs, and of these with bytes that are lost, doubled
// or others.
func TestParseReadsWhatJSONIs(t *testing.T) {
	texts := [][]byte{
		[]byte(`{"a": [1, -2.5e+3, 0, -0, 1E9, true, false, null, "", "\u00e9\ud83d\ude00\n\\\"", "é"], "b": {}, "c": [[], [{}]]}`),
		[]byte("\t[\"a\xffb\", {\"k\\u0041\" : 1}]\r\n"), []byte(`"text"`), []byte(`-`), []byte(`1.`), []byte(`.5`), []byte(`1e`), []byte(`+1`), []byte(`00`),
		[]byte("1\x00"), []byte(`nul`), []byte(`"a`), []byte(`"\x"`), []byte("\"\n\""), []byte(`{"a" 1}`), []byte(`{a: 1}`), []byte(`[1,]`), []byte(`{"a":1,}`), []byte(`[,]`),
	}
	for _, name := range []string{"render_perform", "render_reduce"} {
		data, err := json.Marshal(sample(t, name))
		require.NoError(t, err)
		texts = append(texts, data)
	}
	rng := rand.New(rand.NewSource(1))
	taken := 0
	for _, text := range texts {
		for turn := range 60 {
			data := bytes.Clone(text)
			for range min(turn, 2) {
				at, signs := rng.Intn(len(data)), "{}[]\",:0123456789.eE+-\\ tfn\x00\x1f\x80é"
				switch rng.Intn(3) {
				case 0:
					data = append(data[:at], data[min(at+1, len(data)):]...)
				case 1:
					data = append(data[:at], append([]byte{data[at]}, data[at:]...)...)
				case 2:
					data[at] = signs[rng.Intn(len(signs))]
				}
				if len(data) == 0 {
					data = []byte(" ")
				}
			}
			want, refused := decoded(data)
			got, err := parse(data)
			if err != nil && strings.Contains(err.Error(), "stands twice") {
				continue
			}
			require.Equal(t, refused == nil, err == nil, "%s: %v, %v", data, refused, err)
			if err == nil {
				taken++
				require.Equal(t, want, got)
			}
		}
	}
	assert.Greater(t, taken, len(texts))
}

func TestParseEndsWhereListsLieTooDeep(t *testing.T) {
	_, err := parse([]byte(strings.Repeat("[", 100_000)))
	require.ErrorContains(t, err, "more than 1000 lists and objects one in the other")
}
