package cc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"opweld/gen/pattern"
)

// lane is the program that an argument is for.
type lane byte

const (
	compiling lane = 'c'
	linking   lane = 'l'
	assembles lane = 'a'
)

// word is one argument as that program sees it.
type word struct {
	lane lane
	text string
}

// ErrFlag says that an argument asks for something that no key and no list of files could hold.
var ErrFlag = errors.New("cannot be used")

// passOn are the arguments that hand others on: the next one, or, with a comma at their end, what follows it.
var passOn = map[string]lane{
	"-Xlinker": linking, "-Wl,": linking, "-Xassembler": assembles, "-Wa,": assembles, "-Xpreprocessor": compiling,
	"-Wp,": compiling, "-Xclang": compiling, "-mllvm": compiling,
}

// fileOptions are the arguments whose value is one file that is read: joined to the name, behind "=", or as the next
// word, as their manuals have them. One dash stands for two.
var fileOptions = map[lane][]string{
	compiling: {"-include", "-imacros", "-include-pch", "-ivfsoverlay", "-T", "-config=", "-config", "-fprofile-use=",
		"-fauto-profile=", "-fprofile-sample-use=", "-fprofile-instr-use=", "-fprofile-list=", "-fprofile-remapping-file=",
		"-fplugin=", "-fpass-plugin=", "-specs=", "-fsanitize-ignorelist=", "-fsanitize-blacklist=",
		"-fsanitize-system-ignorelist=", "-fsanitize-coverage-allowlist=", "-fsanitize-coverage-ignorelist=",
		"-fxray-attr-list=", "-fxray-always-instrument=", "-fxray-never-instrument=", "-fthinlto-index=",
		"-frandomize-layout-seed-file=", "-fmodule-file=", "-fembed-offload-object=", "-ld-path="},
	linking: {"-version-script=", "-version-script", "-dynamic-list=", "-dynamic-list", "-retain-symbols-file=",
		"-retain-symbols-file", "-just-symbols=", "-just-symbols", "-T", "-script=", "-script", "-default-script=",
		"-default-script", "-dT", "-symbol-ordering-file=", "-symbol-ordering-file", "-plugin=", "-plugin", "-section-ordering-file=",
		"-section-ordering-file", "-export-dynamic-symbol-list=", "-export-dynamic-symbol-list", "-mri-script=", "-mri-script"},
}

// refusals are the arguments that are refused, with the reason. A name that ends in * stands for all that begin so.
var refusals = []struct {
	lane      lane
	name, why string
}{
	{compiling, "-wrapper", "what it runs may do anything"},
	{compiling, "-M", depsOurs}, {compiling, "-MM", depsOurs}, {compiling, "-MG", depsOurs}, {compiling, "-MP", depsOurs},
	{compiling, "-MD*", depsOurs}, {compiling, "-MMD*", depsOurs}, {compiling, "-MF*", depsOurs},
	{compiling, "-MT*", depsOurs}, {compiling, "-MQ*", depsOurs}, {assembles, "--MD*", depsOurs},
	{compiling, "-fmodule-mapper=*", "what it answers is in no list of files"},
	{compiling, "-fmodules*", "modules that it finds are in no list of files"},
	{compiling, "-fcxx-modules", "modules that it finds are in no list of files"},
	{compiling, "-fprebuilt-module-path=*", "modules that it finds are in no list of files"},
	{compiling, "-fprofile-use", "it looks for its profile in the folder of the build: name the file, -fprofile-use=/a/file.gcda"},
	{compiling, "-fbranch-probabilities", "it looks for its profile in the folder of the build: use -fprofile-use=/a/file.gcda"},
	{compiling, "-fauto-profile", "it looks for its profile in the folder of the build: name the file, -fauto-profile=/a/file"},
	{compiling, "-fprofile-instr-use", "it looks for its profile in the folder of the build: name the file"},
	{compiling, "-fprofile-sample-use", "it looks for its profile in the folder of the build: name the file"},
}

const depsOurs = "the list of what a compile reads is made by opweld, and this would change it"

// includes are words of files that lead to further ones, which are then in no list.
var includes = map[string]*pattern.Pattern{
	"-T": scriptRE, "-script": scriptRE, "-default-script": scriptRE, "-dT": scriptRE, "-specs": pattern.New(`%include`),
}

var scriptRE = pattern.New(`\bINCLUDE\b`)

// Named lists the files that arguments name: what they hold counts like the arguments themselves. Response files are
// opened, whatever they hold in turn. An error is an ErrFlag: an argument whose effect could not be told from another's.
func Named(args []string) (files []string, err error) {
	words, files, err := flatten(compiling, args, 0)
	if err != nil {
		return nil, err
	}
	for i, w := range words {
		if why := forbidden(w); why != "" {
			return nil, fmt.Errorf("the argument %q %w: %s", w.text, ErrFlag, why)
		}
		var next string
		if i+1 < len(words) && words[i+1].lane == w.lane {
			next = words[i+1].text
		}
		found, err := filesOf(w, next)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			if !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	return files, nil
}

// maxNesting is how deep response files may name others.
const maxNesting = 20

// flatten gives each program's arguments as it sees them, and the response files that they came from.
func flatten(to lane, args []string, depth int) (words []word, files []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if path, ok := strings.CutPrefix(arg, "@"); ok {
			inner, read, err := response(to, path, depth)
			if err != nil {
				return nil, nil, fmt.Errorf("the argument %q %w: %v", arg, ErrFlag, err)
			}
			words, files = append(words, inner...), append(append(files, path), read...)
			continue
		}
		lane, rest := handedOn(to, arg)
		if lane == 0 {
			words = append(words, word{to, arg})
			continue
		}
		if rest == nil && i+1 < len(args) {
			i++
			rest = args[i : i+1]
		}
		inner, read, err := flatten(lane, rest, depth)
		if err != nil {
			return nil, nil, err
		}
		words, files = append(words, inner...), append(files, read...)
	}
	return words, files, nil
}

// handedOn tells whom an argument hands others on to, and which; nil: the next one. 0: it is one itself.
func handedOn(to lane, arg string) (lane, []string) {
	if to != compiling {
		return 0, nil
	}
	if lane, ok := passOn[arg]; ok {
		return lane, nil
	}
	if head, tail, ok := strings.Cut(arg, ","); ok && passOn[head+","] != 0 {
		return passOn[head+","], strings.Split(tail, ",")
	}
	return 0, nil
}

// response reads the arguments of a response file.
func response(to lane, path string, depth int) ([]word, []string, error) {
	if !filepath.IsAbs(path) {
		return nil, nil, fmt.Errorf("%q is no absolute path", path)
	}
	if depth == maxNesting {
		return nil, nil, errors.New("it names itself")
	}
	data, err := readRegular(path)
	if err != nil {
		return nil, nil, err
	}
	return flatten(to, splitShell(string(data)), depth+1)
}

// splitShell splits what a response file holds: blanks separate, quotes of both kinds hold together, a backslash escapes.
func splitShell(text string) []string {
	var words []string
	var word strings.Builder
	open, quote := false, rune(0)
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\':
			escaped, open = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && strings.ContainsRune(" \t\n\r\v\f", c):
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// forbidden says why an argument is refused; empty: it is not.
func forbidden(w word) string {
	for _, r := range refusals {
		prefix, all := strings.CutSuffix(r.name, "*")
		if r.lane == w.lane && (w.text == r.name || all && strings.HasPrefix(w.text, prefix)) {
			return r.why
		}
	}
	return ""
}

// filesOf lists the files that an argument names: as its value, which must then be there, or else by an absolute path
// anywhere in it. What a macro is defined as is text.
func filesOf(w word, next string) ([]string, error) {
	text := w.text
	if w.lane == compiling && (strings.HasPrefix(text, "-D") || strings.HasPrefix(text, "-U")) {
		return nil, nil
	}
	option := text
	if strings.HasPrefix(option, "--") {
		option = option[1:]
	}
	for _, name := range fileOptions[w.lane] {
		value, ok := strings.CutPrefix(option, name)
		separate := value == "" && !strings.HasSuffix(name, "=")
		if !ok || value != "" && !joinable(name, value) {
			continue
		}
		if separate {
			value = next
		}
		if err := readable(name, value); err != nil {
			return nil, fmt.Errorf("the argument %q %w: %v", strings.TrimSpace(text+" "+map[bool]string{true: next}[separate]), ErrFlag, err)
		}
		return []string{value}, nil
	}
	return mentioned(text), nil
}

// joinable tells whether an option's value may follow its name at once, and is not the rest of another option's name,
// such as -Ttext=0.
func joinable(name, value string) bool {
	if strings.HasSuffix(name, "=") {
		return true
	}
	joins := slices.Contains([]string{"-include", "-imacros", "-ivfsoverlay", "-T"}, name)
	return joins && !strings.HasPrefix(value, "-") && (strings.Contains(value, "/") || !strings.Contains(value, "=") && !sectionRE.MatchString(value))
}

var sectionRE = pattern.New(`^(text|data|bss|rodata|ldata)`)

// readable makes sure that the value of an option is a file that can be read and that leads to no other.
func readable(name, value string) error {
	if !filepath.IsAbs(value) {
		return fmt.Errorf("%q is no absolute path of a file, and the compiler runs in a folder of its own", value)
	}
	data, err := readRegular(value)
	if err != nil {
		return err
	}
	if re := includes[strings.TrimSuffix(name, "=")]; re != nil && re.Match(data) {
		return fmt.Errorf("%s includes further files, which are in no list: put them into it", value)
	}
	return nil
}

// mentioned lists the files whose absolute paths stand in an argument.
func mentioned(text string) []string {
	_, path, ok := strings.Cut(text, "/")
	if !ok {
		return nil
	}
	candidates := append([]string{"/" + path}, strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",:;=", c) })...)
	var found []string
	for _, path := range candidates {
		if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// readRegular reads a regular file, and nothing that would block.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no file %s", path)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// selecting are the beginnings of arguments that decide which programs a driver runs, or what it makes of other
// arguments; those with a blank at their end take the next one as well.
var selecting = []string{
	"-B", "-B ", "-fuse-ld=", "--ld-path=", "--sysroot", "--sysroot ", "-isysroot", "-isysroot ", "-specs=", "--specs=", "-m",
	"-flto", "-fplugin=", "-target ", "--target=", "--gcc-toolchain=", "--config=", "--config ", "-fno-integrated-as",
	"-no-integrated-as", "-no-canonical-prefixes", "@", "-x", "-x ",
}

// Selecting picks the arguments that Identify needs.
func Selecting(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		for _, start := range selecting {
			name, pair := strings.CutSuffix(start, " ")
			if pair && args[i] == name && i+1 < len(args) {
				kept = append(kept, args[i], args[i+1])
				i++
				break
			}
			if !pair && strings.HasPrefix(args[i], name) && !(args[i] == name && slices.Contains(selecting, name+" ")) {
				kept = append(kept, args[i])
				break
			}
		}
	}
	return kept
}
