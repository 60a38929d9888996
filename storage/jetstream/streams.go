package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrStream says that a stream is there, and is not a lane as it must be.
var ErrStream = errors.New("jetstream: the stream is not this shard's lane")

// What a lane's metadata are called.
const (
	clusterKey  = "beanfield-cluster"
	originKey   = "beanfield-origin"
	baseKey     = "beanfield-base"
	shardsKey   = "beanfield-shards"
	nodesKey    = "beanfield-nodes"
	protocolKey = "beanfield-protocol"
)

// Protocol is the version of what is on the lanes. Who does not know it writes nothing there.
const Protocol = 1

var protocol = strconv.Itoa(Protocol)

// Codes of the engine's errors.
const (
	codeUnavailable   = 10008 // the group that makes streams has no leader now
	codeNoRecord      = 10037
	codeInUse         = 10058 // a stream of this name has other settings
	codeNoStream      = 10059
	codeWrongSequence = 10071
)

// Shard is the two streams of a shard.
type Shard struct {
	nc       *nats.Conn
	streams  [2]string
	subjects [2]string
	origin   uint64
	base     uint64
	shards   int
	nodes    []string
	replicas int
}

// ShardOptions say which shard it is.
type ShardOptions struct {
	Cluster    string
	Generation int // of the cluster's streams (Newest)
	Shard      int
	Replicas   int // with how many streams are made
	Shards     int // how many the cluster has; 0: whatever the streams say
	New        int // how many a new cluster has, if Shards is 0
	// Nodes are the names of all nodes when streams are made: they are kept with them.
	Nodes []string

	// Begin is asked before streams are made that are not there: it returns when this node may make
	// them. The log gets its origin, and its base: the hash of the place before the first record. Without it,
	// or with origin 0, the log begins empty.
	Begin func(context.Context) (origin, base uint64, err error)

	// Failed is told why a try has failed, if there will be another one; nil: nobody is.
	Failed func(error)
}

// Open finds the streams of a shard, and makes them if they are not there (E3). It tries until the
// context ends: making a stream needs the leader of the group that makes streams, finding one
// needs its own.
func Open(ctx context.Context, nc *nats.Conn, o ShardOptions) (*Shard, error) {
	strange := func(name string) bool { return !plain(name) }
	if strange(o.Cluster) || slices.ContainsFunc(o.Nodes, strange) || o.Shard < 0 || o.Replicas < 1 {
		return nil, fmt.Errorf("%w: shard %d of cluster %q, %d replicas", ErrOptions, o.Shard, o.Cluster, o.Replicas)
	}
	s := &Shard{nc: nc, shards: max(1, o.New)}
	if o.Shards > 0 {
		s.shards = o.Shards
	}
	for i := range s.streams {
		s.streams[i] = fmt.Sprintf("%s-%d-%d", streamsOf(o.Cluster, o.Generation), o.Shard, i)
		s.subjects[i] = fmt.Sprintf("%s.%d.%d", subjectOf(o.Cluster, o.Generation), o.Shard, i)
		if err := s.open(ctx, i, o); err != nil {
			return nil, fmt.Errorf("stream %s: %w", s.streams[i], err)
		}
	}
	return s, nil
}

// Origin is that of the log: whoever made the lanes has drawn it.
func (s *Shard) Origin() uint64 { return s.origin }

// Base is the hash of the place before the first record: 0, or what stands for the store that the
// log began from. An empty store with another one is no copy of this log.
func (s *Shard) Base() uint64 { return s.base }

// Shards is how many shards the cluster has.
func (s *Shard) Shards() int { return s.shards }

// Nodes are the names with which the streams were made, in their order. What the log says of members counts after that.
func (s *Shard) Nodes() []string { return s.nodes }

// Replicas is how many the streams had when they were found.
func (s *Shard) Replicas() int { return s.replicas }

// settings are a stream's, with what the client does not know of.
type settings struct {
	nats.StreamConfig
	PersistMode string `json:"persist_mode,omitempty"`
}

// description is how the engine describes a stream.
type description struct {
	Config  settings         `json:"config"`
	Cluster group            `json:"cluster"`
	State   nats.StreamState `json:"state"`
}

// settings are those of a lane. There are no limits: a record goes when it is purged.
func (s *Shard) settings(i int, o ShardOptions, origin uint64) settings {
	return settings{StreamConfig: nats.StreamConfig{
		Name: s.streams[i], Subjects: []string{s.subjects[i]}, Retention: nats.LimitsPolicy, Storage: nats.FileStorage,
		Replicas: o.Replicas, MaxMsgs: -1, MaxBytes: -1, MaxMsgSize: -1, MaxMsgsPerSubject: -1, MaxConsumers: -1,
		AllowDirect: true, DenyDelete: true,
		Metadata: map[string]string{
			clusterKey: o.Cluster, originKey: strconv.FormatUint(origin, 16), baseKey: strconv.FormatUint(s.base, 16),
			shardsKey: strconv.Itoa(s.shards), protocolKey: protocol,
			nodesKey: strings.Join(slices.Sorted(slices.Values(o.Nodes)), " "),
		},
	}}
}

func (s *Shard) open(ctx context.Context, i int, o ShardOptions) error {
	for {
		info, err := s.info(ctx, i)
		if coded(err, codeNoStream) {
			var origin uint64
			if origin, err = s.begin(ctx, o); err == nil {
				err = s.ask(ctx, "STREAM.CREATE."+s.streams[i], s.settings(i, o, origin), &info)
			}
		}
		if err == nil {
			return s.check(i, o, &info.Config)
		}
		if coded(err, codeInUse) {
			continue // somebody else has made it meanwhile
		}
		if o.Failed != nil {
			o.Failed(err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		case <-time.After(retrySetup):
		}
	}
}

// begin is how a log begins whose streams are not there. If one of them is, it says.
func (s *Shard) begin(ctx context.Context, o ShardOptions) (origin uint64, err error) {
	if origin = s.origin; origin == 0 && o.Begin != nil {
		origin, s.base, err = o.Begin(ctx)
	}
	for origin == 0 {
		origin = rand.Uint64()
	}
	return origin, err
}

// retrySetup is the pause before a request is repeated while streams are looked for; its answer is
// waited for ten times as long.
const retrySetup = 200 * time.Millisecond

// check compares a stream with what a lane must be.
func (s *Shard) check(i int, o ShardOptions, is *settings) error {
	must := s.settings(i, o, s.origin)
	if name := is.Metadata[clusterKey]; name != o.Cluster {
		return fmt.Errorf("%w: it belongs to cluster %q, this is %q", ErrStream, name, o.Cluster)
	}
	if version := is.Metadata[protocolKey]; version != protocol {
		return fmt.Errorf("%w: its protocol is %q, this program knows %s", ErrStream, version, protocol)
	}
	nodes := strings.Fields(is.Metadata[nodesKey])
	if s.origin != 0 && !slices.Equal(nodes, s.nodes) {
		return fmt.Errorf("%w: it was made for the nodes %q, the other lane for %q", ErrStream, nodes, s.nodes)
	}
	s.nodes, s.replicas = nodes, is.Replicas
	base, err := strconv.ParseUint(is.Metadata[baseKey], 16, 64)
	shards, err2 := strconv.Atoi(is.Metadata[shardsKey])
	switch {
	case err != nil || err2 != nil || shards < 1 || s.origin != 0 && (base != s.base || shards != s.shards):
		return fmt.Errorf("%w: base %q and %q shards are not those of the other lane", ErrStream, is.Metadata[baseKey],
			is.Metadata[shardsKey])
	case o.Shards > 0 && shards != o.Shards:
		return fmt.Errorf("%w: the cluster has %d shards, and the configuration says %d: beanfield cluster "+
			"reshard changes that", ErrStream, shards, o.Shards)
	}
	s.base, s.shards = base, shards
	origin, err := strconv.ParseUint(is.Metadata[originKey], 16, 64)
	if err != nil || origin == 0 || s.origin != 0 && origin != s.origin {
		return fmt.Errorf("%w: its log is %q, that of the other lane %x", ErrStream, is.Metadata[originKey], s.origin)
	}
	s.origin = origin
	wrong := ""
	for name, differs := range map[string]bool{
		"subjects":     len(is.Subjects) != 1 || is.Subjects[0] != must.Subjects[0],
		"retention":    is.Retention != must.Retention,
		"storage":      is.Storage != must.Storage,
		"limits":       is.MaxMsgs > 0 || is.MaxBytes > 0 || is.MaxAge > 0 || is.MaxMsgsPerSubject > 0,
		"max_msg_size": is.MaxMsgSize > 0 && is.MaxMsgSize < MaxPayload,
		"allow_direct": !is.AllowDirect,
		"deny_purge":   is.DenyPurge,
		"sealed":       is.Sealed,
		"no_ack":       is.NoAck,
		"allow_rollup": is.AllowRollup,
		"allow_ttl":    is.AllowMsgTTL,
		"persist_mode": is.PersistMode != "" && is.PersistMode != "default",
		"sources":      is.Mirror != nil || len(is.Sources) > 0 || is.SubjectTransform != nil,
	} {
		if differs {
			wrong += " " + name
		}
	}
	if wrong != "" {
		return fmt.Errorf("%w: wrong settings:%s", ErrStream, wrong)
	}
	return nil
}

// ask is a request to the engine outside of the way of a record.
func (s *Shard) ask(ctx context.Context, what string, request, answer any) error {
	var data []byte
	if request != nil {
		var err error
		if data, err = json.Marshal(request); err != nil {
			return err
		}
	}
	limit, cancel := context.WithTimeout(ctx, 10*retrySetup)
	defer cancel()
	m, err := s.request(limit, apiPrefix+what, data)
	if err != nil {
		return err
	}
	var failed struct{ Error *nats.APIError }
	if err := json.Unmarshal(m.Data, &failed); err != nil {
		return fmt.Errorf("jetstream: an answer that is none: %w", err)
	}
	if failed.Error != nil {
		return failed.Error
	}
	return json.Unmarshal(m.Data, answer)
}

// request waits for an answer. A question is asked again and again meanwhile, since a stream without a leader answers
// nobody, and may have one at any time; what has a body is said once.
func (s *Shard) request(ctx context.Context, subject string, data []byte) (*nats.Msg, error) {
	if data != nil {
		return s.nc.RequestWithContext(ctx, subject, data)
	}
	return s.insist(ctx, subject, nil, retrySetup)
}

// insist asks again after each while, until one of these requests is answered, or is said to have no listener.
func (s *Shard) insist(ctx context.Context, subject string, data []byte, while time.Duration) (*nats.Msg, error) {
	inbox := s.nc.NewInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	for {
		if err := s.nc.PublishRequest(subject, inbox, data); err != nil {
			return nil, err
		}
		again, cancel := context.WithTimeout(ctx, while)
		m, err := sub.NextMsgWithContext(again)
		cancel()
		if err == nil && m.Header.Get("Status") == "503" {
			return nil, nats.ErrNoResponders
		}
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return m, err
		}
	}
}

const apiPrefix = "$JS.API."

func coded(err error, code nats.ErrorCode) bool {
	var e *nats.APIError
	return errors.As(err, &e) && e.ErrorCode == code
}
