package shipment

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

// small has many chunks in a small directory, and no power cuts.
func small() Options { return Options{chunk: 700, sync: func(*os.File) error { return nil }} }

// one brings a directory over a network, in a bubble.
func one(t *testing.T, n *network, dir, into string, o Options) (bytes int64, err, why error) {
	t.Helper()
	s, err := offer(n, "P", dir, o)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err = get(context.Background(), n, "P", s.Name, into, o)
	return bytes, err, s.Why()
}

// TestAnyMessages holds SP2, and SP4: what the network holds at a time is some windows at most.
func TestAnyMessages(t *testing.T) {
	for seed := range uint64(24) {
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, seed)
			into := filepath.Join(t.TempDir(), "into")
			n := newNetwork(seed)
			n.faults = int(seed % 8 * 2)
			o, done, total := small(), int64(0), int64(0)
			o.Told = func(d, t int64) {
				if d < done || d > t {
					panic(fmt.Sprintf("%d bytes of %d are done, and %d were", d, t, done))
				}
				done, total = d, t
			}
			bytes, err, why := one(t, n, dir, into, o)
			if err != nil {
				t.Fatal("seed", seed, err)
			}
			wants(t, into, files)
			sum := int64(0)
			for _, text := range files {
				sum += int64(len(text))
			}
			if bytes != sum || done != sum || total != sum {
				t.Errorf("%d bytes came, %d of %d were told, there are %d", bytes, done, total, sum)
			}
			if why != nil && (n.faults == 0 || !errors.Is(why, ErrIdle)) {
				t.Error("the offer ended because", why)
			}
			if n.faults == 0 && (n.data > 2*int(sum) || n.most > (window+2)*(700+200)) {
				t.Errorf("%d bytes were sent for %d; %d were under way", n.data, sum, n.most)
			}
		})
	}
}

// TestEmptyDirectory has a stream that is only a list.
func TestEmptyDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		into := filepath.Join(t.TempDir(), "into")
		if bytes, err, why := one(t, newNetwork(1), t.TempDir(), into, Options{}); bytes != 0 || err != nil || why != nil {
			t.Error(bytes, err, why)
		}
		wants(t, into, map[string]string{})
	})
}

// TestCutAnywhere holds SP1 and SP5: from some message on, none arrives.
func TestCutAnywhere(t *testing.T) {
	cut := func(at int, toSender bool) (messages int, fetched bool) {
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, 7)
			into := filepath.Join(t.TempDir(), "into")
			n := newNetwork(1)
			n.dead = func(message int, to bool) bool { return message >= at && to == toSender }
			released := 0
			o := small()
			o.Release = func() { released++ }
			begun := time.Now()
			_, err, why := one(t, n, dir, into, o)
			messages, fetched = n.count, err == nil
			if took := time.Since(begun); took > defaultSilence+defaultIdle+5*time.Second {
				t.Errorf("cut at %d: it took %v", at, took)
			}
			switch {
			case fetched:
				wants(t, into, files)
			case !errors.Is(err, ErrSilent):
				t.Errorf("cut at %d: %v", at, err)
			default:
				wants(t, into, nil)
			}
			if released != 1 || why != nil && !errors.Is(why, ErrIdle) {
				t.Errorf("cut at %d: released %d times, since %v", at, released, why)
			}
		})
		return messages, fetched
	}
	const never = 1 << 30
	all, _ := cut(never, true)
	if all < 10 {
		t.Fatal("only", all, "messages")
	}
	for _, toSender := range []bool{true, false} {
		whole := 0
		for at := range all {
			if _, fetched := cut(at, toSender); fetched {
				whole++
			}
		}
		if whole == 0 || whole == all {
			t.Errorf("%d of %d were whole", whole, all)
		}
	}
}

// TestDeathAnywhere holds SP1: the receiving process ends before any operation on its disk, and the
// next one begins again. What it has synced by then is known from the order of operations.
func TestDeathAnywhere(t *testing.T) {
	for at := 0; ; at++ {
		died := false
		synctest.Test(t, func(t *testing.T) {
			dir, files := directory(t, 7)
			into := filepath.Join(t.TempDir(), "into")
			n := newNetwork(1)
			s, err := offer(n, "P", dir, small())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			o, steps := small(), []string{}
			o.steps = func(what, name string) {
				if len(steps) == at {
					died = true
					panic("death")
				}
				steps = append(steps, what+" "+name)
			}
			o.sync = func(f *os.File) error {
				name := strings.TrimPrefix(f.Name(), Partial(into)+"/")
				o.steps("sync", name)
				return nil
			}
			func() {
				defer func() { _ = recover() }()
				_, err = get(t.Context(), n, "P", s.Name, into, o)
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
			if _, err := get(t.Context(), n, "P", s.Name, into, small()); err != nil {
				t.Fatalf("again after %d operations: %v", at, err)
			}
			wants(t, into, files)
		})
		if !died {
			return
		}
	}
}

// synced holds a list of operations against SP1.
func synced(t *testing.T, steps []string, into string, files map[string]string) {
	t.Helper()
	rename := slices.Index(steps, "rename "+into)
	for name := range files {
		name = strings.TrimSuffix(name, "/")
		made, sync := slices.Index(steps, "make "+name), slices.Index(steps, "sync "+name)
		last := made
		for i, step := range steps {
			if step == "write "+name || strings.HasPrefix(step, "make "+name+"/") {
				last = i
			}
		}
		if made < 0 || sync < last || rename < sync {
			t.Errorf("%s: made %d, last write %d, sync %d, rename %d", name, made, last, sync, rename)
		}
	}
	if root := slices.Index(steps, "sync ."); root < 0 || root > rename || rename < 0 {
		t.Errorf("the directory: sync %d, rename %d", root, rename)
	}
}

// TestFetchEnds has a fetch end that cannot go on, with nothing left, and begin again.
func TestFetchEnds(t *testing.T) {
	refused := errors.New("no room")
	for what, test := range map[string]struct {
		change func(n *network, o *Options, s **Shipment, dir string, cancel func())
		wants  error
	}{
		"cancelled": {func(_ *network, o *Options, _ **Shipment, _ string, cancel func()) {
			o.Told = func(done, _ int64) { cancel() }
		}, context.Canceled},
		"no room": {func(_ *network, o *Options, _ **Shipment, _ string, _ func()) {
			o.Accept = func(bytes int64) error { return fmt.Errorf("for %d bytes: %w", bytes, refused) }
		}, refused},
		"the sender closes": {func(_ *network, o *Options, s **Shipment, _ string, _ func()) {
			o.Told = func(done, _ int64) { (*s).Close() }
		}, ErrSender},
		"a file is gone": {func(_ *network, _ *Options, _ **Shipment, dir string, _ func()) {
			_ = os.Remove(filepath.Join(dir, "b"))
		}, ErrSender},
		"a file has become shorter": {func(_ *network, _ *Options, _ **Shipment, dir string, _ func()) {
			_ = os.Truncate(filepath.Join(dir, "b"), 1)
		}, ErrSender},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir, _ := directory(t, 7)
			into := filepath.Join(t.TempDir(), "into")
			n, o := newNetwork(1), small()
			ctx, cancel := context.WithCancel(t.Context())
			s, err := offer(n, "P", dir, small())
			if err != nil {
				t.Fatal(err)
			}
			test.change(n, &o, &s, dir, cancel)
			if _, err := get(ctx, n, "P", s.Name, into, o); !errors.Is(err, test.wants) {
				t.Errorf("%s: %v", what, err)
			}
			wants(t, into, nil)
			s.Close()
		})
	}
}

// TestTwoReceivers holds SP2 where two fetch one shipment at a time, which nobody should do: each
// has the whole, or an error and nothing.
func TestTwoReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, files := directory(t, 7)
		n := newNetwork(1)
		n.faults = 5
		s, err := offer(n, "P", dir, small())
		if err != nil {
			t.Fatal(err)
		}
		into, failed := [2]string{}, make(chan error, 2)
		for i := range into {
			into[i] = filepath.Join(t.TempDir(), "into")
			go func() {
				_, err := get(context.Background(), n, "P", s.Name, into[i], small())
				failed <- err
			}()
		}
		errs := []error{<-failed, <-failed}
		whole := 0
		for _, err := range errs {
			if err == nil {
				whole++
			} else if !errors.Is(err, ErrSilent) {
				t.Error(err)
			}
		}
		for _, dir := range into {
			if contents(t, dir) != nil {
				wants(t, dir, files)
				whole--
			} else {
				wants(t, dir, nil)
			}
		}
		if whole != 0 || errs[0] != nil && errs[1] != nil {
			t.Error("the fetches ended with", errs)
		}
		s.Close()
	})
}

// TestWrongFetch is what a caller can do wrong.
func TestWrongFetch(t *testing.T) {
	n, here := newNetwork(1), t.TempDir()
	if _, err := get(t.Context(), n, "P", "ABC", here, small()); !errors.Is(err, fs.ErrExist) {
		t.Error("into a directory that is there:", err)
	}
	for _, name := range []string{"", "a", "A.B", "*", ">", "A B"} {
		if _, err := get(t.Context(), n, "P", name, filepath.Join(here, "into"), small()); !errors.Is(err, ErrSender) {
			t.Errorf("from %q: %v", name, err)
		}
	}
	if n.count != 0 {
		t.Error("messages were sent")
	}
	synctest.Test(t, func(t *testing.T) {
		dir, _ := directory(t, 1)
		if _, err, _ := one(t, newNetwork(1), dir, filepath.Join(here, "missing", "into"), small()); !errors.Is(err, fs.ErrNotExist) {
			t.Error("below a directory that is missing:", err)
		}
	})
}
