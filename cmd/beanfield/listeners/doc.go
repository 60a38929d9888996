// Package listeners opens the sockets on which the server listens, and closes them: those that it binds itself,
// those that systemd passes, and those of a node, which accept clients only while the node serves.
//
//	listen.go     binding an address, all or none
//	inherited.go  sockets of systemd, and all of a configuration
//	front.go      for which front end a listener is
//	group.go      the group and the mode of a unix socket
//	standby.go    addresses of a node, which are open during terms
package listeners
