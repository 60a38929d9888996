// Package server starts a server as a process, waits until it answers, reports its
// output, CPU time and memory, and ends it. It ends only processes that it started.
//
// All tools share it: a tool does not import another tool, but any tool may import this package.
package server
