package console

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
)

// connectionInfo is a row of the table of connections.
type connectionInfo struct {
	ID       uint64   `json:"id"`
	FrontEnd string   `json:"face"`
	Peer     string   `json:"peer"`
	TLS      bool     `json:"tls"`
	Identity string   `json:"identity"`
	Since    int64    `json:"since"` // milliseconds since 1970
	Age      float64  `json:"age"`   // seconds
	Asked    uint64   `json:"asked"` // how often something has been read from it
	Doing    string   `json:"doing"`
	Held     int      `json:"held"` // jobs
	Used     string   `json:"used"`
	Watching int      `json:"watching"`
	Watched  []string `json:"watched"` // the first of these tubes; "default" comes last
	Consumer string   `json:"consumer"`
}

// connectionsAnswer is a page of the table.
type connectionsAnswer struct {
	At          int64            `json:"at"`
	All         int              `json:"all"`
	Found       int              `json:"found"` // those that the filter shows
	Held        int              `json:"held"`  // jobs, by these
	Waiting     int              `json:"waiting"`
	From        int              `json:"from"`
	Connections []connectionInfo `json:"connections"`
}

// connectionColumns are what the table can be sorted by.
var connectionColumns = map[string]func(a, b *connected) int{
	"face":     by(func(g *connected) string { return g.front }),
	"peer":     func(a, b *connected) int { return a.Peer.Compare(b.Peer) },
	"identity": by(func(g *connected) string { return g.Identity }),
	"age":      by(func(g *connected) int64 { return -g.Since }),
	"asked":    by(func(g *connected) uint64 { return g.Asked }),
	"doing":    by(func(g *connected) conn.Doing { return g.Doing }),
	"held":     by(func(g *connected) int { return g.Held }),
	"used":     by(func(g *connected) string { return g.Used }),
	"watching": by(func(g *connected) int { return g.Watching }),
	"consumer": by(func(g *connected) string { return g.Consumer }),
}

func (c *Console) connections(r *http.Request) (any, error) {
	if !c.opts.May(r).Subject.Everywhere().Has(access.Admin) {
		return nil, forbidden
	}
	w, err := tableOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	if w.by == "" {
		w.by, w.desc = "held", true
	}
	if connectionColumns[w.by] == nil {
		return nil, wrong(notSortable)
	}
	all, at, err := c.roster.take(r.Context())
	if err != nil {
		return nil, err
	}
	return pageOf(all, at, w), nil
}

// disconnect closes the connection of one client.
func (c *Console) disconnect(a *action) error {
	id := a.ask.ID
	a.ask.ID, a.answer.Changes = 0, fmt.Sprintf("connection %d: not there", id) // the audit log has IDs of jobs
	for _, f := range c.opts.FrontEnds {
		if g, ok := f.Disconnect(a.ctx, id); ok {
			c.roster.outdate()
			a.answer.Changes = strings.TrimSpace(fmt.Sprintf("connection %d: %s %s %s", id, f.Name, g.Peer, g.Identity))
			return nil
		}
	}
	return &problem{http.StatusNotFound, "this client has gone already"}
}

// pageOf chooses, counts and sorts.
func pageOf(all []connected, at time.Time, w table) *connectionsAnswer {
	a := &connectionsAnswer{At: at.UnixMilli(), All: len(all), Connections: []connectionInfo{}}
	var found []*connected
	var p pacer
	for i := range all {
		if p.step(); all[i].fits(w.shows) {
			found = append(found, &all[i])
			a.Held += all[i].Held
			if all[i].Doing == conn.Waiting {
				a.Waiting++
			}
		}
	}
	order := connectionColumns[w.by]
	slices.SortFunc(found, func(x, y *connected) int {
		p.step()
		return cmp.Or(w.order(order(x, y)), cmp.Compare(y.Asked, x.Asked), cmp.Compare(x.Since, y.Since),
			x.Peer.Compare(y.Peer))
	})
	a.Found, a.From = len(found), min(w.from, len(found))
	for _, g := range found[a.From:min(a.From+w.n, len(found))] {
		a.Connections = append(a.Connections, g.show(at))
	}
	return a
}

// fits says whether the filter shows the client.
func (g *connected) fits(shows func(string) bool) bool {
	return shows == nil || shows(g.Peer.String()) || shows(g.Used) || slices.ContainsFunc(strings.Fields(g.Watched),
		shows) || shows(g.Consumer) || shows(g.Identity) || shows(g.front)
}

func (g *connected) show(at time.Time) connectionInfo {
	watched := strings.Fields(g.Watched)
	if i := slices.Index(watched, "default"); i >= 0 { // everybody watches it in the beginning, few mean it
		watched = append(slices.Delete(watched, i, i+1), "default")
	}
	return connectionInfo{
		ID: g.ID, FrontEnd: g.front, Peer: g.Peer.String(), TLS: g.TLS, Identity: g.Identity, Since: g.Since / 1e6,
		Age:   max(0, at.Sub(time.Unix(0, g.Since)).Seconds()),
		Asked: g.Asked, Doing: g.Doing.String(), Held: g.Held, Used: g.Used, Watching: g.Watching, Watched: watched,
		Consumer: g.Consumer,
	}
}
