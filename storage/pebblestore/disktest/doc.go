// Package disktest reads, writes and finds the files of a store, for tests.
package disktest
