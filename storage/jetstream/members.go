package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"beanfield/storage/lanes"
)

// WakeAs ends a Rest, with which a node begins that is no member: now it is one, since a table of members. Its
// engine begins with an empty directory.
func (s *Server) WakeAs(ctx context.Context, since uint64) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	o := *s.o.Load()
	switch {
	case s.stopped:
		return ErrStopped
	case since > o.Since && s.keeps.Load():
		return fmt.Errorf("%w: the engine of node %s keeps streams since %d, and cannot be one since %d", ErrOptions,
			o.Node, o.Since, since)
	}
	s.halt()
	if since > o.Since {
		s.lines.out.Store(false) // that was another one
	}
	o.Since, o.Rests = max(since, o.Since), false
	if err := o.settle(); err != nil {
		return err
	}
	s.o.Store(&o)
	return s.run(ctx, true)
}

// Route tells the engine where the others are from now on. It connects to new ones, and not any more to those that
// are not there; who is connected from outside stays.
func (s *Server) Route(nodes map[string]string) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	o := *s.o.Load()
	if maps.Equal(o.Nodes, nodes) {
		return nil
	}
	o.Nodes = nodes
	opts, err := o.parsed(s.client, s.keeps.Load())
	if err != nil {
		return err
	}
	if engine := s.engine.Load(); engine != nil {
		if err := engine.ReloadOptions(opts); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	s.o.Store(&o)
	return nil
}

// Expel has an engine leave the group that makes streams, if there is one that is none of the members (EngineName),
// and with that all streams. It says what is still to be done. Adjust must have said "" for all shards before. An
// engine that was removed comes back by itself after five minutes, if it runs with its streams.
func (s *Server) Expel(ctx context.Context, members []string) (todo string, err error) {
	group, err := s.group()
	if err != nil {
		return "", err
	}
	for _, r := range group.Replicas {
		switch {
		case slices.ContainsFunc(members, func(name string) bool { return peerID(name) == r.Peer }):
		case r.Name == group.Leader: // it would not answer, and the others would have to elect
			own := map[string]any{"placement": map[string]string{"preferred": s.o.Load().engine()}}
			return fmt.Sprintf("engine %s is to lead the group that makes streams no more", r.Name),
				s.order(ctx, "META.LEADER.STEPDOWN", own)
		default: // this is answered when a majority has stored it
			return fmt.Sprintf("engine %s is to leave the group that makes streams", r.Name),
				s.order(ctx, "SERVER.REMOVE", server.JSApiMetaServerRemoveRequest{Peer: r.Peer})
		}
	}
	return "", nil
}

// group is the one that makes streams; its replicas are all but this engine.
func (s *Server) group() (*server.MetaClusterInfo, error) {
	engine := s.engine.Load()
	if engine == nil {
		return nil, ErrStopped
	}
	info, err := engine.Jsz(nil)
	if err == nil && (info.Meta == nil || info.Meta.Leader == "") {
		err = errors.New("jetstream: the group that makes streams has no leader")
	}
	if err != nil {
		return nil, err
	}
	return info.Meta, nil
}

// order tells the leader of that group something.
func (s *Server) order(ctx context.Context, what string, request any) error {
	nc, err := s.connect(systemUser)
	if err != nil {
		return err
	}
	defer nc.Close()
	return (&Shard{nc: nc}).ask(ctx, what, request, &struct{}{})
}

// confirm asks elsewhere what a lane's leader does not know: it says what still has to be waited for.
func (s *Server) confirm(ctx context.Context, stream string, d *description, stays func(peer) bool) (string, error) {
	group, err := s.group()
	if err != nil {
		return "", err
	}
	var peers []peer
	for _, p := range d.Cluster.Replicas {
		switch {
		case stays(p):
			peers = append(peers, p)
		case !slices.ContainsFunc(group.Replicas, func(o *server.PeerInfo) bool { return o.Peer == p.ID }):
			return "is about to lose " + p.Name, nil
		}
	}
	missing, err := s.stored(ctx, stream, d.State.LastSeq, peers)
	if missing != "" {
		missing = "is not whole at " + missing
	}
	return missing, err
}

// storedLimit is how long peers may take to have stored what the leader has.
const storedLimit = time.Second

// stored waits until all peers have stored a stream up to a place, and names one that has not. The stream's leader
// does not know: it calls a new peer current that has been sent everything, and writes it still.
func (s *Server) stored(ctx context.Context, stream string, place uint64, peers []peer) (missing string, err error) {
	nc, err := s.connect(systemUser)
	if err != nil {
		return "", err
	}
	defer nc.Close()
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return "", err
	}
	limit, cancel := context.WithTimeout(ctx, storedLimit)
	defer cancel()
	has := map[string]uint64{}
	for {
		lacks := slices.IndexFunc(peers, func(p peer) bool { return has[p.ID] < max(1, place) })
		switch {
		case lacks < 0:
			return "", nil
		case limit.Err() != nil:
			return nodeOf(peers[lacks].Name), ctx.Err()
		}
		subject := "$JSC.SI." + server.DEFAULT_GLOBAL_ACCOUNT + "." + stream
		if err = nc.PublishRequest(subject, inbox, []byte(`{"state":true}`)); err != nil {
			return "", err
		}
		again, done := context.WithTimeout(limit, retrySetup/4)
		for {
			m, err := sub.NextMsgWithContext(again)
			if err != nil {
				break
			}
			var said struct {
				Peer  string
				State struct {
					Last uint64 `json:"last_seq"`
				}
			}
			if json.Unmarshal(m.Data, &said) == nil {
				has[said.Peer] = max(1, said.State.Last)
			}
		}
		done()
	}
}

// group is what the engine says of those that keep a stream. Peers that are pending do not take part yet.
type group struct {
	Leader   string `json:"leader"`
	Replicas []peer `json:"replicas"` // without the leader
	Desired  *struct {
		Status struct {
			Description string `json:"description"`
		} `json:"status"`
	} `json:"desired"` // while its peers change
}

type peer struct {
	Name    string `json:"name"`
	ID      string `json:"peer"`
	Current bool   `json:"current"`
	Offline bool   `json:"offline"`
	Pending bool   `json:"pending"`
}

// whole tells whether a peer has all of a stream, and answers.
func (p *peer) whole() bool { return p.Current && !p.Offline && !p.Pending }

// step is what Adjust does next, unless it waits.
type step struct {
	why  string
	lane int
	// one of these
	lead     string // this node is to lead the lane
	evacuate string // this peer is to leave it
	replicas int    // so many are to keep it
}

// Adjust brings the lanes a step nearer to having so many replicas, all at members (EngineName; nil: anywhere). It
// says what is still to be done, or waited for. "" says that both lanes are so, and whole; there may still be
// peers that are to go while nobody could take their place: Expel takes them out, and then Adjust has to be
// said again. One peer of one lane changes at a time, and only while all others are there (E13). The owner's driver
// turns to the other lane before; other nodes have nil. At is the own engine; nil: it is the site's, which sees to
// its peers.
func (s *Shard) Adjust(ctx context.Context, at *Server, members []string, replicas int, owner *Driver) (todo string,
	err error) {
	var of [2]description
	stays := staying(members)
	for i := range of {
		if of[i], err = s.info(ctx, i); err != nil {
			return "", fmt.Errorf("stream %s: %w", s.streams[i], err)
		}
		if why := of[i].unsettled(stays, at == nil); why != "" {
			return fmt.Sprintf("lane %d %s", i, why), nil
		}
	}
	for i := range of {
		if at == nil {
			break
		}
		why, err := at.confirm(ctx, s.streams[i], &of[i], stays)
		if why != "" || err != nil {
			return fmt.Sprintf("lane %d %s", i, why), err
		}
	}
	next := plan(&of, members, replicas, inUse(owner))
	name := s.streams[next.lane]
	switch {
	case next.lead == "" && next.evacuate == "" && next.replicas == 0:
	case owner != nil && inUse(owner) == next.lane:
		owner.Use(1 - next.lane)
	case next.lead != "":
		err = s.Lead(ctx, next.lane, next.lead)
	case next.evacuate != "":
		err = s.ask(ctx, "STREAM.PEER.EVACUATE."+name, map[string]string{"peer": next.evacuate}, &struct{}{})
	default:
		err = s.scale(ctx, next.lane, next.replicas)
	}
	if err != nil {
		err = fmt.Errorf("stream %s: %s: %w", name, next.why, err)
	}
	return next.why, err
}

// inUse is the lane to which the owner appends; without one the second is left for last.
func inUse(owner *Driver) int {
	if owner != nil {
		if state := owner.State(); state.Role == lanes.Owner {
			return state.Lane
		}
	}
	return 1
}

// scale changes how many replicas a lane has, and nothing else: what this program does not know of its settings stays.
func (s *Shard) scale(ctx context.Context, lane, replicas int) error {
	var info struct{ Config json.RawMessage }
	if err := s.ask(ctx, "STREAM.INFO."+s.streams[lane], nil, &info); err != nil {
		return err
	}
	config := map[string]any{}
	exact := json.NewDecoder(bytes.NewReader(info.Config))
	exact.UseNumber()
	if err := exact.Decode(&config); err != nil {
		return fmt.Errorf("jetstream: settings that are none: %w", err)
	}
	config["num_replicas"] = replicas
	return s.ask(ctx, "STREAM.UPDATE."+s.streams[lane], config, &struct{}{})
}

// staying tells which peers are at members.
func staying(members []string) func(peer) bool {
	ids := make([]string, len(members))
	for i, name := range members {
		ids[i] = peerID(name)
	}
	return func(p peer) bool { return members == nil || slices.Contains(ids, p.ID) }
}

// plan says what is to be done next with lanes of which nothing has to be waited for.
func plan(of *[2]description, members []string, replicas, last int) step {
	stays := staying(members)
	for _, i := range []int{1 - last, last} {
		next := of[i].next(stays, len(members), replicas, nodeOf(of[1-i].Cluster.Leader))
		if next.lane = i; next.why != "" {
			next.why = fmt.Sprintf("lane %d %s", i, next.why)
			return next
		}
	}
	return step{}
}

// peers are all that keep a stream, the leader first.
func (d *description) peers() []peer {
	leader := peer{Name: d.Cluster.Leader, ID: peerID(d.Cluster.Leader), Current: true}
	return append([]peer{leader}, d.Cluster.Replicas...)
}

// unsettled says what has to be waited for before anything may change. Believe tells that the leader's word must do.
func (d *description) unsettled(stays func(peer) bool, believe bool) string {
	switch g := &d.Cluster; {
	case g.Leader == "":
		return "has no leader"
	case g.Desired != nil:
		return strings.TrimRight("changes: "+g.Desired.Status.Description, ": ")
	}
	for _, p := range d.peers() {
		if (p.Pending || p.Offline || believe && !p.Current) && stays(p) {
			return "is not whole at " + nodeOf(p.Name)
		}
	}
	return ""
}

// next is a lane's next step, without one if it is as it should be.
func (d *description) next(stays func(peer) bool, members, replicas int, otherLeader string) step {
	var staying, leaving []peer
	for _, p := range d.peers() {
		if stays(p) {
			staying = append(staying, p)
		} else {
			leaving = append(leaving, p)
		}
	}
	spare := members > len(staying)
	switch has := d.Config.Replicas; {
	case len(leaving) > 0 && len(staying) > 0 && leaving[0].Name == d.Cluster.Leader:
		to := slices.IndexFunc(staying, func(p peer) bool { return nodeOf(p.Name) != otherLeader })
		node := nodeOf(staying[max(0, to)].Name)
		return step{why: "is to be led by " + node, lead: node}
	case len(leaving) > 0 && spare:
		return step{why: "is to leave " + leaving[0].Name, evacuate: leaving[0].ID}
	case len(leaving) > 0: // Expel: the engine lets nobody choose which peer a lane loses that is to have fewer
	case has > replicas:
		return step{why: fmt.Sprintf("is to have %d replicas, not %d", has-1, has), replicas: has - 1}
	case has < replicas:
		return step{why: fmt.Sprintf("is to have %d replicas, not %d", has+1, has), replicas: has + 1}
	case len(staying) < has:
		return step{why: fmt.Sprintf("has %d of %d replicas", len(staying), has)}
	}
	return step{}
}
