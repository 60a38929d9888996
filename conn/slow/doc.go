// Package slow remembers the commands and requests that took long: the last few hundred, with
// what each of them waited for. Administrators read the list (beanfield slow, and the console).
// It also remembers refused ones, and why they were refused (beanfield refused).
//
// The front ends compare each command with Bound, and report a slow one when its answer is there. Each front
// end says how it measures; quick commands pay almost nothing.
//
// # Invariants
//
//	SL1  Tell is for slow commands only, and Refuse for a client's errors and missing rights. Each takes
//	    a lock that nobody holds for long.
//	SL2  What Tell and Refuse are given shares no bytes with anybody's buffers, because names are copies,
//	     and has no token.
package slow
