// Package templates holds the C that opweld writes, one file for each section of the output, and loads it by path. The
// templates decide nothing: they range over what gen's view has made ready.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"text/template"
)

//go:embed *.tmpl shared/*.tmpl runtime/*.tmpl unit/*.tmpl scalar/*.tmpl
var files embed.FS

// Load parses every template under its path, so that two files of one name in two folders stay apart.
func Load() (*template.Template, error) {
	root := template.New("").Option("missingkey=error")
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := root.New(path).Parse(string(text)); err != nil {
			return fmt.Errorf("template %s: %w", path, err)
		}
		return nil
	})
	return root, err
}
