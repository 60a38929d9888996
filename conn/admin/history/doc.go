// Package history keeps the server's recent figures, in total and for the busiest tubes: an hour in
// steps of 10 s, and a day in steps of 5 minutes. The console's charts begin with it.
//
// A Keeper takes a sample every 10 s: the figures of each shard and, if anything has happened since
// the last sample, the census of tubes that /metrics and the console also use. The census asks for
// 128 tubes at a time and yields in between, so it holds up no shard. Each point of the day is the
// mean of its samples.
//
// # Which tubes
//
// Up to mostTubes tubes, all have a history; beyond that, only the busiest. To find them, the
// counters of the other tubes are compared from one sample to the next, in a table that does not
// grow with the number of tubes (recent.go). A tube loses its history to another one only if the
// other does more than twice as much, or if it has itself ended after about an hour of idleness.
//
// # What it costs
//
// A sample with its census took 0.2 to 0.3 ms with up to 1,000 tubes, and 43 to 79 ms with 100,000,
// while other programs used both cores (BenchmarkSample). So with 100,000 tubes it is less than
// 0.8 % of one processor, in pieces of less than a tenth of a millisecond for a shard. A sample
// with nothing new takes 0.04 to 0.2 ms.
//
// # Times
//
// Points have times of the wall clock, because they outlive the process. Rates use the monotonic
// clock. If the wall clock jumps ahead, there is a gap. If it is set back, points later than now
// are dropped. While the server is down, or a shard does not answer, there are no points: a gap,
// not zeros. A counter that has become smaller belongs to a tube that has ended and begun again,
// and counts from 0.
//
// # The file
//
// With a data directory, the history is saved to a file in it, every 5 minutes and when the server
// stops. So a crash loses at most 5 minutes. The file is replaced as a whole, and has a version and
// a checksum. It is not written while the disk has no room for jobs. Backups, imports, salvages and
// dumps leave it out, because it says nothing about any job. Older builds ignore it.
//
// # Invariants
//
//	HI1  All histories together take less than 2 MiB of memory, whatever the number of tubes
//	     and however they come and go. The file is smaller than that.
//	HI2  All series have the same timeline: the same index means the same time in each.
//	HI3  Whatever the file contains, and whatever is in its place, the server starts without
//	     delay, and its Charts can be used.
//	HI4  Only the keeper's goroutine changes Charts, under the lock of Charts. So that
//	     goroutine may read without the lock.
package history
