package console

import (
	"net/http"

	"beanfield/conn/access"
	"beanfield/shard/queue"
)

// Rights are what somebody may do.
type Rights struct {
	Act bool // anything but to look
	// Subject has the rights on tubes; nil for all on every tube.
	Subject *access.Subject
}

// forbidden is the answer to a client that lacks a right.
var forbidden = &problem{http.StatusForbidden, "you may not do this"}

// needs are the rights that actions need on their tube. A job that is moved also needs put on
// the tube that it comes to. To drain the server, admin is needed on every tube.
var needs = map[string]access.Rights{
	"put": access.Put, "kick": access.Kick, "pause": access.Pause,
	"delete": access.Delete, "kick-job": access.Kick, "bury": access.Reserve, "release": access.Reserve,
	"purge": access.Delete, "move": access.Reserve | access.Delete, "move-job": access.Reserve | access.Delete, "drain": access.Admin,
}

// reads says whether somebody may see the figures of a tube.
func reads(s *access.Subject, tube string) bool { return s.May(tube).Has(access.Stats) }

// peeks says whether somebody may see the jobs of a tube.
func peeks(s *access.Subject, tube string) bool { return s.May(tube).Has(access.Peek) }

// whole says whether somebody may see what is not about one tube.
func whole(s *access.Subject) bool { return s.Everywhere().Has(access.Stats) }

// permit returns an error if an action is not allowed. A tube of which a client may see
// nothing does not exist for it, and neither do the tube's jobs.
func (c *Console) permit(name string, a *action, s *access.Subject) error {
	if s == nil {
		return nil
	}
	right, tube := needs[name], a.ask.Tube
	switch name {
	case "drain":
		if !s.Everywhere().Has(right) {
			return forbidden
		}
		return nil
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
