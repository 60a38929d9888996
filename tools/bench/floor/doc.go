// Package floor has servers that do nothing but send back what they get: the least that
// any server can do on this machine, for throughput and CPU (echo.go) and for the longest
// wait of one client (bare.go).
package floor
