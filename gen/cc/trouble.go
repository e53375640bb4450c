package cc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"opweld/gen/pattern"
)

// Kinds of trouble.
const (
	FolderFails = "folder" // nothing more can be written where the compile ran
	ToolDied    = "died"   // the driver, or a program that it runs, ended without having done its work
	NotStarted  = "start"  // the system starts no further process
	OutOfTime   = "time"
	OutOfMemory = "memory"
	Unseen      = "unseen" // the driver ran, and how it ended was told to somebody else
)

// Trouble is a compile that could not be done, whatever the text says.
type Trouble struct {
	Kind        string
	Program     string       // base name of who failed
	Folder      string       // where, of kind FolderFails
	Reason      string       // what is wrong there
	Diagnostics []Diagnostic // the compiler's own, where it crashed over a line of the text
	Output      string       // all that was written
	Argv        []string

	what string
}

// Error names who failed, how, and what to do.
func (t *Trouble) Error() string { return t.what }

// Report is everything about the trouble, for a log.
func (t *Trouble) Report() string {
	return fmt.Sprintf("%s\n\narguments: %q\n\nall that was written:\n%s", t.what, t.Argv, t.Output)
}

// FolderTrouble makes the trouble of a folder.
func FolderTrouble(folder, reason string) *Trouble {
	reason = strings.ToLower(strings.TrimSpace(reason))
	return &Trouble{Kind: FolderFails, Folder: folder, Reason: reason, what: folder + ": " + reason + advice(reason)}
}

// Unreadable makes the trouble of a compiler whose programs cannot be read.
func Unreadable(driver string, err error) *Trouble {
	return &Trouble{Kind: ToolDied, Program: driver, what: fmt.Sprintf("the compiler %s cannot be looked at: %v", driver, err)}
}

// Unfit makes the trouble of a compile in dir that ended well and did not leave what it should have.
func (j *Job) Unfit(dir string, err error) *Trouble {
	if full := probe(dir, len(j.Text)); full != nil {
		return full
	}
	return &Trouble{Kind: ToolDied, Program: j.Tool.Driver, Argv: j.Argv(),
		what: fmt.Sprintf("%s ended as if all were well, and what it left is not what it should be: %v", j.Tool.Driver, err)}
}

// advices say what to do about an error of the system, by its words.
var advices = map[string]string{
	"no space left on device":           "free some space there",
	"disk quota exceeded":               "the user's quota is used up, free some of it",
	"file too large":                    "the limit of a file's size is reached, raise it (ulimit -f)",
	"read-only file system":             "choose a folder that can be written",
	"permission denied":                 "choose a folder that can be written",
	"operation not permitted":           "choose a folder that can be written",
	"input/output error":                "its disk or file system fails, choose another folder",
	"too many open files":               "close some, or raise the limit (ulimit -n)",
	"too many open files in system":     "close some, or have the system's limit raised",
	"cannot allocate memory":            "free some memory, or raise the limit (ulimit -v)",
	"resource temporarily unavailable":  "end some processes, or raise the limit of processes and threads (ulimit -u)",
	"not a directory":                   "something that is no folder stands in its way",
	"no locks available":                "choose a folder of another file system",
	"modules may not be run from there": "choose a folder of a file system that is mounted without noexec",
}

// advice is what follows the words of an error: what to do, or nothing.
func advice(reason string) string {
	for _, words := range []string{reason, reason[strings.LastIndex(reason, ": ")+1:]} {
		if a := advices[strings.TrimSpace(words)]; a != "" {
			return " (" + a + ")"
		}
	}
	return ""
}

// scene is a run that has not done its work.
type scene struct {
	job   *Job
	out   *outcome
	ds    []Diagnostic
	lines []string // what was said, without the driver's account of what it does
	dir   string
}

// blame finds who failed in a run that has not done its work; nil: the compiler refused the text. A tool that dies in a
// folder in which nothing can be written died of that.
func (j *Job) blame(out *outcome, ds []Diagnostic, dir string) *Trouble {
	s := &scene{j, out, ds, said(out.stderr), dir}
	for _, look := range []func() *Trouble{s.full, s.killed, s.missing, s.starved, s.crashed, s.misread, s.silent} {
		t := look()
		if t == nil {
			continue
		}
		if t.Kind == ToolDied {
			if full := probe(dir, len(j.Text)); full != nil {
				t = full
			}
		}
		t.Output, t.Argv = out.stderr, j.Argv()
		return t
	}
	return nil
}

var (
	fullRE = pattern.New(`(No space left on device|Disk quota exceeded|File too large|Read-only file system|Input/output error|Stale file handle|Too many open files in system|Too many open files)['"]?\.?$`)
	descRE = pattern.New(`out of file descriptors|cannot open shared object file: Error 24$`)
)

// full finds an error of the system that a program met when it wrote or opened a file. What a text makes the compiler say,
// as #error does, is an error of a line; the compiler's own ends it at once, or has no line.
func (s *scene) full() *Trouble {
	for _, line := range s.lines {
		if m := placedRE.FindStringSubmatch(line); m != nil && m[4] != "fatal error" {
			continue
		}
		if m := fullRE.FindStringSubmatch(line); m != nil {
			return FolderTrouble(s.dir, m[1])
		}
		if descRE.MatchString(line) {
			return FolderTrouble(s.dir, syscall.EMFILE.Error())
		}
	}
	return nil
}

var (
	signalRE = pattern.New(`: ([A-Z][\w ]*?) signal terminated program (\S+)`)
	olderRE  = pattern.New(`: ([A-Z][\w ]*?) \(program (\S+)\)`)
	linkRE   = pattern.New(`: (\S+) terminated with signal \d+ \[([^\]]+)\]`)
	clangRE  = pattern.New(`error: unable to execute command: ([A-Z][\w ]*?)(?: \(core dumped\))?$`)
)

// killed finds a program that a signal ended.
func (s *scene) killed() *Trouble {
	if s.out.signal != "" {
		return s.signalled(s.job.Tool.Driver, s.out.signal)
	}
	for _, line := range s.lines {
		if m := match(line, signalRE, olderRE); m != nil {
			return s.signalled(m[2], m[1])
		}
		if m := linkRE.FindStringSubmatch(line); m != nil {
			return s.signalled(m[1], m[2])
		}
		if m := clangRE.FindStringSubmatch(line); m != nil {
			return s.signalled(s.running(), m[1])
		}
	}
	return nil
}

// match gives the groups of the first expression that a line matches.
func match(line string, expressions ...*pattern.Pattern) []string {
	for _, e := range expressions {
		if m := e.FindStringSubmatch(line); m != nil {
			return m
		}
	}
	return nil
}

// signalled describes a program that a signal ended.
func (s *scene) signalled(program, signal string) *Trouble {
	switch signal = strings.ToLower(signal); signal {
	case "file size limit exceeded":
		return FolderTrouble(s.dir, syscall.EFBIG.Error())
	case "killed", "terminated":
		return s.dead(program, "was ended by a signal ("+signal+")", "the machine may be short of memory, or somebody ended it: try again")
	case "cpu time limit exceeded", "cputime limit exceeded":
		return s.dead(program, "was ended by a signal ("+signal+")", "raise the limit of processor time (ulimit -t)")
	}
	return s.dead(program, "crashed ("+signal+")", "it may be damaged: install it again, or choose another compiler by config.cc or config.cxx")
}

var (
	execRE    = pattern.New(`(?:cannot execute|error trying to exec) '([^']+)': (?:\w+: )?(.*)$`)
	missingRE = pattern.New(`fatal error: cannot find '([^']+)'$|unable to execute command: Executable "([^"]+)" doesn't exist`)
	loaderRE  = pattern.New(`^(\S+): (error while loading shared libraries: .*)$`)
)

// missing finds a program that could not be started.
func (s *scene) missing() *Trouble {
	const advice = "install it again, or choose another compiler by config.cc or config.cxx"
	for _, line := range s.lines {
		if m := execRE.FindStringSubmatch(line); m != nil {
			return s.dead(m[1], "cannot be started ("+strings.ToLower(m[2])+")", advice)
		}
		if m := missingRE.FindStringSubmatch(line); m != nil {
			return s.dead(m[1]+m[2], "cannot be found", advice)
		}
		if m := loaderRE.FindStringSubmatch(line); m != nil {
			return s.dead(m[1], "cannot be started ("+m[2]+")", advice)
		}
	}
	return nil
}

var memoryRE = pattern.New(`^(?:(\S+): )?.*(?:out of memory|memory exhausted|Cannot allocate memory|std::bad_alloc|failed to map segment)`)

// starved finds a program that got no memory.
func (s *scene) starved() *Trouble {
	for _, line := range s.lines {
		if m := memoryRE.FindStringSubmatch(line); m != nil && (placedRE.FindString(line) == "" || strings.Contains(line, "fatal error: ")) {
			t := s.dead(s.running(), "ran out of memory", "free some, or raise the limit (config.compile_memory, ulimit -v)")
			t.Kind = OutOfMemory
			return t
		}
	}
	return nil
}

var crashRE = pattern.New(`internal compiler error: (.*)$`)

// crashed finds a compiler that gave up by itself, perhaps over a line of the text.
func (s *scene) crashed() *Trouble {
	for _, line := range s.lines {
		if m := crashRE.FindStringSubmatch(line); m != nil {
			t := s.dead(s.running(), "crashed (internal compiler error: "+m[1]+")", "write that line in another way, or choose another compiler by config.cc or config.cxx")
			t.Diagnostics = s.ds
			return t
		}
	}
	return nil
}

var brokenRE = pattern.New(`file truncated|file too short|file (?:format )?not recognized|error adding symbols|[Cc]orrupt|malformed`)

// misread finds a linker that cannot read what the assembler has just written.
func (s *scene) misread() *Trouble {
	for _, line := range s.lines {
		if brokenRE.MatchString(line) && (strings.Contains(line, s.dir+"/") || strings.Contains(line, ": "+part)) {
			return s.dead(s.running(), "cannot read what was written for it just before ("+cut(line, shownText)+")",
				"install the compiler again, or choose another one by config.cc or config.cxx")
		}
	}
	return nil
}

// silent finds a run that failed without a word that is understood.
func (s *scene) silent() *Trouble {
	for _, d := range s.ds {
		if d.Severity == "error" && !isSummary(d) {
			return nil
		}
	}
	how := fmt.Sprintf("ended with status %d", s.out.code)
	if s.out.code == 0 {
		how = "ended as if all were well, and wrote no module"
	}
	last := ""
	for _, line := range s.lines {
		if !summaryRE.MatchString(line) {
			last = line
		}
	}
	if last == "" {
		return s.dead(s.running(), how+" and said nothing", "it may be damaged: install it again, or choose another compiler by config.cc or config.cxx")
	}
	return s.dead(s.running(), how+" and said: "+cut(last, shownText), "choose another compiler by config.cc or config.cxx if that is not of the text")
}

// dead makes the trouble of a program: who, how, and what to do.
func (s *scene) dead(program, how, advice string) *Trouble {
	driver, who := s.job.Tool.Driver, program
	if filepath.Base(program) != filepath.Base(driver) {
		who = fmt.Sprintf("%s, which %s runs,", program, driver)
	} else {
		who = driver
	}
	return &Trouble{Kind: ToolDied, Program: filepath.Base(program), what: who + " " + how + "; " + advice}
}

var (
	runningRE  = pattern.New(`^ "?((?:[^" ]*/)?(?:cc1|cc1plus|as|collect2|ld(?:\.\w+)?|clang(?:-\d+)?))"? `)
	returnedRE = pattern.New(`: (\S+) returned \d+ exit status`)
	summaryRE  = pattern.New(`: error: \S+ returned \d+ exit status|linker command failed|compilation terminated|^See |^Please `)
)

// running is the program that the driver ran last, by its own account; where that is silent, the driver.
func (s *scene) running() string {
	last := s.job.Tool.Driver
	for _, line := range strings.Split(s.out.stderr, "\n") {
		if m := runningRE.FindStringSubmatch(line); m != nil {
			last = m[1]
		}
		if m := returnedRE.FindStringSubmatch(line); m != nil {
			last = m[1]
		}
	}
	return last
}

// accounts are how lines begin in which a driver and its programs tell what they are and do (-v).
var accounts = []string{" ", "\t", "Using built-in specs", "COLLECT_", "OFFLOAD_", "Target: ", "Configured with: ", "Thread model: ",
	"Supported LTO ", "gcc version ", "GNU C", "GGC heuristics: ", "ignoring ", "#include ", "End of search list", "Compiler executable checksum",
	"COMPILER_PATH=", "LIBRARY_PATH=", "GNU assembler version", "warning: GMP header", "clang version ", "InstalledDir: ", "Found candidate ",
	"Selected ", "Candidate multilib: ", "clang -cc1 version ", "Reading specs from "}

// said gives what a run wrote, without blank lines and without accounts.
func said(stderr string) []string {
	var lines []string
	for _, line := range strings.Split(stderr, "\n") {
		account := slices.ContainsFunc(accounts, func(a string) bool { return strings.HasPrefix(line, a) })
		if !account && !strings.Contains(line, " clang version ") && strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// probe tries to write into a folder about as much as a compile of a text does; nil: that is possible.
func probe(dir string, text int) *Trouble {
	err := func() error {
		f, err := os.CreateTemp(dir, "probe-")
		if err != nil {
			return err
		}
		defer os.Remove(f.Name())
		defer f.Close()
		if _, err := f.Write(make([]byte, 256<<10+4*text)); err != nil {
			return err
		}
		return f.Sync()
	}()
	if errno, ok := Errno(err); ok && errno != syscall.ENOENT {
		return FolderTrouble(dir, errno.Error())
	}
	return nil
}

// Errno is the system's error in an error.
func Errno(err error) (syscall.Errno, bool) {
	var errno syscall.Errno
	ok := errors.As(err, &errno)
	return errno, ok
}
