// Package queuetest has what tests put around a queue: a log that keeps its
// records in memory, fails and waits as it is told, and directories.
package queuetest
