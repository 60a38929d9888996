// Package schedule puts jobs by the clock on the wall: at the ticks of cron expressions, each in a
// time zone.
//
// # The problem
//
// A tick must be put once: not twice because the server was killed between the put and its note of
// it, not twice because an hour comes twice or somebody sets the clock back, and not never because
// the server was down or the tube full, unless the schedule says so.
//
// # The parts
//
// A Calendar (calendar.go) is an expression in a zone: which moments tick. A course (course.go) is how
// far a schedule has come, and decides which ticks are to be put, and which are given up; it is
// told the time, and does nothing else. The Keeper (keeper.go) is the one goroutine: it sleeps until
// the next tick, asks the courses, and has the shards put the jobs (shard/queue/notes.go).
//
// # What is promised
//
//	TK1  A tick is put at most once, whatever is killed, restarted, taken over or set back, as long
//	    as its schedule keeps its name. The shard logs the job and the tick in one turn,
//	    and puts no tick that is not after the last one that it has noted for the schedule.
//	TK2  Every local time that the expression names ticks once, as RFC 5545 says (3.3.5): when it
//	    comes for the first time; if it is skipped, when a clock shows it that has not been set.
//	    If that is another tick's moment too, one job is put. But an expression for every hour of
//	    the day ticks in both of an hour that comes twice.
//	TK3  A tick that has come while the server ran, and whose put is refused, is tried again until the
//	    next one comes. Then it is a missed one.
//	TK4  Ticks that were missed are put, or not, as the schedule says, before any later one.
//	TK5  A schedule begins when it is seen for the first time: earlier ticks are none of it.
//
// # Why a note at the beginning
//
// A schedule that is new has its beginning noted at once, and not with its first tick. Otherwise one
// that is killed before its first tick, and is down when that comes, would begin anew and
// not know that it has missed one.
//
// # Other tubes, other clocks
//
// The note stands beside the tube, because it must be in the log of the job's shard. A schedule that
// gets another tube is looked for in all shards: its new tube gets the latest note before the old
// one loses it. What is cut short in between is done again. A schedule that is not in the list any
// more is forgotten; if it comes back, it is a new one.
//
// A clock that is set back repeats no tick, because those up to the last one are done. So a schedule
// that has ticked while a clock was far ahead is silent until the time that the clock had;
// that is logged, and another name ends it. A clock that jumps ahead, or a machine that was
// asleep, misses the ticks in between. The Keeper looks at the clock at least once a minute, so
// that it notices.
//
// In memory only, nothing is known after a restart, and all schedules are new. In a cluster, the
// node that has the shards keeps the schedules, and reads the notes of those before it.
//
// # The library
//
// Reading cron expressions, and counting along a calendar, is github.com/netresearch/go-cron: a
// maintained fork of robfig/cron, which has not been since 2020 and panics at some expressions. Of its
// scheduler nothing is used. It counts in UTC, where no hour is skipped, because none of the libraries
// keeps TK2: robfig/cron leaves out what is skipped, and has 02:30 twice; this one has both go to the
// end of the skipped hour; adhocore/gronx reads the text again for each step, and gives up
// after 500 of them.
package schedule
