package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/storage"
	"beanfield/storage/must"
)

func TestAwaitReturnsWhatIsOpened(t *testing.T) {
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			n := 7
			got, err := await(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), waitForJobs, func() (*int, error) {
				return &n, want
			})
			if got != &n || err != want || log.Len() > 0 {
				t.Errorf("got %v, %v; the log says %q", got, err, &log)
			}
		})
	}
}

// A long recovery is logged once, and systemd is asked for more time early enough.
func TestAwaitALongRecovery(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notify")
	heard := must.Get(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"}))
	defer heard.Close()
	t.Setenv("NOTIFY_SOCKET", name)
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		if _, err := await(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), waitForJobs, func() (*int, error) {
			time.Sleep(2*patienceEvery + longRecovery) // by the bubble's clock
			return nil, nil
		}); err != nil {
			t.Error(err)
		}
	})
	if got := log.String(); strings.Count(got, "level=INFO+2") != 1 ||
		!strings.Contains(got, "recovering jobs takes a while") {
		t.Errorf("the log says %q", got)
	}
	b := make([]byte, 100)
	for range 2 {
		heard.SetReadDeadline(time.Now().Add(patience))
		if n, err := heard.Read(b); string(b[:n]) != patienceAsked || err != nil {
			t.Errorf("systemd hears %q, %v", b[:n], err)
		}
	}
}

// A process that is told to end does not wait for its jobs, and says so.
func TestAwaitStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop, cancel := context.WithCancel(t.Context())
		goOn := make(chan bool)
		go func() {
			time.Sleep(time.Minute)
			cancel()
		}()
		var log bytes.Buffer
		n := 7
		got, err := await(stop, slog.New(slog.NewTextHandler(&log, nil)), waitForJobs, func() (*int, error) {
			<-goOn
			return &n, nil
		})
		if got != nil || err != nil {
			t.Errorf("got %v, %v", got, err)
		}
		if !strings.Contains(log.String(), "ending before all jobs are recovered") {
			t.Errorf("the log says %q", &log)
		}
		close(goOn)
	})
}

// Information is raised to notices while a long recovery goes on, and not before
// or after.
func TestProgressIsHeard(t *testing.T) {
	for _, c := range []struct {
		level   slog.Level
		opening bool
		after   time.Duration
		want    string
	}{
		{config.LevelNotice, true, longRecovery, "level=NOTICE msg=jobs shard=1\n"},
		{config.LevelNotice, true, longRecovery - 1, ""},
		{config.LevelNotice, false, longRecovery, ""},
		{slog.LevelInfo, true, longRecovery, "level=NOTICE msg=jobs shard=1\n"},
		{slog.LevelInfo, true, longRecovery - 1, "level=INFO msg=jobs shard=1\n"},
		{slog.LevelInfo, false, longRecovery, "level=INFO msg=jobs shard=1\n"},
		{slog.LevelWarn, true, longRecovery, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			h := slog.NewTextHandler(&b, &slog.HandlerOptions{Level: c.level, ReplaceAttr: withoutTime})
			p := &progress{Handler: h, opening: &atomic.Bool{}, begun: time.Now()}
			p.opening.Store(c.opening)
			time.Sleep(c.after) // by the bubble's clock
			log := slog.New(p).With("shard", 1)
			log.Info("jobs")
			log.Debug("details")
			if b.String() != c.want {
				t.Errorf("%+v: the log says %q", c, &b)
			}
		})
	}
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return nameNotice(groups, a)
}

// startThatTakes logs a start in which a store opens for so long and jobs are replayed for 2 s.
func startThatTakes(t *testing.T, opening time.Duration) (log string) {
	var b bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		steps := new(storage.Steps)
		end := watchStart(steps, slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
		step := steps.Begin("opening shard-000", "")
		time.Sleep(opening - time.Millisecond) // by the bubble's clock
		step.End()
		step = steps.Begin("replaying shard-000", "jobs")
		step.Count()
		time.Sleep(2 * time.Second)
		step.End()
		end()
		end() // also when the start is over in another way
	})
	return b.String()
}

// A start that takes long says what it is doing, less and less often, and at its end what took
// longest.
func TestSlowStartSaysWhatItDoes(t *testing.T) {
	if got := startThatTakes(t, 3*time.Second); got != "" {
		t.Errorf("a start of five seconds says %q", got)
	}
	const line = "level=NOTICE msg=\"the start takes long\" seconds="
	want := line + "5 doing=\"replaying shard-000: 1.0 s, 1 jobs\"\n" +
		"level=NOTICE msg=\"the start took long\" seconds=5.999 longest=\"opening shard-000: 4.0 s; replaying shard-000: 2.0 s, 1 jobs\"\n"
	if got := startThatTakes(t, 4*time.Second); got != want {
		t.Errorf("it says\n%swant\n%s", got, want)
	}
	var at []string
	for l := range strings.Lines(startThatTakes(t, 200*time.Second)) {
		if rest, ok := strings.CutPrefix(l, line); ok {
			at = append(at, rest[:strings.Index(rest, " ")])
			if !strings.Contains(rest, "opening shard-000: ") {
				t.Errorf("it says %q", l)
			}
		}
	}
	if got := strings.Join(at, " "); got != "5 15 35 75 135 195" {
		t.Errorf("it says something after %s seconds", got)
	}
}
