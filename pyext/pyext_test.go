package pyext

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionIsTheProjects(t *testing.T) {
	text, err := Version("")
	require.NoError(t, err)
	assert.JSONEq(t, `{"version": "`+version+`", "program": 4, "cache": 2, "go": "`+runtime.Version()+`"}`, text)

	project, err := os.ReadFile("../pyproject.toml")
	require.NoError(t, err)
	assert.Contains(t, string(project), "\nversion = \""+version+"\"\n")
}

func TestACallForAnUnknownJobIsAGoError(t *testing.T) {
	_, err := Wait("nobody", 0)
	assert.EqualError(t, err, `no job "nobody"`)
	_, err = Cancel("nobody")
	assert.EqualError(t, err, `no job "nobody"`)
}

func TestAMalformedRequestIsAGoError(t *testing.T) {
	_, err := Start("a", `{"programme": "x"}`)
	assert.EqualError(t, err, `malformed request: json: unknown field "programme"`)
	_, err = Compilers("")
	assert.EqualError(t, err, "malformed request: EOF")
}

func TestAMalformedProgramIsAnAnswer(t *testing.T) {
	text, err := Render(`{"module": "m", "programs": ["{"]}`)
	require.NoError(t, err)
	assert.Contains(t, text, `{"error":{"kind":"program","message":"`)

	_, err = Start("malformed", `{"program": "{"}`)
	require.NoError(t, err)
	text, err = Wait("malformed", 10_000)
	require.NoError(t, err)
	assert.Contains(t, text, `{"state":"done","error":{"kind":"program","message":"`)
}

func TestDeclarationsAreReadAsMembers(t *testing.T) {
	text, err := Members("char c = ';', *s;")
	require.NoError(t, err)
	assert.JSONEq(t, `{"members": [{"text": "char c, *s", "names": ["c", "s"], "given": ["c"]}], "refused": ""}`, text)

	text, err = Members("if (x) { }")
	require.NoError(t, err)
	assert.Contains(t, text, `{"members":[],"refused":"holds a if statement`)
}

func TestAnExpressionIsParsed(t *testing.T) {
	text, err := Parse(`{"text": "x + 1", "args": null}`)
	require.NoError(t, err)
	assert.JSONEq(t, `{"args": ["x"], "results": [2], "body": [
		{"op": "constant", "args": [], "kind": "int", "value": "1", "line": 1, "column": 5},
		{"op": "+", "args": [0, 1], "line": 1, "column": 3}]}`, text)

	text, err = Parse(`{"text": "α + β", "args": ["α"]}`)
	require.NoError(t, err)
	assert.JSONEq(t, `{"error": {"kind": "expression", "message": "\"β\" is neither an argument nor a constant",
		"line": 1, "column": 5}}`, text)
}
