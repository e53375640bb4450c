// Package async starts goroutines: it has the house's only go statement. A panic that leaves a goroutine ends the process,
// which is the user's Python; here it becomes an error.
package async

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// stackLines is how much of a panic's stack an error shows: enough to find the place.
const stackLines = 16

// Panic is a panic that was recovered.
type Panic struct {
	Cause any
	Stack string // from the place that panicked, shortened
}

// Error names the cause and the place.
func (p *Panic) Error() string { return fmt.Sprintf("the engine panicked: %v\n%s", p.Cause, p.Stack) }

// Recovered describes what recover gave; call it from the deferred function that recovered.
func Recovered(cause any) *Panic {
	stack := strings.Split(strings.TrimSpace(string(debug.Stack())), "\n")
	// The first lines are debug.Stack, this function, the deferred one and the panic's own: of no use to a reader.
	for i, line := range stack {
		if strings.HasPrefix(line, "panic(") && i+2 < len(stack) {
			stack = stack[i+2:]
			break
		}
	}
	return &Panic{cause, strings.Join(stack[:min(len(stack), stackLines)], "\n")}
}

// Go begins to do something beside the caller. The function that it returns waits for the end and gives the error, which
// is a *Panic where do panicked; it may be called any number of times.
func Go(do func() error) (wait func() error) {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = safely(do)
	}()
	return func() error {
		<-done
		return err
	}
}

// safely calls do, and makes an error of its panic.
func safely(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = Recovered(cause)
		}
	}()
	return do()
}

// Each does something with each of n numbers, side by side, and gives the first error by number.
func Each(n int, do func(i int) error) error {
	waits := make([]func() error, n)
	for i := range n {
		waits[i] = Go(func() error { return do(i) })
	}
	var first error
	for _, wait := range waits {
		if err := wait(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// All does what cannot fail with each of n numbers, side by side. A panic of one is the caller's.
func All(n int, do func(i int)) {
	err := Each(n, func(i int) error {
		do(i)
		return nil
	})
	if err != nil {
		panic(err)
	}
}
