package jetstream

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Streams are the names of the lanes.
func (s *Shard) Streams() []string { return s.streams[:] }

// Leader is the name of the node whose engine leads a lane, "" if nobody does. Members are all engines that
// could, as the leader sees it.
func (s *Shard) Leader(ctx context.Context, lane int) (leader string, members []string, err error) {
	info, err := s.info(ctx, lane)
	return nodeOf(info.Cluster.Leader), info.could(nil), err
}

func (s *Shard) info(ctx context.Context, lane int) (info description, err error) {
	err = s.ask(ctx, "STREAM.INFO."+s.streams[lane], nil, &info)
	return info, err
}

// Look says who leads a lane, "" if nobody does, and how many bytes it has.
func (s *Shard) Look(ctx context.Context, lane int) (leader string, bytes uint64, err error) {
	info, err := s.info(ctx, lane)
	return nodeOf(info.Cluster.Leader), info.State.Bytes, err
}

// Astray finds a lane that another node of a list should lead, and which (steered). The lane that is not in use comes
// first. Without one the lane is -1. If nobody knows which are alive, alive is nil, and the lanes' leaders say it.
func (s *Shard) Astray(ctx context.Context, owner string, alive []string,
	inUse int) (lane int, leader string, err error) {
	var leaders [2]string
	var of [2][]string
	for i := range of {
		info, err := s.info(ctx, i)
		if err != nil {
			return -1, "", err
		}
		leaders[i], of[i] = nodeOf(info.Cluster.Leader), info.could(alive)
	}
	want := steered(leaders, owner, of, inUse)
	for _, i := range []int{1 - inUse, inUse} {
		if want[i] != leaders[i] {
			return i, want[i], nil
		}
	}
	return -1, "", nil
}

// Lead has a node's engine lead a lane, if that has all of it: the lane's leader gives way to one that lacks
// something, too, and then the lane is without a leader for seconds. It needs the leader of the group that makes
// streams, and takes a try or two: whoever wants to know looks again.
func (s *Shard) Lead(ctx context.Context, lane int, node string) error {
	info, err := s.info(ctx, lane)
	if err != nil {
		return err
	}
	engine := info.ready(node)
	if engine == "" {
		return fmt.Errorf("stream %s: the engine of node %s lacks something of it", s.streams[lane], node)
	}
	request := map[string]any{"placement": map[string]string{"preferred": engine}}
	if err := s.ask(ctx, "STREAM.LEADER.STEPDOWN."+s.streams[lane], request, &struct{}{}); err != nil {
		return fmt.Errorf("stream %s: %w", s.streams[lane], err)
	}
	return nil
}

// ready is a node's engine that could lead a lane at once; "" if it could not, or does.
func (d *description) ready(node string) string {
	for _, r := range d.Cluster.Replicas {
		if r.whole() && nodeOf(r.Name) == node {
			return r.Name
		}
	}
	return ""
}

// could are the nodes that could lead a lane: those of a list, or without one those that are whole, that keep it.
func (d *description) could(alive []string) (nodes []string) {
	for _, p := range d.peers() {
		if node := nodeOf(p.Name); node != "" && (alive == nil && p.whole() || slices.Contains(alive, node)) &&
			!p.Pending {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// steered says who should lead each lane, of those that could; of a lane that nobody could, whoever does. What comes
// first counts most: the owner leads none; the lanes have two leaders; few lanes get another leader, and rather not the
// one in use.
func steered(leaders [2]string, owner string, could [2][]string, inUse int) (want [2]string) {
	least := math.MaxInt
	for i := range could {
		if len(could[i]) == 0 {
			could[i] = leaders[i : i+1]
		}
	}
	for _, first := range could[0] {
		for _, second := range could[1] {
			cost, pair := 0, [2]string{first, second}
			for i, leader := range pair {
				if leader == owner {
					cost += 16
				}
				if leader != leaders[i] {
					cost++
				}
				if leader != leaders[i] && i == inUse {
					cost++
				}
			}
			if first == second {
				cost += 4
			}
			if cost < least {
				least, want = cost, pair
			}
		}
	}
	return want
}

// NoStream tells whether an error says that a stream is not there.
func NoStream(err error) bool { return coded(err, codeNoStream) }
