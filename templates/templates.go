// Package templates holds the C that opweld writes. What is the same in every module is plain C, under runtime/; each file
// with a name in .tmpl is a section of what depends on a Program. The templates decide nothing: they range over what gen's
// view has made ready.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.tmpl runtime/*.c runtime/*.h unit/*.tmpl scalar/*.tmpl cop/*.tmpl
var files embed.FS

// included is a line of plain C that asks for another file of the same folder.
var included = regexp.MustCompile(`(?m)^#include "([a-z_]+\.[ch])"$`)

// Plain gives a file of runtime/, with what it includes of that folder in place: one text that needs nothing beside it.
func Plain(name string) (string, error) {
	data, err := files.ReadFile("runtime/" + name)
	if err != nil {
		return "", err
	}
	text := included.ReplaceAllStringFunc(string(data), func(line string) string {
		inner, failed := Plain(included.FindStringSubmatch(line)[1])
		if failed != nil {
			err = failed
		}
		return strings.TrimSuffix(inner, "\n")
	})
	return text, err
}

// never stands in no text: what it delimits are no actions, so plain C is taken as it is.
const never = "\x00"

// heads are the headers of the plain C that units begin with.
var heads = []string{"prelude.h", "light.h", "plain.h", "remarks.h", "noprefix.h", "account.h"}

// Load parses every template under its path, so that two files of one name in two folders stay apart; so stand the heads
// of the plain C. It does so once: templates are executed only.
var Load = sync.OnceValues(load)

func load() (*template.Template, error) {
	root := template.New("").Option("missingkey=error")
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".tmpl") {
			return err
		}
		data, err := files.ReadFile(path)
		if err == nil {
			_, err = root.New(path).Parse(string(data))
		}
		if err != nil {
			return fmt.Errorf("template %s: %w", path, err)
		}
		return nil
	})
	for _, name := range heads {
		text, failed := Plain(name)
		if failed == nil {
			_, failed = root.New("runtime/"+name).Delims(never, never).Parse(text)
		}
		if err == nil {
			err = failed
		}
	}
	return root, err
}
