package console

import (
	"net/http"
	"time"

	"beanfield/conn/access"
)

// slowInfo is a command that took long, or several of a kind that came together.
type slowInfo struct {
	At       int64  `json:"at"` // when it was begun, in milliseconds since 1970
	FrontEnd string `json:"face"`
	Verb     string `json:"verb"`
	Tube     string `json:"tube"`
	ID       uint64 `json:"id"` // of the job; 0 if it names none
	Count    int    `json:"count"`
	Client   string `json:"client"`
	Who      string `json:"who"`

	// Seconds: in all, until it had its turn, while it ran, and until it was safe and answered.
	Took float64 `json:"took"`
	Turn float64 `json:"turn"`
	Ran  float64 `json:"ran"`
	Disk float64 `json:"disk"`
}

// slowAnswer lists those that the client may see, the latest first.
type slowAnswer struct {
	At       int64      `json:"at"`
	Bound    float64    `json:"bound"` // seconds; 0 if nothing is slow
	Count    uint64     `json:"count"` // since the start; 0 for a client that may not see all
	Hidden   bool       `json:"hidden"`
	Commands []slowInfo `json:"commands"`
}

func (c *Console) slow(r *http.Request) (any, error) {
	s := c.opts.May(r).Subject
	all, names := whole(s), s.Everywhere().Has(access.Admin)
	a := &slowAnswer{At: time.Now().UnixMilli(), Bound: c.opts.Slow.Bound().Seconds(), Hidden: !all,
		Commands: []slowInfo{}}
	if all {
		a.Count = c.opts.Slow.Count()
	}
	for _, k := range c.opts.Slow.Recent() {
		if !all && (k.Tube == "" || !reads(s, k.Tube)) {
			continue
		}
		if !names {
			k.Client, k.Who = "", ""
		}
		a.Commands = append(a.Commands, slowInfo{
			At: k.At.UnixMilli(), FrontEnd: k.FrontEnd, Verb: k.Verb, Tube: k.Tube, ID: k.ID, Count: k.Count,
			Client: k.Client, Who: k.Who,
			Took: k.Took().Seconds(), Turn: k.Turn.Seconds(), Ran: k.Ran.Seconds(), Disk: k.Disk.Seconds(),
		})
	}
	return a, nil
}

// refusedInfo is a command that was refused.
type refusedInfo struct {
	At     int64  `json:"at"` // in milliseconds since 1970
	Client string `json:"client"`
	Who    string `json:"who"`
	Reason string `json:"reason"`
	Line   string `json:"line"`
}

// refusedAnswer lists them, the latest first. Lines may have anything that clients have sent, so they are for whoever
// may do everything.
type refusedAnswer struct {
	At       int64         `json:"at"`
	Hidden   bool          `json:"hidden"`
	Commands []refusedInfo `json:"commands"`
}

func (c *Console) refused(r *http.Request) (any, error) {
	a := &refusedAnswer{At: time.Now().UnixMilli(), Hidden: !c.opts.May(r).Subject.Everywhere().Has(access.Admin),
		Commands: []refusedInfo{}}
	if a.Hidden || c.opts.Slow == nil {
		return a, nil
	}
	for _, k := range c.opts.Slow.Refused() {
		a.Commands = append(a.Commands, refusedInfo{k.At.UnixMilli(), k.Client, k.Who, k.Reason.String(), k.Line})
	}
	return a, nil
}
