package console

import (
	"cmp"
	"math"
	"net/http"
	"slices"
)

// figures are a row of the table of tubes, and with an empty name the sum of many.
type figures struct {
	Name      string  `json:"name"`
	Ready     int     `json:"ready"`
	Reserved  int     `json:"reserved"`
	Delayed   int     `json:"delayed"`
	Buried    int     `json:"buried"`
	Urgent    int     `json:"urgent"`
	Using     int     `json:"using"`
	Watching  int     `json:"watching"`
	Waiting   int     `json:"waiting"`
	Total     uint64  `json:"total"`
	Deletes   uint64  `json:"deletes"`
	Pauses    uint64  `json:"pauses"`
	Timeouts  uint64  `json:"timeouts,omitempty"`
	PauseLeft int64   `json:"pauseLeft"` // -1: not paused
	Puts      float64 `json:"puts"`      // a second
	Done      float64 `json:"done"`      // deletes a second
	Groups    int     `json:"groups"`
	Consumers int     `json:"consumers"`
	Pending   uint64  `json:"pending"`
	// Can is what a client with limited rights may do here.
	Can []string `json:"can,omitempty"`
}

// figures puts a tube in the form of an answer.
func (t *tubeRow) figures() figures {
	f := figures{PauseLeft: -1}
	f.add(t)
	f.Name = t.Name
	if t.Pause > 0 {
		f.PauseLeft = t.PauseLeft
	}
	return f
}

func (f *figures) add(t *tubeRow) {
	f.Ready += t.Ready
	f.Reserved += t.Reserved
	f.Delayed += t.Delayed
	f.Buried += t.Buried
	f.Urgent += t.Urgent
	f.Using += t.Using
	f.Watching += t.Watching
	f.Waiting += t.Waiting
	f.Total += t.Total
	f.Deletes += t.Deletes
	f.Pauses += t.Pauses
	f.Puts = math.Round((f.Puts+t.puts)*10) / 10
	f.Done = math.Round((f.Done+t.deletes)*10) / 10
	f.Groups += t.Groups
	f.Consumers += t.Consumers
	f.Pending += t.Pending
}

// columns are what the table can be sorted by.
var columns = map[string]func(a, b *tubeRow) int{
	"name":      by(func(t *tubeRow) string { return t.Name }),
	"ready":     by(func(t *tubeRow) int { return t.Ready }),
	"reserved":  by(func(t *tubeRow) int { return t.Reserved }),
	"delayed":   by(func(t *tubeRow) int { return t.Delayed }),
	"buried":    by(func(t *tubeRow) int { return t.Buried }),
	"urgent":    by(func(t *tubeRow) int { return t.Urgent }),
	"using":     by(func(t *tubeRow) int { return t.Using }),
	"watching":  by(func(t *tubeRow) int { return t.Watching }),
	"waiting":   by(func(t *tubeRow) int { return t.Waiting }),
	"total":     by(func(t *tubeRow) uint64 { return t.Total }),
	"deletes":   by(func(t *tubeRow) uint64 { return t.Deletes }),
	"pauses":    by(func(t *tubeRow) uint64 { return t.Pauses }),
	"pauseLeft": by(func(t *tubeRow) int64 { return t.PauseLeft }),
	"puts":      by(func(t *tubeRow) float64 { return t.puts }),
	"done":      by(func(t *tubeRow) float64 { return t.deletes }),
	"groups":    by(func(t *tubeRow) int { return t.Groups }),
	"consumers": by(func(t *tubeRow) int { return t.Consumers }),
	"pending":   by(func(t *tubeRow) uint64 { return t.Pending }),
}

// tubesAnswer is a page of the table.
type tubesAnswer struct {
	At    int64     `json:"at"`
	All   int       `json:"all"`   // tubes
	Found int       `json:"found"` // those that the filter shows
	From  int       `json:"from"`
	Sum   figures   `json:"sum"` // of those that the filter shows
	Tubes []figures `json:"tubes"`
}

func (c *Console) tubes(r *http.Request) (any, error) {
	w, err := tableOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	order := columns[cmp.Or(w.by, "name")]
	if order == nil {
		return nil, wrong(notSortable)
	}
	s, err := c.census.take(r.Context())
	if err != nil {
		return nil, err
	}
	may, all := c.opts.May(r), 0
	a := tubesAnswer{At: s.at.UnixMilli(), Tubes: []figures{}}
	var found []*tubeRow
	var p pacer
	for i := range s.tubes {
		if p.step(); !reads(may.Subject, s.tubes[i].Name) {
			continue
		}
		if all++; w.shows == nil || w.shows(s.tubes[i].Name) {
			found = append(found, &s.tubes[i])
			a.Sum.add(&s.tubes[i])
		}
	}
	slices.SortFunc(found, func(a, b *tubeRow) int {
		p.step()
		return cmp.Or(w.order(order(a, b)), cmp.Compare(a.Name, b.Name))
	})
	a.All, a.Found, a.From = all, len(found), min(w.from, len(found))
	for _, t := range found[a.From:min(a.From+w.n, len(found))] {
		f := t.figures()
		f.Can = may.canWith(t.Name)
		a.Tubes = append(a.Tubes, f)
	}
	return &a, nil
}
