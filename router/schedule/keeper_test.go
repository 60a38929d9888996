package schedule

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// shared is a disk that a keeper's goroutine uses beside the test.
type shared struct {
	mu sync.Mutex
	disk
}

func (s *shared) Tick(op *queue.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk.Tick(op)
}

func (s *shared) Ticks(fn func(string, queue.Tick)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk.Ticks(fn)
}

// put is how many jobs a schedule has put.
func (s *shared) put(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.puts[name])
}

func newShared() *shared {
	return &shared{disk: disk{ticks: map[[2]string]queue.Tick{}, puts: map[string][]int64{}, tubes: map[string]bool{},
		fuse: -1}}
}

// each is a schedule whose expression has seconds.
func each(name, tube, expression string) Schedule {
	return Schedule{Name: name, Tube: tube, Rule: Rule{Cron: expression, Zone: "UTC",
		Calendar: must.Get(NewCalendar(expression, time.UTC))}}
}

// A keeper puts in time, goes on with another list, forgets what is not in it, tries again what was refused,
// and leaves nothing behind.
func TestKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newShared()
		logs := new(must.Text)
		k := New(d, slog.New(slog.NewTextHandler(logs, nil)))
		k.Set(nil)
		if k.ended != nil {
			t.Error("there is a goroutine without schedules")
		}
		pass := func(span time.Duration) {
			time.Sleep(span)
			synctest.Wait()
		}
		pass(500 * time.Millisecond)
		k.Set([]Schedule{each("a", "one", "* * * * * *"), each("b", "two", "*/10 * * * * *")})
		pass(20 * time.Second)
		if a, b := d.put("a"), d.put("b"); a != 20 || b != 2 {
			t.Errorf("after 20 s, %d and %d are put", a, b)
		}
		<-k.Set([]Schedule{each("a", "three", "* * * * * *")})
		pass(10 * time.Second)
		if _, left := d.ticks[[2]string{"two", "b"}]; left || len(d.ticks) != 1 || d.put("a") != 30 {
			t.Errorf("%d are put, noted are %v", d.put("a"), d.ticks)
		}
		d.mu.Lock()
		d.tubes["three"] = true
		d.mu.Unlock()
		pass(3 * time.Second)
		if i := k.Infos()[0]; i.Puts != 30 || i.Lost != 2 || i.Refused != 3 || i.Refusal != "no room" {
			t.Errorf("refused: %+v", i)
		}
		d.mu.Lock()
		d.tubes["three"] = false
		d.mu.Unlock()
		pass(2 * time.Second)
		if i := k.Infos()[0]; i.Puts != 32 || i.Lost != 3 || i.Refusal != "" || i.Next.Sub(i.Last) != time.Second {
			t.Errorf("not refused any more: %+v", i)
		}
		if said := logs.String(); strings.Count(said, "was refused") != 1 || strings.Count(said, "were missed") != 1 ||
			!strings.Contains(said, "ticks=3") {
			t.Errorf("it says %s", said)
		}
		k.Set([]Schedule{each("a", "three", "0 0 0 1 1 *")}) // another rule: it begins anew
		pass(time.Hour)
		if i := k.Infos()[0]; i.Puts != 32 || !i.Last.IsZero() || i.Next.IsZero() {
			t.Errorf("with another rule: %+v", i)
		}
		k.Set(nil)
		pass(time.Second)
		if len(d.ticks) != 0 {
			t.Errorf("noted are %v", d.ticks)
		}
		must.Do(t, k.Close(context.Background()))
		k.Set([]Schedule{each("a", "one", "* * * * * *")})
		must.Do(t, k.Close(context.Background()))
		if len(k.Infos()) != 0 {
			t.Error("it begins after its end")
		}
	})
}

// A list that has come ends the one before, also amid many missed ticks: once it is over, nothing more is put for it.
func TestAListIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slow{shared: newShared(), begun: make(chan struct{}), go_: make(chan struct{})}
		k := New(d, slog.New(slog.DiscardHandler))
		s := each("a", "one", "* * * * * *")
		s.Missed = All
		d.ticks[[2]string{"one", "a"}] = queue.Tick{Schedule: "a", At: time.Now().Unix() - 50, Rule: s.Rule.sum()}
		k.Set([]Schedule{s})
		<-d.begun // the first of 50
		over := k.Set(nil)
		select {
		case <-over:
			t.Error("it is over while a job is being put")
		default:
		}
		close(d.go_)
		<-over
		if n := d.put("a"); n != 1 {
			t.Errorf("%d jobs are put", n)
		}
		must.Do(t, k.Close(context.Background()))
	})
}

// slow is a disk whose first put waits.
type slow struct {
	*shared
	once       sync.Once
	begun, go_ chan struct{}
}

func (s *slow) Tick(op *queue.Op) {
	if op.Kind == queue.PutTick {
		s.once.Do(func() { close(s.begun); <-s.go_ })
	}
	s.shared.Tick(op)
}
