package console

import (
	"net/http"
	"time"

	"beanfield/conn/admin/history"
	"beanfield/shard/queue"
)

// historyAnswer is how the server or a tube was: a row for each point, with the time and then
// the figures that Keys names. A figure that nobody knows is null.
type historyAnswer struct {
	At   int64    `json:"at"`
	Step int64    `json:"step"` // milliseconds from one point to the next, if none is missing
	Keys []string `json:"keys"`
	// Kept says whether there is a history: only the busiest tubes have one.
	Kept bool            `json:"kept"`
	Rows []history.Point `json:"rows"`
}

// historyKeys are the names of the figures, in their order. The totals have them all, and tubes
// the first.
var historyKeys = []string{
	history.Ready: "ready", history.Reserved: "reserved", history.Delayed: "delayed", history.Buried: "buried",
	history.Puts: "puts", history.Done: "done",
	history.Waiting: "waiting", history.Timeouts: "timeouts",
	history.CommandHalf: "half", history.CommandNine: "nine", history.CommandMost: "most",
	history.CommitHalf: "commitHalf", history.CommitNine: "commitNine", history.CommitMost: "commitMost",
}

// historySpans are the spans that can be asked for.
var historySpans = map[string]history.Span{"hour": history.Hour, "day": history.Day}

// history answers with the history of a tube or, without a name, of the whole server.
func (c *Console) history(r *http.Request) (any, error) {
	q, subject := r.URL.Query(), c.opts.May(r).Subject
	span, ok := historySpans[q.Get("span")]
	if !ok {
		return nil, wrong("span must be hour or day")
	}
	now := time.Now()
	a := &historyAnswer{At: now.UnixMilli(), Step: span.Step() * 1000, Keys: historyKeys, Rows: []history.Point{}}
	var list []history.Point
	charts := c.opts.History()
	if name := q.Get("tube"); name != "" {
		if !reads(subject, name) {
			return nil, failureOf(queue.NotFound, noTube)
		}
		a.Keys = historyKeys[:history.Done+1]
		list, a.Kept = charts.Tube(name, span, now)
	} else if !whole(subject) {
		return nil, forbidden
	} else {
		list, a.Kept = charts.Total(span, now), charts != nil
	}
	a.Rows = append(a.Rows, list...)
	return a, nil
}
