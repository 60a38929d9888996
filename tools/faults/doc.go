// Command faults does harm to a real cluster while clients use it, and checks whether it keeps its
// promises.
//
//	go run ./tools/faults -seed 7 -faults 6
//
// It starts three nodes on this machine, with a network between them that can be cut (tools/nodes).
// Clients put, reserve, touch, delete, release, bury and kick, alone and pipelined (workload), and note all that
// they ask and are answered (history). A schedule that follows from the seed does one harm after the
// other; each is printed. In the end all is healed, and everything that is left is looked at and taken
// out. Then the history is checked by the rules of package history, and the short histories of some
// tubes by package tube. A failure prints the seed, and keeps the directories.
//
// # The harms
//
//	kill -9 of a node, of two, of all; an orderly restart; a hand-over by "beanfield cluster move"
//	SIGSTOP of 2 to 30 seconds
//	a link cut in both directions or in one, in silence or with resets; a node cut off; slow links
//	a lost disk: a node is killed and comes back with an empty directory
//	a flipped bit, in a stream's file or in the store, of a node that does not run
//	a full disk: writes that would make a file longer fail (RLIMIT_FSIZE)
//
// What is not done: jumps of the clock, because the server asks the kernel for the time without any
// library in between that could be replaced; and a disk that is full for small files, which takes
// a file system of its own.
//
// Three more promises:
//
//	FL1  When a harm is healed, clients get on again, and the nodes get well, within -within.
//	FL2  A node ends by itself only if its disk was harmed.
//	FL3  In the end each node in turn is told to serve, and shows the same jobs.
//
// In the end it tells for each harm, to the owner and to followers, the longest times without an acknowledged put: so
// -only kill measures a fail-over, -only move a hand-over, -only kill-all a start of all nodes, and
// -only cut,isolate,one-way what the network costs.
package main
