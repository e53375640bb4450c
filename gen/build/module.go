package build

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strings"
)

// checkModule makes sure that a linker's output is a shared library with a module's init function, so that nothing
// half-written is ever published.
func checkModule(module []byte) error {
	f, err := elf.NewFile(bytes.NewReader(module))
	if err != nil {
		return fmt.Errorf("the linker's output is no ELF file: %w", err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("the linker's output has no dynamic symbols: %w", err)
	}
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "PyInit_") && s.Section != elf.SHN_UNDEF {
			return nil
		}
	}
	return fmt.Errorf("the module has no PyInit_ function")
}
