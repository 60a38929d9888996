// Package load describes what is asked of a server, as flags and as JSON. Two servers
// that are given equal loads get the same requests.
package load
