// Package locallog is the log of one shard in files of this machine: records of turns
// (package turns), one after the other, in files that are written in place and used again
// and again.
//
// Package storage says what it is for; package pebblestore has the store that follows it.
//
// # What it promises
//
//	G1  When Sync has returned without an error, all that was appended before is there after
//	    any crash and any number of further openings, until it is trimmed.
//	G2  Whoever reads the log after a crash reads a prefix of what was appended: whole
//	    turns, in order, and none that an earlier opening no longer found.
//	G3  If something is missing that had been durable, Open refuses the log with
//	    storage.ErrCorrupt and changes nothing; and it refuses no log to which nothing has
//	    happened but crashes.
//
// G3 is exact as long as the mark is: after a kill, and after a clean stop. Without the mark, or
// with one from before a power cut, G3 holds for what was durable when the last readable
// record was written: what became durable after that is in doubt. So are the last files, if they
// are gone altogether.
//
// It relies on three things. A store gives Open a place that is durable in the store: what is
// before it may be overwritten. An origin belongs to one log: a log that goes on from a copy of
// another gets a new one. And a disk writes a sector whole or not at all.
//
// # What is on the disk
//
//	0000.turns, 0001.turns, …  slots
//	synced                     the mark: see mark.go
//
// Create makes the directory with a mark alone. A directory without slots is a log only if its
// mark names the place at which the store stands, and one with neither is a damaged log.
//
// A slot is a file of a fixed length, full of zeros at first, and safe on the disk with its
// directory entry before anything is written to it. So a sync has data to write and nothing
// else: neither the file's length nor the place of its blocks ever changes. Records begin at
// multiples of eight bytes. A slot has no header: what is in it, and in which order the slots
// are to be read, is what their first records say. When the store has made all turns of a
// slot durable, the slot is free, and the next record that needs one is written over its
// beginning. What is behind it stays until it is overwritten, so most slots hold remains.
//
// Turns that do not fit into a slot go in parts, which fill slots from their beginnings. A
// store's place is never between parts, unless these are void, and Segments names only such
// places. Turns that are longer than all slots together are taken when all of the log is
// free: it gets as many more slots as they need, and Prepare removes them when they are free
// again.
//
// An At counts the uses of slots since the log was opened. So the same At is never that of
// other turns, and nothing has to be told when a slot is freed: whoever reads there looks at
// the sequence of the slot before and after.
//
// # Why it holds
//
// A log is read from the place where its store stands: number and hash of the last record
// whose turns are durable there. The next record is one that chains to it, then one that chains to
// that, and so on. Chaining means the next number and the hash of the one before. Only
// records directly behind one another, from the beginning of a slot, are looked at.
//
// Nothing but a record that was appended there can chain. Remains of trimmed records have
// lower numbers than the store's place. Another case is harder: a crash may leave record 6
// torn and record 7 whole. The next opening goes on behind record 5 and writes another 6,
// and then 7 must not follow that. It does not, because its link is the hash of the old 6,
// and the new one has a different hash: each opening has its own epoch, which is in every
// record and so in every hash. (Without the epoch the two could be the same but for a part
// that lies in another sector. Then a crash that writes the first half of the new record
// over the torn old one puts the old one together again. The exhaustive test found that.)
//
// Why G1 holds: Sync returns when all files written to have been synced. What is durable is
// overwritten only in free slots. A slot is free when the store has said, by Trim, that it
// needs none of its records again: the next opening begins behind them. Records that an
// opening finds may be in the system's memory only, after the process was killed, so Open
// writes and syncs them once more before it says that it has them.
//
// Why G2 holds: a record that is appended chains to the one before it, and a reader stops at the
// first gap. Turns in parts count with their last part. If a crash took that, the parts
// stay in the chain, and the next record begins other turns: with it, a reader forgets them.
//
// Why G3 holds: three things claim that something had been durable, and all of them speak of
// syncs that had returned: the mark, the Synced of every record that can be read, wherever it
// is found, and the store's place. So a crash alone never breaks a claim. Whoever damages a
// record that was durable breaks the mark's claim; or, without the mark, that of every record
// that was written since.
//
// An Open that meets a broken claim has written nothing. Salvage reads what can be read then:
// threads.go says what of it is believed.
//
// The tests take none of this on trust. crash_test.go tries all short histories of appends
// (in one record or in parts), syncs, trims, kills and power cuts, with every set of sectors
// that can have reached the disk, and lets each of them go on to another crash; Read must
// see what Open then gives, and ReadAt all that was appended. damage_test.go spoils each
// byte, each sector and each file, also for Read and Salvage; salvage_test.go does so after
// crashes.
//
// # Copies
//
// A log with Options.Elsewhere is a copy of one that is kept elsewhere, record by record (Copy). It
// may have lost anything but what is before its store's place, so Open claims nothing: it goes on
// behind the last record that chains, and those behind it are copied again, with the same bytes. A reader is
// given what was copied at once, synced or not. Parts of turns keep the cuts they have; a part that
// goes on with turns begins a slot. The turns that have no last part yet are Unfinished.
//
// # Who may call what
//
// The owner appends, syncs and closes: one goroutine at a time, so a store in which a timer
// or a fold syncs too has a lock around these. Everything else may be called by any
// goroutine, at any time until Close: ReadAt, Segments, Used, Synced, Trim, and Prepare,
// which keeps Append from making slots itself. A Reader belongs to one goroutine, which may
// be another. A reader is given only what is durable, so a store that folds it always holds
// a prefix of the log. ReadAt gives what has been appended too. Both say ErrGone if the
// turns have been freed, or are freed meanwhile.
//
// # Rejected
//
//   - Records appended to a growing file: each sync then writes the file's new length, which
//     costs a second write to the disk's own journal.
//   - A header for each slot, with its order: one more thing to write, to sync, and to find
//     torn. The first record says it all.
//   - Wiping what an opening leaves behind a gap: it takes a write and a sync at each opening
//     after a crash, and must itself be proved against crashes. With epochs it is not needed.
//   - Renaming a file when it is used again: two directory operations and a sync for nothing.
package locallog
