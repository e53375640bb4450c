package gen_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"opweld/npyapi"
	"opweld/templates"
)

// rooms says what each room of the house may import: other rooms, and modules from outside. docs/architecture.md draws
// it. The standard library is free.
var rooms = map[string][]string{
	"opweld/npyapi":        {},
	"opweld/templates":     {},
	"opweld/refcount":      {},
	"opweld/gen/pattern":   {},
	"opweld/gen/ccode":     {"opweld/npyapi", "github.com/tree-sitter/", "opweld/gen/pattern"},
	"opweld/gen/scalar":    {"opweld/npyapi", "opweld/gen/pattern"},
	"opweld/gen":           {"opweld/gen/async", "opweld/gen/ccode", "opweld/gen/scalar", "opweld/npyapi", "opweld/refcount", "opweld/templates", "opweld/gen/pattern"},
	"opweld/gen/async":     {},
	"opweld/gen/cc":        {"opweld/gen/async", "opweld/npyapi", "opweld/gen/pattern"},
	"opweld/gen/cache":     {"opweld/gen/async"},
	"opweld/gen/build":     {"opweld/gen", "opweld/gen/async", "opweld/gen/cc", "opweld/gen/cache", "opweld/gen/faults", "opweld/gen/lint", "opweld/gen/pattern"},
	"opweld/gen/expr":      {"opweld/gen/scalar", "github.com/go-python/gpython/", "opweld/gen/pattern"},
	"opweld/gen/faults":    {"opweld/gen/ccode", "opweld/npyapi", "opweld/gen/pattern"},
	"opweld/gen/signature": {"opweld/gen/pattern"},
	"opweld/gen/cop":       {"opweld/gen/ccode", "opweld/gen/signature", "opweld/templates"},
	"opweld/gen/lint":      {"opweld/gen", "opweld/gen/ccode", "opweld/npyapi", "opweld/gen/pattern"},
	"opweld/pyext":         {"opweld/gen", "opweld/gen/faults", "opweld/gen/cop", "opweld/gen/lint", "opweld/gen/async", "opweld/gen/build", "opweld/gen/expr", "opweld/pyext/host", "opweld/gen/ccode"},
	"opweld/pyext/host":    {},
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "opweld/...").Output()
	require.NoError(t, err)
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&pkg); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
		allowed, known := rooms[pkg.ImportPath]
		if !assert.True(t, known, "%s is not a room of the house", pkg.ImportPath) {
			continue
		}
		seen++
		for _, path := range pkg.Imports {
			assert.True(t, mayImport(path, allowed), "%s may not import %s", pkg.ImportPath, path)
		}
	}
	assert.GreaterOrEqual(t, seen, 7)
}

func mayImport(path string, allowed []string) bool {
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") && first != "opweld" {
		return true // standard library, and C
	}
	for _, a := range allowed {
		if path == a || strings.HasSuffix(a, "/") && strings.HasPrefix(path, a) {
			return true
		}
	}
	return false
}

// A panic that leaves a goroutine ends Python: gen/async alone starts goroutines, and recovers.
func TestOnlyAsyncStartsGoroutines(t *testing.T) {
	files, err := exec.Command("go", "list", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .CgoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`, "opweld/...").Output()
	require.NoError(t, err)
	seen := 0
	for _, path := range strings.Split(strings.TrimSpace(string(files)), "\n") {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			starts := false
			switch n := n.(type) {
			case *ast.GoStmt:
				starts = true
			case *ast.SelectorExpr:
				x, _ := n.X.(*ast.Ident)
				starts = n.Sel.Name == "AfterFunc" || n.Sel.Name == "Go" && (x == nil || x.Name != "async")
			}
			if starts && strings.HasSuffix(path, "/gen/async/async.go") {
				seen++
			} else {
				assert.False(t, starts, "%s starts a goroutine: let async.Go do it", path)
			}
			return true
		})
	}
	assert.Equal(t, 1, seen)
}

// The glue calls nothing of CPython or NumPy that npyapi does not know.
func TestGlueCallsOnlyWhatNpyapiKnows(t *testing.T) {
	call := regexp.MustCompile(`\b(Py[A-Za-z]*_[A-Za-z0-9_]+)\(`)
	types := map[string]bool{"PyObject_HEAD": true}
	found := 0
	for name, text := range glueTexts(t) {
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			_, known := npyapi.Lookup(m[1])
			found++
			assert.True(t, known || types[m[1]] || strings.HasPrefix(m[1], "PyInit_"), "%s calls %s", name, m[1])
		}
	}
	assert.Greater(t, found, 50)
}

// statement finds a call whose result nobody looks at; (void) says that its failure changes nothing.
var statement = regexp.MustCompile(`(?m)^\s*(\(void\))?(Py[A-Za-z]*_[A-Za-z0-9_]+)\(`)

// The glue drops no reference that it was given, and overlooks no failure.
func TestGlueLooksAtWhatCallsGive(t *testing.T) {
	found := 0
	for name, text := range glueTexts(t) {
		for _, m := range statement.FindAllStringSubmatch(text, -1) {
			f, _ := npyapi.Lookup(m[2])
			found++
			assert.NotEqual(t, npyapi.New, f.Returns, "%s drops what %s returns", name, m[2])
			fails := f.Fails != npyapi.Never && f.Fails != npyapi.Always
			assert.False(t, fails && m[1] == "", "%s does not look whether %s failed", name, m[2])
		}
	}
	assert.Greater(t, found, 50)
}

// glueTexts are the runtime and every template.
func glueTexts(t *testing.T) map[string]string {
	root, err := templates.All()
	require.NoError(t, err)
	runtime, err := templates.Plain("runtime.c")
	require.NoError(t, err)
	texts := map[string]string{"the runtime": runtime}
	for _, tmpl := range root.Templates() {
		if tmpl.Tree != nil {
			texts[tmpl.Name()] = tmpl.Tree.Root.String()
		}
	}
	return texts
}

// An expression that is compiled when it is first asked is looked at here.
func TestPatternsAreExpressions(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{$d := .Dir}}{{range $i, $f := .GoFiles}}{{if $i}}{{"\n"}}{{end}}{{$d}}/{{$f}}{{end}}`, "opweld/...").Output()
	require.NoError(t, err)
	seen := 0
	for path := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			name, ok := call.Fun.(*ast.SelectorExpr)
			if x, isName := call.Fun.(*ast.Ident); ok && name.Sel.Name == "New" && fmt.Sprint(name.X) == "pattern" || isName && x.Name == "later" {
				seen++
				_, err := regexp.Compile(written(call.Args[0]))
				assert.NoError(t, err, path)
			}
			return true
		})
	}
	assert.Greater(t, seen, 80)
}

// written is the text of a constant expression; what is not written there counts as nothing.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return written(e.X) + written(e.Y)
	}
	return ""
}
