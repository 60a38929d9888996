package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// SP2 and SP8: an order over any network, for something that takes long to make. SP4: what the network holds at a time
// is some windows at most.
func TestAnyMessages(t *testing.T) {
	for seed := range uint64(24) {
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, seed)
			into := filepath.Join(t.TempDir(), "into")
			n, m := newNetwork(seed), &maker{dir: dir, takes: time.Duration(seed%4) * 20 * time.Second}
			n.faults = int(seed % 8 * 2)
			s := n.desk(t, m, small())
			o, notes, done, total, sum := small(), "", int64(0), int64(0), int64(0)
			o.Begun = func(note []byte) { notes += string(note) }
			o.Told = func(d, of int64) {
				if d < done || d > of || notes == "" {
					panic(fmt.Sprintf("%d bytes of %d are done, and %d were; the note is %q", d, of, done, notes))
				}
				done, total = d, of
			}
			bytes, err := get(context.Background(), n, "P", "shard 3", into, o)
			if err != nil {
				t.Fatal("seed", seed, err)
			}
			wants(t, into, files)
			for _, text := range files {
				sum += int64(len(text))
			}
			if bytes != sum || done != sum || total != sum {
				t.Errorf("%d bytes came, %d of %d were told, there are %d", bytes, done, total, sum)
			}
			if notes != "note of shard 3" || n.faults == 0 && m.made.Load() != 1 {
				t.Errorf("the notes are %q; %d were made", notes, m.made.Load())
			}
			synctest.Wait()
			if n.faults == 0 && (n.data > 2*int(sum)+10_000 || n.most > (window+2)*(700+200)) {
				t.Errorf("%d bytes were sent for %d; %d were under way", n.data, sum, n.most)
			}
			if m.closes(t, s); len(n.listeners) > 0 {
				t.Errorf("%d listen", len(n.listeners))
			}
		})
	}
}

// A stream that is only a list.
func TestEmptyDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, m, into := newNetwork(1), &maker{dir: t.TempDir()}, filepath.Join(t.TempDir(), "into")
		s := n.desk(t, m, Options{})
		if bytes, err := get(t.Context(), n, "P", "", into, Options{}); bytes != 0 || err != nil {
			t.Error(bytes, err)
		}
		wants(t, into, map[string]string{})
		m.closes(t, s)
	})
}

// SP1, SP5 and SP8: from some message on, none arrives at one of the two sides, or at both.
func TestCutAnywhere(t *testing.T) {
	cut := func(at int, dead func(toSender bool) bool) (messages int, fetched bool) {
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, 7)
			into := filepath.Join(t.TempDir(), "into")
			n, m := newNetwork(1), &maker{dir: dir, takes: 3 * time.Second}
			n.dead = func(message int, toSender bool) bool { return message >= at && dead(toSender) }
			s := n.desk(t, m, small())
			begun := time.Now()
			_, err := get(t.Context(), n, "P", "", into, small())
			if took := time.Since(begun); err != nil && !errors.Is(err, ErrSilent) ||
				took > 2*defaultSilence+5*time.Second {
				t.Errorf("cut at %d: %v after %v", at, err, took)
			}
			if messages, fetched = n.sent(), err == nil; !fetched {
				files = nil
			}
			wants(t, into, files)
			time.Sleep(defaultIdle + 4*time.Second) // nobody asks
			synctest.Wait()
			if m.made.Load() != m.removed.Load() {
				t.Errorf("cut at %d: %d were made, %d removed", at, m.made.Load(), m.removed.Load())
			}
			m.closes(t, s)
		})
		return messages, fetched
	}
	all, _ := cut(1<<30, func(bool) bool { return true })
	if all < 40 {
		t.Fatal("only", all, "messages")
	}
	for _, dead := range []func(bool) bool{func(to bool) bool { return to }, func(to bool) bool {
		return !to
	}, func(bool) bool { return true }} {
		whole := 0
		for at := range all {
			if _, fetched := cut(at, dead); fetched {
				whole++
			}
		}
		if whole == 0 || whole == all {
			t.Errorf("%d of %d were whole", whole, all)
		}
	}
}

// SP1: the receiving process ends before any operation on its disk, and the next one begins again. What it has synced
// by then is known from the order of operations.
func TestDeathAnywhere(t *testing.T) {
	for at, died := 0, true; died; at++ {
		died = false
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, 7)
			into := filepath.Join(t.TempDir(), "into")
			n, m := newNetwork(1), &maker{dir: dir}
			defer m.closes(t, n.desk(t, m, small()))
			o, steps := small(), []string{}
			o.steps = func(what, name string) {
				if len(steps) == at {
					died = true
					panic("death")
				}
				steps = append(steps, what+" "+name)
			}
			o.sync = func(f *os.File) error {
				o.steps("sync", strings.TrimPrefix(f.Name(), Partial(into)+"/"))
				return nil
			}
			var err error
			func() {
				defer func() { _ = recover() }()
				_, err = get(t.Context(), n, "P", "", into, o)
			}()
			if !died && (err != nil || steps[len(steps)-1] != "sync "+filepath.Dir(into)) {
				t.Errorf("%v: the last operation is %q", err, steps[len(steps)-1])
			}
			if _, err := os.Lstat(into); err == nil {
				wants(t, into, files)
				synced(t, steps, into, files)
				return
			}
			if !died {
				t.Fatal(err)
			}
			if _, err := get(t.Context(), n, "P", "", into, small()); err != nil {
				t.Fatalf("again after %d operations: %v", at, err)
			}
			wants(t, into, files)
		})
	}
}

// synced holds a list of operations against SP1.
func synced(t *testing.T, steps []string, into string, files map[string]string) {
	t.Helper()
	rename := slices.Index(steps, "rename "+into)
	for name := range files {
		made, sync, last := slices.Index(steps, "make "+name), slices.Index(steps, "sync "+name), -1
		for i, step := range steps {
			if step == "write "+name {
				last = i
			}
		}
		if made < 0 || sync < max(made, last) || rename < sync {
			t.Errorf("%s: made %d, last write %d, sync %d, rename %d", name, made, last, sync, rename)
		}
	}
	if root := slices.Index(steps, "sync ."); root < 0 || root > rename || rename < 0 {
		t.Errorf("the directory: sync %d, rename %d", root, rename)
	}
}

// A fetch that cannot go on ends soon, with nothing left at either side.
func TestFetchEnds(t *testing.T) {
	trouble := errors.New("trouble")
	type setting struct {
		n      *network
		o      *Options
		m      *maker
		s      func() *Server
		cancel func()
	}
	for what, c := range map[string]struct {
		change func(c setting)
		wants  error
		text   string
	}{
		"cancelled": {func(c setting) { c.o.Told = func(int64, int64) { c.cancel() } }, context.Canceled, ""},
		"cancelled early": {func(c setting) { c.m.takes = time.Minute; time.AfterFunc(time.Second, c.cancel) },
			context.Canceled, ""},
		"no room":         {func(c setting) { c.o.Accept = func(bytes int64) error { return trouble } }, trouble, ""},
		"it is not made":  {func(c setting) { c.m.fails = trouble }, ErrSender, trouble.Error()},
		"it is not there": {func(c setting) { c.m.dir += "/missing" }, ErrSender, "missing"},
		"the sender stops": {func(c setting) { c.o.Told = func(int64, int64) { go c.s().Close() } }, ErrSender,
			ErrClosed.Error()},
		"it stops early": {func(c setting) {
			c.m.takes = time.Minute
			time.AfterFunc(time.Second, func() {
				c.s().Close()
			})
		}, ErrSender, context.Canceled.Error()},
		"a file is gone": {func(c setting) { c.o.Begun = func([]byte) { _ = os.Remove(filepath.Join(c.m.dir, "b")) } },
			ErrSender, "no such file"},
		"a shorter file": {func(c setting) {
			c.o.Begun = func([]byte) {
				_ = os.Truncate(filepath.Join(c.m.dir, "b"), 1)
			}
		}, ErrSender, "unexpected EOF"},
		"it is forgotten": {func(c setting) {
			c.o.Begun = func([]byte) { c.s().asked("INBOX.b", message(kindDone, "")); time.Sleep(time.Second) }
		}, ErrSender, errUnknown.Error()},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir, _ := directory(t, 7)
			n, m, o, into := newNetwork(1), &maker{dir: dir}, small(), filepath.Join(t.TempDir(), "into")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var s *Server
			c.change(setting{n, &o, m, func() *Server { return s }, cancel})
			s = n.desk(t, m, small())
			begun := time.Now()
			_, err := get(ctx, n, "P", "", into, o)
			if took := time.Since(begun); !errors.Is(err, c.wants) || !strings.Contains(err.Error(), c.text) ||
				took > 10*time.Second {
				t.Errorf("%s: %v after %v", what, err, took)
			}
			wants(t, into, nil)
			m.closes(t, s)
		})
	}
}

// What a caller can do wrong.
func TestWrongFetch(t *testing.T) {
	n, here := newNetwork(1), t.TempDir()
	if _, err := get(t.Context(), n, "P", "", here, small()); !errors.Is(err, fs.ErrExist) || n.count != 0 {
		t.Errorf("into a directory that is there: %v, %d messages", err, n.count)
	}
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 1)
		n, m := newNetwork(1), &maker{dir: dir}
		s := n.desk(t, m, small())
		if _, err := get(t.Context(), n, "P", "", filepath.Join(here, "missing", "into"), small()); !errors.Is(err,
			fs.ErrNotExist) {
			t.Error("below a directory that is missing:", err)
		}
		m.closes(t, s)
	})
}
