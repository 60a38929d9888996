package tube

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// A History is what was asked of one tube. Any goroutine may write into it.
type History struct {
	Tube string

	mu   sync.Mutex
	asks []Ask
	ids  map[uint64]uint64 // by token, of jobs that were seen
}

// New is the history of a tube that nobody has used.
func New(name string) *History { return &History{Tube: name, ids: map[uint64]uint64{}} }

// Note takes what was asked. A token is that of a put, or in a body that came.
func (h *History) Note(a Ask) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.Token != 0 && a.ID != 0 {
		h.ids[a.Token] = a.ID
	}
	h.asks = append(h.asks, a)
}

// A Verdict is what a check has found.
type Verdict = porcupine.CheckResult

const (
	Right     = porcupine.Ok
	Wrong     = porcupine.Illegal
	Undecided = porcupine.Unknown // within the time
)

// Check looks for an order in which all answers are right. At drained, when the last drain began,
// nobody held a job any more.
func (h *History) Check(drained time.Duration, limit time.Duration) Verdict {
	return porcupine.CheckOperationsTimeout(model, h.operations(drained), limit)
}

func (h *History) operations(drained time.Duration) (ops []porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.asks {
		if a.Kind == Put && a.Outcome != Done {
			// One that was never seen need not have happened: nothing that came shows it.
			if a.ID = h.ids[a.Token]; a.ID == 0 {
				continue
			}
		}
		switch {
		case a.Kind == HangUp:
			a.Call++ // not at the same time as what was asked last
			a.Return = max(drained, a.Call)
		case a.Outcome == Unknown:
			a.Return = math.MaxInt64
		}
		ops = append(ops, porcupine.Operation{ClientId: a.Client, Input: a, Call: int64(a.Call),
			Return: int64(a.Return)})
	}
	return ops
}

// String is the history as text, in the order of the questions.
func (h *History) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	asks := slices.Clone(h.asks)
	slices.SortStableFunc(asks, func(x, y Ask) int { return int(x.Call - y.Call) })
	var b strings.Builder
	fmt.Fprintf(&b, "tube %s", h.Tube)
	for _, a := range asks {
		fmt.Fprintf(&b, "\n    %9.4f to %9.4f  %v", a.Call.Seconds(), a.Return.Seconds(), a)
	}
	return b.String()
}
