// Package checks counts what a client library has shown on a running server, and reports it:
// for the clients that are written in Go.
package checks
