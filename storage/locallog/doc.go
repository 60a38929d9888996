// Package locallog keeps the log of one shard in files of this machine: records of turns (package turns),
// one after the other, in files that are written in place and reused.
//
// Package storage explains what a log is for; package pebblestore has the store that follows it.
//
// # What it promises
//
//	G1  When Sync has returned without an error, all that was appended before it survives any crash and
//	    any number of further openings, until it is trimmed.
//	G2  Whoever reads the log after a crash reads a prefix of what was appended: whole turns, in order,
//	    and none that an earlier opening did not find.
//	G3  If anything that was durable is missing, Open refuses the log with storage.ErrCorrupt and
//	    changes nothing. It never refuses a log that has suffered only crashes.
//
// G3 is exact as long as the mark is: after a kill, and after a clean stop. Without the mark, or with one
// that a power cut left out of date, G3 covers only what was durable when the last readable record was
// written. It does not cover what became durable later, nor the last files, if these are gone altogether.
//
// It relies on three things. The store gives Open a place that is durable in the store: what comes before it
// may be overwritten. An origin belongs to one log: a log that continues from a copy of another gets a new
// origin. A disk writes each sector whole or not at all.
//
// # What is on the disk
//
//	0000.turns, 0001.turns, …  slots
//	synced                     the mark: see mark.go
//
// Create makes the directory with only a mark. A directory without slots is a log only if its mark names the
// store's place; one with neither is a damaged log.
//
// A slot is a file of a fixed length. It is filled with zeros and synced, with its directory entry, before
// any record is written to it. So a sync writes data and nothing else: neither the file's length nor the
// place of its blocks ever changes. Records begin at multiples of eight bytes. A slot has no header: its
// first record says what is in it, and where it comes in the order of slots. When the store has made all
// turns of a slot durable, the slot is free, and the next record that needs one overwrites its beginning.
// The rest stays until it is overwritten, so most slots hold old records.
//
// Turns that do not fit into a slot are split into parts, which fill slots from their beginnings. A store's
// place is never between parts, unless these are void, and Segments names only such places. Turns longer
// than all slots together are accepted when the whole log is free: it gets the extra slots that they need,
// and Prepare removes these when they are free again.
//
// An At counts the uses of slots since the log was opened, so no two turns ever have the same At. Nobody
// need be told when a slot is freed: a reader checks the slot's sequence before and after it reads.
//
// # Why it holds
//
// A log is read from the place where its store stands: number and hash of the last record
// whose turns are durable there. The next record is one that chains to that record, and so on. To chain
// means to have the next number, and the hash of the record before. Only records that directly follow one
// another, from the beginning of a slot, are considered.
//
// Only a record that was appended there can chain. Trimmed records that are still there have lower numbers
// than the store's place. One case is harder: a crash may leave record 6 torn and record 7 whole. The next
// opening continues after record 5 and writes a new 6, which the old 7 must not follow. It does not: its
// link is the hash of the old 6. The new 6 has a different hash, because each opening has its own epoch,
// which is in every record and so in every hash. (Without the epoch, the two could differ only in a part
// that lies in another sector. Then a crash that writes only the first half of the new record over the torn
// old one would restore the old one. The exhaustive test found that.)
//
// Why G1 holds: Sync returns when all files written to have been synced. Durable records are overwritten
// only in free slots. A slot is free when the store has said, by Trim, that it needs none of the slot's
// records again: the next opening begins after them. After a kill, records that an opening finds may be only
// in the system's memory, so Open writes and syncs them again before it reports them.
//
// Why G2 holds: each appended record chains to the one before it, and a reader stops at the first gap. Split
// turns count only with their last part. If a crash took that part, the others stay in the chain, but the
// next record begins other turns, and a reader then drops them.
//
// Why G3 holds: three things claim that records were durable, and each speaks only of syncs that had
// returned: the mark, the Synced of every readable record, wherever it is found, and the store's place. So a
// crash alone never contradicts a claim. Damage to a durable record contradicts the mark; or, without the
// mark, every record written since.
//
// When Open finds a contradicted claim, it has written nothing yet. Salvage can then read what is readable;
// threads.go says which of that it trusts.
//
// Tests check all of this. crash_test.go tries all short histories of appends (in one record or in parts),
// syncs, trims, kills and power cuts, with every set of sectors that can have reached the disk, and
// continues each of them to another crash. Read must see what Open then gives, and ReadAt all that was
// appended. damage_test.go damages each byte, each sector and each file, also for Read and Salvage;
// salvage_test.go does so after crashes.
//
// # Copies
//
// A log with Options.Elsewhere is a copy, record by record (Copy), of one that is kept elsewhere. It may
// have lost anything but what is before its store's place, so Open checks no claims: it continues after the
// last record that chains, and later records are copied again, with the same bytes. A reader is given copied
// records at once, synced or not. Split turns stay split where they were; a part marked Rest begins a slot.
// Turns whose last part is still missing are Unfinished.
//
// # Who may call what
//
// The owner appends, syncs and closes, in one goroutine at a time; so a store that also syncs from a timer
// or a fold needs a lock around these. Everything else may be called by any goroutine until Close: ReadAt,
// Segments, Used, Synced, Trim, and Prepare, which makes slots in advance so that Append need not. A Reader
// belongs to one goroutine, not necessarily the owner's. A Reader is given only what is durable, so a store
// that folds it always has a prefix of the log. ReadAt also gives what has been appended only. Both return
// ErrGone if the turns have been freed, or are freed meanwhile.
//
// # Rejected
//
//   - Records appended to a growing file: each sync then writes the file's new length, which
//     costs a second write to the disk's own journal.
//   - A header for each slot, with its order: one more thing to write, to sync, and to find
//     torn. The first record says it all.
//   - Wiping the records after a gap: it takes a write and a sync at each opening after a crash, and must
//     itself be proved against crashes. Epochs make it unnecessary.
//   - Renaming a file when it is used again: two directory operations and a sync for nothing.
package locallog
