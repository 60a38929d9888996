// Package figures measures what clients of a cluster wait for when a node dies or hands over, and
// what several machines cost them beside one.
//
//	fail-over   the owner is killed: the time until a job is reserved elsewhere
//	follower    another node is killed, which may lead a lane or the group that makes streams: the
//	            longest time between two acknowledged puts
//	hand-over   "beanfield cluster move": the same
//	throughput  durable puts of 50 connections, 32 in flight on each: three nodes, and one alone
//	            with sync always, round by round
//	latency     one client that puts one job after the other, likewise
//
// All nodes, and the clients, share this machine's processors and disk.
package figures
