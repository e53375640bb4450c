package build

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"opweld/gen"
)

// old is a time that no check takes for fresh.
var old = time.Now().Add(-time.Hour)

// write makes a file that was last written an hour ago, in content and time; the kernel's own change time is now.
func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	require.NoError(t, os.Chtimes(path, old, old))
}

// project is an op with headers and a library of its own.
type project struct {
	req              *Request
	unit             *gen.Unit
	dir, early, late string
	lib              string
}

func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{req: request(t), dir: t.TempDir()}
	p.early, p.late, p.lib = filepath.Join(p.dir, "early"), filepath.Join(p.dir, "late"), filepath.Join(p.dir, "lib")
	require.NoError(t, os.MkdirAll(p.early, 0o777))
	write(t, filepath.Join(p.late, "x.h"), "#include \"sub/y.h\"\n")
	write(t, filepath.Join(p.late, "sub", "y.h"), "#if __has_include(\"maybe.h\")\n#include \"maybe.h\"\n#endif\n"+
		"#include \"z.h\"\n#define X 1\n")
	write(t, filepath.Join(p.late, "z.h"), "#define Z 1\n")
	p.library(t, "1")
	text := strings.Replace(moduleText, "#line", "#include <x.h>\nextern int foo(void); int use(void) { return foo() + X; }\n#line", 1)
	p.unit = unit(text)
	p.unit.Build = gen.Build{HeaderDirs: []string{p.early, p.late}, LibDirs: []string{filepath.Join(p.dir, "never"), p.lib},
		Libraries: []string{"foo"}}
	return p
}

// library builds libfoo.so.
func (p *project) library(t *testing.T, value string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(p.lib, 0o777))
	source := filepath.Join(p.dir, "foo.c")
	write(t, source, "int foo(void) { return "+value+"; }\n")
	out, err := exec.Command(p.req.CC, "-shared", "-fPIC", "-o", filepath.Join(p.lib, "libfoo.so"), source).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestWhatTheCompilerReadDecidesOverHits(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, p *project)
		hit    bool
	}{
		{"nothing", func(t *testing.T, p *project) {}, true},
		{"header edited", func(t *testing.T, p *project) { write(t, filepath.Join(p.late, "sub", "y.h"), "#define X 2\n") }, false},
		{"header touched", func(t *testing.T, p *project) {
			require.NoError(t, os.Chtimes(filepath.Join(p.late, "x.h"), time.Now(), time.Now()))
		}, true},
		{"header of the same name earlier on the path", func(t *testing.T, p *project) {
			write(t, filepath.Join(p.early, "x.h"), "#define X 3\n")
		}, false},
		{"included header earlier on the path", func(t *testing.T, p *project) {
			write(t, filepath.Join(p.early, "z.h"), "")
		}, false},
		{"header beside its includer", func(t *testing.T, p *project) { write(t, filepath.Join(p.late, "sub", "z.h"), "") }, false},
		{"header that is asked for", func(t *testing.T, p *project) { write(t, filepath.Join(p.late, "maybe.h"), "") }, false},
		{"other header", func(t *testing.T, p *project) { write(t, filepath.Join(p.early, "other.h"), "") }, true},
		{"system header's name earlier on the path", func(t *testing.T, p *project) {
			write(t, filepath.Join(p.early, "bits", "types.h"), "")
		}, false},
		{"library rebuilt, another", func(t *testing.T, p *project) { p.library(t, "2") }, false},
		{"library rebuilt, the same", func(t *testing.T, p *project) { p.library(t, "1") }, true},
		{"library earlier on the path", func(t *testing.T, p *project) {
			write(t, filepath.Join(p.dir, "never", "libfoo.a"), "!<arch>\n")
		}, false},
		{"module damaged", func(t *testing.T, p *project) {
			e, err := storeOf(&Request{Root: p.req.Root}).Lookup(p.req.Index)
			require.NoError(t, err)
			write(t, storeOf(&Request{Root: p.req.Root}).Path(e.Module), "no module")
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			first := mustRun(t, p.req, p.unit)
			require.True(t, first.Kept)
			require.True(t, mustRun(t, p.req, p.unit).Hit)
			c.change(t, p)
			_, lookup := storeOf(&Request{Root: p.req.Root}).Lookup(p.req.Index)
			require.Equal(t, c.hit, lookup == nil, "%v", lookup)
			if strings.HasPrefix(c.name, "library earlier") {
				return // that library cannot be linked
			}
			second, err := runUnit(context.Background(), p.req, p.unit, func(string) {})
			if err != nil {
				require.False(t, c.hit)
				require.Equal(t, KindCompile, classify(err).Kind, "%v", err)
				return
			}
			require.Equal(t, c.hit, second.Hit)
			require.True(t, second.Kept)
			require.True(t, mustRun(t, p.req, p.unit).Hit)
		})
	}
}

// wrapper is a driver that runs another and notes each compile in a file beside it.
func wrapper(t *testing.T, driver string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cc")
	script := "#!/bin/sh\ncase \"$*\" in *opweld.c*) echo compile >> '" + path + ".count';; esac\nexec " + driver + " \"$@\"\n"
	require.NoError(t, os.WriteFile(path, []byte(script), 0o777))
	return path
}

func TestReplacedCompilerIsAnother(t *testing.T) {
	req := request(t)
	req.CC = wrapper(t, req.CC)
	first := mustRun(t, req, unit(moduleText))
	script := mustRead(t, req.CC)
	require.NoError(t, os.WriteFile(req.CC, []byte(script+"# changed\n"), 0o777))
	_, err := storeOf(req).Lookup(req.Index)
	require.ErrorContains(t, err, req.CC+" has changed")
	second := mustRun(t, req, unit(moduleText))
	require.False(t, second.Hit)
	require.NotEqual(t, first.Key, second.Key)
}

func TestKnownCompilerIsNotAskedAgain(t *testing.T) {
	req := request(t)
	req.CFlags = append(req.CFlags, "-g") // no precompiled head
	req.CC = wrapper(t, req.CC)
	mustRun(t, req, unit(moduleText))
	count := req.CC + ".runs"
	script := strings.Replace(mustRead(t, req.CC), "case", "echo \"$1\" >> '"+count+"'\ncase", 1)
	require.NoError(t, os.WriteFile(req.CC, []byte(script), 0o777))
	mustRun(t, req, unit(moduleText))
	require.NoError(t, os.Remove(count))
	mustRun(t, req, unit(moduleText+"/* another */\n"))
	require.Equal(t, "-std=gnu17\n", mustRead(t, count), "one run: the compile")
}

func TestCacheClearedDuringTheCompile(t *testing.T) {
	req := request(t)
	driver := wrapper(t, req.CC)
	once := driver + ".once"
	script := strings.Replace(mustRead(t, driver), "exec ", "if [ ! -e '"+once+"' ]; then case \"$*\" in *opweld.c*) : > '"+once+
		"'; rm -rf '"+req.Root+"/v2';; esac; fi\nexec ", 1)
	require.NoError(t, os.WriteFile(driver, []byte(script), 0o777))
	req.CC = driver
	r := mustRun(t, req, unit(moduleText))
	require.False(t, r.Kept)
	require.True(t, mustRun(t, req, unit(moduleText)).Kept)
}

func TestHeaderChangedDuringTheCompileIsCompiledAgain(t *testing.T) {
	p := newProject(t)
	header := filepath.Join(p.late, "z.h")
	driver := wrapper(t, p.req.CC)
	once := driver + ".once"
	script := strings.Replace(mustRead(t, driver), "exec ", "case \"$*\" in *opweld.c*) if [ ! -e '"+once+"' ]; then : > '"+once+
		"'; "+p.req.CC+" \"$@\" && echo '#define Z 2' > '"+header+"'; sleep 0.1; exit; fi;; esac\nexec ", 1)
	require.NoError(t, os.WriteFile(driver, []byte(script), 0o777))
	p.req.CC = driver
	r := mustRun(t, p.req, p.unit)
	require.True(t, r.Kept)
	require.Equal(t, "compile\ncompile\n", mustRead(t, driver+".count"))
	require.True(t, mustRun(t, p.req, p.unit).Hit)
}

func TestHeaderThatKeepsChangingIsNotKept(t *testing.T) {
	p := newProject(t)
	header := filepath.Join(p.late, "z.h")
	driver := wrapper(t, p.req.CC)
	script := strings.Replace(mustRead(t, driver), "exec ", "case \"$*\" in *opweld.c*) "+p.req.CC+" \"$@\" && echo '/* more */' >> '"+
		header+"'; exit;; esac\nexec ", 1)
	require.NoError(t, os.WriteFile(driver, []byte(script), 0o777))
	p.req.CC = driver
	r := mustRun(t, p.req, p.unit)
	require.False(t, r.Kept)
	require.Equal(t, strings.Repeat("compile\n", attempts), mustRead(t, driver+".count"))
	require.False(t, mustRun(t, p.req, p.unit).Hit)
}

func TestHeaderChangedAfterTheCompileIsNoHit(t *testing.T) {
	p := newProject(t)
	change := func(stage string) {
		if stage == StagePublish {
			write(t, filepath.Join(p.late, "z.h"), "#define Z 2\n")
		}
	}
	r, err := runUnit(context.Background(), p.req, p.unit, change)
	require.NoError(t, err)
	require.True(t, r.Kept)
	require.False(t, mustRun(t, p.req, p.unit).Hit, "what is kept has the sum of the text that was compiled")
}
