package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is the embedded engine of one node.
type Server struct {
	engine *server.Server
	lines  *lines
	client string // the password of connections
	stop   sync.Once
}

// Start starts an engine. It returns when the engine can be connected to, which says nothing of the
// other nodes (Joined does).
func Start(ctx context.Context, o Options) (*Server, error) {
	client := rand.Text()
	opts, err := o.parsed(client)
	if err != nil {
		return nil, err
	}
	engine, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	s := &Server{engine: engine, lines: newLines(o.Logger, o.Node), client: client}
	engine.SetLoggerV2(s.lines, false, false, false)
	go engine.Start()
	err = s.until(ctx, func() bool { return engine.ReadyForConnections(pollEngine) && engine.JetStreamEnabled() })
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("jetstream: the engine does not start: %w", err)
	}
	return s, nil
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
	if err := s.until(ctx, s.engine.JetStreamIsCurrent); err != nil {
		return fmt.Errorf("jetstream: the engine has not joined the others: %w", err)
	}
	return nil
}

// Connect opens a connection within the process.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", append(patient(), nats.InProcessServer(s.engine), nats.UserInfo(engineUser, s.client))...)
}

// ErrFailed says that the engine has given up streams on this machine, until the process is started anew.
var ErrFailed = errors.New("jetstream: the engine does not work any more")

// Failure says why a running engine keeps not all of its streams any more. It does not get over that by itself.
func (s *Server) Failure() error {
	if err := s.lines.ill.Load(); err != nil {
		return fmt.Errorf("%w: %w", ErrFailed, *err)
	}
	if !s.engine.JetStreamEnabled() {
		return ErrFailed
	}
	return nil
}

// Stop stops the engine and waits until its files are closed (E2).
func (s *Server) Stop() {
	s.stop.Do(func() {
		s.engine.Shutdown()
		s.engine.WaitForShutdown()
	})
}
