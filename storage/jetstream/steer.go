package jetstream

import (
	"context"
	"fmt"
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

// Astray finds a lane that another node should lead, and which: one of a list other than the owner, if there is
// one, and two different ones if there are two. The lane that is not in use comes first. Without one the lane is -1.
// If nobody knows which are alive, alive is nil, and the lanes' leaders say it.
func (s *Shard) Astray(ctx context.Context, owner string, alive []string,
	inUse int) (lane int, leader string, err error) {
	leaders, want, err := s.leaders(ctx, owner, alive)
	for _, i := range []int{1 - inUse, inUse} {
		if err == nil && want[i] != leaders[i] {
			return i, want[i], nil
		}
	}
	return -1, "", err
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

// leaders says who leads each lane, and who should.
func (s *Shard) leaders(ctx context.Context, owner string, alive []string) (leaders, want [2]string, err error) {
	var of [2][]string
	for i := range leaders {
		info, err := s.info(ctx, i)
		if err != nil {
			return leaders, want, err
		}
		leaders[i], of[i] = nodeOf(info.Cluster.Leader), info.could(alive)
	}
	return leaders, steered(leaders, owner, of), nil
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

// steered says who should lead each lane, of those that could.
func steered(leaders [2]string, owner string, alive [2][]string) [2]string {
	for i := range leaders {
		others := slices.DeleteFunc(slices.Clone(alive[i]), func(node string) bool { return node == owner })
		slices.Sort(others)
		if len(others) == 0 {
			others = alive[i]
		}
		if len(others) == 0 || slices.Contains(others, leaders[i]) && (i == 0 || leaders[1] != leaders[0] ||
			len(others) == 1) {
			continue
		}
		leaders[i] = others[0]
		if k := slices.IndexFunc(others, func(node string) bool { return node != leaders[1-i] }); k >= 0 {
			leaders[i] = others[k]
		}
	}
	return leaders
}

// NoStream tells whether an error says that a stream is not there.
func NoStream(err error) bool { return coded(err, codeNoStream) }
