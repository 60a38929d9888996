// Package queuetest has what tests put around a queue: directories, and a log that
// keeps its records in memory and fails or waits when told to.
package queuetest
