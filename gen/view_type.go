package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/scalar"
	"opweld/refcount"
)

// TypeView is one type's lifecycle: only what the plan uses is there.
type TypeView struct {
	C, Label                 string
	Number                   string // of the dtype of the array that it declares
	NDim                     int    // of that array; -1: it declares something else
	Declare, Cleanup         Fragment
	State                    []refcount.Declared
	Adopt, Init, Offer, Sync *EnterView
	Starts, Offers, Keeps    *OwnView
	Owns                     *EnterView // Adopt, where calls own constants
	Accepts                  []InitView
	Inputs                   []InputView
	AdoptName                string
	CXX                      bool // as part of a unit in C++
	Scope, LeaveScope        ScopeView
	Declared, Closing        []refcount.Declared // all that is declared; State, last first
	accepts                  map[string]string
}

// EnterView is one lifecycle text between load and save.
type EnterView struct {
	C                 string
	Declare, Text     Fragment
	Clear, Load, Save []refcount.Declared
	Enters            bool // the slot holds nothing before
	Storage           bool // the text speaks of storage_opw_V
	CXX               bool // as part of a unit in C++
	Scope             ScopeView
	Declared          []refcount.Declared
}

// OwnView names the functions behind a variable that starts as an owned None, or as what is offered.
type OwnView struct{ Init, Offer, Sync string }

// InputView is an argument's way in: accepted as it is, or converted.
type InputView struct {
	C, Accept, Adopt, Label string
	Shared                  bool // the object is in a cell, not in the slot
	Checked                 bool // nothing but the type's c_extract has looked at it: is it the array that is promised?
	Number                  string
	NDim                    int
}

// types makes a view of each type, with the functions that the plan's actions call.
func (v *viewer) types() error {
	for i := range v.p.Types {
		t := &v.p.Types[i]
		found, err := declared(t.Label, t.Declare, t.Lang)
		if err != nil {
			return err
		}
		number, ndim := t.Array.promise()
		tv := &TypeView{
			Number: number, NDim: ndim,
			C: fmt.Sprintf("%sT%d", gluePrefix, i), Label: t.Label, Declared: found, State: state(found), AdoptName: "NULL",
			accepts: map[string]string{}, CXX: v.p.cxx(),
			Declare: Fragment{t.Label + ".c_declare", t.Declare},
			Cleanup: Fragment{t.Label + ".c_cleanup", value(t.Cleanup)},
		}
		tv.Closing = slices.Clone(tv.State)
		slices.Reverse(tv.Closing)
		tv.Scope, tv.LeaveScope = tv.scope(""), tv.scope("_leave")
		v.view.Types = append(v.view.Types, tv)
		if t.Array != nil {
			if len(tv.State) != 1 {
				return &Error{Stage: "view", Op: t.Label, Msg: "c_declare: a type with \"array\" declares one PyArrayObject* and nothing else"}
			}
		}
	}
	for _, c := range v.plan.Constants {
		v.typeView(c).adopts(v.typeOf(c))
	}
	for _, a := range v.plan.Actions {
		v.use(a)
	}
	return nil
}

// promise is what a type says of the one array that it declares: the number of its dtype and its dimensions.
func (a *Array) promise() (string, int) {
	if a == nil {
		return "0", -1
	}
	t, _ := scalar.TypeOf(a.DType)
	return t.Enum, a.NDim
}

func (v *viewer) typeOf(variable int) *Type { return &v.p.Types[v.p.Variables[variable].Type] }

// use gives the types that an action touches what it needs of them.
func (v *viewer) use(a Action) {
	first := a.Variables
	switch a.Kind {
	case EnterInput:
		v.typeView(first[0]).adopts(v.typeOf(first[0]))
	case EnterOwn:
		v.typeView(first[0]).Owns = v.typeView(first[0]).Adopt
	case EnterInit:
		v.typeView(first[0]).starts(v.typeOf(first[0]))
	case EnterOutput:
		v.typeView(first[0]).starts(v.typeOf(first[0]))
		v.typeView(first[0]).offers(v.typeOf(first[0]))
	case EnterKept:
		v.typeView(first[0]).starts(v.typeOf(first[0]))
		v.typeView(first[0]).keeps(v.typeOf(first[0]))
	case Sync:
		v.typeView(first[0]).syncs(v.typeOf(first[0]))
	case Perform:
		for _, out := range a.Variables[a.Inputs:] {
			v.typeView(out).adopts(v.typeOf(out))
		}
	}
}

// scope is what the function of a type with a suffix sees declared.
func (tv *TypeView) scope(suffix string) ScopeView {
	return ScopeView{C: tv.C + suffix, Declares: []ScopeDeclare{{variableToken, tv.Declare}}}
}

func (tv *TypeView) adopts(t *Type) {
	tv.Adopt = tv.enter("_adopt", t.Label+".c_extract", t.Extract)
	tv.AdoptName = tv.Adopt.C
}

func (tv *TypeView) starts(t *Type) {
	tv.Init = tv.enter("_init", t.Label+".c_init", t.Init)
	tv.Starts = &OwnView{Init: tv.Init.C}
}

func (tv *TypeView) offers(t *Type) {
	tv.Offer = tv.enter("_offer", t.Label+".c_extract_out", t.ExtractOut)
	tv.Offers = &OwnView{Init: tv.Init.C, Offer: tv.Offer.C}
}

func (tv *TypeView) keeps(t *Type) {
	tv.Offer = tv.enter("_offer", t.Label+".c_extract_out", t.ExtractOut)
	tv.syncs(t)
	tv.Keeps = &OwnView{Init: tv.Init.C, Offer: tv.Offer.C, Sync: tv.Sync.C}
}

func (tv *TypeView) syncs(t *Type) {
	tv.Sync = &EnterView{C: tv.C + "_sync", Declare: tv.Declare, Load: tv.State, Save: tv.State,
		Text: Fragment{t.Label + ".c_sync", value(t.Sync)}, Storage: storage(value(t.Sync), variableToken),
		CXX: tv.CXX, Scope: tv.scope("_sync"), Declared: tv.Declared}
}

// storage tells whether a text speaks of a variable's storage_<name>.
func storage(text, name string) bool { return strings.Contains(text, "storage_"+name) }

// enter clears first what has no initialiser, so that a text that fails early leaves nothing undefined to c_cleanup.
func (tv *TypeView) enter(suffix, origin string, text *string) *EnterView {
	clear := []refcount.Declared{}
	for _, d := range tv.State {
		if !d.Initialised {
			clear = append(clear, d)
		}
	}
	return &EnterView{C: tv.C + suffix, Declare: tv.Declare, Text: Fragment{origin, value(text)}, Clear: clear, Save: tv.State,
		Enters: true, Storage: storage(value(text), variableToken), CXX: tv.CXX, Scope: tv.scope(suffix), Declared: tv.Declared}
}

// accept gives the name of the function that holds an accept test, one for each distinct text.
func (tv *TypeView) accept(text string) string {
	if name, ok := tv.accepts[text]; ok {
		return name
	}
	name := fmt.Sprintf("%s_accept%d", tv.C, len(tv.Accepts))
	tv.accepts[text] = name
	tv.Accepts = append(tv.Accepts, InitView{C: name, Text: Fragment{tv.Label + ".c_accept", text}})
	return name
}

// input gives the name of the function that lets an argument in, one for each distinct accept test and place.
func (tv *TypeView) input(accept *string, shared bool) string {
	test := ""
	if accept != nil {
		test = tv.accept(*accept)
	}
	for _, in := range tv.Inputs {
		if in.Accept == test && in.Shared == shared {
			return in.C
		}
	}
	in := InputView{C: fmt.Sprintf("%s_input%d", tv.C, len(tv.Inputs)), Accept: test, Adopt: tv.AdoptName, Label: tv.Label, Shared: shared,
		Checked: test == "" && tv.NDim >= 0, Number: tv.Number, NDim: tv.NDim}
	tv.Inputs = append(tv.Inputs, in)
	return in.C
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
