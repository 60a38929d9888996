package checks

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// Patience is how long something that must come may take.
const Patience = 10 * time.Second

// timeLimit is that of the whole run.
const timeLimit = 60 * time.Second

// Checks counts what was compared. A wrong value is reported and the section goes on; an
// unexpected error ends the section, because what follows in it would only repeat the same
// complaint.
type Checks struct {
	library      string
	section      string
	done, failed int
}

// New begins the checks of a library, which end the process if they take too long.
func New(library string) *Checks {
	c := &Checks{library: library}
	time.AfterFunc(timeLimit, func() {
		c.complain("not done after %v", timeLimit)
		os.Exit(1)
	})
	return c
}

func (c *Checks) complain(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "FAIL %s: %s: %s\n", c.library, c.section, fmt.Sprintf(format, args...))
}

// Section plays a part of the checks.
func (c *Checks) Section(name string, play func()) {
	c.section = name
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			c.That("unexpected error", false, p.err)
		default:
			panic(p)
		}
	}()
	play()
}

// broken is what Must panics with.
type broken struct{ err error }

// Must ends the section if there is an error.
func Must(err error) {
	if err != nil {
		panic(broken{err})
	}
}

// That reports what is not so.
func (c *Checks) That(what string, ok bool, got any) {
	c.done++
	if !ok {
		c.failed++
		c.complain("%s: got %v", what, got)
	}
}

// Equal compares any two values by what they print as: stats are strings.
func (c *Checks) Equal(what string, got, want any) {
	c.That(what, fmt.Sprint(got) == fmt.Sprint(want), fmt.Sprintf("%.200s, want %.200s", fmt.Sprint(got),
		fmt.Sprint(want)))
}

// Report ends the process with what was found. The library's version is that of its module.
func (c *Checks) Report(module string) {
	name := c.library + " (unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == module {
				name = c.library + " " + d.Version
			}
		}
	}
	if c.failed > 0 {
		fmt.Printf("FAIL %s: %d of %d checks failed\n", name, c.failed, c.done)
		os.Exit(1)
	}
	fmt.Printf("ok   %s: %d checks\n", name, c.done)
}
