// Package node gives the process its shards for a time, a term. A single server's term lasts as long as it runs. A
// node of a cluster has terms: each begins when the node is to serve, and ends when another one is.
//
//	term.go        the interfaces Term and Node
//	store.go       the storage backend that the configuration names
//	node.go        a node of a cluster; nodecopies.go has its copies
//	warm.go        the jobs that a node keeps in memory while another one serves
package node
