package build

import "context"

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
		tool, _, err := identify(ctx, driver, &Request{}, store, nil)
		if err != nil {
			found[i].Error = err.Error()
			continue
		}
		found[i].Family, found[i].Version, found[i].Target = tool.Family, tool.Version, tool.Target
	}
	return found
}
