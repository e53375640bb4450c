package build

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"opweld/gen/async"
	"opweld/gen/cc"
)

func TestAPanicOfTheEarlyCompileIsAnError(t *testing.T) {
	req := request(t)
	j, err := newJob(context.Background(), req, unit(moduleText), func(string) {})
	require.NoError(t, err)
	defer j.close()
	j.early.drop()
	j.compile = nil
	require.NoError(t, j.start(context.Background()))
	var caught *async.Panic
	require.ErrorAs(t, j.early.wait(), &caught)
	require.Equal(t, KindInternal, classify(caught).Kind)
	require.ErrorContains(t, caught, "nil pointer dereference")
}

func TestAPanicBesideThePartsOfATextIsAnError(t *testing.T) {
	job := &cc.Job{Parts: true} // no tool: what either part does first
	require.Panics(t, func() { cc.Compile(context.Background(), job, t.TempDir()) })
}
