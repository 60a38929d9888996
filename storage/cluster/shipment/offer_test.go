package shipment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestOfferEnds holds SP5 for the sender.
func TestOfferEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, files := directory(t, 3)
		o := small()
		released := 0
		o.Release, o.Idle = func() { released++ }, time.Hour
		begin := func() *Shipment {
			s, err := offer(newNetwork(1), "P", dir, o)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		begun := time.Now()
		if s := begin(); !errors.Is(s.Why(), ErrIdle) || time.Since(begun) != time.Hour || released != 1 {
			t.Error("nobody asks:", s.Why(), time.Since(begun), released)
		}
		s := begin()
		s.Close()
		s.Close()
		if !errors.Is(s.Why(), ErrClosed) || released != 2 {
			t.Error("it is closed:", s.Why(), released)
		}
		n := newNetwork(1)
		s, err := offer(n, "P", dir, o)
		if err != nil {
			t.Fatal(err)
		}
		// Again and again, before it was idle for long: each begins from the beginning.
		for range 3 {
			time.Sleep(o.Idle - time.Second)
			into := filepath.Join(t.TempDir(), "into")
			ctx, cancel := context.WithCancel(t.Context())
			half := small()
			half.Told = func(done, total int64) {
				if done > total/2 {
					cancel()
				}
			}
			if _, err := get(ctx, n, "P", s.Name, into, half); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		into := filepath.Join(t.TempDir(), "into")
		if _, err := get(t.Context(), n, "P", s.Name, into, small()); err != nil || s.Why() != nil || released != 3 {
			t.Error("it is fetched:", err, s.Why(), released)
		}
		wants(t, into, files)
		if sent, total := s.Bytes(); total == 0 || sent < total {
			t.Errorf("%d bytes of %d were sent", sent, total)
		}
		if len(n.listeners) != 0 {
			t.Error("somebody still listens")
		}
	})
}

// TestRate holds SP6. A rate so low that a chunk takes longer than silence may last ends no fetch, and
// nothing is sent twice.
func TestRate(t *testing.T) {
	for _, rate := range []int64{50, 1000, 1 << 20} {
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, 3)
			into := filepath.Join(t.TempDir(), "into")
			n, o := newNetwork(1), small()
			o.Rate = rate
			begun := time.Now()
			if _, err, why := one(t, n, dir, into, o); err != nil || why != nil {
				t.Fatal(err, why)
			}
			wants(t, into, files)
			took := time.Since(begun).Seconds()
			sent, total := int64(0), int64(0)
			for _, text := range files {
				total += int64(len(text))
			}
			sent = int64(n.data)
			if least := float64(total-700)/float64(rate) - credit.Seconds(); took < least || took > 2*least+1 {
				t.Errorf("at %d bytes per second, %d bytes took %.1f s", rate, total, took)
			}
			if sent > 2*total {
				t.Errorf("%d bytes were sent for %d", sent, total)
			}
		})
	}
}

// TestAsks holds SP4: strange asks are answered with nothing, or with what they may have.
func TestAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 3)
		n := newNetwork(1)
		s, err := offer(n, "P", dir, Options{chunk: 50})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var got []uint64
		_, _ = n.Listen("me", func(_ string, m []byte) {
			if kind, rest, ok := opened(m); ok && kind == kindChunk {
				c, _ := decodeChunk(rest)
				got = append(got, c.number)
			}
		})
		all := s.source.chunks()
		for _, test := range []struct {
			a    ask
			want int
		}{
			{ask{kindAsk, "", 0, 1}, 0},
			{ask{kindAsk, "me", 0, 0}, 0},
			{ask{kindAsk, "me", 65, 1}, 0}, // far beyond what was sent
			{ask{kindAsk, "me", all, 1}, 0},
			{ask{kindAsk, "me", 1 << 63, 1}, 0},
			{ask{kindAsk, "me", 0, 5}, 2},
			{ask{kindAsk, "me", 40, 1}, 1},     // some of those before are hashed now
			{ask{kindAsk, "me", 0, 1 << 3}, 0}, // an old one
			{ask{kindAsk, "me", 100, 1<<64 - 1}, 64},
			{ask{kindAsk, "me", 200, 1 << 63}, 1},
			{ask{kindAsk, "me", all - 2, 1<<64 - 1}, 2},
			{ask{9, "me", 0, 1}, 0},
		} {
			got = nil
			_ = n.Send("P."+s.Name, test.a.reply, test.a.encode())
			time.Sleep(time.Second)
			synctest.Wait()
			if len(got) != test.want {
				t.Errorf("ask %+v of %d: %d chunks came: %v", test.a, all, len(got), got)
			}
		}
	})
}

// TestWaitingAsks has asks come while chunks wait for their turn: each is sent once, and what the
// receiver has by now is not.
func TestWaitingAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 3)
		n := newNetwork(1)
		s, err := offer(n, "P", dir, Options{chunk: 50, Rate: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var got []uint64
		_, _ = n.Listen("me", func(_ string, m []byte) {
			if kind, rest, ok := opened(m); ok && kind == kindChunk {
				c, _ := decodeChunk(rest)
				got = append(got, c.number)
			}
		})
		for _, a := range []ask{{kindAsk, "me", 0, 0b10111}, {kindAsk, "me", 0, 0b10110}, {kindAsk, "me", 4, 0b101}} {
			_ = n.Send("P."+s.Name, a.reply, a.encode())
			time.Sleep(10 * time.Millisecond)
		}
		for range 59 {
			time.Sleep(10 * time.Second)
			_ = n.Send("P."+s.Name, "me", ask{kindAsk, "me", 4, 0}.encode()) // it is there, and wants nothing more
		}
		synctest.Wait()
		if !slices.Equal(got, []uint64{0, 4, 6}) {
			t.Error("sent:", got)
		}
	})
}

// TestWrongOffer is what cannot be offered.
func TestWrongOffer(t *testing.T) {
	dir := t.TempDir()
	if _, err := offer(newNetwork(1), "P", filepath.Join(dir, "missing"), small()); !errors.Is(err, os.ErrNotExist) {
		t.Error("no directory:", err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := offer(newNetwork(1), "P", dir, small()); !errors.Is(err, ErrList) {
		t.Error("a link:", err)
	}
	_ = os.Remove(filepath.Join(dir, "link"))
	if err := os.Symlink(t.TempDir(), dir+"-link"); err != nil {
		t.Fatal(err)
	}
	if _, err := offer(newNetwork(1), "P", dir+"-link", small()); !errors.Is(err, ErrList) {
		t.Error("a link to a directory:", err)
	}
	if err := os.WriteFile(filepath.Join(dir, `a\b`), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := offer(newNetwork(1), "P", dir, small()); !errors.Is(err, ErrList) {
		t.Error("a name with a backslash:", err)
	}
}
