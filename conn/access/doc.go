// Package access decides who may do what: it keeps the rules, finds those that apply to a client,
// and says which rights they give on a tube. It knows no protocol, opens nothing and starts no
// goroutine. The front ends ask it, and word the refusals.
//
// # Rules
//
// A Rule says who (by token, certificate, peer of a unix socket, or network) may do what
// (Rights) with which tubes (patterns). If it names several kinds, a client must match each kind: a
// rule with a token and a network accepts the token only from that network. Within a kind one match
// is enough. A rule that names nobody is an error, because it would let everybody in.
//
// A client has the rights of all rules that apply to it. No rule takes a right away, so their order
// does not matter. A client to whom no rule applies may do nothing. If there are no rules at all,
// everyone may do everything.
//
//	Rules --New--> Policy --Subject(Identity)--> Subject --May(tube)--> Rights
//	                 ^
//	               Current: which Policy holds now
//
// A Policy never changes. All clients to whom the same rules apply share one Subject. What a Subject
// may do with a tube is computed once and then cached, so a command costs one look-up, however many
// rules there are (BenchmarkMay: 13 ns with 1,000 rules).
//
// # What each right allows
//
// Each front end has a table of the rights that its commands need. All front ends agree on what a
// right allows:
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
// Current holds the policy in force. A front end that keeps a Subject also keeps its Policy, and
// compares it with Current's before it runs commands, which costs one atomic load. So Replace takes
// effect when an open connection next runs commands, even commands that were read before. Commands
// that came in the same read as the one now running may still have the old rights. For waiting
// clients, a front end registers with OnReplace.
//
// # Tokens and guessing
//
// A token is 32 random bytes (NewToken). The configuration file has only SHA-256 hashes. When a
// client shows a token, its hash is compared with all of them; the time does not depend on whether
// one matches, or which. Guesses counts wrong tokens by address, and each one delays the answer to
// the next. A right token never waits, whatever came before from its address. The number of wrong
// ones that wait is limited, so guessers hold few connections. A put whose body shows a known token
// makes no job (Shown).
//
// # Invariants
//
// A1: a nil Policy, and only that, allows everything. New returns nil only if there are no rules.
//
// A2: May returns the union of the rights of the rules that apply to the subject and have a pattern
// that matches the tube, whatever is cached.
//
// A3: memory is bounded: a subject remembers at most rememberedTubes tubes, a policy shares at
// most sharedSubjects subjects, Guesses knows at most guessers addresses, and lets at most
// mostWaitingAll answers wait.
package access
