// Package secure reads the certificates that the front ends use for TLS, keeps them up to date, and
// identifies a client by its certificate.
//
// # Certificates
//
// Read reads the files that a listener names: its certificate, its key and, if clients need
// certificates too, those of the authorities that sign them. The process calls Read before it opens
// anything, so a listener that should have TLS never starts without.
//
//	files --Read--> Certificates --Config--> one handshake
//	           ^
//	           '--- Keeper, every few seconds and when it is told to
//
// A Keeper reads the files every few seconds, and compares the contents with what it read last. The
// files have only a few kilobytes, so it need not rely on times or sizes. That way it also notices
// a certificate that is replaced twice within a tick of the file system's clock, or a symbolic link
// that now points elsewhere.
//
// Replacing a certificate and its key means writing two files, one after the other, and
// perhaps in pieces. Until both are complete and match, the old pair stays in use, and the log says
// once for each change which file is wrong and why.
//
// A handshake uses the configuration that is current when it begins, and its connection never looks
// at another. So connections outlive every change of the files. A new configuration has new keys
// for session tickets: a client with an old ticket makes a full handshake.
//
// # Handshakes
//
// A handshake takes a few hundred microseconds of processor time, a thousand times as
// much as a command. So only a few compute at a time: a handshake takes a slot, and gives it up
// while it waits for its client (Make, Pause). While enough handshakes want slots, listeners accept
// nobody (Room): a client in the kernel's queue takes neither a descriptor nor memory. A handshake
// yields the processor when it gives up its slot, and before each signature. Each front end decides
// on which goroutine a handshake runs, and ends a handshake whose client takes too long.
//
// A client that stalls in its handshake takes a descriptor and some 20 KB until it times out. Ten
// thousand of them must not take what others need. So the number of handshakes under way is
// limited, for all front ends together. When one too many begins, the one that has waited longest
// for its client is dropped. If the new one were refused instead, stalled clients could lock
// everybody out; a client that answers promptly has never waited longest. A handshake that waits
// for a slot is never dropped: its client is not to blame, and after a restart, when all clients
// come back at once, most of them wait for slots.
//
// # Invariants
//
// T1: Certificates always hold a certificate and a key that match and were usable when they were
// read. Unusable files never replace them, and an expired certificate never replaces one that has
// not expired.
//
// T2: at any time at most as many handshakes compute as there are slots; a handshake that waits for
// its client has no slot.
//
// T3: at most Limit handshakes are under way, not counting dropped ones.
package secure
