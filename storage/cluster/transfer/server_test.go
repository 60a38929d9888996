package transfer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// SP8: there is a most, which is for snapshots that are there at a time.
func TestManyOrders(t *testing.T) {
	play(t, 1, usual, func(s *scene) {
		s.takes = time.Minute
		for range 2 {
			ended, refused := make(chan error, mostOrders+3), 0
			for range cap(ended) {
				into := filepath.Join(s.TempDir(), "into")
				go func() {
					_, _, err := get(s.Context(), s.network, "P", "", into, small())
					ended <- err
				}()
			}
			for range cap(ended) {
				if err := <-ended; errors.Is(err, ErrSender) && strings.Contains(err.Error(), errBusy.Error()) {
					refused++
				} else if err != nil {
					s.Error(err)
				}
			}
			if refused != 3 {
				s.Errorf("%d of %d orders were refused", refused, cap(ended))
			}
			time.Sleep(time.Second) // the last one's done arrives
		}
	})
}

// SP5: a snapshot of which nobody wants anything more is given up, at once or after a while.
func TestSnapshotIsGivenUp(t *testing.T) {
	play(t, 3, usual, func(s *scene) {
		ctx, cancel := context.WithCancel(s.Context())
		s.o.Told = func(done, total int64) {
			if done > total/2 {
				cancel()
			}
		}
		if _, _, err := s.get(ctx); !errors.Is(err, context.Canceled) {
			s.Error(err)
		}
		if time.Sleep(time.Second); s.removed.Load() != 1 {
			s.Error("its receiver has said that it gives up, and it is there")
		}
		s.server.asked("me", message{kind: kindOrder}.bytes())
		if time.Sleep(Silence - time.Second); s.made.Load() != 2 || s.removed.Load() != 1 {
			s.Error("it is given up too early")
		}
		if time.Sleep(2 * time.Second); s.removed.Load() != 2 {
			s.Error("nobody asks, and it is there")
		}
	})
}

// SP6: the rate.
func TestRate(t *testing.T) {
	for _, rate := range []int64{1000, 10_000, 1 << 20} {
		play(t, 3, func(*scene) Options { return Options{chunk: 700, rate: rate} }, func(s *scene) {
			begun := time.Now()
			_, _, err := s.get(s.Context())
			took, least := time.Since(begun).Seconds(), float64(s.size()-700)/float64(rate)-credit.Seconds()
			if err != nil || took < least || took > 2*least+1 {
				s.Errorf("%v: at %d bytes per second, %d bytes took %.1f s", err, rate, s.size(), took)
			}
		})
	}
}

// SP4: strange messages are answered with nothing, or with what they may have.
func TestAsks(t *testing.T) {
	play(t, 3, usual, func(s *scene) {
		got := ""
		stop, _ := s.Listen("me", func(_ string, answer []byte) {
			if m, _ := opened(answer); m.kind == kindChunk {
				got += fmt.Sprint(" ", m.number)
			} else {
				got += " " + string(m.body)
			}
		})
		defer stop()
		s.server.asked("me", message{kind: kindOrder}.bytes())
		time.Sleep(time.Second)
		synctest.Wait()
		for _, c := range []struct {
			message []byte
			want    string
		}{
			{message{kind: kindAsk, number: 1 << 63}.bytes(), ""},
			{message{kind: 99}.bytes(), ""},
			{sealed([]byte{Version, kindAsk}), ""},
			{message{kind: kindAsk}.bytes()[1:], ""},
			{nil, ""},
			{message{kind: kindAsk, number: 5}.bytes(), " 5"},
			{message{kind: kindAsk}.bytes(), " 0"},
		} {
			got = ""
			s.server.asked("me", c.message)
			time.Sleep(time.Second)
			if synctest.Wait(); got != c.want || len(s.server.orders) != 1 {
				s.Errorf("%q is answered%s, and %d orders are there", c.message, got, len(s.server.orders))
			}
		}
		got = ""
		for range 10 * window { // what there is no room for is dropped: nobody waits
			s.server.asked("me", message{kind: kindAsk, number: 1}.bytes())
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := strings.Count(got, " 1"); n == 0 || n > 10*window {
			s.Errorf("%d of %d asks were answered", n, 10*window)
		}
	})
}
