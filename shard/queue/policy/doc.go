// Package policy has what may be said of tubes and of the server beyond beanstalkd's rules, as values and
// rules that know no job and no tube: package queue asks them where a job enters (bounds.go), comes back
// (retry.go), is handed out (ratelimit.go), and where a client chooses among tubes (fairscheduler.go).
// Policies know no clock and no chance: what they do follows from what they are told.
//
// There is one Policy for a tube, from the configuration or set at run time, and one Limits for a queue of the
// queue service. An Amount bounds the jobs of a tube, and those of the server, which all shards count in one
// Quota. What policies do is counted as actions (actions.go).
//
//	WT1 A tube's tag is never ahead of its fair scheduler's clock by more than one job's worth.
package policy
