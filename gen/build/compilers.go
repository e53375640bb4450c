package build

import (
	"context"

	"opweld/gen/cc"
)

// patience is how many seconds a compiler may take to say who it is.
const patience = 60

// Compiler is what opweld doctor shows of a driver.
type Compiler struct {
	Driver  string `json:"driver"`
	Family  string `json:"family"`
	Version string `json:"version"`
	Target  string `json:"target"`
	Error   string `json:"error"` // empty: it can be used
}

// Compilers asks each driver who it is. root may be empty: nothing is kept.
func Compilers(ctx context.Context, drivers []string, root string) []Compiler {
	store := storeOf(&Request{Root: root})
	found := make([]Compiler, len(drivers))
	for i, driver := range drivers {
		found[i].Driver = driver
		tool, _, err := identify(ctx, &cc.Query{Driver: driver, Bounds: cc.Bounds{Seconds: patience}}, "", store, nil)
		if err != nil {
			found[i].Error = err.Error()
			continue
		}
		found[i].Family, found[i].Version, found[i].Target = tool.Family, tool.Version, tool.Target
	}
	return found
}
