// Package server starts a server as a process, waits until it answers, reports its
// output, CPU time and memory, and ends it. It ends only processes that it started.
//
// It is shared by the tools: a tool does not import another tool, but any of them may
// import this package.
package server
