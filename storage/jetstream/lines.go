package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// lines brings the engine's log lines to a logger, each with the weight that it has for an operator.
type lines struct {
	logger *slog.Logger
	fatal  chan error // the first that it could not go on after
	ill    atomic.Pointer[error]
	out    atomic.Bool // the others have expelled this engine
	links  sync.Map    // what is wrong with the link to another engine, by its address
	said   sync.Map    // when each line of a link was logged last, by its text without numbers
}

// What is looked for in the engine's lines, since it is told nowhere else. TestWhatTheEngineSays has the engine say it.
const (
	writeError = "ritical write error" // it has given a stream up
	expelled   = "our server was removed from the cluster"
	noRoute    = "Error trying to connect to route"
	notLetIn   = "Authorization Violation"
	otherTLS   = "TLS route handshake error"
)

// weights are those of lines that the engine takes for more than they are.
var weights = map[string]slog.Level{
	"Plaintext passwords detected":          slog.LevelDebug, // nobody can change that
	noRoute:                                 slog.LevelInfo,  // it is not there yet, or not any more
	"Error flushing":                        slog.LevelInfo,
	"Waiting for routing to be established": slog.LevelInfo,
	"has not established contact with a meta leader": slog.LevelInfo,
	"Detected another leader with higher term":       slog.LevelInfo,
	"Metalayer blocking snapshot":                    slog.LevelDebug,
}

// repeats is when a line about a link is logged again. The engine tries once a second, and says so.
const repeats = time.Minute

func newLines(logger *slog.Logger, node string) *lines {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &lines{logger: logger.With("engine", node), fatal: make(chan error, 1)}
}

// forget drops what an earlier engine could not go on after.
func (l *lines) forget() {
	select {
	case <-l.fatal:
	default:
	}
}

func (l *lines) Noticef(format string, args ...any) { l.logger.Info(fmt.Sprintf(format, args...)) }
func (l *lines) Warnf(format string, args ...any) {
	l.say(slog.LevelWarn, fmt.Sprintf(format, args...))
}
func (l *lines) Debugf(format string, args ...any) { l.logger.Debug(fmt.Sprintf(format, args...)) }
func (l *lines) Tracef(format string, args ...any) { l.logger.Debug(fmt.Sprintf(format, args...)) }

// Errorf looks for what is wrong with a stream, or with a link. A line about a link begins with the other address.
func (l *lines) Errorf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	text := err.Error()
	l.say(slog.LevelError, text)
	at, why, _ := strings.Cut(text, " - rid:")
	switch {
	case strings.Contains(text, writeError):
		l.ill.CompareAndSwap(nil, &err)
	case strings.Contains(text, expelled):
		l.out.Store(true)
	case strings.Contains(text, notLetIn):
		l.links.Store(at, "it has another secret, or another cluster's name")
	case strings.Contains(text, otherTLS):
		_, why, _ = strings.Cut(why, otherTLS+": ")
		l.links.Store(at, "its certificate and this node's do not get on: "+why)
	case strings.Contains(text, noRoute):
		var dial *net.OpError
		if last, ok := args[len(args)-1].(error); ok && errors.As(last, &dial) && dial.Addr != nil {
			l.links.Store(dial.Addr.String(), dial.Err.Error())
		}
	}
}

// say logs a line. One about a link is logged now and then.
func (l *lines) say(level slog.Level, text string) {
	for words, weight := range weights {
		if strings.Contains(text, words) {
			level = weight
		}
	}
	if strings.Contains(text, " - rid:") || strings.Contains(text, noRoute) {
		key := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, text)
		if was, ok := l.said.Load(key); ok && time.Since(was.(time.Time)) < repeats {
			level = slog.LevelDebug
		} else {
			l.said.Store(key, time.Now())
		}
	}
	l.logger.Log(context.Background(), level, text)
}

// Link says why the engine of another node is not reached, or not let in; "" if nothing is known to be wrong. It
// looks the host up.
func (s *Server) Link(ctx context.Context, node string) string {
	address := s.o.Load().Nodes[node]
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	ips, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return fmt.Sprintf("the host %s cannot be looked up: %v", host, err)
	}
	for _, ip := range ips {
		if why, ok := s.lines.links.Load(net.JoinHostPort(ip, port)); ok {
			return address + ": " + why.(string)
		}
	}
	return ""
}

// Fatalf is called where the engine's own program would end.
func (l *lines) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	l.logger.Error(err.Error())
	select {
	case l.fatal <- err:
	default:
	}
}
