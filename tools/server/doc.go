// Package server starts a server as a process, waits until it answers, knows its output,
// its CPU time and its memory, and ends it. It ends only processes that it started.
//
// It is made to be shared: a tool does not import another tool, but any of them may
// import this package.
package server
