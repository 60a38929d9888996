package workload

import (
	"context"
	"math/rand/v2"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/nodes"
)

// A Host is where a node has its clients.
type Host struct{ Node, Addr string }

// A Seeker finds the node that serves, as clients do that have a list of hosts.
type Seeker struct {
	Hosts []Host
	// Patience is how long a client waits for an answer until it takes its server for dead.
	Patience time.Duration
}

// dice are for those whose first host does not matter.
func dice() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }

// pause is the time between two looks at all hosts.
const pause = 10 * time.Millisecond

// Find connects to the first host that answers, from a random one on. It tries until ctx ends.
func (s *Seeker) Find(ctx context.Context, dice *rand.Rand) (*client.Client, Host, error) {
	for {
		first := dice.IntN(len(s.Hosts))
		for i := range s.Hosts {
			h := s.Hosts[(first+i)%len(s.Hosts)]
			c, err := nodes.Dial(ctx, h.Addr, s.Patience)
			if err == nil {
				return c, h, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, Host{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}
