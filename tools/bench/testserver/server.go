package testserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"beanfield/conn"
	"beanfield/conn/beanstalk"
	"beanfield/conn/beanstalk/client"
	"beanfield/router"
	"beanfield/storage"
)

// patience is longer than any reply takes.
const patience = 5 * time.Minute

// A running server keeps its jobs in memory.
type running struct {
	addr   string // for the test alone
	accept *conn.Acceptor
	inner  *beanstalk.Server
	router *router.Router
}

func start() (*running, error) {
	log := slog.New(slog.DiscardHandler)
	r, err := router.New(router.Options{Shards: 1, Store: storage.Memory()})
	if err != nil {
		return nil, err
	}
	a, err := conn.NewAcceptor(conn.Options{Logger: log})
	if err != nil {
		return nil, err
	}
	s, err := beanstalk.NewServer(r, a, beanstalk.Options{MaxJobSize: beanstalk.MaxMaxJobSize, Loops: 1, Logger: log})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go a.Serve(l, s)
	return &running{l.Addr().String(), a, s, r}, nil
}

func (s *running) stop() error {
	s.accept.Stop()
	return errors.Join(s.inner.Shutdown(context.Background()), s.router.Close())
}

// talk has a conversation that nobody else sees.
func (s *running) talk(do func(*client.Client) error) error {
	conn, err := net.Dial("tcp4", s.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	return do(client.On(conn, s.addr, patience))
}
