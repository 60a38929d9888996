package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/must"
)

func TestNotify(t *testing.T) {
	abstract := fmt.Sprintf("@beanfield-test-%d", os.Getpid())
	for _, name := range []string{filepath.Join(t.TempDir(), "notify"), abstract} {
		c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		t.Setenv("NOTIFY_SOCKET", name)
		must.Do(t, notify("READY=1"))
		b := make([]byte, 100)
		c.SetReadDeadline(time.Now().Add(patience))
		n, err := c.Read(b)
		if string(b[:n]) != "READY=1" {
			t.Errorf("%s: read %q, %v", name, b[:n], err)
		}
	}
	t.Setenv("NOTIFY_SOCKET", "/no/such/socket")
	if err := notify("READY=1"); err == nil {
		t.Error("nobody hears, and no error")
	}
	t.Setenv("NOTIFY_SOCKET", "")
	if err := notify("READY=1"); err != nil {
		t.Error(err)
	}
}

// The watchdog gives signs of life while everything makes progress, none while something is
// stuck, and says so once.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ended := errors.New("the end of the test")
		var told atomic.Int64
		var stuck atomic.Value // a text; "the end" ends the watchdog
		after := func(d time.Duration) int64 {
			told.Store(0)
			time.Sleep(d)
			synctest.Wait()
			return told.Load()
		}
		w := &watchdog{time.Second, func() string {
			what := stuck.Load().(string)
			if what == "the end" {
				panic(ended)
			}
			return what
		}, func(string) error { told.Add(1); return nil }, slog.New(slog.NewTextHandler(&log, nil))}
		stuck.Store("")
		go func() {
			defer func() {
				if e := recover(); e != ended {
					t.Error(e)
				}
			}()
			w.run()
		}()
		if n := after(10*time.Second + time.Millisecond); n != 10 {
			t.Errorf("%d signs of life in ten seconds", n)
		}
		stuck.Store("shard 3")
		if n := after(10 * time.Second); n != 0 {
			t.Errorf("%d signs of life of a server that is stuck", n)
		}
		stuck.Store("")
		if n := after(10 * time.Second); n != 10 {
			t.Errorf("%d signs of life in the ten seconds after it was no longer stuck", n)
		}
		if n := strings.Count(log.String(), `part="shard 3"`); n != 1 {
			t.Errorf("said %d times what is stuck\n%s", n, log.String())
		}
		stuck.Store("the end")
		after(time.Second)
	})
}

func TestWatchdogLimit(t *testing.T) {
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
	}{
		{"", "", 0}, {"60000000", "", time.Minute}, {"60000000", fmt.Sprint(os.Getpid()), time.Minute},
		{"60000000", "1", 0}, {"soon", "", 0}, {"-1", "", 0}, {"9223372036854775807", "", 0},
	} {
		t.Setenv("WATCHDOG_USEC", c.usec)
		t.Setenv("WATCHDOG_PID", c.pid)
		if got := watchdogLimit(); got != c.want {
			t.Errorf("WATCHDOG_USEC=%s WATCHDOG_PID=%s: %v, want %v", c.usec, c.pid, got, c.want)
		}
	}
}
