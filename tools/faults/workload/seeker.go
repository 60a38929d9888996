package workload

import (
	"context"
	"math/rand/v2"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/nodes"
)

// A Seeker finds a node that answers. A client with a list of hosts tries one after the other; one that knows a single
// address comes to it again and again.
type Seeker struct {
	Hosts []string
	// Patience is how long a client waits for an answer until it takes its server for dead.
	Patience time.Duration
	// Serves names the node whose process has a number: it need not be the one that the client has come to.
	Serves func(pid int) string
}

// At is the same for a client that knows one of the hosts.
func (s *Seeker) At(host int) *Seeker {
	host %= len(s.Hosts)
	return &Seeker{Hosts: s.Hosts[host : host+1], Patience: s.Patience, Serves: s.Serves}
}

// dice are for those whose first host does not matter.
func dice() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }

const (
	// pause is the time between two looks at all hosts.
	pause = 10 * time.Millisecond
	// answerWithin is how long the first of several hosts may take to answer: it may be stopped.
	answerWithin = time.Second
)

// Find connects to the first host that answers, from a random one on, and tells which node serves there. It tries
// until ctx ends.
func (s *Seeker) Find(ctx context.Context, dice *rand.Rand) (*client.Client, string, error) {
	within := answerWithin
	if len(s.Hosts) == 1 {
		within = s.Patience
	}
	for {
		first := dice.IntN(len(s.Hosts))
		for i := range s.Hosts {
			c, err := nodes.Dial(ctx, s.Hosts[(first+i)%len(s.Hosts)], within, s.Patience)
			if err != nil {
				continue
			}
			if pid, err := nodes.Server(c); err == nil {
				return c, s.Serves(pid), nil
			}
			c.HangUp()
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(pause):
		}
	}
}
