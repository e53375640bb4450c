package scalar

// result says how the dtype of a result follows from those of the arguments.
type result byte

const (
	same    result = iota // that of the last argument
	boolean               // bool
	part                  // the real dtype of the parts of a complex argument, else that of the argument
	count                 // uint8
	intc                  // int32
	first                 // that of the first argument
)

// op is a scalar operation: how many arguments it has, what it gives, and for each class of its arguments the C: an
// expression with {0} {1} {2} for the arguments, {T} for the C type of a value, {F} for the suffix of math.h; or "@name",
// a helper, "$name": one that may set an exception. Where the arguments are one signed and one unsigned integer the class is x, the other way round y.
type op struct {
	args   int
	result result
	code   map[string]string // classes -> C
}

func compare(sign string, signed, unsigned, helper string) op {
	return op{2, boolean, map[string]string{
		"biuf": "{0} " + sign + " {1}", "c": helper, "x": signed, "y": unsigned,
	}}
}

// function is one of math.h that complex.h has as well.
func function(name string) op {
	return op{1, same, map[string]string{"f": name + "{F}({0})", "c": "@" + name}}
}

var ops = map[string]op{
	"add":      {2, same, map[string]string{"b": "{0} | {1}", "iuf": "{0} + {1}", "c": "@add_c"}},
	"subtract": {2, same, map[string]string{"iuf": "{0} - {1}", "c": "@subtract_c"}},
	"multiply": {2, same, map[string]string{"b": "{0} & {1}", "iuf": "{0} * {1}", "c": "@multiply_c"}},
	"divide":   {2, same, map[string]string{"f": "{0} / {1}", "c": "@divide_c"}},
	"floor_divide": {2, same, map[string]string{
		"i": "@floor_divide_i", "u": "{1} ? {0} / {1} : 0", "f": "@floor_divide_f"}},
	"remainder": {2, same, map[string]string{
		"i": "@remainder_i", "u": "{1} ? {0} % {1} : 0", "f": "@remainder_f"}},
	"fmod": {2, same, map[string]string{
		"i": "{1} == 0 || {1} == -1 ? 0 : {0} % {1}", "u": "{1} ? {0} % {1} : 0", "f": "fmod{F}({0}, {1})"}},
	"power":       {2, same, map[string]string{"i": "$power_i", "u": "$power_u", "f": "pow{F}({0}, {1})", "c": "@power_c"}},
	"float_power": {2, same, map[string]string{"f": "pow{F}({0}, {1})", "c": "@power_c"}},
	"negative":    {1, same, map[string]string{"iuf": "-{0}", "c": "@negative_c"}},
	"positive":    {1, same, map[string]string{"iufc": "{0}"}},
	"absolute":    {1, part, map[string]string{"bu": "{0}", "i": "{0} < 0 ? -{0} : {0}", "f": "fabs{F}({0})", "c": "@absolute_c"}},
	"fabs":        {1, same, map[string]string{"f": "fabs{F}({0})"}},
	"sign": {1, same, map[string]string{"i": "({0} > 0) - ({0} < 0)", "u": "{0} != 0",
		"f": "{0} > 0 ? 1 : {0} < 0 ? -1 : {0} == 0 ? 0 : {0}", "c": "@sign_c"}},
	"heaviside":  {2, same, map[string]string{"f": "{0} == 0 ? {1} : {0} < 0 ? 0 : {0} > 0 ? 1 : {0}"}},
	"conjugate":  {1, same, map[string]string{"iuf": "{0}", "c": "@conjugate_c"}},
	"square":     {1, same, map[string]string{"iuf": "{0} * {0}", "c": "@square_c"}},
	"reciprocal": {1, same, map[string]string{"iu": "1.0 / {0}", "f": "1 / {0}", "c": "@reciprocal_c"}},

	"exp": function("exp"), "log": function("log"), "sqrt": function("sqrt"), "sin": function("sin"),
	"cos": function("cos"), "tan": function("tan"), "sinh": function("sinh"), "cosh": function("cosh"),
	"tanh":       function("tanh"),
	"exp2":       {1, same, map[string]string{"f": "exp2{F}({0})", "c": "@exp2_c"}},
	"log2":       {1, same, map[string]string{"f": "log2{F}({0})", "c": "@log2_c"}},
	"log10":      {1, same, map[string]string{"f": "log10{F}({0})", "c": "@log10_c"}},
	"expm1":      {1, same, map[string]string{"f": "expm1{F}({0})", "c": "@expm1_c"}},
	"log1p":      {1, same, map[string]string{"f": "log1p{F}({0})", "c": "@log1p_c"}},
	"cbrt":       {1, same, map[string]string{"f": "cbrt{F}({0})"}},
	"arcsin":     {1, same, map[string]string{"f": "asin{F}({0})", "c": "@asin"}},
	"arccos":     {1, same, map[string]string{"f": "acos{F}({0})", "c": "@acos"}},
	"arctan":     {1, same, map[string]string{"f": "atan{F}({0})", "c": "@atan"}},
	"arcsinh":    {1, same, map[string]string{"f": "asinh{F}({0})", "c": "@asinh"}},
	"arccosh":    {1, same, map[string]string{"f": "acosh{F}({0})", "c": "@acosh"}},
	"arctanh":    {1, same, map[string]string{"f": "atanh{F}({0})", "c": "@atanh"}},
	"arctan2":    {2, same, map[string]string{"f": "atan2{F}({0}, {1})"}},
	"hypot":      {2, same, map[string]string{"f": "hypot{F}({0}, {1})"}},
	"degrees":    {1, same, map[string]string{"f": "{0} * ({T})(180 / 3.14159265358979323846264338327950288L)"}},
	"radians":    {1, same, map[string]string{"f": "{0} * ({T})(3.14159265358979323846264338327950288L / 180)"}},
	"rad2deg":    {1, same, map[string]string{"f": "{0} * ({T})(180 / 3.14159265358979323846264338327950288L)"}},
	"deg2rad":    {1, same, map[string]string{"f": "{0} * ({T})(3.14159265358979323846264338327950288L / 180)"}},
	"logaddexp":  {2, same, map[string]string{"f": "@logaddexp_f"}},
	"logaddexp2": {2, same, map[string]string{"f": "@logaddexp2_f"}},

	"floor":          {1, same, map[string]string{"biu": "{0}", "f": "floor{F}({0})"}},
	"ceil":           {1, same, map[string]string{"biu": "{0}", "f": "ceil{F}({0})"}},
	"trunc":          {1, same, map[string]string{"biu": "{0}", "f": "trunc{F}({0})"}},
	"rint":           {1, same, map[string]string{"f": "rint{F}({0})", "c": "@rint_c"}},
	"spacing":        {1, same, map[string]string{"e": "@spacing_e", "f": "@spacing_f"}},
	"nextafter":      {2, same, map[string]string{"e": "@nextafter_e", "f": "nextafter{F}({0}, {1})"}},
	"copysign":       {2, same, map[string]string{"f": "copysign{F}({0}, {1})"}},
	"signbit":        {1, boolean, map[string]string{"f": "signbit({0}) != 0"}},
	"isnan":          {1, boolean, map[string]string{"biu": "0", "f": "{0} != {0}", "c": "@isnan_c"}},
	"isinf":          {1, boolean, map[string]string{"biu": "0", "f": "fabs{F}({0}) == ({T})INFINITY", "c": "@isinf_c"}},
	"isfinite":       {1, boolean, map[string]string{"biu": "1", "f": "fabs{F}({0}) < ({T})INFINITY", "c": "@isfinite_c"}},
	"ldexp":          {2, first, map[string]string{"f": "ldexp{F}({0}, (int)({1} > 99999 ? 99999 : {1} < -99999 ? -99999 : {1}))"}},
	"frexp_mantissa": {1, same, map[string]string{"f": "@frexp_mantissa_f"}},
	"frexp_exponent": {1, intc, map[string]string{"f": "@frexp_exponent_f"}},
	"modf_fraction":  {1, same, map[string]string{"f": "@modf_fraction_f"}},
	"modf_integer":   {1, same, map[string]string{"f": "@modf_integer_f"}},

	"bitwise_and": {2, same, map[string]string{"biu": "{0} & {1}"}},
	"bitwise_or":  {2, same, map[string]string{"biu": "{0} | {1}"}},
	"bitwise_xor": {2, same, map[string]string{"biu": "{0} ^ {1}"}},
	"invert":      {1, same, map[string]string{"b": "!{0}", "iu": "~{0}"}},
	"left_shift":  {2, same, map[string]string{"iu": "@left_shift"}},
	"right_shift": {2, same, map[string]string{"i": "@right_shift", "u": "{1} < 8 * sizeof({0}) ? {0} >> {1} : 0"}},
	"bitwise_count": {1, count, map[string]string{"i": "__builtin_popcountll((unsigned long long)({U})({0} < 0 ? -{0} : {0}))",
		"u": "__builtin_popcountll((unsigned long long){0})"}},
	"gcd": {2, same, map[string]string{"i": "@gcd_i", "u": "@gcd_u"}},
	"lcm": {2, same, map[string]string{"i": "@lcm_i", "u": "@lcm_u"}},

	"less":          compare("<", "{0} < 0 || (npy_uint64){0} < {1}", "{1} >= 0 && {0} < (npy_uint64){1}", "@less_c"),
	"less_equal":    compare("<=", "{0} < 0 || (npy_uint64){0} <= {1}", "{1} >= 0 && {0} <= (npy_uint64){1}", "@less_equal_c"),
	"greater":       compare(">", "{0} >= 0 && (npy_uint64){0} > {1}", "{1} < 0 || {0} > (npy_uint64){1}", "@greater_c"),
	"greater_equal": compare(">=", "{0} >= 0 && (npy_uint64){0} >= {1}", "{1} < 0 || {0} >= (npy_uint64){1}", "@greater_equal_c"),
	"equal":         compare("==", "{0} >= 0 && (npy_uint64){0} == {1}", "{1} >= 0 && {0} == (npy_uint64){1}", "@equal_c"),
	"not_equal":     compare("!=", "{0} < 0 || (npy_uint64){0} != {1}", "{1} < 0 || {0} != (npy_uint64){1}", "@not_equal_c"),
	"logical_and":   {2, boolean, map[string]string{"biuf": "{0} != 0 && {1} != 0", "c": "@logical_and_c"}},
	"logical_or":    {2, boolean, map[string]string{"biuf": "{0} != 0 || {1} != 0", "c": "@logical_or_c"}},
	"logical_xor":   {2, boolean, map[string]string{"biuf": "({0} != 0) != ({1} != 0)", "c": "@logical_xor_c"}},
	"logical_not":   {1, boolean, map[string]string{"biuf": "{0} == 0", "c": "@logical_not_c"}},
	"maximum":       {2, same, map[string]string{"biu": "{0} > {1} ? {0} : {1}", "f": "{0} >= {1} || {0} != {0} ? {0} : {1}", "c": "@maximum_c"}},
	"minimum":       {2, same, map[string]string{"biu": "{0} < {1} ? {0} : {1}", "f": "{0} <= {1} || {0} != {0} ? {0} : {1}", "c": "@minimum_c"}},
	"fmax":          {2, same, map[string]string{"biu": "{0} > {1} ? {0} : {1}", "f": "{0} >= {1} || {1} != {1} ? {0} : {1}", "c": "@fmax_c"}},
	"fmin":          {2, same, map[string]string{"biu": "{0} < {1} ? {0} : {1}", "f": "{0} <= {1} || {1} != {1} ? {0} : {1}", "c": "@fmin_c"}},
	"where":         {3, same, map[string]string{"b": "{0} ? {1} : {2}"}},
	"real":          {1, part, map[string]string{"c": "{0}.re", "biuf": "{0}"}},
	"imag":          {1, part, map[string]string{"c": "{0}.im", "biuf": "0"}},
}
