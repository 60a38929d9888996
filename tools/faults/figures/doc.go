// Package figures measures what clients of a cluster wait for when a node dies or hands over, and
// what several machines cost them beside one.
//
//	fail-over   the owner is killed: the time until a job is reserved elsewhere
//	all-killed  all nodes are killed and started again, beside -busy loops, with -jobs more each time on the
//	            lanes: the time from the start until a job is reserved, and until the engine had chosen its
//	            leaders and streams were found; and how many candidacies there were
//	follower    another node is killed, which may lead a lane or the group that makes streams: the
//	            longest time between two acknowledged puts
//	hand-over   "beanfield cluster move": the same
//	catch-up    a follower misses -jobs jobs, now stopped and now killed: how fast it gets them when it
//	            is back, against how fast they were made, and the longest time between two
//	            acknowledged puts
//	newcomer    a node loses its disk while -jobs jobs are there: the time until it could serve, what
//	            was brought to it how fast, and the longest time between two acknowledged puts
//	memory      jobs are put and deleted, before and after -jobs were put that stay: what each node has
//	            in memory, and what of it Go's heap is
//	stores      jobs are put, and the oldest ones deleted, so that there are -jobs all the time: how large
//	            each node's store is
//	throughput  durable puts of 50 connections, 32 in flight on each: three nodes, their bare engines,
//	            and one node alone with sync always, round by round
//	latency     one client that puts one job after the other, likewise
//	isolated    a node is cut off from both others for a while (-cut): the longest time between two
//	            acknowledged puts meanwhile, and after it
//	partial     the link between two nodes is cut: the same
//	one-way     the owner does not hear another node, or both, or is not heard by them: the same
//
// The bare engines are those of the three nodes, in the nodes' processes. First the records are looked at that
// three nodes make of a round. Then an engine of this process, which keeps nothing, joins them (guest), and its
// client appends records of the same lengths to a stream like the lane in use, led by the same node: one at
// a time, each with the place that it expects, as an owner does. What three nodes take beyond that is
// the way to the owner and back, and what owner and copies do with the jobs.
//
// All nodes, and the clients, share this machine's processors and disk. So the rates of throughput
// are bound by the time of the processors, which the bare engines have for themselves; each line tells how much
// of it a put took.
package figures
