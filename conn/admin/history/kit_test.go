package history

import (
	"context"
	"fmt"
	"testing"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage/tally"
)

// field is a server with one shard and a clock, as the keeper sees it.
type field struct {
	tubes    []queue.TubeFigures
	turns    uint64
	gone     queue.Sums // of tubes that have ended
	silent   bool       // the shard does not answer
	torn     bool       // it does not answer in the middle of a census
	full     bool
	census   int // how many were taken
	at       time.Time
	commands tally.Spread
}

func newField() *field { return &field{at: time.Unix(1_800_000_000, 0)} }

func (f *field) now() time.Time { return f.at }

func (f *field) Shards() int { return 1 }

func (f *field) Look(context.Context, int) (router.Figures, bool) {
	var all router.Figures
	all.Turns, all.Log.Full, all.Sums = f.turns, f.full, f.gone
	for i := range f.tubes {
		t := &f.tubes[i]
		all.Sums.Ready += t.Ready
		all.Sums.Buried += t.Buried
		all.Sums.Total += t.Total
	}
	return all, !f.silent
}

func (f *field) Census(_ context.Context, _ int, tell func([]queue.TubeFigures)) bool {
	f.census++
	for i := 0; i < len(f.tubes); i += 128 {
		if tell(f.tubes[i:min(i+128, len(f.tubes))]); f.torn {
			return false
		}
	}
	return true
}

// tube returns a tube, which it makes if need be.
func (f *field) tube(name string) *queue.TubeFigures {
	for i := range f.tubes {
		if f.tubes[i].Name == name {
			return &f.tubes[i]
		}
	}
	f.tubes = append(f.tubes, queue.TubeFigures{TubeInfo: queue.TubeInfo{Name: name}})
	return &f.tubes[len(f.tubes)-1]
}

// put puts jobs and deletes some of them.
func (f *field) put(name string, puts, deletes int) {
	t := f.tube(name)
	t.Total += uint64(puts)
	t.Deletes += uint64(deletes)
	t.Ready += puts - deletes
	f.turns++
}

// end ends a tube, which has no jobs.
func (f *field) end(name string) {
	for i := range f.tubes {
		if f.tubes[i].Name == name {
			f.gone.Total += f.tubes[i].Total
			f.tubes = append(f.tubes[:i], f.tubes[i+1:]...)
			f.turns++
			return
		}
	}
}

// many makes tubes with a job each.
func (f *field) many(n int) {
	for i := range n {
		f.tubes = append(f.tubes, queue.TubeFigures{TubeInfo: queue.TubeInfo{Name: fmt.Sprintf("tenant-%06d", i),
			Total: 1, Ready: 1}})
	}
	f.turns++
}

func (f *field) keeper() *Keeper {
	return &Keeper{opts: Options{Shards: f, Now: f.now, Latency: func() map[string]*tally.Reading {
		r := &tally.Reading{}
		f.commands.ReadTo(r)
		return map[string]*tally.Reading{"put": r}
	}}}
}

// samples takes n samples, one each 10 s, and calls fn before each.
func (f *field) samples(t testing.TB, b *Charts, n int, fn func(i int)) {
	k := f.keeper()
	for i := range n {
		if fn != nil {
			fn(i)
		}
		if s := k.sample(t.Context(), b); s != nil {
			b.write(s)
		}
		f.at = f.at.Add(10 * time.Second)
	}
}

// words shows one figure of points: "-" for a figure that nobody knows, and a "|" for a gap.
func words(list []Point, step int64, key int) (s string) {
	for i, p := range list {
		if i > 0 {
			s += " "
			if p.At-list[i-1].At > step*1000 {
				s += "| "
			}
		}
		if v := p.Figures[key]; v != v {
			s += "-"
		} else {
			s += fmt.Sprint(v)
		}
	}
	return s
}

// shows compares the figures of a tube, or of all.
func (f *field) shows(t *testing.T, b *Charts, name string, span Span, key int, want string) {
	t.Helper()
	list := b.Total(span, f.at)
	if name != "" {
		list, _ = b.Tube(name, span, f.at)
	}
	if is := words(list, span.Step(), key); is != want {
		t.Errorf("%q has %s, want %s", name, is, want)
	}
}
