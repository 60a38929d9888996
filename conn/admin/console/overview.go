package console

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"beanfield/conn/access"
	"beanfield/router"
)

// busiest is how many tubes the overview shows.
const busiest = 10

// overviewAnswer is the whole server.
type overviewAnswer struct {
	At       int64       `json:"at"` // milliseconds since 1970
	Version  string      `json:"version"`
	Uptime   int64       `json:"uptime"` // seconds
	Act      bool        `json:"act"`    // the request may do more than look
	May      scope       `json:"may"`
	Draining bool        `json:"draining"`
	Cluster  bool        `json:"cluster,omitempty"` // the server is a node of one
	Rated    bool        `json:"rated"`             // the rates are known: nobody may have looked before
	Tubes    int         `json:"tubes"`
	Total    figures     `json:"total"`
	Busiest  []figures   `json:"busiest"`
	Shards   []shardInfo `json:"shards"`
}

// shardInfo is a shard with its log.
type shardInfo struct {
	Jobs    int    `json:"jobs"`
	Tubes   int    `json:"tubes"`
	Turns   uint64 `json:"turns"`
	Busy    uint64 `json:"busy"` // nanoseconds since the start
	Mailbox int    `json:"mailbox"`
	Memory  int64  `json:"memory"` // bytes of bodies
	Outside int64  `json:"outside"`
	Written uint64 `json:"written"` // records
	Syncs   uint64 `json:"syncs"`
	Live    uint64 `json:"live"` // bytes
	Disk    uint64 `json:"disk"`
	Debt    uint64 `json:"debt"`
	Stalls  uint64 `json:"stalls"`
	Full    bool   `json:"full,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (c *Console) overview(r *http.Request) (any, error) {
	s, err := c.census.take(r.Context())
	if err != nil {
		return nil, err
	}
	may := c.opts.May(r)
	a := overviewAnswer{
		At: s.at.UnixMilli(), Version: c.opts.Version, Uptime: int64(time.Since(c.opts.Started) / time.Second),
		Act: may.Act && may.Subject.Anywhere()&^(access.Stats|access.Peek) != 0, May: may.scope(),
		Draining: c.router.Draining(), Cluster: c.opts.Cluster != nil, Rated: s.base != nil, Shards: []shardInfo{},
	}
	var best []*tubeRow
	for i := range s.tubes {
		t := &s.tubes[i]
		if !reads(may.Subject, t.Name) {
			continue
		}
		a.Tubes++
		a.Total.add(t)
		if len(best) < busiest || busier(t, best[len(best)-1]) < 0 {
			at, _ := slices.BinarySearchFunc(best, t, busier)
			best = slices.Insert(best, at, t)
			best = best[:min(len(best), busiest)]
		}
	}
	a.Total.Name, a.Busiest = "", []figures{}
	for _, t := range best {
		a.Busiest = append(a.Busiest, t.figures())
	}
	if !whole(may.Subject) {
		return &a, nil
	}
	a.Total.Total, a.Total.Timeouts = 0, 0
	for i := range s.shards {
		f := &s.shards[i]
		a.Total.Total += f.Sums.Total
		a.Total.Timeouts += f.Sums.Timeouts
		a.Shards = append(a.Shards, showShard(f))
	}
	return &a, nil
}

// busier orders tubes: first those in which the most happens, then those with the most jobs.
func busier(a, b *tubeRow) int {
	return cmp.Or(cmp.Compare(b.puts+b.deletes, a.puts+a.deletes), cmp.Compare(b.Jobs(), a.Jobs()),
		cmp.Compare(a.Name, b.Name))
}

func showShard(f *router.Figures) shardInfo {
	i := shardInfo{
		Jobs: f.Jobs, Tubes: f.Tubes, Turns: f.Turns, Busy: f.Busy, Mailbox: f.Mailbox, Memory: f.Inside,
		Outside: f.Outside,
		Written: f.Log.Written, Syncs: f.Log.Syncs, Live: f.Log.Live, Disk: f.Log.Bytes, Full: f.Log.Full,
		Debt: f.LogMore.Debt, Stalls: f.LogMore.Stalls,
	}
	if f.Log.Err != nil {
		i.Error = f.Log.Err.Error()
	}
	return i
}
