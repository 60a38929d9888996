package main

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/node"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/cluster"
	"beanfield/storage/must"
	"beanfield/storage/tally"
)

// modelNode is a node whose test says when it has the shards.
type modelNode struct {
	terms  chan *modelTerm
	last   atomic.Pointer[modelTerm]
	closed chan struct{}
}

func (n *modelNode) Start(context.Context) error { return nil }

// Status says that another node serves.
func (n *modelNode) Status() cluster.Status {
	return cluster.Status{Cluster: "c", Node: "a", Owner: "b", Nodes: []cluster.NodeStatus{{Name: "a", Alive: true,
		Role: "follower"}, {Name: "b", Console: "https://10.0.0.2:11381"}},
		Shards:   []cluster.ShardStatus{{Epoch: 7, Owner: "b", Lag: 3}, {Shard: 1, Epoch: 7, Owner: "b"}},
		Problems: []string{"node b is slow"}}
}

func (n *modelNode) Figures() cluster.Figures {
	return cluster.Figures{Role: "follower", Shards: n.Status().Shards, LagBytes: 300}
}

func (n *modelNode) Appends(*tally.Reading) {}

func (n *modelNode) Term(ctx context.Context) (node.Term, error) {
	select {
	case t := <-n.terms:
		n.last.Store(t)
		return t, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close waits for the end of a term.
func (n *modelNode) Close(context.Context) error {
	if t := n.last.Load(); t != nil {
		<-t.ended
	}
	close(n.closed)
	return nil
}

// modelTerm is one whose jobs are in memory.
type modelTerm struct {
	store              *modelStore
	leave, lost, ended chan struct{}
	end                sync.Once
	late               bool // it is lost when the server is ready
}

func newModelTerm() *modelTerm {
	return &modelTerm{
		store: &modelStore{Store: storage.Memory(), closed: make(chan struct{})},
		leave: make(chan struct{}), lost: make(chan struct{}), ended: make(chan struct{}),
	}
}

func (t *modelTerm) Store(*config.Config, *storage.Steps, *slog.Logger) (storage.Store, error) {
	return t.store, nil
}
func (t *modelTerm) Shards(*config.Config) int { return 2 }
func (t *modelTerm) Ready() *router.Router     { return nil }
func (t *modelTerm) Serve(context.Context) {
	if t.late {
		close(t.lost)
	}
}
func (t *modelTerm) Leave() <-chan struct{} { return t.leave }
func (t *modelTerm) Lost() <-chan struct{}  { return t.lost }
func (t *modelTerm) Why() error             { return errors.New("a newer epoch") }
func (t *modelTerm) End()                   { t.end.Do(func() { close(t.ended) }) }

// modelStore keeps jobs in memory. Its logs acknowledge at once, or when they are told to.
type modelStore struct {
	storage.Store
	opening chan struct{} // nil, or it opens when this is closed
	closed  chan struct{}
	refused error // what opening it fails with

	mu      sync.Mutex
	silent  bool          // turns wait
	waiting []storage.Ack // of these turns
	broken  error         // what turns are told
}

type modelLog struct {
	storage.Log
	store *modelStore
}

func (s *modelStore) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	if s.opening != nil {
		<-s.opening
	}
	if s.refused != nil {
		return nil, s.refused
	}
	logs, err := s.Store.Open(n, shardOf)
	for i := range logs {
		logs[i] = modelLog{logs[i], s}
	}
	return logs, err
}

// Durable has turns committed.
func (s *modelStore) Durable() bool { return true }

func (s *modelStore) Close() error {
	close(s.closed)
	return s.Store.Close()
}

func (l modelLog) Commit(ack storage.Ack) bool {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	switch err := l.store.broken; {
	case err != nil:
		go ack.Committed(err)
	case l.store.silent:
		l.store.waiting = append(l.store.waiting, ack)
	default:
		return true
	}
	return false
}

// hold has turns wait for their acks.
func (s *modelStore) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = true
}

// tell tells all turns that wait how they have ended, and those that come.
func (s *modelStore) tell(err error) {
	s.mu.Lock()
	acks := s.waiting
	s.waiting, s.silent, s.broken = nil, false, err
	s.mu.Unlock()
	for _, a := range acks {
		a.Committed(err)
	}
}

// queued is how many turns wait.
func (s *modelStore) queued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// member is this process as a node of a modelled cluster.
type member struct {
	*modelNode
	t    *testing.T
	dir  string
	file string // of the configuration
	tcp  string // of the beanstalk protocol

	refuses bool // it lets no client in while it follows
	passing node.Passing
	held    []*client // who have come while nobody served, and have asked something
	said    must.Text
	sig     *signals
	stop    func()
	ended   chan error
	fate    chan int // codes that the process ended itself with

	garbage *bounds
}

// newMember starts one that follows. more are lines of [cluster] in its file, and lines for the end of that.
func newMember(t *testing.T, more ...string) *member {
	t.Helper()
	more = append(more, "", "")
	dir := shortDir(t)
	m := &member{modelNode: &modelNode{terms: make(chan *modelTerm), closed: make(chan struct{})}, t: t, dir: dir,
		ended: make(chan error, 1), fate: make(chan int, 1)}
	text := strings.ReplaceAll("loops = 1\n[storage]\nbackend = 'pebble'\npath = 'DIR'\n[cluster]\nname = 'c'\nnode "+
		"= 'a'\nsecret = 's'\nreplicas = 1\n"+more[0]+
		"nodes = { a = '127.0.0.1:1' }\n[[listen]]\naddress = '127.0.0.1:0'\n[[listen]]\naddress = 'unix:DIR/s'\n"+
		"[http]\nlisten = ['unix:DIR/h']\n[queue]\nlisten = ['unix:DIR/q']\n[log]\nlevel = 'info'\n"+more[1], "DIR", dir)
	m.file = fileWith(t, text)
	f := config.Flags{File: m.file}
	d := &daemon{flags: f, end: func(code int) { m.fate <- code }}
	d.config = must.Get(config.Load(f))
	m.refuses = !d.config.PassesOn()
	d.log, d.garbage = newLogger(&m.said, d.config, &d.level), &bounds{}
	m.garbage = d.garbage
	d.makeNode = func(_ *config.Config, _ string, _ *slog.Logger, p node.Passing) node.Node {
		m.passing = p
		return m.modelNode
	}
	m.sig, m.stop = stoppable(t)
	go func() { m.ended <- d.run(m.sig) }()
	must.Until(t, "it listens", func() bool { return strings.Contains(m.said.String(), "face=http") })
	m.until("it has no door open", func() bool { return strings.Contains(m.said.String(), "msg=following") })
	m.tcp = regexp.MustCompile(`network=tcp address=(\S+)`).FindStringSubmatch(m.said.String())[1]
	return m
}

// serves begins a term, and returns when clients can work.
func (m *member) serves() *modelTerm {
	m.t.Helper()
	t := newModelTerm()
	m.terms <- t
	m.until("it serves", func() bool {
		status, _ := page(m.t, m.dir+"/h", "/readyz", "")
		return status == 200
	})
	for _, c := range m.held {
		if got := c.lines(1); got != "USING default" {
			m.t.Errorf("who has come before is answered %q", got)
		}
		c.Close()
	}
	m.held = nil
	return t
}

// dial connects a client.
func (m *member) dial(network string) *client {
	m.t.Helper()
	p := process{t: m.t}
	return p.dial(map[string]string{"tcp": m.tcp, "unix": m.dir + "/s",
		"queue": m.dir + "/q", "login": m.dir + "/l"}[network])
}

func (m *member) until(what string, ok func() bool) {
	m.t.Helper()
	must.Until(m.t, what, ok)
}

// finish ends the process.
func (m *member) finish() {
	m.t.Helper()
	m.stop()
	must.Do(m.t, <-m.ended)
	<-m.closed
}
