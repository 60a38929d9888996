// Package httpfronttest is for tests of the front ends that package httpfront receives clients for: a
// server on a socket, and clients that speak HTTP to it byte by byte.
package httpfronttest
