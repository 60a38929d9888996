// Package profile finds out where the server spends its time, for the compiler: Go inlines and lays
// out what a profile calls hot. The profile lies beside the server's main package, where go build
// looks for it. It names functions and lines, so it wants to be made anew when the hot path has
// changed much; an old one costs speed, and nothing else.
package profile
