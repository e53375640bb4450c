package gen

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"opweld/refcount"
)

// planned makes the plan of a golden's Program.
func planned(t *testing.T, file string) *FunctionPlan {
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, section(archive, "program.json")))
	p, err := Decode(compact.Bytes())
	require.NoError(t, err)
	typed, err := p.Check()
	require.NoError(t, err)
	plan, err := NewPlan(Alone(p), []*Typed{typed})
	require.NoError(t, err)
	return &plan.Functions[0]
}

// The proof of ownership reads the table that is emitted: an entry that is undone otherwise, or not, or by what undoes
// another kind, is found wherever it stands.
func TestAWrongUndoInTheTableIsFound(t *testing.T) {
	files, err := filepath.Glob("testdata/render_*.txtar")
	require.NoError(t, err)
	broken := 0
	for _, file := range files {
		plan := planned(t, file)
		require.NoError(t, refcount.Verify(plan.ownership()), file)
		for i := range plan.Table {
			e := &plan.Table[i]
			right := e.Undo
			for wrong := range UndoPerform + 1 {
				// A variable that was kept holds what an entered one does; what has no variables of that kind gives up none.
				if len(e.part(gives[wrong])) == len(e.part(gives[right])) {
					continue
				}
				e.Undo = wrong
				assert.Error(t, refcount.Verify(plan.ownership()), "%s: entry %d undone by %d for %d", file, i, wrong, right)
				broken++
			}
			e.Undo = right
		}
	}
	assert.Greater(t, broken, 100)
}

// An entry that is left out, or that stands where its variables are not held yet, is found.
func TestAnEntryOutOfPlaceIsFound(t *testing.T) {
	for _, file := range []string{"testdata/render_product.txtar", "testdata/render_perform.txtar", "testdata/render_elementwise.txtar"} {
		plan := planned(t, file)
		whole := plan.Table
		for i, e := range whole {
			if effects[e.Run].takes == noPart {
				continue
			}
			plan.Table = append(append([]Entry{}, whole[:i]...), whole[i+1:]...)
			assert.Error(t, refcount.Verify(plan.ownership()), "%s: without entry %d", file, i)
			plan.Table = append(append([]Entry{}, e), whole...)
			assert.Error(t, refcount.Verify(plan.ownership()), "%s: entry %d twice", file, i)
		}
	}
}
