package gen

import (
	"fmt"
	"slices"
	"strings"

	"opweld/gen/ccode"
)

// TypeView is one type's lifecycle: only what the plan uses is there.
type TypeView struct {
	C, F, Label              string // F: what the names of its functions begin with
	Number                   string // of the dtype of the array that it declares
	NDim                     int    // of that array; -1: it declares something else
	Plain                    int    // 1: holding a reference to that array is all that the type does
	Written                  bool   // the unit has its functions; else the runtime
	Shown                    bool   // there is something to write: functions or tests
	Declare, Cleanup         Fragment
	State                    []ccode.Declared
	Adopt, Init, Offer, Sync *EnterView
	Starts, Offers, Keeps    *OwnView
	Owns                     *EnterView // Adopt, where calls own constants
	Accepts                  []InitView
	Inputs                   []InputView
	AdoptName                string
	CXX                      bool // as part of a unit in C++
	Scope, LeaveScope        ScopeView
	Declared, Closing        []ccode.Declared // all that is declared; State, last first
	Told                     *ToldView        // of an accounted unit: of Cleanup
	t                        *TypedType
}

// EnterView is one lifecycle text between load and save.
type EnterView struct {
	C                 string
	Declare, Text     Fragment
	Clear, Load, Save []ccode.Declared
	Enters            bool // the slot holds nothing before
	Storage           bool // the text speaks of storage_opw_V
	CXX               bool // as part of a unit in C++
	Scope             ScopeView
	Declared          []ccode.Declared
	Told              *ToldView // of an accounted unit
}

// ToldView is how an accounted unit runs a type's text: the runtime does, and judges what it tells.
type ToldView struct {
	Type      int
	Way, Hook string // what the text does to its variable, and its name
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

// newTypeView names the functions of a type.
func newTypeView(i int, t *PlannedType, cxx bool) *TypeView {
	number, ndim := t.Array.promise()
	tv := &TypeView{
		Number: number, NDim: ndim, C: fmt.Sprintf("%sT%d", gluePrefix, i), Label: t.Label, AdoptName: "NULL", CXX: cxx,
		Declared: t.Declared, State: t.State, Closing: slices.Clone(t.State), t: t.TypedType,
		Declare: fragment(t.Label, Declare, t.Text(Declare), ""), Cleanup: fragment(t.Label, Cleanup, t.Text(Cleanup), ""),
	}
	slices.Reverse(tv.Closing)
	for i, text := range t.Accepts {
		tv.Accepts = append(tv.Accepts, InitView{C: tv.accept(i), Text: Fragment{tv.Label + ".c_accept", text}})
	}
	tv.Shown = !t.plain() || len(tv.Accepts) > 0
	if t.plain() {
		tv.F, tv.AdoptName, tv.Plain = plainFunctions, plainFunctions+"_adopt", 1
		return tv
	}
	tv.F, tv.Written = tv.C, true
	tv.Scope, tv.LeaveScope = tv.scope(""), tv.scope("_leave")
	if t.Adopt {
		tv.Adopt = tv.enter("_adopt", Extract)
		tv.AdoptName = tv.Adopt.C
	}
	if t.Lifecycle.Init {
		tv.Init = tv.enter("_init", Init)
	}
	if t.Offer {
		tv.Offer = tv.enter("_offer", ExtractOut)
	}
	if t.Lifecycle.Sync {
		tv.Sync = tv.syncs()
	}
	tv.ways(&t.Lifecycle)
	return tv
}

// tell has the type's texts run by the runtime, which judges them.
func (tv *TypeView) tell(i int) {
	if !tv.Written {
		return
	}
	tv.Told = &ToldView{Type: i, Hook: tv.Cleanup.Origin}
	for _, e := range []*EnterView{tv.Adopt, tv.Init, tv.Offer, tv.Sync} {
		if e != nil {
			e.Told = &ToldView{Type: i, Way: "OPW_ENTERS", Hook: e.Text.Origin}
			if !e.Enters {
				e.Told.Way = "OPW_SYNCS"
			}
		}
	}
}

// ways names what is made of the lifecycle's functions.
func (tv *TypeView) ways(l *Lifecycle) {
	if l.Own {
		tv.Owns = tv.Adopt
	}
	if l.Start {
		tv.Starts = &OwnView{Init: tv.Init.C}
	}
	if l.Output {
		tv.Offers = &OwnView{Init: tv.Init.C, Offer: tv.Offer.C}
	}
	if l.Keep {
		tv.Keeps = &OwnView{Init: tv.Init.C, Offer: tv.Offer.C, Sync: tv.Sync.C}
	}
	for i, in := range l.Inputs {
		tv.Inputs = append(tv.Inputs, InputView{C: tv.input(i, in.Shared), Accept: tv.accept(in.Accept), Adopt: tv.AdoptName, Label: tv.Label,
			Shared: in.Shared, Checked: in.Checked, Number: tv.Number, NDim: tv.NDim})
	}
}

// accept names a test; empty for none.
func (tv *TypeView) accept(i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s_accept%d", tv.C, i)
}

// plainFunctions is what the names of the runtime's functions for plain types begin with.
const plainFunctions = "opw_plain"

// input names an argument's way in.
func (tv *TypeView) input(i int, shared bool) string {
	switch {
	case tv.Written:
		return fmt.Sprintf("%s_input%d", tv.C, i)
	case shared:
		return tv.F + "_cell"
	}
	return tv.F + "_input"
}

// promise is what a type says of the one array that it declares: the number of its dtype and its dimensions.
func (a *TypedArray) promise() (string, int) {
	if a == nil {
		return "0", -1
	}
	return a.Enum, a.NDim
}

// scope is what the function of a type with a suffix sees declared.
func (tv *TypeView) scope(suffix string) ScopeView {
	return ScopeView{C: tv.C + suffix, Declares: []ScopeDeclare{{variableToken, tv.Declare}}}
}

func (tv *TypeView) syncs() *EnterView {
	text := tv.t.Text(Sync)
	return &EnterView{C: tv.C + "_sync", Declare: tv.Declare, Load: tv.State, Save: tv.State,
		Text: fragment(tv.Label, Sync, text, ""), Storage: storage(text, variableToken),
		CXX: tv.CXX, Scope: tv.scope("_sync"), Declared: tv.Declared}
}

// storage tells whether a text speaks of a variable's storage_<name>.
func storage(text, name string) bool { return strings.Contains(text, "storage_"+name) }

// enter clears first what has no initialiser, so that a text that fails early leaves nothing undefined to c_cleanup.
func (tv *TypeView) enter(suffix string, h Hook) *EnterView {
	clear := []ccode.Declared{}
	for _, d := range tv.State {
		if !d.Initialised {
			clear = append(clear, d)
		}
	}
	text := tv.t.Text(h)
	return &EnterView{C: tv.C + suffix, Declare: tv.Declare, Text: fragment(tv.Label, h, text, ""), Clear: clear, Save: tv.State,
		Enters: true, Storage: storage(text, variableToken), CXX: tv.CXX, Scope: tv.scope(suffix), Declared: tv.Declared}
}
