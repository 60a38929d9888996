package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/admin"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk"
	"beanfield/conn/httpfront"
	"beanfield/conn/queueservice"
	"beanfield/conn/secure"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue/policy"
)

// fronts are what lasts as long as the process: the front end for administrators, which serves from the
// start, and what all front ends need. The others are those of a service, and there is one
// while this process has the shards.
type fronts struct {
	acceptor  *conn.Acceptor
	admin     *admin.Server // nil if it has no address
	health    health
	passing   *passing // nil with one machine, and if a node that follows refuses clients
	keeper    *secure.Keeper
	config    atomic.Pointer[config.Config]                    // that holds now; a reload replaces it
	limits    atomic.Pointer[func(tube string) *policy.Limits] // those of config
	policies  policies
	reloader  reloader
	log       *slog.Logger
	current   *access.Current // who may do what; all front ends ask it
	guesses   *access.Guesses
	audit     *audit.Log // nil if there is none
	slow      *slow.Log
	listeners []net.Listener
	early     map[net.Listener]chan error // listeners that begin serves; each channel gets the result of Serve
	now       atomic.Pointer[service]     // nil without one
	draining  bool                        // now, and in all terms to come
}

// newFronts makes the acceptor, the front end for administrators, and what passes clients on, without listeners.
func newFronts(c *config.Config, k *secure.Keeper, log *slog.Logger) (*fronts, error) {
	a, err := conn.NewAcceptor(conn.Options{MaxConnections: c.MostConnections(), Logger: log})
	if err != nil {
		return nil, err
	}
	f := &fronts{acceptor: a, keeper: k, current: new(access.Current), guesses: new(access.Guesses),
		slow: new(slow.Log),
		log:  log, early: map[net.Listener]chan error{}}
	f.policies.log = log
	if err := f.startAudit(c); err != nil {
		return nil, err
	}
	f.use(c)
	if f.admin, err = f.newAdmin(c); err == nil && c.PassesOn() {
		err = f.startPassing(c)
	}
	return f, err
}

// begin serves administrators, who may want to watch the recovery.
func (f *fronts) begin(ls []net.Listener) {
	f.listeners = ls
	for _, l := range ls {
		if fl, ok := l.(listeners.Special); ok && fl.Front == listeners.Admin {
			ended := make(chan error, 1)
			f.early[l] = ended
			go func() { ended <- f.acceptor.Serve(fl.Listener, f.admin.Over(fl.Addr(), fl.Certs)) }()
		}
	}
}

// open makes the other front ends, as the configuration says. If it fails, it ends those that
// there are, and closes the router.
func (f *fronts) open(c *config.Config, r *router.Router) error {
	f.policies.begin(r)
	s, err := f.newService(c, r)
	if err == nil {
		f.now.Store(s)
		err = s.show()
	}
	if err != nil {
		return errors.Join(err, f.abandon(), r.Close())
	}
	if f.draining {
		r.Drain()
	}
	r.SetLimits(f.config.Load().Quota())
	f.policies.serve(s.schedules)
	f.health.router.Store(r)
	f.passing.local(s)
	return nil
}

func (f *fronts) beanstalkOptions(c *config.Config) beanstalk.Options {
	return beanstalk.Options{
		MaxJobSize:       int(c.Limits.MaxJobSize),
		Loops:            c.Loops,
		HandshakeTimeout: c.Limits.Handshake,
		Quoting:          c.Stats.Quoting,
		BinlogMaxSize:    c.BinlogMaxSize,
		Version:          version,
		Access:           f.current,
		Guesses:          f.guesses,
		Audit:            f.audit,
		Slow:             f.slow,
		Policies:         f.policies.conn(),
		Logger:           f.log,
	}
}

func (f *fronts) queueOptions(c *config.Config) queueservice.Options {
	return queueservice.Options{
		Options:        f.httpOptions(c, c.Queue.Tokens, c.Queue.Hosts, c.Queue.Origins),
		LimitsFor:      c.Queue.LimitsFor(),
		Backend:        c.Storage.Backend,
		DefaultService: c.Queue.DefaultService,
		DeadAfter:      c.Queue.DeadAfter,
		MaxBatch:       int(c.Queue.MaxBatch),
	}
}

// httpOptions are those that the front ends over HTTP have in common.
func (f *fronts) httpOptions(c *config.Config, tokens, hosts, origins []string) httpfront.Options {
	return httpfront.Options{
		Authenticator: httpfront.Authenticator{Current: f.current, Guesses: f.guesses}, Audit: f.audit, Tokens: tokens,
		Hosts: hosts, Origins: origins,
		HandshakeTimeout: c.Limits.Handshake, Logger: f.log,
	}
}

// use makes c the configuration that holds: its rules, and what the console looks at.
func (f *fronts) use(c *config.Config) {
	f.limits.Store(new(c.Queue.LimitsFor()))
	if old := f.config.Load(); old == nil || !c.SameAccess(old) {
		f.current.Replace(c.Policy)
	}
	f.slow.SetBound(c.Log.Slow)
	f.policies.use(c)
	f.config.Store(c)
}

// change makes ready what c says for all front ends. apply puts it into effect.
func (f *fronts) change(c *config.Config) (apply func(), err error) {
	if ms := c.CheckRead(f.keeper); len(ms) > 0 {
		return nil, ms
	}
	steps := []func(){
		func() { f.acceptor.Limit(c.MostConnections()) },
		func() { f.keeper.Limit(c.MostHandshakes()) },
		func() { c.Exchange(f.keeper) },
	}
	if f.passing != nil {
		steps = append(steps, func() { f.passing.forwarder.SetWait(c.Cluster.Wait) })
	}
	s := f.now.Load()
	prepare := func(step func(), e error) {
		steps, err = append(steps, step), errors.Join(err, e)
	}
	if s != nil {
		steps = append(steps, func() { s.acceptor.Limit(c.MostConnections()) })
		steps = append(steps, func() { s.router.SetLimits(c.Quota()) })
		prepare(s.beanstalk.Change(s.beanstalkOptions(c)))
	}
	if s != nil && s.queue != nil {
		prepare(s.queue.Change(f.queueOptions(c)))
	}
	if f.admin != nil {
		prepare(f.admin.Change(f.adminOptions(c)))
	}
	if s != nil && s.metrics != nil {
		prepare(s.metrics.Change(f.metricsOptions(c)))
	}
	use := func() { f.use(c) }
	if c.Policy == nil { // the tokens that take the place of the rules come first
		steps = append(steps, use)
	} else {
		steps = append([]func(){use}, steps...)
	}
	return func() {
		for _, step := range steps {
			step()
		}
	}, err
}

// Reload reads the configuration again.
func (f *fronts) Reload() {
	f.audit.Tell(audit.Event{What: "reload"})
	f.reloader.reload()
	f.reopenAudit()
}

// Drain makes every later put answer DRAINING. It cannot be undone.
func (f *fronts) Drain() {
	f.draining = true
	if s := f.now.Load(); s != nil {
		s.router.Drain()
	}
}

// Shutdown stops accepting, and then closes the connections cleanly. Administrators are
// the last to leave, since they may be watching.
func (f *fronts) Shutdown(ctx context.Context) error {
	f.health.stopping.Store(true)
	f.acceptor.Stop()
	f.passing.local(nil)
	s := f.now.Swap(nil)
	var errs []error
	if s != nil {
		errs = append(errs, s.stop(ctx))
	}
	errs = append(errs, f.passing.close(ctx))
	if f.admin != nil {
		errs = append(errs, f.admin.Shutdown(ctx))
	}
	if s != nil {
		errs = append(errs, s.history.Stop(ctx))
	}
	return errors.Join(append(errs, f.audit.Close(ctx))...)
}

// Leave ends the service and goes on without one: in order, but from when lost is closed, without
// another answer. Administrators stay. If it returns an error, something may still use the
// router.
func (f *fronts) Leave(lost <-chan struct{}) error {
	s := f.now.Load()
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	orderly, hurry := context.WithCancel(ctx)
	defer hurry()
	cut := sync.OnceFunc(func() {
		hurry()
		s.cut()
	})
	go func() {
		select {
		case <-lost:
			cut()
		case <-ctx.Done():
		}
	}()
	select {
	case <-lost:
		cut() // before anything that waits
	default:
	}
	f.passing.local(nil)
	f.now.Store(nil)
	f.health.router.Store(nil)
	f.policies.end()
	withdrawn := make(chan error, 1)
	go func() { withdrawn <- s.withdraw(ctx) }()
	if err := s.stop(orderly); err != nil && ctx.Err() != nil {
		f.log.Warn("not every connection could be closed cleanly", "error", err)
	}
	return <-withdrawn
}

// abandonLimit is how long administrators may take to leave when the server does not start.
const abandonLimit = time.Second

// abandon ends what begin and open have started, if the server cannot serve.
func (f *fronts) abandon() error {
	ctx, cancel := context.WithTimeout(context.Background(), abandonLimit)
	defer cancel()
	return f.Shutdown(ctx)
}

// newAdmin makes the front end for administrators, or none if it has no address.
func (f *fronts) newAdmin(c *config.Config) (*admin.Server, error) {
	if len(c.HTTP.Listen) == 0 {
		return nil, nil
	}
	return admin.NewServer(f.acceptor, f.adminOptions(c))
}

func (f *fronts) adminOptions(c *config.Config) admin.Options {
	return admin.Options{
		Options:  f.httpOptions(c, c.HTTP.Tokens, c.HTTP.Hosts, c.HTTP.Origins),
		Problems: f.health.problems,
		Refusals: f.health.refusals,
		PassesOn: func() bool { return !f.health.stopping.Load() && f.passing.leads() },
		Profiles: c.HTTP.Pprof,
	}
}
