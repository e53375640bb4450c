package gen

// Target is what a unit is made for: the module that it becomes, and the functions that this has. The cache wants a module of
// one function; who ships a module, or shows one, wants others.
type Target struct {
	Module   string     // Python's name of the module, whose entry the unit has
	Programs []*Program // of each function, in the order in which make() knows them
	Fuse     bool       // steps that walk the same elements become one
	Account  bool       // what texts take and give up is counted (account.go)
}

// Cached is the name of every module that the cache keeps: they are loaded by path.
const Cached = "opweld_module"

// Alone is the target of a module of one function, as the cache keeps it.
func Alone(p *Program) Target { return Target{Module: Cached, Programs: []*Program{p}} }

// check looks at the functions, reads them, and fuses what is to be.
func (t Target) check() ([]*Typed, error) {
	if identifier(t.Module) != t.Module || t.Module == "" {
		return nil, &Error{Stage: "check", Where: "module", Msg: "expected an identifier as the module's name, got " + cString(t.Module)}
	}
	if len(t.Programs) == 0 {
		return nil, &Error{Stage: "check", Where: "programs", Msg: "a module has one function at least, got none"}
	}
	var all []*Typed
	for _, p := range t.Programs {
		typed, err := p.Check()
		if err == nil && t.Fuse {
			typed, err = typed.fused()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, typed)
	}
	return all, nil
}

// cxx tells whether the unit is C++: one fragment of one function is enough.
func (t Target) cxx() bool {
	for _, p := range t.Programs {
		if p.cxx() {
			return true
		}
	}
	return false
}
