package main

import (
	"context"
	"errors"
	"net"
	"time"

	"beanfield/cmd/beanfield/exit"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/cmd/beanfield/node"
	"beanfield/router"
	"beanfield/storage"
)

// life is what the process does from when all is ready until its end: one term, or many with times
// between them in which it follows.
type life struct {
	*daemon
	sig     *signals
	srv     *fronts
	ls      []net.Listener       // those that are open for good
	standby []*listeners.Standby // those that are open during terms; none with one machine, or if clients are passed on
	inUse   bool                 // something may still use the store, so that it must not be closed
}

// lead is the life of a node.
func (l *life) lead(n node.Node) error {
	watch(l.srv.stuck, l.log)
	// The node is closed as soon as the process is told to end: it waits for the end of the term, and
	// must not begin another one.
	closed := make(chan error, 1)
	undone := context.AfterFunc(l.sig.stop, func() { closed <- n.Close(context.Background()) })
	for {
		t, err := l.follow(n)
		if t == nil || err != nil {
			err = errors.Join(err, shutdown(l.srv, l.log, l.end))
		} else {
			var goesOn bool
			if goesOn, err = l.hold(t, new(storage.Steps), func() {}); goesOn && err == nil {
				continue
			}
		}
		switch {
		case l.inUse: // that is left to the end of the process, which is as safe as a kill
			return err
		case undone(): // it fails
			ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
			defer cancel()
			return errors.Join(err, n.Close(ctx))
		}
		return errors.Join(err, <-closed)
	}
}

// follow waits for a term, and does what signals ask for. It returns none if the process is to
// end.
func (l *life) follow(n node.Node) (node.Term, error) {
	type begun struct {
		t   node.Term
		err error
	}
	come := make(chan begun, 1)
	ctx, cancel := context.WithCancel(l.sig.stop)
	defer cancel()
	go func() {
		t, err := n.Term(ctx)
		come <- begun{t, err}
	}()
	l.garbage.follow(true)
	defer l.garbage.follow(false)
	notice(l.log, "following")
	tell(l.log, "READY=1")
	h := heeding{srv: l.srv, log: l.log}
	for {
		select {
		case b := <-come:
			if l.sig.stop.Err() == nil {
				return b.t, b.err
			}
			if b.t != nil {
				b.t.End()
			}
			return nil, nil
		case <-l.sig.draining():
			h.drain(l.sig)
		case <-l.sig.backup:
			l.log.Warn("no backup: this node only follows; the one that serves can make it", "node", n.Status().Owner)
		case <-l.sig.reload:
			h.reload()
		case err := <-l.srv.passing.failed():
			cancel()
			if b := <-come; b.t != nil {
				b.t.End() // or the node could not be closed
			}
			return nil, err
		}
	}
}

// hold serves during a term. It reports whether the process goes on. opened is called when clients
// can work.
func (l *life) hold(t node.Term, steps *storage.Steps, opened func()) (goesOn bool, err error) {
	defer func() {
		if !l.inUse { // otherwise the node would be closed under the one who uses it
			t.End()
		}
	}()
	c := l.srv.config.Load()
	if c.Clustered() {
		notice(l.log, "taking over: this node is to serve")
	}
	r, err := openRouter(l.sig.stop, c, t, steps, l.log)
	if err == nil && r != nil {
		t.Serve(l.sig.stop)
	}
	switch {
	case err == nil && r == nil: // it is to end, and still opens the store
		l.inUse = true
		return false, l.srv.abandon()
	case node.Lost(t):
		l.log.Warn("this node was to serve, and another one does already", "error", t.Why())
		return l.tooLate(r)
	case c.Clustered() && errors.Is(err, storage.ErrCorrupt):
		l.log.Error("this node was to serve, and cannot read its copy: another one is to serve, if any can", "error",
			err)
		return l.tooLate(r)
	case err != nil:
		return false, errors.Join(err, l.srv.abandon())
	}
	step := steps.Begin("opening the servers", "")
	ls, err := listeners.OpenAll(l.sig.stop, l.standby, l.log)
	if err != nil {
		return false, errors.Join(err, l.srv.abandon(), r.Close())
	}
	err = l.srv.open(c, r)
	step.End()
	if err != nil {
		listeners.CloseAll(ls)
		return false, err
	}
	b := newBackups(c, r.Checkpoint, l.log)
	opened()
	goesOn, err = serve(l.srv.now.Load(), append(ls, l.ls...), l.srv.passing.failed(), l.sig, t, b.begin,
		l.log, l.end)
	switch {
	case err != nil:
		// If the server did not stop cleanly it may still use the router. Then the
		// router is not closed, and the next start finds the logs as after a crash.
		l.inUse = true
		return false, err
	case goesOn:
		return true, l.leave(t, r, b)
	}
	b.wait()
	return false, r.Close()
}

// tooLate throws away what was opened for a term that is over.
func (l *life) tooLate(r *router.Router) (goesOn bool, err error) {
	if r != nil {
		if err := r.Close(); err != nil {
			l.log.Info("closing what is not served", "error", err)
		}
	}
	return true, nil
}

// leave ends a term, and not the process: in order, or at once if it is over. If it takes longer than
// hardLimit, the process ends, which hands over as well.
func (l *life) leave(t node.Term, r *router.Router, b *backups) error {
	limit := time.AfterFunc(hardLimit, func() {
		l.log.Error("ending to serve took too long", "limit", hardLimit)
		l.end(exit.Failed)
	})
	defer limit.Stop()
	if node.Lost(t) {
		l.log.Warn("this node must not serve any more: all connections are cut", "error", t.Why())
	} else {
		notice(l.log, "another node is to serve: this one stops in order")
	}
	if err := l.srv.Leave(t.Lost()); err != nil {
		l.inUse = true
		return err
	}
	listeners.ShutAll(l.standby)
	b.wait()
	if err := r.Close(); err != nil && !node.Lost(t) {
		l.log.Error("the store was not closed cleanly", "error", err)
	}
	return nil
}

// passOn opens the addresses for good: who comes while another node serves is passed on to it.
func (l *life) passOn() {
	go l.srv.passing.follow(l.sig.stop)
	for _, at := range l.ls {
		if listeners.FrontOf(at) != listeners.Admin {
			go l.srv.take(at)
		}
	}
	l.ls = nil
}

// standBy closes the addresses till a term begins.
func (l *life) standBy(inherited bool) error {
	l.standby, l.ls = listeners.NewStandbys(l.ls, inherited), nil
	if l.config.Account != nil { // which may lack a right that root had
		ls, err := listeners.OpenAll(l.sig.stop, l.standby, l.log)
		listeners.CloseAll(ls)
		if err != nil {
			return err
		}
		listeners.ShutAll(l.standby)
	}
	return nil
}

// join makes the process a node, and leads its life.
func (l *life) join(inherited bool, steps *storage.Steps, started func()) error {
	if l.srv.passing != nil {
		l.passOn()
	} else if err := l.standBy(inherited); err != nil {
		return errors.Join(err, l.srv.abandon())
	}
	n := l.makeNode(l.config, version, l.log, node.Passing{At: l.srv.addresses(l.config), Serves: l.srv.passing.serves})
	l.srv.health.node.Store(&n)
	if err := l.srv.showFollower(); err != nil {
		return errors.Join(err, l.srv.abandon())
	}
	step := steps.Begin("becoming a node of the cluster", l.config.Cluster.Name)
	begun, err := await(l.sig.stop, l.log, waitForNodes, func() (*node.Node, error) { return &n, n.Start(l.sig.stop) })
	step.End()
	if err != nil || begun == nil {
		return errors.Join(err, l.srv.abandon())
	}
	started()
	return l.lead(n)
}
