package main

import (
	"context"
	"errors"
	"net"
	"runtime"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn"
	"beanfield/conn/admin"
	"beanfield/conn/admin/history"
	"beanfield/conn/beanstalk"
	"beanfield/conn/queueservice"
	"beanfield/router"
	"beanfield/router/schedule"
)

// service is what serves clients, and shows administrators what there is, during one term.
type service struct {
	*fronts
	// that of the fronts, so that one limit is for all clients; one of its own if a follower refuses
	acceptor  *conn.Acceptor
	router    *router.Router
	schedules *schedule.Keeper
	beanstalk *beanstalk.Server
	queue     *queueservice.Server // nil if it has no address
	metrics   *admin.Metrics       // nil without admin
	history   *history.Keeper      // nil without admin
}

// newService makes the front ends of a term, as the configuration says. If it fails, it ends those
// that there are.
func (f *fronts) newService(c *config.Config, r *router.Router) (s *service, err error) {
	s = &service{fronts: f, acceptor: f.acceptor, router: r, schedules: schedule.New(r, f.log)}
	if c.Clustered() && f.passing == nil {
		if s.acceptor, err = conn.NewAcceptor(conn.Options{MaxConnections: c.Limits.MaxConnections,
			Logger: f.log}); err != nil {
			return nil, err
		}
	}
	if err := s.make(c); err != nil {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		s.stop(over)
		return nil, errors.Join(err, s.history.Stop(context.Background()))
	}
	return s, nil
}

func (s *service) make(c *config.Config) (err error) {
	if s.beanstalk, err = beanstalk.NewServer(s.router, s.acceptor, s.beanstalkOptions(c)); err != nil {
		return err
	}
	spare(len(s.beanstalk.Loops()))
	if len(c.Queue.Listen) > 0 {
		if s.queue, err = queueservice.NewServer(s.router, s.acceptor, s.queueOptions(c)); err != nil {
			return err
		}
	}
	if s.admin == nil {
		return nil
	}
	if s.metrics, err = s.newMetrics(c); err != nil {
		return err
	}
	s.history = s.newHistory(c)
	return nil
}

// spare has Go run one goroutine more at a time than there are event loops. Without it, as on a machine with one
// core, Go's monitor thread would take the only place away from a loop that sleeps or syncs, and look for such a
// loop every 20 µs: with one client, -f 0 and one core that was half of the server's processor time.
func spare(loops int) {
	if runtime.GOMAXPROCS(0) <= loops {
		runtime.GOMAXPROCS(loops + 1)
	}
}

// beanstalkOptions are those of the fronts, with what lasts only as long as the service.
func (s *service) beanstalkOptions(c *config.Config) beanstalk.Options {
	o := s.fronts.beanstalkOptions(c)
	o.Schedules = s.schedules.Infos
	return o
}

// show lets administrators see the term.
func (s *service) show() error {
	if s.admin == nil {
		return nil
	}
	pages, err := s.newConsole()
	if err == nil {
		s.admin.Open(admin.Pages{Metrics: s.metrics, Console: pages})
	}
	return err
}

// Serve accepts clients from a listener until Shutdown, or Leave.
func (s *service) Serve(l net.Listener) error {
	if ended, ok := s.early[l]; ok {
		return <-ended
	}
	fl, ok := l.(listeners.Special)
	switch {
	case !ok:
		return s.acceptor.Serve(l, s.beanstalk)
	case fl.Front == listeners.Queue:
		return s.acceptor.Serve(fl.Listener, s.queue.Over(fl.Addr(), fl.Certs))
	}
	return s.acceptor.Serve(fl.Listener, s.beanstalk.Door(beanstalk.Door{Certificates: fl.Certs, Login: fl.Login,
		HTTP: fl.HTTP}))
}

// cut closes all connections at once. Clients may still come, until stop.
func (s *service) cut() {
	s.beanstalk.Cut()
	if s.queue != nil {
		s.queue.Cut()
	}
}

// stop stops accepting, unless others do, and then closes the connections. The queue service stops first, before the
// last replies to beanstalk clients are sent. When ctx has ended, nobody waits for anybody.
func (s *service) stop(ctx context.Context) error {
	if s.acceptor != s.fronts.acceptor {
		s.acceptor.Stop()
	}
	errs := []error{s.schedules.Close(ctx)}
	queue := make(chan error, 1)
	go func() {
		if s.queue == nil {
			queue <- nil
			return
		}
		queue <- s.queue.Shutdown(ctx)
	}()
	select {
	case err := <-queue:
		queue <- err
	case <-ctx.Done():
	}
	if s.beanstalk != nil {
		errs = append(errs, s.beanstalk.Shutdown(ctx))
	}
	return errors.Join(append(errs, <-queue)...)
}

// withdraw takes the term away from administrators. Nobody uses the router any more when it
// returns without an error.
func (s *service) withdraw(ctx context.Context) error {
	pages, err := s.follow()
	if s.admin == nil || err != nil {
		return err
	}
	return errors.Join(s.admin.Withdraw(ctx, pages), s.history.Stop(ctx))
}
