// Package schedule puts jobs by the clock on the wall: at the ticks of cron expressions, each in a
// time zone.
//
// # The problem
//
// A tick must put its job exactly once. It must not do so twice because the server was killed between
// the put and its note of it, because an hour comes twice, or because somebody sets the clock back.
// And it must not be lost because the server was down or the tube full, unless the schedule says so.
//
// # The parts
//
// A Schedule (schedule.go) says what is to be put, and when. A Calendar (calendar.go) is an expression
// in a zone: it says which moments tick. A course (course.go) is how far a schedule has come. Given
// the time, it decides which ticks to put and which to give up, and does nothing else. The Keeper
// (keeper.go) is the one goroutine: it sleeps until the next tick, asks the courses, and has the
// shards put the jobs (shard/queue/record.go).
//
// # What is promised
//
//	TK1  A tick is put at most once, whatever is killed, restarted, taken over or set back, as long
//	    as its schedule keeps its name. The shard logs the job and the tick in one turn, and puts
//	    only ticks later than the last one noted for the schedule.
//	TK2  Every local time that the expression names ticks once, as RFC 5545 says (3.3.5): when it
//	    comes for the first time; or, if the clock skips it, when a clock that was not set
//	    forward would show it. If that is another tick's moment too, one job is put. But an
//	    expression for every hour of the day ticks twice in an hour that comes twice.
//	TK3  If a put is refused while the server runs, its tick is tried again until the next one
//	    comes. Then it counts as missed.
//	TK4  Ticks that were missed are put, or not, as the schedule says, before any later one.
//	TK5  A schedule begins when it is first seen: it has no earlier ticks.
//
// # Why a note at the beginning
//
// The beginning of a new schedule is noted at once, not with its first tick. Otherwise, if the server
// was killed before that tick and down when it came, the schedule would begin anew and not know that
// it had missed one.
//
// # Other tubes, other clocks
//
// A note belongs to the tube, because it must be in the log of the job's shard. When a schedule gets
// another tube, its notes are looked for in all shards: the new tube gets the latest one before the
// old tube loses it. If that is interrupted, it is done again. A schedule that has left the list is
// forgotten; if it comes back, it is a new one.
//
// A clock that is set back repeats no tick, because those up to the last one are done. So a schedule
// that ticked while the clock was far ahead is silent until that time comes again. The log says so; a
// new name for the schedule ends the silence. If the clock jumps ahead, or the machine was asleep, the
// ticks in between are missed. The Keeper notices, because it looks at the clock at least once a
// minute.
//
// Without a disk, all schedules are new after a restart. In a cluster, the node that has the shards
// keeps the schedules, and reads the notes of earlier owners.
//
// # The library
//
// github.com/netresearch/go-cron parses cron expressions and finds their next moments. It is a
// maintained fork of robfig/cron, which has been unmaintained since 2020 and panics at some
// expressions. Its scheduler is not used. It computes in UTC, where no hour is skipped, because no
// library keeps TK2 by itself: robfig/cron leaves out skipped times, and ticks twice at a 02:30 that
// comes twice; go-cron moves skipped times to the end of the skipped hour; adhocore/gronx parses the
// text again at each step, and gives up after 500 steps.
package schedule
