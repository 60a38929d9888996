package figures

import (
	"context"
	"fmt"
	"time"

	"beanfield/tools/nodes"
)

// isolated cuts a node off from both others, the owner and another one in turns, and heals that.
func isolated(ctx context.Context, o Options) error {
	return o.cuts(ctx, func(s *site, n int, owner *nodes.Node) (links [][2]string, what string) {
		victim := owner
		if n%2 == 0 {
			victim = s.others(owner)[n/2%2]
		}
		for _, other := range s.others(victim) {
			links = append(links, both(victim, other)...)
		}
		return links, fmt.Sprintf("node %s was cut off from both others, node %s was the owner", victim.Name, owner.Name)
	})
}

// partial cuts a link, while the third node reaches both ends: between the owner and another node, or between
// the two others.
func partial(ctx context.Context, o Options) error {
	return o.cuts(ctx, func(s *site, n int, owner *nodes.Node) (links [][2]string, what string) {
		others := s.others(owner)
		a, b := owner, others[0]
		switch n % 3 {
		case 1:
			b = others[1]
		case 2:
			a, b = others[0], others[1]
		}
		return both(a, b), fmt.Sprintf("the link between nodes %s and %s was cut, node %s was the owner", a.Name, b.Name, owner.Name)
	})
}

// oneWay has the owner deaf or mute: to another node, to the other one, and to both.
func oneWay(ctx context.Context, o Options) error {
	return o.cuts(ctx, func(s *site, n int, owner *nodes.Node) (links [][2]string, what string) {
		others, how := s.others(owner), "mute"
		if k := n / 2 % 3; k < 2 {
			others = others[k : k+1]
		}
		for _, other := range others {
			links = append(links, both(owner, other)[n%2])
			what += " " + other.Name
		}
		if n%2 == 1 {
			how = "deaf"
		}
		return links, fmt.Sprintf("node %s, the owner, was %s to%s", owner.Name, how, what)
	})
}

// both are the two directions between nodes: what the first one says, and what it hears.
func both(a, b *nodes.Node) [][2]string { return [][2]string{{a.Name, b.Name}, {b.Name, a.Name}} }

func (s *site) others(owner *nodes.Node) (others []*nodes.Node) {
	for _, node := range s.Nodes {
		if node != owner {
			others = append(others, node)
		}
	}
	return others
}

// healed is how long it is watched what becomes of a cluster whose network is whole again: longer than the
// engine needs for two elections.
const healed = 20 * time.Second

// cuts measures the longest time between two acknowledged puts while links are cut, and afterwards.
func (o Options) cuts(ctx context.Context, choose func(s *site, n int, owner *nodes.Node) (links [][2]string, what string)) error {
	o.Proxied = true
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.fill(ctx, o); err != nil {
		return err
	}
	w := s.watch(ctx, o.Body)
	defer w.stop()
	var during, after []time.Duration
	for n := range o.Times {
		owner, err := s.well(ctx, o.Calm)
		if err != nil {
			return err
		}
		status, err := s.Status(ctx)
		if err != nil {
			return err
		}
		w.longest()
		links, what := choose(s, n, owner)
		for _, l := range links {
			s.Network.Hold(l[0], l[1])
		}
		time.Sleep(o.Cut)
		during = append(during, w.longest())
		for _, l := range links {
			if n/2%2 == 1 { // the network has forgotten their connections
				s.Network.Refuse(l[0], l[1])
			}
		}
		s.Network.Heal(false)
		time.Sleep(healed)
		after = append(after, w.longest())
		o.say("%d: %s for %v, lanes were led by %s; the longest time between acknowledged puts was %v, and after it %v",
			n+1, what, o.Cut, status.Leaders(), during[n].Round(100*time.Microsecond), after[n].Round(100*time.Microsecond))
	}
	o.say("cuts of %v, with %d jobs: longest time between acknowledged puts: %s; after the cut: %s", o.Cut, o.Jobs, spread(during), spread(after))
	return nil
}
