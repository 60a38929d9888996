// Package listeners opens and closes the sockets on which the server listens: those that it binds itself, those
// that systemd passes, and those of a node, which accept clients only while the node serves.
//
//	listen.go     binding an address, all or none
//	inherited.go  sockets of systemd; Open, which opens all that a configuration names
//	front.go      which front end a listener is for
//	group.go      the group and the mode of a unix socket
//	standby.go    addresses of a node, which are open during terms
package listeners
