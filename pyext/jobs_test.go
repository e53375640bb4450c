package pyext

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const long = 10 * time.Second

func waitFor(t *testing.T, r *registry, id string) map[string]any {
	t.Helper()
	value, err := r.wait(id, long)
	require.NoError(t, err)
	text, err := encode(value)
	require.NoError(t, err)
	var decoded map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &decoded))
	return decoded
}

func TestJobGivesItsResultOnce(t *testing.T) {
	var r registry
	require.NoError(t, r.start("a", func(context.Context, func(string)) (any, error) { return 7, nil }))
	assert.Equal(t, map[string]any{"state": "done", "result": 7.0}, waitFor(t, &r, "a"))

	_, err := r.wait("a", 0)
	assert.EqualError(t, err, `no job "a"`)
	assert.Empty(t, r.jobs)
}

func TestJobTellsItsStage(t *testing.T) {
	var r registry
	release, reached := make(chan struct{}), make(chan struct{})
	require.NoError(t, r.start("a", func(_ context.Context, progress func(string)) (any, error) {
		progress("compile")
		close(reached)
		<-release
		return nil, nil
	}))
	<-reached
	value, err := r.wait("a", time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, "running", value.(running).State)
	assert.Equal(t, "compile", value.(running).Stage)
	assert.Positive(t, value.(running).Seconds)

	assert.EqualError(t, r.start("a", nil), `a job "a" is running already`)
	close(release)
	assert.Equal(t, "done", waitFor(t, &r, "a")["state"])
}

func TestCancelEndsAJob(t *testing.T) {
	var r registry
	require.NoError(t, r.start("a", func(ctx context.Context, _ func(string)) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	require.NoError(t, r.stop("a"))
	fault := waitFor(t, &r, "a")["error"].(map[string]any)
	assert.Equal(t, "cancelled", fault["kind"])
	assert.EqualError(t, r.stop("a"), `no job "a"`)
}

func TestPanicInAJobIsAnError(t *testing.T) {
	var r registry
	var nothing *registry
	require.NoError(t, r.start("a", func(context.Context, func(string)) (any, error) { return nothing.jobs["x"], nil }))
	fault := waitFor(t, &r, "a")["error"].(map[string]any)
	assert.Equal(t, "internal", fault["kind"])
	first, stack, _ := strings.Cut(fault["message"].(string), "\n")
	assert.Equal(t, "the engine panicked: runtime error: invalid memory address or nil pointer dereference", first)
	assert.Contains(t, stack, "TestPanicInAJobIsAnError")
	assert.LessOrEqual(t, strings.Count(stack, "\n"), 16)
}

func TestPanicInACallIsAnError(t *testing.T) {
	text, err := answer(func() (any, error) { panic("so it goes") })
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(text, `{"error":{"kind":"internal","message":"the engine panicked: so it goes\n`), text)
}

func TestUnknownErrorIsADefect(t *testing.T) {
	got := describe(errors.New("odd"))
	assert.Equal(t, "internal", got.Kind)
	assert.Equal(t, "odd", got.Message)
	assert.NotNil(t, got.Diagnostics)
}

func TestAnswersAreCleanText(t *testing.T) {
	text, err := encode(map[string]string{"a": "\x00\xff"})
	require.NoError(t, err)
	assert.Equal(t, `{"a":"\u0000\ufffd"}`, text)
}
