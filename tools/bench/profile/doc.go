// Package profile finds out where the server spends its time, for the compiler: Go inlines and lays
// out code by what a profile calls hot. The profile is beside the server's main package, where go
// build looks for it. It names functions and lines, so make it anew when the hot path has changed
// much. An outdated profile costs only speed.
package profile
