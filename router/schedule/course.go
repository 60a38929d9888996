package schedule

import "time"

// course is how far a schedule has come. Times are those of the wall, in seconds.
type course struct {
	calendar *Calendar
	missed   Missed

	last  int64 // ticks up to here are done with
	since int64 // up to here, nobody was there when they came
	seen  int64 // when it was last looked at
}

// gap is how much the clock may advance between two looks if nothing is wrong with it.
const gap = 2 * longest

// begin starts a course whose ticks up to last are done with.
func (c *course) begin(last, now int64) { c.last, c.since, c.seen = last, now, now }

// due says which ticks are to be put now, in their order, and how many are given up, which are all
// before these. Those given up are done with.
func (c *course) due(now int64) (put []int64, lost int) {
	if now > c.seen+int64(gap/time.Second) {
		c.since, c.seen = now, now // the clock has jumped, or the machine was asleep
	}
	ticks := c.ticks(now)
	fresh := len(ticks) // where those begin that were not missed
	for fresh > 0 && c.isFresh(ticks, fresh-1) {
		fresh--
	}
	c.seen = now
	c.since = min(c.since, now) // it may have been set back
	switch missed := fresh; {
	case c.missed == Skip:
		lost = missed
	case c.missed == Once && missed > 0:
		lost = missed - 1
	case c.missed == All:
		lost = max(0, missed-MostMissed)
	}
	if lost > 0 {
		c.last = ticks[lost-1]
	}
	return ticks[lost:], lost
}

// isFresh says that the server was there when the i-th tick came, and that it has not had its time: it
// is the last one, or has come since the last look.
func (c *course) isFresh(ticks []int64, i int) bool {
	return ticks[i] > c.since && (ticks[i] > c.seen || i == len(ticks)-1)
}

// ticks are those that have come and are not done with. If they are very many, the first of them may be
// left out.
func (c *course) ticks(now int64) (all []int64) {
	for back := int64(gap / time.Second); ; back *= 2 {
		from := max(c.last, now-back)
		all = all[:0]
		for t := c.next(from); t != 0 && t <= now; t = c.next(t) {
			all = append(all, t)
		}
		if from == c.last || len(all) > MostMissed {
			return all
		}
	}
}

// next is the first tick after a moment; 0 if there is none.
func (c *course) next(t int64) int64 {
	next := c.calendar.Next(time.Unix(t, 0))
	if next.IsZero() {
		return 0
	}
	return next.Unix()
}

// upcoming is the first tick that is still to come; 0 if there is none. While the clock lies behind the last
// tick, because it has been set back, it is after that.
func (c *course) upcoming(now int64) int64 { return c.next(max(c.last, now)) }

// done notes that a tick was put, or that it had been already.
func (c *course) done(tick int64) { c.last = max(c.last, tick) }
