// Package talk has conversations with a server, one command or request after another: for
// the work around a load, and for what disturbs a neighbour. None of it is hot.
package talk
