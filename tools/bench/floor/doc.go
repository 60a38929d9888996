// Package floor has the least that any server can do on this machine. Servers that do
// nothing but send back what they get are the floor for throughput and CPU (echo.go) and
// for the longest wait of one client (bare.go). A loop that writes a log before it answers
// (logged.go, barequeue.go, barelog.go) is the floor for servers that sync each reply.
package floor
