// Package push loads the queue service of a server and measures what it pushes.
//
// Producers put jobs over the beanstalk protocol, many in a write. The server pushes them
// to consumers over WebSocket, which commit them over HTTP unless the server does that
// itself. One goroutine drives all connections (loop.go), as in package generator; every
// frame's body is compared with what was put, no item may come twice, and at the end each
// job that was put has come.
//
// Two smaller loads measure how long a single job takes (one.go): to a consumer that
// waits, or to a blocked reserve. Others only wait (waiting.go), so that their memory can
// be measured.
//
// Reading order: loop.go, producer.go, consumer.go, committer.go, run.go.
package push
