// Package slow remembers the commands and requests that took long: the last few hundred, with
// what each of them waited for. Administrators read the list (beanfield slow, and the console).
//
// The front ends decide what has taken long, by Bound, and tell it when the answer is there. They
// measure so that quick commands pay nearly nothing; how is with each of them.
//
// # Invariants
//
//	SL1  Tell is for slow commands only. It takes a lock that nobody holds for long.
//	SL2  A Command has no bytes of anybody's buffers, and no token: names are copies.
package slow
