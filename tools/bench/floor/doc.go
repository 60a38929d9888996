// Package floor has servers that do the least that any server can do on this machine. One
// sends back what it gets (echo.go): the floor for throughput and CPU. A loop that writes a
// log before it answers (logged.go, barequeue.go, barelog.go) is the floor for servers that
// sync each reply. What the least wait of a single client is, package stalls measures
// itself.
package floor
