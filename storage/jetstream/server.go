package jetstream

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is the embedded engine of one node.
type Server struct {
	o      atomic.Pointer[Options]
	lines  *lines
	client string // the password of connections
	engine atomic.Pointer[server.Server]
	keeps  atomic.Bool // it is there with its streams

	turn    sync.Mutex // held while the engine is started or stopped
	stopped bool
}

// ErrStopped says that there is no engine.
var ErrStopped = errors.New("jetstream: the engine was stopped")

// Start starts an engine. It returns when the engine can be connected to, which says nothing of the
// other nodes (Joined does).
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{lines: newLines(o.Logger, o.Node), client: rand.Text()}
	if err := o.listens(); err != nil {
		return nil, err
	}
	if err := o.settle(); err != nil {
		return nil, err
	}
	o.alias = o.Node + "~" + rand.Text()
	s.o.Store(&o)
	if err := s.run(ctx, !o.Rests); err != nil {
		return nil, err
	}
	return s, nil
}

// run starts the engine, with its streams or only to pass on messages.
func (s *Server) run(ctx context.Context, streams bool) error {
	opts, err := s.o.Load().parsed(s.client, streams)
	if err != nil {
		return err
	}
	engine, err := server.NewServer(opts)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	s.lines.forget()
	engine.SetLoggerV2(s.lines, false, false, false)
	s.engine.Store(engine)
	go engine.Start()
	err = s.until(ctx, func() bool {
		return engine.ReadyForConnections(pollEngine) &&
			engine.JetStreamEnabled() == streams
	})
	if err != nil {
		s.halt()
		return fmt.Errorf("jetstream: the engine does not start: %w", err)
	}
	s.keeps.Store(streams)
	return nil
}

// Rest stops the engine and starts it anew without its streams: it passes on messages, and takes part in nothing.
// Connections come back by themselves. So it is with Wake, which has the streams back.
func (s *Server) Rest(ctx context.Context) error { return s.again(ctx, false) }

// Wake ends a Rest. After an error either can be called again.
func (s *Server) Wake(ctx context.Context) error { return s.again(ctx, true) }

func (s *Server) again(ctx context.Context, streams bool) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.stopped {
		return ErrStopped
	}
	s.halt()
	return s.run(ctx, streams)
}

// pollEngine is how often the engine is asked for what it does not tell by itself.
const pollEngine = 20 * time.Millisecond

// until waits for a condition. The engine goes on after what it calls fatal, and would never get there.
func (s *Server) until(ctx context.Context, ok func() bool) error {
	tick := time.NewTicker(pollEngine)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.lines.fatal:
			return err
		case <-tick.C:
		}
	}
	return nil
}

// Joined waits until the engine is one of a group that can make streams: until enough nodes are
// there to choose a leader.
func (s *Server) Joined(ctx context.Context) error {
	current := func() bool {
		engine := s.engine.Load()
		return engine != nil && engine.JetStreamIsCurrent()
	}
	if err := s.until(ctx, current); err != nil {
		return fmt.Errorf("jetstream: the engine has not joined the others: %w", err)
	}
	return nil
}

// Connect opens a connection within the process.
func (s *Server) Connect() (*nats.Conn, error) { return s.connect(engineUser) }

func (s *Server) connect(user string) (*nats.Conn, error) {
	return nats.Connect("", append(patient(), nats.InProcessServer(s), nats.UserInfo(user, s.client))...)
}

// InProcessConn is for the client's library, which calls it whenever it connects.
func (s *Server) InProcessConn() (net.Conn, error) {
	if engine := s.engine.Load(); engine != nil {
		return engine.InProcessConn()
	}
	return nil, ErrStopped
}

// isLimit is how long an engine may take to say who it is.
const isLimit = 2 * time.Second

// Is tells whether an address leads to this engine: an engine tells whoever connects its id, which each process draws.
func (s *Server) Is(ctx context.Context, address string) bool {
	engine := s.engine.Load()
	if engine == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, isLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	if opts, err := s.o.Load().parsed(s.client, false); err == nil && opts.Cluster.TLSConfig != nil {
		config := opts.Cluster.TLSConfig.Clone()
		config.ServerName, _, _ = net.SplitHostPort(address)
		conn = tls.Client(conn, config)
	}
	line, _ := bufio.NewReader(io.LimitReader(conn, 1<<16)).ReadString('\n')
	var info struct {
		ID string `json:"server_id"`
	}
	_ = json.Unmarshal([]byte(strings.TrimPrefix(line, "INFO ")), &info)
	return info.ID == engine.ID()
}

// Current tells whether the engine has all of a stream, as far as it knows.
func (s *Server) Current(stream string) bool {
	engine := s.engine.Load()
	return engine != nil && engine.JetStreamIsStreamCurrent(server.DEFAULT_GLOBAL_ACCOUNT, stream)
}

// Keeps tells whether the engine is one of those that keep a stream, as far as it has heard.
func (s *Server) Keeps(stream string) bool {
	engine := s.engine.Load()
	return engine != nil && engine.JetStreamIsStreamAssigned(server.DEFAULT_GLOBAL_ACCOUNT, stream)
}

// ErrFailed says that the engine has given up streams on this machine, until the process is started anew.
var ErrFailed = errors.New("jetstream: the engine does not work any more")

// ErrExpelled says that an engine keeps no streams any more because it has heard that it was expelled (Expel).
var ErrExpelled = errors.New("jetstream: the engine was removed from the others' group")

// Failure says why a running engine keeps not all of its streams any more. It does not get over that by itself.
func (s *Server) Failure() error {
	if s.lines.out.Load() {
		return ErrExpelled
	}
	if err := s.lines.ill.Load(); err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, *err)
	}
	if engine := s.engine.Load(); engine != nil && !engine.JetStreamEnabled() && s.keeps.Load() {
		return ErrFailed
	}
	return nil
}

// Stop stops the engine and waits until its files are closed (E2).
func (s *Server) Stop() {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.stopped = true
	s.halt()
}

// halt stops the engine, if there is one.
func (s *Server) halt() {
	s.keeps.Store(false)
	if engine := s.engine.Swap(nil); engine != nil {
		engine.Shutdown()
		engine.WaitForShutdown()
	}
}
