// Package secure keeps the certificates with which the faces speak TLS, and says who a
// client is by its certificate.
//
// # Certificates
//
// Read reads the files that a listener names: its certificate, its key and, if clients
// are to have certificates too, those of the authorities that sign them. It is called
// before the process opens anything, so that a listener that should have TLS never
// starts without it.
//
//	files --Read--> Certificates --Config--> one handshake
//	           ^
//	           '--- Keeper, every few seconds and when it is told to
//
// A Keeper reads the files again and again and compares what is in them with what it
// read last. It goes by contents, and not by times or sizes: the files have a few
// kilobytes, and a certificate that is replaced twice within a tick of the file
// system's clock, or by a symbolic link that now points elsewhere, is not missed.
//
// Whoever replaces a certificate and its key writes two files, one after the other, and
// perhaps in pieces. Until both are there and fit together the pair before stays in use,
// and the log says once for each change which file is wrong and why.
//
// A handshake takes the configuration that is current when it begins, and nothing looks
// at it later. So a connection that has been made outlives every change of the files.
// With a new configuration come new keys for session tickets: a client that resumes a
// session with an old ticket makes a whole handshake instead.
//
// # Handshakes
//
// A handshake takes a few hundred microseconds of processor time, a thousand times as
// much as a command. So only a few are computed at any time (Enter, Leave), and
// one that waits for its client's next message lets others compute meanwhile
// (Pause). Each face decides on whose goroutine a handshake runs, and ends one whose
// client takes too long.
//
// # Invariants
//
// T1: a Certificates always has a pair that fits together and could be used when it was
// read. What cannot be used never replaces it.
//
// T2: at most as many handshakes as there are slots are computed at any time; one that
// waits for its client has no slot.
package secure
