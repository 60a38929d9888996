// Command faults injects faults into a real cluster while clients use it, and checks that it keeps its promises.
//
//	go run ./tools/faults -seed 7 -faults 6
//
// It starts three nodes on this machine, with a network between them that can be cut (tools/nodes). A fourth one may
// be added.
// Clients, of which each knows one node, put, reserve, touch, delete, release, bury and kick, alone and pipelined
// (workload), and record all their requests and answers (history). The seed decides a schedule of faults, here called
// harms, one after the other; each is printed. In the end all harms are healed, and all remaining jobs are checked and
// taken out. Then package history checks the history by its rules, and package tube the short histories of some tubes.
// A failure prints the seed, and keeps the directories.
//
// # The harms
//
//	kill -9 of a node, of two, of all; an orderly restart; a hand-over by "beanfield cluster move"
//	SIGSTOP of 2 to 30 seconds
//	a link cut in both directions or in one, silently or with resets; a node cut off; slow links
//	a lost disk: a node is killed, and starts again with an empty directory
//	a flipped bit in a stopped node's stream file or store
//	a full disk: writes that would make a file longer fail (RLIMIT_FSIZE)
//
//	a node is added, with an empty directory or an older one; one is removed, or replaced by another machine, dead or
//	alive. Another harm is done in the middle of that, if -only names some, and the operator says his order at one
//	node after the other until it is done
//
// Not covered: jumps of the clock, because the server asks the kernel for the time, with no library in between that
// could be replaced; and a disk that is full for small files too, which needs a file system of its own.
//
// Five more promises:
//
//	FL1  When a harm is healed, each client makes progress again, though it knows the address of one node only, and
//	     the nodes are healthy, within the time -within. Clients of a node that was removed wait for its return.
//	FL2  A node ends by itself only if its disk was harmed.
//	FL3  In the end each node in turn is told to serve, and all show the same jobs.
//	FL4  A change of the nodes comes to its end, whatever happens in the middle of it, within twice that time.
//	FL5  While a majority of the nodes is well, a put is acknowledged, and each client answered whose own node was not
//	     harmed, at least every -gap, if that is given: it depends on the machine. A majority is well when its nodes
//	     live and reach each other, and each has said since that was last otherwise that it could serve.
//
// In the end it prints how often each harm was done, and the longest time without service, also that of FL5; and, for
// each harm to the owner and to followers, the longest times without an acknowledged put, and those of a client
// without an answer whose own node was not harmed: it has to connect again if the owner was. So
// -only kill measures a failover, -only move a hand-over, -only kill-all a start of all nodes, and -only
// cut,isolate,one-way the effect of network faults. A change with another harm in its middle counts as one harm.
package main
