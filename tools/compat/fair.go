package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// starved is a difference that tells of the machine, and nothing of the subject: the reference was late, or the cluster
// has another owner.
type starved struct{ error }

func (s starved) Unwrap() error { return s.error }

// repeats is how often something is done again that has told nothing. The last time counts, whatever it tells.
const repeats = 3

// fair does something, and again while it finds nothing but a starved machine.
func fair(what string, do func() []error) {
	for range repeats {
		found := do()
		tells := func(err error) bool { return !errors.As(err, new(starved)) }
		if len(found) == 0 || slices.ContainsFunc(found, tells) {
			return
		}
		fmt.Fprintf(os.Stderr, "%s is done again: %v\n", what, errors.Join(found...))
	}
	do()
}
