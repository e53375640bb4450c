package cc

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"opweld/gen/async"
	"opweld/gen/pattern"
)

// Query is what a compiler's identity depends on.
type Query struct {
	Driver  string
	CXX     bool
	Flags   []string // those that Selecting picks
	Env     map[string]string
	Process Process
	Bounds  Bounds
}

// answer is what a driver says to one question.
type answer struct {
	out *outcome
	err error
}

// text is what it writes, where it knows the question.
func (a answer) text() string {
	if a.err != nil || a.out.code != 0 {
		return ""
	}
	return strings.TrimSpace(a.out.stdout)
}

// The first questions; then come the names of programs.
const (
	askVersion = iota
	askTarget
	askFolders
	askPlugin
	askSpecs
	askResolved
	askCompiler
	askPrograms
)

// Identify asks a driver who it is: a dozen short runs side by side, some 10 ms, so callers keep the answer.
func Identify(ctx context.Context, q *Query) (*Tool, error) {
	if !filepath.IsAbs(q.Driver) {
		return nil, fmt.Errorf("%q %w: an absolute path is needed", q.Driver, ErrStart)
	}
	lang, like, compiler, other := "c", SourceC, "cc1", "cc1plus"
	if q.CXX {
		lang, like, compiler, other = "c++", SourceCXX, other, compiler
	}
	source := "ask" + filepath.Ext(like) // which is nowhere: it is the name that decides which compiler a driver runs
	names := append([]string{compiler}, q.programs()...)
	questions := [][]string{{"--version"}, {"-dumpmachine"}, {"-print-search-dirs"}, {"-print-file-name=liblto_plugin.so"},
		{"-print-file-name=specs"}, {"-###", "-S", "-o", "-", "-x", lang, os.DevNull}, {"-###", "-S", "-o", "-", source}}
	for _, name := range names {
		questions = append(questions, named(name))
	}
	answers := make([]answer, len(questions))
	panicked := async.Each(len(questions), func(i int) error {
		flags := q.Flags
		if i <= askTarget {
			flags = nil // who it is does not depend on them, and what is wrong with one is for the compile to say
		}
		answers[i] = q.ask(ctx, flags, questions[i])
		return nil
	})
	if err := cmp.Or(ctx.Err(), panicked, q.must(answers[askVersion], "--version"), q.must(answers[askTarget], "-dumpmachine")); err != nil {
		return nil, err
	}
	version := answers[askVersion].text()
	t := &Tool{Driver: q.Driver, Family: family(version), Version: firstLine(version), Target: answers[askTarget].text(),
		Programs: []string{q.Driver}, Found: [][2]string{}, Early: []string{}}
	t.Major = major(t.Version)
	t.resolve(answers[askResolved], q)
	if splitQuoted(answers[askCompiler].commandLine())[0] != answers[askPrograms].text() { // g++ for C, or a driver that does not say
		names, answers = append(names, other), append(answers, q.ask(ctx, q.Flags, named(other)))
		t.Told = t.Family != "other" && !slices.ContainsFunc(q.Flags, func(f string) bool { return strings.HasPrefix(f, "-x") })
	}
	t.find(q, names, answers)
	for _, program := range t.Programs {
		t.add(compilerLibraries(program, q.Env["LD_LIBRARY_PATH"])...)
	}
	return t, nil
}

// named asks where a program is.
func named(program string) []string { return []string{"-print-prog-name=" + program} }

// commandLine is the first command line that a driver says it would run; empty: it says none.
func (a answer) commandLine() string {
	if a.err == nil {
		for _, line := range strings.Split(a.out.stderr, "\n") {
			if strings.HasPrefix(line, " ") {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// programs lists the names of what the driver runs besides the compiler proper. That of the other language, which is as large as
// all the others together, counts where the driver does not say that it runs this one.
func (q *Query) programs() []string {
	names := []string{"as", "collect2", "ld", "lto-wrapper"}
	for _, f := range q.Flags {
		if linker, ok := strings.CutPrefix(f, "-fuse-ld="); ok && !strings.Contains(linker, "/") {
			names = append(names, "ld."+linker)
		}
		if strings.HasPrefix(f, "-flto") && !slices.Contains(names, "lto1") {
			names = append(names, "lto1")
		}
	}
	return names
}

// ask puts one question to the driver, behind the arguments that decide what it answers.
func (q *Query) ask(ctx context.Context, flags, question []string) answer {
	argv := slices.Concat([]string{q.Driver}, flags, question)
	out, err := run(ctx, command{argv: argv, dir: "/", env: environ(q.Env, q.Process, os.TempDir()), bounds: q.Bounds})
	return answer{out, err}
}

// must gives the error of a question that every driver has to answer.
func (q *Query) must(a answer, question string) error {
	if a.err != nil {
		return a.err
	}
	if a.out.code != 0 {
		said := strings.TrimSuffix(": "+firstLine(a.out.stderr), ": ")
		return fmt.Errorf("%s %w: %s gives status %d%s", q.Driver, ErrStart, question, a.out.code, said)
	}
	return nil
}

// add notes programs once.
func (t *Tool) add(paths ...string) {
	for _, path := range paths {
		if path != "" && !slices.Contains(t.Programs, path) {
			t.Programs = append(t.Programs, path)
		}
	}
}

// knows tells whether a program is one of those that are part of who the compiler is, by whatever name.
func (t *Tool) knows(path string) bool {
	if slices.Contains(t.Programs, path) {
		return true
	}
	path, err := filepath.EvalSymlinks(path)
	return err == nil && slices.ContainsFunc(t.Programs, func(known string) bool {
		known, err := filepath.EvalSymlinks(known)
		return err == nil && known == path
	})
}

// find takes in where the driver's programs are, and where others of their names would be found before them: in the
// driver's own folders, in order, then, for what it knows by name alone, on PATH.
func (t *Tool) find(q *Query, names []string, answers []answer) {
	folders := searchFolders(answers[askFolders].text())
	for i, name := range names {
		path := answers[askPrograms+i].text()
		if path == name || filepath.Base(path) == path && path != "" { // -fuse-ld gives ld.gold for ld
			name = path
			if path = Which(name, q.Process.Value("PATH")); path != "" {
				t.Found = append(t.Found, [2]string{name, path})
			}
		}
		if !executable(path) || path == q.Driver {
			continue
		}
		t.add(path)
		t.early(folders, filepath.Base(path), path)
	}
	plugin, specs := answers[askPlugin].text(), answers[askSpecs].text()
	if filepath.IsAbs(plugin) {
		t.add(plugin)
	}
	if filepath.IsAbs(specs) {
		t.add(specs)
	}
	if t.Family == "gcc" {
		t.early(folders, "specs", specs)
		t.early(folders, "real-ld", "") // for which collect2 looks before ld
		t.early(folders, "collect-ld", "")
	}
	if t.Family == "clang" {
		for _, name := range []string{"clang", "clang++", t.Target, t.Target + "-clang", t.Target + "-clang++"} {
			t.early([]string{filepath.Dir(q.Driver)}, name+".cfg", "")
		}
	}
}

// early notes where a file of a name would be found before path.
func (t *Tool) early(folders []string, name, path string) {
	for _, dir := range folders {
		place := filepath.Join(dir, name)
		if place == filepath.Clean(path) {
			return
		}
		if _, err := os.Lstat(place); err != nil && !slices.Contains(t.Early, place) {
			t.Early = append(t.Early, place)
		}
	}
}

// searchFolders reads the folders of programs out of what -print-search-dirs says.
func searchFolders(said string) []string {
	var folders []string
	for _, line := range strings.Split(said, "\n") {
		if install, ok := strings.CutPrefix(line, "install: "); ok {
			folders = append(folders, install)
		}
		if list, ok := strings.CutPrefix(line, "programs: ="); ok {
			folders = append(filepath.SplitList(list), folders...)
		}
	}
	for i := range folders {
		folders[i] = filepath.Clean(folders[i])
	}
	return slices.Compact(folders)
}

var (
	configuredRE = pattern.New(`(?m)^(?:Reading specs from|Configuration file:) (/.*)$`)
	cpuRE        = pattern.New(`"-target-cpu" "([^"]+)"`)
	commonCPU    = pattern.New(`^(generic.*|x86-64(-v\d)?|i[3-6]86|pentium4|armv\d.*)$`)
)

// resolve takes in the command line that the driver would run: its arguments in full, and the files that told it so.
func (t *Tool) resolve(a answer, q *Query) {
	if a.err != nil {
		return
	}
	t.Resolved = a.commandLine()
	for _, m := range configuredRE.FindAllStringSubmatch(a.out.stderr, -1) {
		t.add(filepath.Clean(strings.TrimSpace(m[1])))
	}
	words, _, _ := flatten(compiling, q.Flags, 0)
	asked := slices.ContainsFunc(words, func(w word) bool { return strings.HasSuffix(w.text, "native") })
	cpu := cpuRE.FindStringSubmatch(t.Resolved)
	unasked := cpu != nil && !commonCPU.MatchString(cpu[1]) &&
		!slices.ContainsFunc(words, func(w word) bool { return strings.HasSuffix(w.text, "="+cpu[1]) })
	t.Native = asked || unasked || strings.Contains(t.Resolved, "l1-cache-size") // which gcc says of the processor that it runs on
}

// Which finds a program by its name in the absolute folders of a list such as PATH; empty: it is in none.
func Which(name, search string) string {
	for _, dir := range filepath.SplitList(search) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(path) {
			return path
		}
	}
	return ""
}

// executable tells whether path is an absolute path of a file that may be run.
func executable(path string) bool {
	found, err := exec.LookPath(path)
	return err == nil && filepath.IsAbs(path) && found == path
}
