package gen

import (
	"slices"

	"opweld/gen/scalar"
)

// loop adds the work of a structured kernel. Kernels whose loops are alike share them: what differs is in a table.
func (v *viewer) loop(k *Kernel, kv *KernelView) {
	var helpers []scalar.Helper
	w, alike := v.view, *k
	if k.Elementwise != nil {
		kv.Loop, helpers = newLoopView(v.p.Types, k, kv.Name, kv.C)
		v.works[kv.C] = len(w.Elementwise)
		w.Elementwise = append(w.Elementwise, kv.Loop)
		if k.pure(kv.Loop.Fails) {
			same := *k.Elementwise
			same.InPlace, alike.Elementwise = nil, &same
			if kv.Loop.L, kv.Loop = v.first(alike.cName(v.p.Types, Leaves{}), kv.C), nil; w.Elementwise[v.works[kv.C]].L == kv.C {
				w.Loops = append(w.Loops, w.Elementwise[v.works[kv.C]])
			}
		}
	} else {
		kv.Fold, helpers = newFoldView(v.p.Types, k, kv.Name, kv.C)
		v.works[kv.C] = len(w.Reductions)
		w.Reductions = append(w.Reductions, kv.Fold)
		same := *k.Reduce
		same.Axes, same.KeepDims, alike.Reduce = nil, false, &same
		first := kv.C
		if !k.keepsState(v.p.Types) {
			first = v.first(alike.cName(v.p.Types, Leaves{}), kv.C)
		}
		kv.Fold.F = first
		if k.pure(kv.Fold.Fails) && first == kv.C {
			w.Folds = append(w.Folds, kv.Fold)
		}
		if k.pure(kv.Fold.Fails) || first != kv.C {
			kv.Fold = nil
		}
	}
	for _, h := range helpers {
		if !slices.ContainsFunc(w.helpers, func(have scalar.Helper) bool { return have.C() == h.C() }) {
			w.helpers = append(w.helpers, h)
		}
	}
}

// first gives the kernel that was the first with an identity: this one, or an earlier one.
func (v *viewer) first(id, name string) string {
	if _, known := v.alike[id]; !known {
		v.alike[id] = name
	}
	return v.alike[id]
}

// parts has a unit of many loops compiled in two parts, which then see one another's functions.
func (v *viewer) parts() {
	w := v.view
	if w.Parts = len(w.Loops)+len(w.Folds) >= partsFrom; !w.Parts {
		return
	}
	apart := w.Loops
	w.Loops = nil
	for i, l := range apart {
		if i%ownEach == ownEach-1 {
			at := slices.IndexFunc(w.Kernels, func(k *KernelView) bool { return k.C == l.C })
			w.Kernels[at].Loop = l
			continue
		}
		l.Linkage = "OPW_SHARED"
		w.Loops = append(w.Loops, l)
	}
	for _, f := range w.Folds {
		f.Linkage = "OPW_SHARED"
	}
}
