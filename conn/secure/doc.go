// Package secure reads the certificates with which the front ends speak TLS and keeps them up to
// date, and tells who a client is by its certificate.
//
// # Certificates
//
// Read reads the files that a listener names: its certificate, its key and, if clients
// need certificates too, the certificates of the authorities that sign these. The process
// calls it before it opens anything, so that a listener that should have TLS never starts
// without it.
//
//	files --Read--> Certificates --Config--> one handshake
//	           ^
//	           '--- Keeper, every few seconds and when it is told to
//
// A Keeper reads the files again and again, and compares their contents with what it read
// last. It does not rely on times or sizes: the files have only a few kilobytes, and so it
// also notices a certificate that is replaced twice within a tick of the file system's
// clock, or a symbolic link that now points elsewhere.
//
// Replacing a certificate and its key means writing two files, one after the other, and
// perhaps in pieces. Until both are complete and belong together, the old pair stays in use,
// and the log says once for each change which file is wrong and why.
//
// A handshake uses the configuration that is current when it begins, and a connection does
// not look at it again. So connections outlive every change of the files. A new
// configuration has new keys for session tickets: a client that tries to resume a session
// with an old ticket makes a whole handshake instead.
//
// # Handshakes
//
// A handshake takes a few hundred microseconds of processor time, a thousand times as
// much as a command. So only a few are computed at any time: a handshake takes a slot,
// and gives it to others while it waits for its client (Make, Pause). While enough
// handshakes want slots, listeners let nobody in (Room): a client that waits in the
// kernel's queue takes neither a descriptor nor memory. When a handshake gives up its slot,
// and before each signature, it lets others have the processor. Each front end decides on which
// goroutine a handshake runs, and ends a handshake whose client takes too long.
//
// A client that stops in the middle of its handshake takes a descriptor and some 20 KB until
// its time is over. Ten thousand of them must not take what others need. So the number of
// handshakes under way is limited, for all front ends together. When one more begins, the one that
// has waited for its client longest is dropped. If the new one were refused instead, such
// clients could lock everybody out. A client that goes on with its handshake soon has waited
// less long than they have. A handshake that waits for a slot is never dropped: that is not
// its client's fault, and after a restart, when all clients come back at once, most of them
// wait for slots.
//
// # Invariants
//
// T1: Certificates always hold a certificate and a key that belong together and could be
// used when they were read. Files that cannot be used never replace them, and a
// certificate that has expired never replaces one that has not.
//
// T2: at any time at most as many handshakes are computed as there are slots; a handshake
// that waits for its client has no slot.
//
// T3: at most as many handshakes as Limit says are under way and have not been dropped.
package secure
