// Package cluster makes a node of this process: one of several machines that keep the same shards, of
// which one at a time owns all. It is between the engine (package jetstream) and the server.
package cluster
