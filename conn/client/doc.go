// Package client is for programs that put jobs into a beanfield server, or take them from one. It works with
// beanstalkd too. It imports only the standard library and the protocol's own package, so a program that uses it
// builds nothing of the server.
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
// buries them as the handler says. If it has a MaxTime, it touches them meanwhile. It reconnects when it must. A
// Mux has a handler for each tube, and can wrap all of them.
//
//	w := &client.Worker{Config: config, Tubes: []string{"mail"}, Concurrency: 4, MaxTime: time.Hour, Handler: send}
//	go w.Run(ctx)
//	…
//	err = w.Shutdown(ctx) // lets the jobs in hand finish
//
// A Conn is a single connection, with a method for each command. For many commands there is a Pipeline,
// and there are methods for many jobs, such as PutBatch and DeleteBatch. Each call that needs a tube names it:
// the tubes that one call uses or watches do not affect the next call.
//
// On a beanfield server a job may have a unique key, a name that makes its put safe to repeat, an age at which it
// ends, and tags (NewJob). ReserveTagged, and the Tags of a Worker, take jobs by their tags; Jobs lists jobs,
// MoveJobs and ChangeJobs alter jobs that nobody holds, and SetPolicies sets the policies of tubes.
//
// # Errors
//
// Refusals by the server are errors such as ErrNotFound, for errors.Is. ErrLost means that the connection was
// lost during the call: nobody knows whether the server carried it out. The same is true of ErrInternal, for
// example when the server's disk has failed. A put with a name (Once) can be repeated without harm, and Pool.Put
// does so after ErrLost. Any other error means that its command did nothing; a call that sends several commands
// may be done in part.
//
// # Contexts
//
// Every call takes a context. If the context ends before the call has begun, nothing was sent, and the connection
// is as before. If the context ends later, the connection is closed, because later answers could not be matched
// to their calls. Its reserved jobs go back to their tubes, and the Conn is of no use; a Pool makes another one.
// The error is both the context's and ErrLost.
//
// A Reserve that waits for a job, or a Put that waits for room, is called off instead, if the server has
// that command. If the server answers within a thirtieth of Config.Timeout (a second, by default), the connection
// is as before, and the error is the context's alone. If the wait succeeds at that moment, there is no error: the
// job is the caller's, or is put. With beanstalkd, a Reserve survives a deadline, though not a cancellation: the
// server is asked to wait no longer than the deadline.
//
// # Servers
//
// Each new connection asks its server which commands it has beyond beanstalkd's. What can be done without them is
// done: PutBatch becomes puts that do not wait for each other, and a Delay of 1.5 s becomes 2 s. Anything else is
// ErrUnsupported; Conn.Has tells beforehand.
//
// # Invariants
//
//	GC1  A call gets the answers to its own commands, and no others, whatever other calls do.
//	GC2  A call returns soon after its context has ended. If it has called a wait off, it returns when the
//	     server has answered that, at most a thirtieth of Config.Timeout later. Then the connection is
//	     either in step or closed.
//	GC3  Jobs go into, and come from, only the tubes that the call names, even if the server refuses a tube.
//	GC4  A Pool has no more connections than its size. One that it gives out holds no jobs, is not lost, and
//	     waits for no answer.
//	GC5  A Worker that was shut down has dealt with every job that its handlers had. A handler's context
//	     ends before the worker could lose the job.
package client
