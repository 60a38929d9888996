package console

import (
	"context"
	"net/http"
	"testing"
	"time"

	"beanfield/conn/admin/history"
	"beanfield/storage/must"
)

// remembering is a bench with a history of its tubes, which has been sampled once.
func remembering(t *testing.T, tubes ...string) *bench {
	t.Helper()
	var k *history.Keeper
	b := newBench(t, func(o *Options) {
		o.History = func() *history.Charts { return k.Charts() }
	})
	for _, tube := range tubes {
		b.post(http.StatusOK, "put", map[string]any{"tube": tube, "data": "x"})
	}
	k = history.Start(history.Options{Shards: b.router})
	for beat := time.NewTicker(time.Millisecond); len(k.Charts().Total(history.Hour, time.Now())) == 0; {
		<-beat.C
	}
	must.Do(t, k.Stop(context.Background()))
	return b
}

// A client sees the history of the tubes whose figures it may see, and that of the whole only if
// it may see every tube.
func TestHistoryWithRights(t *testing.T) {
	b := remembering(t, "own", "hidden")
	for _, e := range []struct {
		grants string
		query  string
		status int
	}{
		{"", "span=hour", 200}, {"", "span=day", 200}, {"", "span=day&tube=hidden", 200},
		{"", "span=day&tube=never", 200},
		{"", "", 400}, {"", "span=week", 400},
		{"own: stats", "span=hour&tube=own", 200},
		{"own: stats", "span=hour&tube=hidden", 404},
		{"own: stats", "span=hour", 403},
		{"own: peek, put", "span=hour&tube=own", 404},
		{"*: peek", "span=hour", 403},
		{"*: stats", "span=hour", 200},
		{"*: stats", "span=hour&tube=hidden", 200},
	} {
		b.may(e.grants)
		b.get(e.status, "history?"+e.query)
	}
}

// The rows have the figures in the order of the keys, and null for what nobody knows.
func TestHistoryRows(t *testing.T) {
	b := remembering(t, "t")
	type answer struct {
		Kept bool
		Keys []string
		Step int64
		Rows [][]*float64
	}
	a := shown[answer](b, "history?span=hour&tube=t")
	if !a.Kept || a.Step != 10_000 || len(a.Keys) != 6 || len(a.Rows) != 1 || len(a.Rows[0]) != 7 {
		t.Fatalf("%+v", a)
	}
	row := a.Rows[0]
	if at := time.UnixMilli(int64(*row[0])); time.Since(at) > time.Minute || *row[1] != 1 || *row[2] != 0 ||
		row[5] != nil {
		t.Errorf("%+v", row)
	}
	if a := shown[answer](b, "history?span=day"); len(a.Keys) != 14 || len(a.Rows) != 1 || len(a.Rows[0]) != 15 {
		t.Errorf("%+v", a)
	}
	b = newBench(t) // without a keeper
	if a := shown[answer](b, "history?span=day"); a.Kept || len(a.Rows) != 0 {
		t.Errorf("%+v", a)
	}
}
