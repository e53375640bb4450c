package gen

import "strings"

// Hook is one text that a user's type or op gives: a row of the table below.
type Hook int

// The hooks, a type's first.
const (
	Declare Hook = iota
	Init
	Extract
	ExtractOut
	Sync
	Cleanup
	Code
	CodeCleanup
	InitCodeStruct
	CleanupCodeStruct
	SupportCode
	InitCode
	SupportCodeApply
	SupportCodeStruct
	InitCodeApply
	hookCount
)

// owner says whose hook it is.
type owner byte

const (
	ofType   owner = 1 << iota
	ofKernel       // of a kernel, whatever it is made of
	ofText         // of a kernel that is a user's text, not the engine's loops
	ofBoth   = ofType | ofKernel
)

// form says how Program holds it.
type form byte

const (
	required form = iota // always there, empty or not
	given                // optional, and may be there and empty
	filled               // optional, and left out where it is empty
	listed               // optional, a list of texts
)

// scope says where its text stands in the C that is written.
type scope byte

const (
	atFile     scope = iota // at file scope
	inFunction              // in a function of its own
	inBody                  // between what the glue does before and after it: no return, no jump out
	inStruct                // among the members of the op's struct
)

// need is a place in a graph that needs a text of a variable's type.
type need string

const (
	entered   need = "inputs, constants and what a `perform` returns"
	computed  need = "temporaries and outputs"
	returned  need = "outputs"
	preserved need = "temporaries that are kept"
	performed need = "what a `perform` reads"
	accepting need = "outputs that have `accept`"
)

// hookRow is what is known of a hook. The fields of Program, what is checked of a text, how it is named and the table of
// docs/program.md follow from it.
type hookRow struct {
	field string // in Program; the method that gives it has c_ before that
	args  string // what the method is asked with
	owner owner
	form  form
	scope scope
	fails bool   // may use fail
	needs []need // who needs it, among the variables of the type
}

var hooks = [hookCount]hookRow{
	Declare:           {"declare", "name, sub, check_input", ofType, required, inBody, false, nil},
	Init:              {"init", "name, sub", ofType, given, inBody, true, []need{computed}},
	Extract:           {"extract", "name, sub, check_input", ofType, given, inBody, true, []need{entered}},
	ExtractOut:        {"extract_out", "name, sub, check_input", ofType, given, inBody, true, []need{accepting, preserved}},
	Sync:              {"sync", "name, sub", ofType, given, inBody, true, []need{returned, preserved, performed}},
	Cleanup:           {"cleanup", "name, sub", ofType, given, inBody, false, nil},
	Code:              {"code", "node, name, inputs, outputs, sub", ofText, required, inBody, true, nil},
	CodeCleanup:       {"code_cleanup", "node, name, inputs, outputs, sub", ofText, filled, inBody, false, nil},
	InitCodeStruct:    {"init_code_struct", "node, name, sub", ofText, filled, inBody, true, nil},
	CleanupCodeStruct: {"cleanup_code_struct", "node, name", ofText, filled, inBody, false, nil},
	SupportCode:       {"support_code", "", ofBoth, listed, atFile, false, nil},
	InitCode:          {"init_code", "", ofBoth, listed, inFunction, false, nil},
	SupportCodeApply:  {"support_code_apply", "node, name", ofKernel, filled, atFile, false, nil},
	SupportCodeStruct: {"support_code_struct", "node, name", ofText, filled, inStruct, false, nil},
	InitCodeApply:     {"init_code_apply", "node, name", ofKernel, filled, inFunction, false, nil},
}

// hooksOf lists the hooks of one of these owners.
func hooksOf(o owner) []Hook {
	var found []Hook
	for h := range hookCount {
		if hooks[h].owner&o != 0 {
			found = append(found, h)
		}
	}
	return found
}

// shared tells of which texts steps that run one function share what they define.
func (h Hook) shared() bool { return h == Code || h == CodeCleanup || h == SupportCodeApply }

// String is the name of the method.
func (h Hook) String() string { return "c_" + hooks[h].field }

// Texts holds what hooks gave: nil where nothing was given, one text, or a list.
type Texts [hookCount][]string

// Given tells whether there is a text, empty or not.
func (t *Texts) Given(h Hook) bool { return t[h] != nil }

// Text gives one text; empty where none was given.
func (t *Texts) Text(h Hook) string {
	if t[h] == nil {
		return ""
	}
	return t[h][0]
}

// stateful tells whether an op keeps state for each instance and step.
func (t *Texts) stateful() bool {
	return t.Given(SupportCodeStruct) || t.Given(InitCodeStruct) || t.Given(CleanupCodeStruct)
}

// texts reads the fields of an owner's hooks.
func (o *object) texts(of owner) (t Texts) {
	for _, h := range hooksOf(of) {
		switch row := hooks[h]; row.form {
		case listed:
			t[h] = o.strs(row.field)
		case required:
			t[h] = []string{o.str(row.field, false)}
		default:
			if text := o.text(row.field); text != nil && (row.form == given || *text != "") {
				t[h] = []string{*text}
			}
		}
	}
	return t
}

// texts adds the fields of an owner's hooks, as o.texts reads them.
func (f fields) texts(t *Texts, of owner) fields {
	for _, h := range hooksOf(of) {
		switch row := hooks[h]; {
		case row.form == listed:
			f.strs(row.field, t[h])
		case row.form == required || t.Given(h):
			f[row.field] = t.Text(h)
		}
	}
	return f
}

// fragment gives a user's text with the name that its #line marks carry; name is what stands for OPW_NAME.
func fragment(label string, h Hook, text, name string) Fragment {
	if name != "" {
		text = strings.ReplaceAll(text, nameToken, name)
	}
	return Fragment{label + "." + h.String(), text}
}
