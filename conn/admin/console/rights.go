package console

import (
	"net/http"
	"slices"

	"beanfield/conn/access"
	"beanfield/shard/queue"
)

// forbidden is the answer to a client that lacks a right.
var forbidden = &problem{http.StatusForbidden, "you may not do this"}

// needs are the rights that actions need on their tube. A job that is moved also needs put on
// the tube that it comes to. What is not about one tube needs its right on every tube.
var needs = map[string]access.Rights{
	"put": access.Put, "kick": access.Kick, "pause": access.Pause,
	"delete": access.Delete, "kick-job": access.Kick, "bury": access.Reserve, "release": access.Reserve,
	"purge": access.Delete, "move": access.Reserve | access.Delete, "move-job": access.Reserve | access.Delete,
	"drain": access.Admin, "set-policies": access.Admin, "disconnect": access.Admin,
}

// ofServer says that an action is not about one tube.
func ofServer(name string) bool { return needs[name] == access.Admin }

// reads says whether somebody may see the figures of a tube.
func reads(s *access.Subject, tube string) bool { return s.May(tube).Has(access.Stats) }

// peeks says whether somebody may see the jobs of a tube.
func peeks(s *access.Subject, tube string) bool { return s.May(tube).Has(access.Peek) }

// whole says whether somebody may see what is not about one tube.
func whole(s *access.Subject) bool { return s.Everywhere().Has(access.Stats) }

// scope is what a client may do and see that is not about one tube. The pages show nothing else.
type scope struct {
	Whole       bool `json:"whole"`       // figures of the shards, the latency and the history of the whole
	Connections bool `json:"connections"` // the list of them
	Drain       bool `json:"drain"`
	Policies    bool `json:"policies"`   // to change them
	Disconnect  bool `json:"disconnect"` // a client
	// Can is what the client may do with some tube or other; see can.
	Can []string `json:"can"`
}

func (m *Rights) scope() scope {
	admin := m.Subject.Everywhere().Has(access.Admin)
	return scope{
		Whole: whole(m.Subject), Connections: admin, Drain: m.Act && admin, Policies: m.Act &&
			admin, Disconnect: m.Act && admin,
		Can: m.can(m.Subject.Anywhere()),
	}
}

// can names the actions that rights on a tube allow, and the rights to see: stats and peek. A
// move needs put on the other tube as well.
func (m *Rights) can(on access.Rights) []string {
	list := []string{}
	for name, right := range needs {
		if m.Act && !ofServer(name) && on.Has(right) {
			list = append(list, name)
		}
	}
	for _, right := range []access.Rights{access.Stats, access.Peek} {
		if on.Has(right) {
			list = append(list, right.String())
		}
	}
	slices.Sort(list)
	return list
}

// canWith is can for a tube in a list of many. It is nil if the client may do everything there.
func (m *Rights) canWith(tube string) []string {
	if m.Act && m.Subject.May(tube) == access.All {
		return nil
	}
	return m.can(m.Subject.May(tube))
}

// rightsAnswer is what a client may do with tubes, whether they exist or not.
type rightsAnswer struct {
	Can map[string][]string `json:"can"`
}

// mostAsked is how many tubes a client may ask about at once.
const mostAsked = 200

func (c *Console) rights(r *http.Request) (any, error) {
	names, may := r.URL.Query()["tube"], c.opts.May(r)
	if len(names) > mostAsked {
		return nil, wrong("too many tubes at once")
	}
	a := &rightsAnswer{Can: map[string][]string{}}
	for _, name := range names {
		a.Can[name] = may.can(may.Subject.May(name))
	}
	return a, nil
}

// permit returns an error if an action is not allowed. A tube of which a client may see
// nothing does not exist for it, and neither do the tube's jobs.
func (c *Console) permit(name string, a *action, s *access.Subject) error {
	if s == nil {
		return nil
	}
	right, tube := needs[name], a.ask.Tube
	if ofServer(name) {
		if !s.Everywhere().Has(right) {
			return forbidden
		}
		return nil
	}
	switch name {
	case "delete", "kick-job", "move-job", "bury", "release":
		op, err := a.client.one(queue.Op{Kind: queue.StatsJob, ID: a.ask.ID}, false)
		if err != nil {
			return err
		}
		if tube = a.client.batch.Jobs[op.From].Tube; !s.Sees(tube) {
			return errNoJob
		}
	}
	if to := name == "move" || name == "move-job"; to && !s.May(a.ask.To).Has(access.Put) {
		return forbidden
	}
	if right == 0 || !s.May(tube).Has(right) {
		return forbidden
	}
	return nil
}
