// Package measure makes one measurement of one server.
//
// It starts the server if asked to, pins it and this program to processors of their own,
// and leaves the measurement to the package for that kind of load: generator, stalls, or
// this package itself for memory and restarts.
package measure
