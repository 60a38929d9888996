// Package halltest is for tests of the front ends that package hall receives clients for: a
// server on a socket, and clients that speak HTTP to it byte by byte.
package halltest
