// Package push loads the queue service of a server and measures what it pushes.
//
// Producers put jobs over the beanstalk protocol, many in a write. The server pushes them
// over WebSocket to consumers, which commit them over HTTP unless they have auto-commit.
// One goroutine drives all connections, as in package generator. Every frame's
// body is compared with what was put, no item may come twice, and at the end each job
// that was put must have come.
//
// Two smaller loads measure how long a single job takes to reach a consumer that waits, or
// a blocked reserve (one.go). In two more, consumers or gets only wait (waiting.go), so
// that their memory can be measured.
//
// Reading order: producer.go, consumer.go, committer.go, run.go.
package push
