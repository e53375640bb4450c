package ccode

import (
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Member is one declaration of a text as a struct of C can have it.
type Member struct {
	Text  string   `json:"text"`  // without initialisers and semicolon
	Names []string `json:"names"` // the variables that it declares
	Given []string `json:"given"` // those of them that the text gives a value
}

// Members lists the declarations of the text of a c_declare, in order, so that a struct can have its variables. What
// Declarations refuses is refused here; what it leaves out is left out.
func (f *Fragment) Members() ([]Member, error) {
	if _, err := f.Declarations(); err != nil {
		return nil, err
	}
	source := f.written()
	body := f.root().NamedChild(0).ChildByFieldName("body")
	found := []Member{}
	for i := uint(0); i < body.NamedChildCount(); i++ {
		n := body.NamedChild(i)
		if n.Kind() != "declaration" || n.ChildByFieldName("declarator") == nil {
			continue
		}
		if m := member(n, source, f.CXX); len(m.Names) > 0 {
			found = append(found, m)
		}
	}
	return found, nil
}

// member puts a declaration together anew, of what it declares variables with.
func member(n *sitter.Node, source []byte, cxx bool) Member {
	cursor := n.Walk()
	defer cursor.Close()
	r := &declReader{source: source, cxx: cxx}
	declarators := n.ChildrenByFieldName("declarator", cursor)
	head := string(source[n.StartByte():declarators[0].StartByte()])
	var pieces []string
	for _, d := range declarators {
		before := len(r.found)
		r.declarator(&d, Declared{})
		if len(r.found) == before { // a prototype
			continue
		}
		if name := d.ChildByFieldName("declarator"); d.Kind() == "init_declarator" && name != nil {
			d = *name
		}
		pieces = append(pieces, d.Utf8Text(source))
	}
	m := Member{Text: head + strings.Join(pieces, ", "), Given: []string{}}
	for _, d := range r.found {
		m.Names = append(m.Names, d.Name)
		if d.Initialised {
			m.Given = append(m.Given, d.Name)
		}
	}
	return m
}
