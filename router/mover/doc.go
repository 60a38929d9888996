// Package mover moves jobs from one shard to tubes of other shards: dead letters, and jobs that a client moves.
//
// # How a job goes
//
// When a shard's log says that jobs are leaving, the shard rings its Mover (Mover.Ring). The Mover has a goroutine
// while there are such jobs. It moves some dozens at a time, in these steps: it loads them, has copies arrive in their
// new shards, removes the originals once the copies are safe, tells the directory, and makes the copies visible (TR2,
// package queue). Each step is a batch like a client's, so other clients wait for part of a turn at most. Where a log
// acknowledges before the disk has a turn, the Mover waits for the disk between the steps. A job that its new tube
// refuses goes back.
//
// # What it remembers
//
// Nothing that a restart needs. A restart may find both copies of a job. Then the router marks the older one as
// leaving and the newer one as arriving, before anybody is served, and the Mover goes on. A Trip counts the jobs that
// one call of a session moves; the session answers when they have all been dealt with.
package mover
