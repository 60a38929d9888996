// Package slow remembers the commands and requests that took long: the last few hundred, with
// what each of them waited for. Administrators read the list (beanfield slow, and the console).
// It also remembers those that were refused, and why (beanfield refused).
//
// The front ends decide what has taken long, by Bound, and tell it when the answer is there. They
// measure so that quick commands pay nearly nothing; how is with each of them.
//
// # Invariants
//
//	SL1  Tell is for slow commands only, and Refuse for what a client has done wrong or may not do. Each takes a
//	    lock that nobody holds for long.
//	SL2  What they are told has no bytes of anybody's buffers, and no token: names are copies.
package slow
