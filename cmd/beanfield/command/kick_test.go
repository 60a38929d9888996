package command

import (
	"errors"
	"io"
	"testing"
)

// A count that nobody is told is an error: a script that asks for it must not go on.
func TestCountUntold(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	for _, asJSON := range []bool{false, true} {
		if err := (&call{json: asJSON, Program: &Program{Stdout: w}}).counted("kicked", 1, nil); !errors.Is(err,
			io.ErrClosedPipe) {
			t.Errorf("JSON %v: %v", asJSON, err)
		}
	}
}
