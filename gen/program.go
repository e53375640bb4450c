package gen

import "slices"

// Format is the version of Program that this engine reads and writes.
const Format = 4

// Program is what a function is made of: types, kernels, variables and the steps that join them. docs/program.md is
// its contract. A Program is never changed after Decode.
type Program struct {
	Name      string
	Types     []Type
	Kernels   []Kernel
	Variables []Variable
	Steps     []Step
	Inputs    []Input
	Outputs   []Output
	Single    bool
}

// Type holds the texts of one type of variable, asked for under the name opw_V.
type Type struct {
	Texts
	Label   string
	Lang    Lang
	Build   Build
	Version string
	Array   *Array // what declare declares is one PyArrayObject*
}

// Array is what the engine's own loops know of a type.
type Array struct {
	DType string
	NDim  int
	Plain bool // the type's texts hold a reference to it, and do nothing else
}

// Kernel holds the texts of one kind of apply, asked for under the names opw_V0, opw_V1, …
// and OPW_NAME; or, where Perform is true, stands for a call of the op's Python method.
type Kernel struct {
	Texts
	Label     string
	Lang      Lang
	Inputs    []int
	Outputs   []int
	Perform   bool
	Params    *int     // type of the op's params
	Declares  []string // c_declare of each variable
	GIL       GIL
	ShapeOnly bool // its code looks at nothing of its inputs but their shapes
	Build     Build
	Version   string
	Structure *Structure // instead of texts: the work of a loop that the engine writes
	View      *Access    // instead of texts: the output is a view of the first input
}

// cxx tells whether the unit is C++: one fragment is enough.
func (p *Program) cxx() bool {
	return slices.ContainsFunc(p.Types, func(t Type) bool { return t.Lang == CXX }) ||
		slices.ContainsFunc(p.Kernels, func(k Kernel) bool { return k.Lang == CXX && !k.Perform })
}

// fixed tells whether a kernel leaves the variables that it reads as they are: Python's and the engine's own do.
func (k *Kernel) fixed() bool { return k.Perform || k.Structure != nil || k.View != nil }

// Access says which elements of the first input a view has, and along which axes. The other inputs are integers without
// dimensions. Of a view that is told all this is said by numbers that it reads when it runs, the elements of its other input, so
// that one module serves all such views: templates/runtime/told.c has their order.
type Access struct {
	Told bool  // the fields below are empty
	Axes []int // of the input, in the order of the view; one that is neither here nor cut by At must be of size 1
	New  []int // places among the view's axes, ascending: these are of size 1
	Cuts []Cut // along the input's axes, ascending
}

// Cut takes one element along an axis, or a slice, or goes along two axes at once. The numbers are inputs, by position.
type Cut struct {
	Axis              int
	At                *int // one element: the axis goes
	Along             *int // a diagonal: the axis goes, and its places are those of this other axis of the input
	Start, Stop, Step *int // a slice: of those that are not given what a slice of Python's has
}

// Structure says what a loop of the engine's computes of each element of its inputs, which are broadcast: values, of which
// outputs store one each, or what folds make of them along axes.
type Structure struct {
	Body     []Instruction
	Folds    []Folding
	Axes     []int // of the elements, broadcast: those along which all folds go
	KeepDims bool  // they stay, of size 1
	Outputs  []Sink
	Ending   []Instruction // of a loop that the engine made: of its inputs of no dimensions, then all accumulators, where these are done. No field of Program's
	Exact    [][2]int      // input and axis: where its size is 1, those of the others are too, or the call is refused
	Scalars  []int         // the same: the inputs of no dimensions
	Spread   []int         // the same: inputs that are as a rule one number along the innermost axis
	Tabled   bool          // the same: each instruction is a stage, for which the vector library has a piece as a rule
}

// Sink is where an output comes from.
type Sink struct {
	Value int  // of a store: which of the body's values; else the accumulator of the fold
	Over  *int // the input whose array it may be written over
	Fold  *int // the fold whose accumulator it is at the end; nil: a store
	Scan  bool // the accumulator as it is after each element, not at the end
	Ended bool // the value is one of Ending's, not an accumulator
}

// Folding is how elements become one: of each come accumulators, and two sets of accumulators become one.
type Folding struct {
	Op       string
	Values   []int         // of the body, with which the accumulators begin
	DTypes   []string      // of the accumulators
	Body     []Instruction // where Op is "body": its values are one set of accumulators, then the other
	Results  []int         // the accumulators that it makes
	Identity []string      // where Op is "body": what no elements give; nil: that is an error
}

// Instruction makes one value, or, where Op is "code", as many as DTypes. Values are numbered: the inputs first.
type Instruction struct {
	Op     string
	Args   []int
	DType  string
	Value  string // of a constant
	Label  string // of a user's code
	DTypes []string
	Code   string
	Member int // where several steps have become one loop, and this may fail: 1 + which it comes from; no field of Program's
}

// instructions lists all of a structure, those of its folds too.
func (k *Kernel) instructions() []Instruction {
	if k.Structure == nil {
		return nil
	}
	all := k.Structure.Body
	for _, f := range k.Structure.Folds {
		all = slices.Concat(all, f.Body)
	}
	return slices.Concat(all, k.Structure.Ending)
}

// The ops of an instruction that are no scalar operation.
const (
	OpConstant = "constant"
	OpCode     = "code"
	OpIndex    = "index" // the element's place along the axes of folds, in C order
	OpBody     = "body"  // of a fold
)

// GIL says how a kernel's code stands to the GIL.
type GIL string

// The three ways. Free-threaded code needs none at all.
const (
	GILHeld         GIL = ""
	GILReleased     GIL = "released"
	GILFreeThreaded GIL = "free-threaded"
)

// Role says where a variable's value comes from and where it goes.
type Role string

// The four roles.
const (
	RoleInput     Role = "input"
	RoleConstant  Role = "constant"
	RoleTemporary Role = "temporary"
	RoleOutput    Role = "output"
)

// article names a role in a sentence.
func (r Role) article() string {
	if r == RoleInput || r == RoleOutput {
		return "an " + string(r)
	}
	return "a " + string(r)
}

// Variable is one value that flows through the steps.
type Variable struct {
	Type int
	Role Role
	Name string
	Keep bool // a temporary whose object is kept between runs
}

// Step applies a kernel to variables.
type Step struct {
	Kernel   int
	Inputs   []int
	Outputs  []int
	Params   *int     // variable
	Destroys [][2]int // output position, input position
	Views    [][2]int
}

// Input is an argument of the callable.
type Input struct {
	Variable int
	Name     string
	Default  bool
	Accept   *string
	Fit      *Fit
	Shared   bool // no argument, but the value in a cell that is bound to the instance
}

// Output is a result of the callable.
type Output struct {
	Variable int
	Accept   *string
	Fit      *Fit
	Update   *int // the shared input whose cell takes the result; it is not returned
	Scalar   bool // an array without dimensions reaches the caller as a scalar of NumPy's
}

// kernel gives the kernel that a step runs.
func (p *Program) kernel(step int) *Kernel { return &p.Kernels[p.Steps[step].Kernel] }
