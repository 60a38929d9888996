// Package workload is the clients of a cluster under faults. Each knows the address of one node, which passes it on
// if another one serves. It asks many things, alone and pipelined, and writes into a history.Ledger what it asked and
// what it was answered. When a connection ends, or is silent for too long, the client hangs up and comes again.
//
//	Seeker   connects, and tells which node serves
//	worker   a connection that puts, reserves, and deals with what it has reserved
//	trial    a few clients of one tube, whose short history goes to package tube
//	settler  looks at all that is left in the end
package workload
