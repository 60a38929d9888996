// Package mover takes jobs from their shard to tubes of other shards: dead letters, and jobs that a client moves.
//
// # How a job goes
//
// A shard says that jobs are leaving it, when its log has it (Mover.Ring). Then its Mover, which has a goroutine as
// long as there are such jobs, takes them to their shards in rounds of some dozens: it loads them, has copies arrive
// where they go, has the originals depart when these are safe, tells the directory, and has the copies shown (TR2,
// package queue). All of these are batches like those of clients, so neighbours wait for a share of a turn, and no
// longer. Where a log acknowledges before the disk has a turn, it is made secure between the steps. What a tube
// refuses comes home.
//
// # What it remembers
//
// Nothing that a restart needs. A restart may find both copies of a job; then the router makes the older one leaving
// and the newer one arriving, before anybody is served, and the Mover goes on. A Trip counts the jobs that one call of
// a session has moved: the session's answer waits for it.
package mover
