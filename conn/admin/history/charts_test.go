package history

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/storage/tally"
)

// HI2: the hour has each sample as it was, and the day their means. What is put and deleted is
// a rate from the second sample on.
func TestHourAndDay(t *testing.T) {
	f, b := newField(), newCharts()
	f.samples(t, b, 33, func(i int) { f.put("a", 20, 10+10*(i%2)) }) // ten more stay in every second sample
	f.shows(t, b, "a", Hour, Puts, "-"+strings.Repeat(" 2", 32))
	f.shows(t, b, "", Hour, Puts, "-"+strings.Repeat(" 2", 32))
	f.shows(t, b, "a", Hour, Done, "-"+strings.Repeat(" 2 1", 16))
	f.shows(t, b, "", Hour, Done, "-"+strings.Repeat(" 2 1", 16))
	f.shows(t, b, "a", Day, Puts, "2 2")
	f.shows(t, b, "a", Day, Ready, "80 163.33333") // 10 10 20 20 … 150 150, and 160 160 170
	f.shows(t, b, "", Day, Ready, "80 163.33333")
	if list := b.Total(Day, f.at); list[0].At%300_000 != 150_000 || list[1].At > f.at.UnixMilli() {
		t.Errorf("the day has points at %d and %d, now is %d", list[0].At, list[1].At, f.at.UnixMilli())
	}
	if _, ok := b.Tube("b", Hour, f.at); ok {
		t.Error("a tube that never was has a history")
	}
}

// Nothing older than the span is shown, even if it has not been overwritten yet.
func TestSpans(t *testing.T) {
	f, b := newField(), newCharts()
	f.samples(t, b, 2*8640, func(i int) { f.put("a", 1, 1) })
	for span := range spans {
		if n := len(b.Total(span, f.at)); n != counts[span] && n != counts[span]-1 {
			t.Errorf("two days have %d points in a span of %d", n, counts[span])
		}
	}
	f.at = f.at.Add(30 * time.Minute)
	if n := len(b.Total(Hour, f.at)); n < 178 || n > 181 {
		t.Errorf("half an hour later the hour has %d points", n)
	}
	f.at = f.at.Add(24 * time.Hour)
	if n := len(b.Total(Hour, f.at)) + len(b.Total(Day, f.at)); n != 0 {
		t.Errorf("after a day of silence there are %d points", n)
	}
}

// While a shard does not answer there is a gap, not zeros, and the rate after it is that over
// all of the time.
func TestGaps(t *testing.T) {
	f, b := newField(), newCharts()
	f.samples(t, b, 2, func(int) { f.put("a", 10, 0) })
	f.silent = true
	f.samples(t, b, 2, func(int) { f.put("a", 10, 0) })
	f.silent, f.torn = false, true
	f.samples(t, b, 1, func(int) { f.put("a", 40, 0) })
	f.torn = false
	f.samples(t, b, 2, nil)
	f.shows(t, b, "a", Hour, Ready, "10 20 | 80 80")
	f.shows(t, b, "", Hour, Ready, "10 20 | 80 80")
	f.shows(t, b, "a", Hour, Puts, "- 1 | 1.5 0")
	f.shows(t, b, "", Hour, Puts, "- 1 | 1.5 0")
}

// A server of which nobody asks anything needs no census.
func TestQuietServer(t *testing.T) {
	f, b := newField(), newCharts()
	f.put("a", 5, 0)
	f.tube("a").Waiting = 3
	f.samples(t, b, 4, nil)
	if f.census != 1 {
		t.Errorf("%d censuses were taken", f.census)
	}
	f.shows(t, b, "a", Hour, Ready, "5 5 5 5")
	f.shows(t, b, "a", Hour, Puts, "- 0 0 0")
	f.shows(t, b, "", Hour, Waiting, "3 3 3 3")
}

// Counters that begin anew: a tube that ends has no jobs, and when it comes again it counts from 0.
func TestCountersBeginAnew(t *testing.T) {
	f, b := newField(), newCharts()
	f.put("other", 1, 0)
	f.samples(t, b, 1, nil)
	f.samples(t, b, 1, func(int) { f.put("a", 50, 50) }) // all had a history: so this one has come since
	f.samples(t, b, 1, func(int) { f.end("a"); f.put("a", 30, 0) })
	f.tube("a").Ready = 0
	f.samples(t, b, 2, func(int) { f.end("a") })
	f.samples(t, b, 1, func(int) { f.put("a", 20, 0) })
	f.shows(t, b, "a", Hour, Puts, "5 3 0 0 2")
	f.shows(t, b, "a", Hour, Ready, "0 30 0 0 20")
}

// The clock goes forward by an hour, and back by two.
func TestClockJumps(t *testing.T) {
	f, b := newField(), newCharts()
	f.samples(t, b, 3, func(int) { f.put("a", 1, 0) })
	f.at = f.at.Add(20 * time.Minute)
	f.samples(t, b, 2, func(int) { f.put("a", 1, 0) })
	f.shows(t, b, "a", Hour, Ready, "1 2 3 | 4 5")
	f.at = f.at.Add(-10 * time.Minute)
	f.samples(t, b, 2, func(int) { f.put("a", 1, 0) })
	f.shows(t, b, "a", Hour, Ready, "1 2 3 | 6 7")
	f.shows(t, b, "", Hour, Ready, "1 2 3 | 6 7")
	f.at = f.at.Add(-time.Hour) // everything is in the future now
	f.samples(t, b, 2, func(int) { f.put("a", 1, 0) })
	f.shows(t, b, "a", Hour, Ready, "8 9")
	f.shows(t, b, "a", Day, Ready, "8.5")
	f.shows(t, b, "", Hour, Puts, "- 0.1")      // no time has passed before the first, as far as the clock says
	f.at = f.at.Add(time.Hour - 30*time.Second) // what was in the future does not come back
	f.shows(t, b, "a", Hour, Ready, "8 9")
	f.at = f.at.Add(48 * time.Hour)
	f.samples(t, b, 2, func(int) { f.put("a", 1, 0) })
	f.shows(t, b, "a", Hour, Ready, "10 11")
}

// How long commands took is known while there are some.
func TestLatency(t *testing.T) {
	f, b := newField(), newCharts()
	f.samples(t, b, 1, nil)
	f.samples(t, b, 1, func(int) {
		f.put("a", 1, 0)
		f.commands.Add(tally.Time(int64(time.Millisecond)), 60)
		f.commands.Add(tally.Time(int64(100*time.Millisecond)), 40)
	})
	f.samples(t, b, 1, nil)
	for key, least := range map[int]float64{CommandHalf: 1000, CommandNine: 100_000, CommandMost: 100_000} {
		list := b.Total(Hour, f.at)
		v := float64(list[1].Figures[key])
		if v < least || v > 1.2*least {
			t.Errorf("figure %d is %g µs, want about %g", key, v, least)
		}
		if !math.IsNaN(float64(list[0].Figures[key])) || !math.IsNaN(float64(list[2].Figures[key])) {
			t.Errorf("figure %d is known without commands", key)
		}
	}
}

// HI4: others read the histories while the keeper's goroutine writes them, under the lock. (The
// race detector fails this without it.)
func TestReadWhileSampled(t *testing.T) {
	f, b := newField(), newCharts()
	f.put("a", 1, 0)
	f.samples(t, b, 1, nil)
	over, now := make(chan struct{}), f.at
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				b.Total(Hour, now)
				b.Tube("a", Day, now)
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	f.samples(t, b, 50, func(int) { f.put("a", 2, 1) })
	close(over)
	readers.Wait()
}
