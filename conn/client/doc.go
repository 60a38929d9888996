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
// A Worker is for programs that do the jobs. It reserves them, calls a handler, and deletes, releases or
// buries them as the handler says. If it has a MaxTime, it touches them meanwhile. It connects again when
// it has to. A Mux has a handler for each tube, and can wrap all of them.
//
//	w := &client.Worker{Config: config, Tubes: []string{"mail"}, Concurrency: 4, MaxTime: time.Hour, Handler: send}
//	go w.Run(ctx)
//	…
//	err = w.Shutdown(ctx) // lets the jobs in hand finish
//
// A Conn is a single connection, with a method for each command. For many commands there is a Pipeline,
// and there are methods for many jobs, such as PutBatch and DeleteBatch. A tube is named in each call that
// needs one: no call leaves a tube in use, or a watched one, to the next call.
//
// With a beanfield a job may have a unique key, a name that makes its put safe to repeat, an age at which
// it ends, and tags (NewJob). ReserveTagged, and the Tags of a Worker, take jobs by their tags; Jobs lists
// jobs, MoveJobs and ChangeJobs alter those that nobody holds, and SetPolicies sets the policies of tubes.
//
// # Errors
//
// Answers of the server are errors such as ErrNotFound, for errors.Is. A connection that was lost in the
// middle of a call is ErrLost: nobody knows then whether the server has done it. The same is true after
// ErrInternal, which means that the server's disk has failed, for example. A put with a name (Once) can be
// repeated without harm, and Pool.Put does so after ErrLost. Any other error means that nothing was done by
// the command that it belongs to; a call that sends several may have done a part.
//
// # Contexts
//
// Every call has one. If it ends before the call has begun, nothing was sent, and the connection is as
// before. If it ends later, the connection is closed: its answers could not be told apart any more. The
// jobs that it had reserved go back to their tubes, and the Conn is of no use; a Pool makes another one.
// The error is both the context's and ErrLost.
//
// A Reserve that waits for a job, or a Put that waits for room, is called off instead, if the server has
// that command. If it answers within a thirtieth of Config.Timeout (a second, by default), the connection is
// as before, and the error is the context's alone. If the wait succeeds at this moment, there is no error:
// the job is the caller's, or is put. At a beanstalkd, a deadline alone does no harm to a Reserve: the
// server is asked to wait no longer than that.
//
// # Servers
//
// A server is asked once, when a connection is made, which commands it has that beanstalkd does not have.
// What can be done without them is done without: PutBatch becomes puts that do not wait for each other,
// and a Delay of 1.5 s becomes 2 s. Anything else is ErrUnsupported; Conn.Has tells beforehand.
//
// # Invariants
//
//	GC1  A call gets the answers to its own commands, and no others, whatever other calls do.
//	GC2  A call returns soon after its context has ended. If it has called a wait off, it returns when that
//	     is answered, but no more than a thirtieth of Config.Timeout later. Either the connection is in
//	     step then, or it is ended; it is never in between.
//	GC3  No job goes into another tube, or comes from another one, than the call says, also if the
//	     server refuses the tube.
//	GC4  A Pool has no more connections than its size, and none that it gives out holds jobs, is lost,
//	     or waits for an answer.
//	GC5  A Worker that was shut down has dealt with each job that its handlers had, and a handler's
//	     context does not outlive the time for which the job is certainly the worker's.
package client
