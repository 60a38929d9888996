package transfer

import (
	"context"
	"errors"
	"io/fs"
	"maps"
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
		play(t, seed, usual, func(s *scene) {
			s.takes, s.faults = time.Duration(seed%4)*20*time.Second, int(seed%8*2)
			done, total := int64(0), int64(0)
			s.o.Told = func(d, of int64) {
				if d < done || d > of {
					s.Errorf("%d bytes of %d are done, and %d were", d, of, done)
				}
				done, total = d, of
			}
			note, bytes, err := s.get(s.Context())
			if sum := int64(s.size()); err != nil || note != "note of shard 3" || bytes != sum || done != sum ||
				total != sum {
				s.Errorf("seed %d: %v: %q; %d bytes came, %d of %d were told, there are %d", seed, err, note, bytes,
					done, total, sum)
			}
			synctest.Wait()
			if s.faults == 0 && (s.data > 2*s.size()+10_000 || s.most > (window+2)*(700+200) || s.made.Load() != 1) {
				s.Errorf("%d bytes were sent for %d; %d were under way; it was made %d times", s.data, s.size(), s.most,
					s.made.Load())
			}
		})
	}
}

// SP1, SP5 and SP8: one message is lost, or from some message on none arrives at one of the two sides, or at both.
func TestCutAnywhere(t *testing.T) {
	cut := func(at int, dead func(message int, toSender bool) bool) (messages int, err error) {
		play(t, 7, usual, func(s *scene) {
			s.takes, s.network.dead = 3*time.Second, dead
			begun := time.Now()
			_, _, err = s.get(s.Context())
			if took := time.Since(begun); err != nil && !errors.Is(err, ErrSilent) || took > 2*Silence+5*time.Second {
				s.Errorf("cut at %d: %v after %v", at, err, took)
			}
			messages = s.sent()
			time.Sleep(Silence + 4*time.Second) // nobody asks
			synctest.Wait()
			if s.made.Load() > 1 || s.removed.Load() != s.made.Load() {
				s.Errorf("cut at %d: %d were made, %d removed", at, s.made.Load(), s.removed.Load())
			}
		})
		return messages, err
	}
	all, _ := cut(0, nil)
	if all < 40 {
		t.Fatal("only", all, "messages")
	}
	for name, dead := range map[string]func(behind int, toSender bool) bool{
		"to the sender":   func(behind int, to bool) bool { return behind >= 0 && to },
		"to the receiver": func(behind int, to bool) bool { return behind >= 0 && !to },
		"both":            func(behind int, _ bool) bool { return behind >= 0 },
		"one message":     func(behind int, _ bool) bool { return behind == 0 },
	} {
		whole := 0
		for at := range all {
			if _, err := cut(at, func(message int, to bool) bool { return dead(message-at, to) }); err == nil {
				whole++
			}
		}
		if (whole == all) != (name == "one message") || whole == 0 {
			t.Errorf("%s: %d of %d were whole", name, whole, all)
		}
	}
}

// SP1: the receiving process ends before any operation on its disk, and the next one begins again. What it has synced
// by then is known from the order of operations.
func TestDeathAnywhere(t *testing.T) {
	for at, died := 0, true; died; at++ {
		died = false
		play(t, 7, usual, func(s *scene) {
			steps := []string{}
			s.o.steps = func(what, name string) {
				if len(steps) == at {
					died = true
					panic("death")
				}
				steps = append(steps, what+" "+name)
			}
			s.o.sync = func(f *os.File) error {
				s.o.steps("sync", strings.TrimPrefix(f.Name(), Partial(s.into)+"/"))
				return nil
			}
			var err error
			func() {
				defer func() { _ = recover() }()
				_, _, err = s.get(s.Context())
			}()
			if !died && (err != nil || steps[len(steps)-1] != "sync "+filepath.Dir(s.into)) {
				s.Errorf("%v: the last operation is %q", err, steps[len(steps)-1])
			}
			if _, err := os.Lstat(s.into); err == nil {
				wants(s, s.into, s.files)
				synced(s.T, steps, s.into, s.files)
				return
			}
			s.o = small()
			if _, _, err := s.get(s.Context()); err != nil {
				s.Errorf("again after %d operations: %v", at, err)
			}
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
	soon := func(what func()) { time.AfterFunc(time.Second, what) }
	for what, c := range map[string]struct {
		change func(s *scene, cancel func())
		wants  error
		text   string
	}{
		"cancelled": {func(s *scene, cancel func()) { s.o.Told = func(int64, int64) { cancel() } },
			context.Canceled, ""},
		"cancelled early": {func(s *scene, cancel func()) { s.takes = 1e11; soon(cancel) }, context.Canceled, ""},
		"no room":         {func(s *scene, _ func()) { s.o.Accept = func(int64) error { return trouble } }, trouble, ""},
		"it is not made":  {func(s *scene, _ func()) { s.fails = trouble }, ErrSender, trouble.Error()},
		"it is not there": {func(s *scene, _ func()) { s.dir += "/missing" }, ErrSender, "missing"},
		"a link in it": {func(s *scene, _ func()) { _ = os.Symlink("a", s.dir+"/link") }, ErrSender,
			`"link" is no plain file`},
		"a backslash": {func(s *scene, _ func()) { _ = os.Mkdir(s.dir+`/a\b`, 0o700) }, ErrSender,
			ErrList.Error()},
		"the sender stops": {func(s *scene, _ func()) { s.o.Told = func(int64, int64) { s.server.stop(ErrClosed) } },
			ErrSender, ErrClosed.Error()},
		"it stops early": {func(s *scene, _ func()) {
			s.takes = time.Minute
			soon(func() { s.server.stop(ErrClosed) })
		}, ErrSender, context.Canceled.Error()},
		"a file is gone": {func(s *scene, _ func()) {
			s.o.Accept = func(int64) error { return os.Remove(s.dir + "/b") }
		}, ErrSender, "no such file"},
		"a shorter file": {func(s *scene, _ func()) {
			s.o.Accept = func(int64) error { return os.Truncate(s.dir+"/b", 1) }
		}, ErrSender, "EOF"},
		"it is there":   {func(s *scene, _ func()) { s.into = filepath.Dir(s.into) }, fs.ErrExist, ""},
		"nowhere to go": {func(s *scene, _ func()) { s.into = filepath.Join(s.into, "into") }, fs.ErrNotExist, ""},
		"it is forgotten": {func(s *scene, _ func()) {
			s.o.Accept = func(int64) error {
				s.server.mu.Lock()
				inbox := slices.Collect(maps.Keys(s.server.orders))[0]
				s.server.mu.Unlock()
				s.server.asked(inbox, message{kind: kindDone}.bytes())
				time.Sleep(time.Second)
				return nil
			}
		}, ErrSender, errUnknown.Error()},
	} {
		play(t, 7, usual, func(s *scene) {
			ctx, cancel := context.WithCancel(s.Context())
			defer cancel()
			c.change(s, cancel)
			begun := time.Now()
			_, _, err := get(ctx, s.network, "P", "", s.into, s.o)
			if took := time.Since(begun); !errors.Is(err, c.wants) || took > Silence ||
				!strings.Contains(err.Error(), c.text) {
				s.Errorf("%s: %v after %v", what, err, took)
			}
			if what != "it is there" {
				wants(s, s.into, nil)
			}
		})
	}
}

// twice is a link on which each question has its answer at once, twice.
type twice struct{ f *fetch }

func (twice) Listen(string, func(string, []byte)) (func(), error) { return func() {}, nil }
func (twice) Inbox() string                                       { return "" }
func (l twice) Send(_, _ string, question []byte) error {
	m, _ := opened(question)
	for range 2 {
		l.f.take("", message{kindChunk, m.number, []byte("body")}.bytes())
	}
	l.f.take("", message{kindChunk, m.number - 1, []byte("late")}.bytes())
	return nil
}

// SP4: what comes twice is heard, and not kept.
func TestAnswersThatComeTwice(t *testing.T) {
	f := &fetch{begun: time.Now(), fail: func(error) {}}
	f.link = twice{f}
	for n := range uint64(3) {
		m, err := f.ask(t.Context(), message{kind: kindAsk, number: n}, func(m message) bool { return m.number == n })
		if string(m.body) != "body" || err != nil || f.heard.Load() == 0 {
			t.Errorf("chunk %d: %q, %v", n, m.body, err)
		}
		f.heard.Store(0)
		f.take("", m.bytes())
		if f.heard.Load() == 0 {
			t.Error("what comes again is not heard")
		}
	}
	f.waits.Range(func(n, _ any) bool { t.Errorf("chunk %v is still waited for", n); return true })
}
