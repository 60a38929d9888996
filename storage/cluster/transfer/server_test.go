package transfer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// SP8: who has not heard that it is made asks again, and it is not made again.
func TestReadyIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 1)
		n, m := newNetwork(1), &maker{dir: dir, takes: 100 * time.Millisecond}
		n.dead = func(message int, _ bool) bool { return message == 2 } // behind the order, and that it is being made
		s := n.desk(t, m, small())
		begun := time.Now()
		_, err := get(t.Context(), n, "P", "", filepath.Join(t.TempDir(), "into"), small())
		if took := time.Since(begun); err != nil || m.made.Load() != 1 || took > 5*time.Second ||
			took < defaultSilence/patience {
			t.Errorf("%v after %v; %d were made", err, took, m.made.Load())
		}
		m.closes(t, s)
	})
}

// SP8: there is a most, which is for snapshots that are there at a time.
func TestManyOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 1)
		n, m := newNetwork(1), &maker{dir: dir, takes: time.Minute}
		s := n.desk(t, m, small())
		for range 2 {
			ended := make(chan error, mostOrders+3)
			for range cap(ended) {
				into := filepath.Join(t.TempDir(), "into")
				go func() {
					_, err := get(t.Context(), n, "P", "", into, small())
					ended <- err
				}()
			}
			refused := 0
			for range cap(ended) {
				if err := <-ended; errors.Is(err, ErrSender) && strings.Contains(err.Error(), errBusy.Error()) {
					refused++
				} else if err != nil {
					t.Error(err)
				}
			}
			if refused != 3 {
				t.Errorf("%d of %d orders were refused", refused, cap(ended))
			}
			time.Sleep(time.Second) // the last one's done arrives
		}
		m.closes(t, s)
	})
}

// SP5: a snapshot of which nobody wants anything more is given up, at once or after a while.
func TestSnapshotIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 3)
		n, m := newNetwork(1), &maker{dir: dir}
		o := small()
		o.Idle = time.Hour
		s := n.desk(t, m, o)
		ctx, cancel := context.WithCancel(t.Context())
		half := small()
		half.Told = func(done, total int64) {
			if done > total/2 {
				cancel()
			}
		}
		if _, err := get(ctx, n, "P", "", filepath.Join(t.TempDir(), "into"), half); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if time.Sleep(time.Second); m.removed.Load() != 1 {
			t.Error("its receiver has said that it gives up, and it is there")
		}
		s.asked("me", message(kindOrder, ""))
		if time.Sleep(o.Idle - time.Second); m.made.Load() != 2 || m.removed.Load() != 1 {
			t.Error("it is given up too early")
		}
		if time.Sleep(2 * time.Second); m.removed.Load() != 2 {
			t.Error("nobody asks, and it is there")
		}
		m.closes(t, s)
	})
}

// SP6: the rate.
func TestRate(t *testing.T) {
	for _, rate := range []int64{1000, 10_000, 1 << 20} {
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, 3)
			into := filepath.Join(t.TempDir(), "into")
			n, m, o, total := newNetwork(1), &maker{dir: dir}, small(), 0
			o.Rate = rate
			s := n.desk(t, m, o)
			begun := time.Now()
			if _, err := get(t.Context(), n, "P", "", into, small()); err != nil {
				t.Fatal(err)
			}
			took := time.Since(begun).Seconds()
			wants(t, into, files)
			for _, text := range files {
				total += len(text)
			}
			if least := float64(total-700)/float64(rate) - credit.Seconds(); took < least || took > 2*least+1 {
				t.Errorf("at %d bytes per second, %d bytes took %.1f s", rate, total, took)
			}
			m.closes(t, s)
		})
	}
}

// SP4: strange messages are answered with nothing, or with what they may have.
func TestAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 3)
		n, m := newNetwork(1), &maker{dir: dir}
		s := n.desk(t, m, Options{chunk: 50})
		var got []uint64
		_, _ = n.Listen("me", func(_ string, message []byte) {
			if kind, rest, _ := opened(message); kind == kindChunk {
				number, _, _ := numbered(rest)
				got = append(got, number)
			}
		})
		s.asked("me", message(kindOrder, ""))
		time.Sleep(time.Second)
		synctest.Wait()
		all := s.orders["me"]
		for _, c := range []struct {
			inbox   string
			message []byte
			want    []uint64
		}{
			{"", ask(0), nil},
			{"another", ask(0), nil},
			{"me", ask(1 << 63), nil},
			{"me", message(kindAsk, "short"), nil},
			{"me", message(99, ""), nil},
			{"me", nil, nil},
			{"me", ask(5), []uint64{5}},
			{"me", ask(0), []uint64{0}},
		} {
			got = nil
			s.asked(c.inbox, c.message)
			time.Sleep(time.Second)
			synctest.Wait()
			if !slices.Equal(got, c.want) || s.orders["me"] != all || len(s.orders) != 1 {
				t.Errorf("%q from %q: chunks %v came, and %d orders are there", c.message, c.inbox, got, len(s.orders))
			}
		}
		got = nil
		for range 10 * window { // what there is no room for is dropped: nobody waits
			s.asked("me", ask(1))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(got) == 0 || len(got) > 10*window {
			t.Errorf("%d of %d asks were answered", len(got), 10*window)
		}
		m.closes(t, s)
	})
}

// What is no snapshot.
func TestWrongDirectories(t *testing.T) {
	dir := t.TempDir()
	for what, make := range map[string]func(path string) error{
		"a link":                  func(path string) error { return os.Symlink("/etc/passwd", path) },
		"a directory":             func(path string) error { return os.Mkdir(path, 0o700) },
		"a name with a backslash": func(path string) error { return os.WriteFile(path+`\b`, nil, 0o600) },
	} {
		path := filepath.Join(dir, what)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := make(filepath.Join(path, "x")); err != nil {
			t.Fatal(err)
		}
		if _, err := newSource(path, 700, nil); !errors.Is(err, ErrList) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := newSource(filepath.Join(dir, "missing"), 700, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error("no directory:", err)
	}
}
