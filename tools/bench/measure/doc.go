// Package measure makes one measurement of one server.
//
// It starts the server where that is asked for, pins it and this program to processors
// of their own, and leaves the measurement to the package that knows the load's kind:
// generator, stalls, or what is here: memory and restarts.
package measure
