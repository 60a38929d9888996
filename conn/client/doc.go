// Package client is for programs that put jobs into a beanfield, or take them from one. It works with
// a beanstalkd, too. It imports nothing but the standard library and the protocol's own package, so
// whoever imports it builds no server.
//
// # What there is
//
// A Pool is for producers: any number of goroutines share a bounded number of connections.
//
//	config := client.Config{Servers: []string{"10.0.0.5:11300"}}
//	pool, err := client.NewPool(config, 8)
//	…
//	id, err := pool.Put(ctx, client.NewJob{Tube: "mail", Body: body, TTR: time.Minute})
//
// A Worker is for those who do the jobs. It reserves them, calls a handler, and deletes, releases or
// buries them as the handler says; it touches them meanwhile, and connects again when it has to.
//
//	w := &client.Worker{Config: config, Tubes: []string{"mail"}, Concurrency: 4, MaxTime: time.Hour, Handler: send}
//	go w.Run(ctx)
//	…
//	err := w.Shutdown(timeout) // lets the jobs in hand finish
//
// A Conn is a single connection, with a method for each command. Whoever has many commands puts them
// into a Pipeline, or calls one of the methods for many jobs, such as PutBatch and DeleteBatch. A tube
// is named in each call that needs one: there is no tube in use, and nothing to watch, that a call
// could leave to the next one.
//
// # Errors
//
// Answers of the server are errors such as ErrNotFound, for errors.Is. A connection that was lost in the
// middle of a call is ErrLost: nobody knows then whether the server has done it. A put with a name (Once)
// can be repeated without harm, and Pool.Put does. Any other error means that nothing was done.
//
// # Contexts
//
// Every call has one. If it ends before the call has begun, nothing was sent, and the connection is as
// before. If it ends later, the connection is ended: its answers could not be told apart any more. The
// jobs that it had reserved go back to their tubes, and the Conn is of no use; a Pool makes another one.
// The error is both the context's and ErrLost. A deadline alone does no harm to a Reserve that waits: the
// server is asked to wait no longer than that.
//
// # Servers
//
// A server is asked once, when a connection is made, which commands it has that beanstalkd does not have.
// What can be done without them is done without: PutBatch becomes puts that do not wait for each other,
// and a Delay of 1.5 s becomes 2 s. What cannot is ErrUnsupported, and Conn.Has asks before.
//
// # Invariants
//
//	GC1  A call gets the answers to its own commands, and no others, whatever other calls do.
//	GC2  A call returns soon after its context has ended. Either the connection is in step then, or
//	     it is ended; it is never in between.
//	GC3  No job goes into another tube, or comes from another one, than the call says, also if the
//	     server refuses the tube.
//	GC4  A Pool has no more connections than its size, and none that it gives out holds jobs, is lost,
//	     or waits for an answer.
//	GC5  A Worker that was shut down has dealt with each job that its handlers had, and a handler's
//	     context does not outlive the time for which the job is certainly the worker's.
package client
