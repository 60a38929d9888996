package shipment

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// maker makes the same directory for every order, and counts.
type maker struct {
	dir     string
	takes   time.Duration
	fails   error
	made    atomic.Int32
	removed atomic.Int32
}

func (m *maker) make(ctx context.Context, key string) (string, []byte, func(), error) {
	select {
	case <-ctx.Done():
		return "", nil, nil, ctx.Err()
	case <-time.After(m.takes):
	}
	if m.fails != nil {
		return "", nil, nil, m.fails
	}
	m.made.Add(1)
	return m.dir, []byte("note of " + key), func() { m.removed.Add(1) }, nil
}

// TestOrders holds SP2 and SP8: an order over any network, for something that takes long to make.
func TestOrders(t *testing.T) {
	for seed := range uint64(16) {
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, seed)
			into := filepath.Join(t.TempDir(), "into")
			n, m := newNetwork(seed), &maker{dir: dir, takes: time.Duration(seed) * 7 * time.Second}
			n.faults = int(seed % 4 * 4)
			d, err := serve(n, "P", m.make, small())
			if err != nil {
				t.Fatal(err)
			}
			o, notes := small(), ""
			o.Begun = func(note []byte) {
				if n.data > 1000+1000*int(seed) {
					t.Error("the note came late")
				}
				notes += string(note)
			}
			if _, err := have(t.Context(), n, "P", "shard 3", into, o); err != nil {
				t.Fatal("seed", seed, err)
			}
			wants(t, into, files)
			if notes != "note of shard 3" || n.faults == 0 && m.made.Load() != 1 {
				t.Errorf("the notes are %q; %d were made", notes, m.made.Load())
			}
			d.Close()
			if m.made.Load() != m.removed.Load() || len(n.listeners) != 0 {
				t.Errorf("%d were made, %d removed; %d listen", m.made.Load(), m.removed.Load(), len(n.listeners))
			}
		})
	}
}

// TestReadyIsLost holds SP8: who has not heard that it is made asks again, and it is not made again.
func TestReadyIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 1)
		n, m := newNetwork(1), &maker{dir: dir, takes: 100 * time.Millisecond}
		n.dead = func(message int, _ bool) bool { return message == 2 } // behind the order, and that it is being made
		d, err := serve(n, "P", m.make, small())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		begun := time.Now()
		_, err = have(t.Context(), n, "P", "", filepath.Join(t.TempDir(), "into"), small())
		if took := time.Since(begun); err != nil || m.made.Load() != 1 || took > 5*time.Second || took < defaultSilence/patience {
			t.Errorf("%v after %v; %d were made", err, took, m.made.Load())
		}
	})
}

// TestOrdersCut holds SP5 and SP8: from some message on none arrives.
func TestOrdersCut(t *testing.T) {
	dir, files := directory(t, 1)
	whole, failed := 0, 0
	for at := 0; whole == 0 || at < 40; at++ {
		synctest.Test(t, func(t *testing.T) {
			into := filepath.Join(t.TempDir(), "into")
			n, m := newNetwork(1), &maker{dir: dir, takes: 3 * time.Second}
			n.dead = func(message int, _ bool) bool { return message >= at }
			d, err := serve(n, "P", m.make, small())
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			if _, err = have(t.Context(), n, "P", "", into, small()); err == nil {
				whole++
				wants(t, into, files)
			} else {
				failed++
				wants(t, into, nil)
			}
			if took := time.Since(begun); err != nil && !errors.Is(err, ErrSilent) || took > 2*defaultSilence {
				t.Errorf("cut at %d: %v after %v", at, err, took)
			}
			time.Sleep(defaultIdle) // nobody asks
			synctest.Wait()
			if m.made.Load() != m.removed.Load() {
				t.Errorf("cut at %d: %d were made, %d removed", at, m.made.Load(), m.removed.Load())
			}
			d.Close()
		})
	}
	if failed < 10 {
		t.Error("only", failed, "failed")
	}
}

// TestManyOrders holds SP8: there is a most, which is for directories that are there at a time.
func TestManyOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 1)
		n, m := newNetwork(1), &maker{dir: dir, takes: time.Minute}
		d, err := serve(n, "P", m.make, small())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for range 2 {
			ended := make(chan error, mostOrders+3)
			for range cap(ended) {
				into := filepath.Join(t.TempDir(), "into")
				go func() {
					_, err := have(t.Context(), n, "P", "", into, small())
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
	})
}

// TestOrderEnds is what cannot be filled.
func TestOrderEnds(t *testing.T) {
	trouble := errors.New("no such shard")
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 1)
		for _, test := range []struct {
			what  string
			m     *maker
			ctx   time.Duration
			close time.Duration
			wants error
			text  string
		}{
			{"it cannot be made", &maker{dir: dir, fails: trouble}, time.Hour, time.Hour, ErrSender, trouble.Error()},
			{"it is not there", &maker{dir: dir + "/missing"}, time.Hour, time.Hour, ErrSender, "missing"},
			{"the context ends", &maker{dir: dir, takes: time.Minute}, time.Second, time.Hour, context.DeadlineExceeded, ""},
			{"the desk closes while it is fetched", &maker{dir: dir}, time.Hour, 5 * time.Second, ErrSender, ErrClosed.Error()},
			{"the desk closes", &maker{dir: dir, takes: time.Minute}, time.Hour, time.Second, ErrSender, context.Canceled.Error()},
		} {
			n, into := newNetwork(1), filepath.Join(t.TempDir(), "into")
			o := small()
			o.Rate = 100
			d, err := serve(n, "P", test.m.make, o)
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			closing := time.AfterFunc(test.close, d.Close)
			ctx, cancel := context.WithTimeout(t.Context(), test.ctx)
			if _, err = have(ctx, n, "P", "", into, small()); !errors.Is(err, test.wants) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%s: %v", test.what, err)
			}
			wants(t, into, nil)
			cancel()
			closing.Stop()
			d.Close()
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("%s: it took %v", test.what, took)
			}
			if test.m.made.Load() != test.m.removed.Load() {
				t.Errorf("%s: %d were made, %d removed", test.what, test.m.made.Load(), test.m.removed.Load())
			}
		}
		n := newNetwork(1)
		if _, err := have(t.Context(), n, "P", "", dir, small()); !errors.Is(err, fs.ErrExist) || n.count != 0 {
			t.Errorf("into a directory that is there: %v, %d messages", err, n.count)
		}
	})
}
