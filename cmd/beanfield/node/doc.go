// Package node gives the process its shards for a time: for as long as it runs on one machine, or, for a node of a
// cluster, from when it is to serve until another one is.
//
//	term.go        such a time, and a node that has terms
//	store.go       the backends of storage, by the configuration
//	node.go        the process as a node of a cluster; nodecopies.go has its copies
//	warm.go        the jobs that a node keeps ready while another one serves
package node
