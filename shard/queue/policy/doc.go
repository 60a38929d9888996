// Package policy has the rules that tubes and the server may have beyond beanstalkd's. They know no job and no
// tube. Package queue asks them when a job enters (bounds.go), comes back (retry.go) or is handed out
// (ratelimit.go), and when a client chooses among tubes (fairscheduler.go). Policies read no clock and draw no
// random numbers: what they do depends only on what they are told.
//
// A tube has one Policy, from the configuration or set at run time; a queue of the queue service has one
// Limits (policy.go). An Amount bounds the jobs of a tube or of the whole server, which all shards count in
// one Quota. What policies do is counted as actions (actions.go).
//
//	WT1 A tube's tag is never ahead of its fair scheduler's clock by more than one job's worth.
package policy
