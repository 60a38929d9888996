// Package access decides who may do what: it knows the rules, finds those that hold for a
// client, and says which rights they give on a tube. It knows no protocol, opens nothing and
// has no goroutine. The front ends ask it, and word the refusals.
//
// # Rules
//
// A Rule says who (by token, certificate, peer of a unix socket, or network) may do what
// (Rights) with which tubes (patterns). If it names several kinds, a client must match each
// of them: a token with a network is good only there. Within a kind one match is enough. A
// rule that names nobody is a mistake, because it would let in everybody.
//
// A client has the rights of all rules that hold for it. No rule takes a right away, so the
// order of rules does not matter. A client for whom no rule holds may do nothing. If there are
// no rules at all, everyone may do everything.
//
//	Rules --New--> Policy --Subject(Identity)--> Subject --May(tube)--> Rights
//	                 ^
//	               Current: which Policy holds now
//
// A Policy never changes. All clients for whom the same rules hold are one Subject. What a
// Subject may do with a tube is worked out once and then remembered, so a command pays for one
// look-up, however many rules there are (BenchmarkMay: 13 ns with 1,000 rules).
//
// # What each right allows
//
// Each front end has a table of what its commands need. All front ends agree on this:
//
//	put      adding jobs
//	reserve  taking jobs, and finishing them: a client that holds a job may delete, release,
//	         bury and touch it, and see its statistics, even if it has lost the right.
//	         Otherwise the job would be run a second time.
//	delete   ending jobs that nobody holds
//	peek     seeing jobs without taking them
//	kick     making buried and delayed jobs ready
//	pause    pausing tubes
//	stats    seeing the figures of tubes and jobs
//	admin    all of these, and what only administrators should do
//
// A client sees a tube if it has any right on it. All answers treat a tube that the client
// does not see as one that does not exist. A queue's rear queue has the rights of its queue.
//
// # Reload
//
// Current has the policy that holds now. A front end that keeps a Subject also keeps its Policy, and
// compares it with Current's before it runs commands, which costs one atomic load. So Replace takes
// effect when commands are next run for an open connection, even if they were read before. Those
// that came in one read with a command that is being run may still have the old rights. For clients
// that wait, a front end registers with OnReplace.
//
// # Tokens and guessing
//
// A token is 32 random bytes (NewToken). The file has only SHA-256 hashes. When a client shows a
// token, its hash is compared with all others, in a time that does not depend on whether one
// matches, or which. Guesses counts wrong ones by address, and each makes the answer to the next
// wrong one later. A right one never waits, whatever came before from its address. Only some wrong
// ones wait at a time, so that guessers hold few connections. A body that shows a known token is
// no job (Shown).
//
// # Invariants
//
// A1: a nil Policy, and only that, allows everything. New returns it only for no rules.
//
// A2: May answers the union of the rights of the rules that hold for the subject and have a
// pattern that matches the tube, whatever has been remembered or forgotten.
//
// A3: memory is bounded: a subject remembers at most rememberedTubes tubes, a policy shares at
// most sharedSubjects subjects, Guesses knows at most guessers addresses, and lets at most
// mostWaitingAll answers wait.
package access
