package must

import (
	"errors"
	"testing"
)

// ending is a test that notes its end.
type ending struct {
	testing.TB
	why []any
}

func (e *ending) Helper()          {}
func (e *ending) Fatal(why ...any) { e.why = why }

func TestWhatFailsEndsTheTest(t *testing.T) {
	broken := errors.New("broken")
	e := &ending{}
	if Do(e, nil); e.why != nil || Get(7, nil) != 7 {
		t.Errorf("without an error it ends with %v", e.why)
	}
	if Do(e, broken); len(e.why) != 1 || e.why[0] != broken {
		t.Errorf("it ends with %v", e.why)
	}
	defer func() {
		if got := recover(); got != broken {
			t.Errorf("Get panics with %v", got)
		}
	}()
	Get(7, broken)
}
