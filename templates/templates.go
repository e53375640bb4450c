// Package templates holds the C that opweld writes. What is the same in every module is plain C, under runtime/; each file
// with a name in .tmpl is a section of what depends on a Program. The templates decide nothing: they range over what gen's
// view has made ready.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
)

//go:embed *.tmpl runtime/*.c runtime/*.h unit/*.tmpl scalar/*.tmpl cop/*.tmpl
var files embed.FS

// Plain gives a file of runtime/, with what it includes of that folder in place: one text that needs nothing beside it.
func Plain(name string) (string, error) {
	data, err := files.ReadFile("runtime/" + name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for line := range strings.Lines(string(data)) {
		asked, ok := included(line)
		if !ok {
			text.WriteString(line)
			continue
		}
		inner, err := Plain(asked)
		if err != nil {
			return "", err
		}
		text.WriteString(strings.TrimSuffix(inner, "\n") + "\n")
	}
	return text.String(), nil
}

// included is the file of the same folder that a line of plain C asks for.
func included(line string) (name string, ok bool) {
	rest, asks := strings.CutPrefix(line, `#include "`)
	name, ends := strings.CutSuffix(rest, "\"\n")
	return name, asks && ends
}

// never stands in no text: what it delimits are no actions, so plain C is taken as it is.
const never = "\x00"

// set holds the templates that were asked for, each under its path, so that two files of one name in two folders stay apart; so
// stand the heads of the plain C. A process writes few of the sections that there are, and its first build would wait for all.
type set struct {
	mu   sync.Mutex
	root *template.Template
}

var parsed = set{root: template.New("").Option("missingkey=error")}

// usual is how many bytes of text there is room for from the start.
const usual = 32 << 10

// Text is what a template makes of data.
func Text(name string, data any) (string, error) {
	t, err := parsed.get(name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(usual)
	err = t.Execute(&text, data)
	return text.String(), err
}

// Ready parses a template and all that it asks for, which the first Text would wait for.
func Ready(name string) error {
	_, err := parsed.get(name)
	return err
}

// All parses every template there is.
func All() (*template.Template, error) {
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".tmpl") {
			err = Ready(path)
		}
		return err
	})
	return parsed.root, err
}

func (s *set) get(name string) (*template.Template, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parse(name)
}

// parse reads a template that was not asked for before, after those that it asks for: what can be found is whole.
func (s *set) parse(name string) (*template.Template, error) {
	if t := s.root.Lookup(name); t != nil {
		return t, nil
	}
	tree, err := read(name)
	if err == nil && tree != nil { // nil: an empty text
		err = s.asked(tree.Root)
	}
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	return s.root.AddParseTree(name, tree)
}

// asked parses what a list of a template's nodes asks for.
func (s *set) asked(list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		var err error
		switch n := node.(type) {
		case *parse.TemplateNode:
			_, err = s.parse(n.Name)
		case *parse.IfNode:
			err = s.branches(&n.BranchNode)
		case *parse.RangeNode:
			err = s.branches(&n.BranchNode)
		case *parse.WithNode:
			err = s.branches(&n.BranchNode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *set) branches(n *parse.BranchNode) error {
	if err := s.asked(n.List); err != nil {
		return err
	}
	return s.asked(n.ElseList)
}

// read parses the text of a template alone; a head is taken as it is.
func read(name string) (*parse.Tree, error) {
	alone := template.New(name)
	text, err := "", error(nil)
	if head, plain := strings.CutPrefix(name, "runtime/"); plain {
		text, err = Plain(head)
		alone.Delims(never, never)
	} else {
		var data []byte
		data, err = files.ReadFile(name)
		text = string(data)
	}
	if err == nil {
		_, err = alone.Parse(text)
	}
	return alone.Tree, err
}
