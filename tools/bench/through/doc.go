// Package through measures what it costs clients of a cluster to come to a node that does not serve.
//
// All is measured on one cluster of three nodes on this machine, directly and through another node in turn, so that
// what disturbs the machine disturbs both: the processor time of all nodes for each command (cost.go), the latency of a
// command that no log has to keep, beside that of a bare TCP hop (hop.go), the memory that idle connections take at the
// node between (through.go), and how soon clients are served again when the node that serves is killed (storm.go).
//
// The goals are those of through.go. A run tells whether they are met, and does not fail if they are not: the figures
// depend on the machine, and on who else uses it.
package through
