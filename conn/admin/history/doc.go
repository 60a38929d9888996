// Package history remembers how the server was: an hour in steps of 10 s and a day in steps of
// 5 minutes, of the totals and of the busiest tubes. The console's charts begin with it.
//
// A Keeper takes a sample each 10 s: a look at each shard and, unless nothing has happened since
// the sample before, the census of the tubes that /metrics and the console's pages use as well.
// It asks for 128 tubes at a time, and lets others have the processor in between, so it holds up
// no shard. The points of a day are the means of its samples.
//
// # Which tubes
//
// While there are at most mostTubes tubes, all of them have a history. With more, those that do
// the most have one. To find them, the counters of the others are compared from one sample to
// the next, in a table that does not grow with the number of tubes (recent.go). A tube loses its
// history to another one only if that does more than twice as much, or if it has ended and was
// idle for about an hour before.
//
// # What it costs
//
// A sample with its census took 0.2 to 0.3 ms with up to 1,000 tubes, and 43 to 79 ms with 100,000,
// while other programs used both cores (BenchmarkSample). So with 100,000 tubes it is less than
// 0.8 % of one processor, in pieces of less than a tenth of a millisecond for a shard. When nothing
// has happened since the sample before, it takes 0.04 to 0.2 ms.
//
// # Times
//
// Points belong to times of the wall clock, because they outlive the process. Rates are taken
// over the monotonic clock. If the wall clock goes forward, there is a gap. If it goes back,
// what claims to be later than now is forgotten. While the server is down, or a shard does not
// answer, there are no points: a gap, not zeros. A counter that is smaller than before belongs
// to a tube that has ended and come again, and counts from 0.
//
// # The file
//
// With a data directory, the history is saved to a file in it: each 5 minutes, and when the
// server stops. So a crash costs 5 minutes of it at most. The file is replaced as a whole, and
// has a version and a checksum. It is not written while the disk has no room for jobs. Backups,
// imports, salvages and dumps do not carry it: it says nothing of any job. Older builds ignore it.
//
// # Invariants
//
//	HI1  All histories together take less than 2 MiB of memory, whatever the number of tubes
//	     and however they come and go. The file is smaller than that.
//	HI2  All series have the same timeline: a place in one belongs to the same time in all.
//	HI3  Nothing that the file holds, and nothing that stands in its place, stops a start,
//	     delays it, or makes Charts that cannot be used.
//	HI4  Only the keeper's goroutine changes Charts, under its lock, and so reads it without.
package history
