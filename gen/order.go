package gen

import (
	"container/heap"
	"fmt"
	"strings"
)

// order gives the steps in an order in which each comes after those that make its inputs and, if it destroys memory, after
// all others that read that memory, by whatever variable: views, and views of views, count. Among steps that are free the one
// that stands first in Program goes first, and before all others those that look at shapes alone: what stands between two loops
// keeps these from running together. What leaves no order is an error: a cycle, memory that two steps destroy, or that
// the function returns, or that is a constant's.
func (p *Program) order() ([]int, error) {
	found, err := p.arranged()
	return found.order, err
}

// arrangement is an order of a Program's steps, and why it is one.
type arrangement struct {
	order  []int
	memory *memory
	after  [][]int // the steps that must follow each
}

// arranged finds an order, as order gives it.
func (p *Program) arranged() (arrangement, error) {
	m := p.memory()
	if err := m.refuse(); err != nil {
		return arrangement{}, err
	}
	after, waits := p.edges(m)
	shapes, rest := &intHeap{}, &intHeap{}
	free := func(i int) {
		if p.kernel(i).ShapeOnly {
			heap.Push(shapes, i)
		} else {
			heap.Push(rest, i)
		}
	}
	for i, n := range waits {
		if n == 0 {
			free(i)
		}
	}
	order := make([]int, 0, len(p.Steps))
	for shapes.Len()+rest.Len() > 0 {
		ready := rest
		if shapes.Len() > 0 {
			ready = shapes
		}
		i := heap.Pop(ready).(int)
		order = append(order, i)
		for _, j := range after[i] {
			if waits[j]--; waits[j] == 0 {
				free(j)
			}
		}
	}
	if len(order) < len(p.Steps) {
		return arrangement{}, p.cycle(after, waits)
	}
	return arrangement{order, m, after}, nil
}

// edges gives for each step those that must follow it, and for each the number of those that it must follow.
func (p *Program) edges(m *memory) (after [][]int, waits []int) {
	after, waits = make([][]int, len(p.Steps)), make([]int, len(p.Steps))
	edge := func(from, to int) {
		if from != to {
			after[from] = append(after[from], to)
			waits[to]++
		}
	}
	for i, s := range p.Steps {
		for _, v := range s.Inputs {
			if from, ok := m.producer[v]; ok {
				if from == i {
					waits[i]++ // its own output: never free
				}
				edge(from, i)
			}
			for _, destroyer := range m.destroyers(v) {
				edge(i, destroyer)
			}
		}
	}
	return after, waits
}

// cycle names steps that wait for one another.
func (p *Program) cycle(after [][]int, waits []int) error {
	before := map[int]int{} // a step that waits -> one of those that it waits for and that waits as well
	for i := range p.Steps {
		for _, j := range after[i] {
			if _, ok := before[j]; !ok && waits[i] > 0 && waits[j] > 0 {
				before[j] = i
			}
		}
	}
	at := -1
	for i := range p.Steps {
		if waits[i] > 0 {
			at = i
			break
		}
	}
	seen, path := map[int]int{}, []int{}
	for {
		if from, again := seen[at]; again {
			path = append(path[from:], at)
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		next, ok := before[at]
		if !ok {
			next = at // reads its own output
		}
		at = next
	}
	names := make([]string, len(path))
	for i, s := range path {
		names[len(path)-1-i] = fmt.Sprintf("steps[%d] %s", s, p.kernel(s).Label)
	}
	return &Error{Stage: "plan", Where: fmt.Sprintf("steps[%d]", path[0]), Msg: "a cycle: " + strings.Join(names, " -> ")}
}

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
