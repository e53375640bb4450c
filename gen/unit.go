package gen

// Lang is the language of a fragment and of the unit that holds it.
type Lang string

// The two lanes. One C++ fragment makes its unit C++.
const (
	C   Lang = "c"
	CXX Lang = "c++"
)

// Unit is one translation unit, ready for the compiler, and what its ops and types ask of the build. It holds
// everything that follows from Program alone: no path of the machine, no time, nothing random.
type Unit struct {
	Text     string   // the whole source
	Lang     Lang     // the lane that it is compiled in
	Build    Build    // merged wishes, order kept, duplicates dropped, no_compile_args not yet applied
	Versions []string // "label version", sorted, one for each type and kernel that has fragments
	Light    bool     // it needs no header of Python's or NumPy's
	Vector   []string // the parts of the vector library that it is linked with
	Chooses  bool     // what a choice does not choose must be computed all the same, for NumPy warns of it
	Parts    bool     // to be compiled in two parts at once: OPW_PART is 1, and 2
	Kept     bool     // every type and kernel has a version: the module may be kept for another process
}

// Build is what a type or a kernel asks of the compiler.
type Build struct {
	Headers       []string `json:"headers,omitempty"`
	HeaderDirs    []string `json:"header_dirs,omitempty"`
	Libraries     []string `json:"libraries,omitempty"`
	LibDirs       []string `json:"lib_dirs,omitempty"`
	CompileArgs   []string `json:"compile_args,omitempty"`
	NoCompileArgs []string `json:"no_compile_args,omitempty"`
	Compiler      string   `json:"compiler,omitempty"`
}
