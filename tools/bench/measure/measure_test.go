//go:build linux

package measure

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/testserver"
	"beanfield/tools/server"
)

func TestMain(m *testing.M) { os.Exit(testserver.Run(m)) }

// restartOf measures a restart of a server on a directory, which a script of the shell starts.
func restartOf(t *testing.T, script string, ld load.Load) (*load.Result, error) {
	t.Helper()
	h := How{Launch: server.Launch{Command: testserver.Changed(t, script) + " -b {dir}", Data: t.TempDir()}}
	ld.Kind = load.Restart
	return h.Once(t.Context(), load.Of(ld))
}

const rightly = `exec "$@"`

func TestRestart(t *testing.T) {
	for _, kill := range []bool{false, true} {
		res := must.Get(restartOf(t, rightly, load.Load{Backlog: 500, Kill: kill}))
		u := res.Recovery
		for name, v := range map[string]float64{
			"start": u.StartSec, "load": u.LoadSec, "stop": u.StopSec, "recovery": u.RecoverySec,
			"RSS": float64(u.LoadedRSS) / 1e9, "RSS after": float64(u.RecoveredRSS) / 1e9,
		} {
			if v <= 0 || v > 60 {
				t.Errorf("%s is %v", name, v)
			}
		}
		if res.Server.OnDisk < 500*100 || u.Jobs != 500 || u.LoadedPeak < u.LoadedRSS ||
			u.RecoveredPeak < u.RecoveredRSS || !(u.Peak > 0) {
			t.Errorf("%+v, %d bytes on the disk", u, res.Server.OnDisk)
		}
	}
	// Without jobs there is only a start.
	if u := must.Get(restartOf(t, rightly, load.Load{})).Recovery; u.StartSec <= 0 || u.RecoverySec != 0 {
		t.Errorf("%+v", u)
	}
}

func TestRestartsThatGoWrong(t *testing.T) {
	const again = `if [ -e "$0.started" ]; then `
	const first = `; fi; touch "$0.started"; `
	for script, message := range map[string]string{
		again + `rm -r "${13}"; mkdir "${13}"` + first + rightly:          "has 0 jobs ready, and should have 500",
		again + `echo the jobs cannot be read; exit 10` + first + rightly: "the jobs cannot be read",
		`trap 'kill $!; exit 3' TERM; "$@" & wait`:                        "ended badly",
		rightly + " -no-such-flag":                                        "did not start",
	} {
		t.Run(message, func(t *testing.T) {
			t.Parallel()
			_, err := restartOf(t, script, load.Load{Backlog: 500})
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("got %v, want an error with %q", err, message)
			}
		})
	}
}

// Consumers and gets that wait are all there, the server has come to each, and each takes some memory.
func TestWaiting(t *testing.T) {
	s := testserver.Launch(t)
	target := load.TargetOf(s)
	for _, kind := range []string{load.Idle, load.Consumers, load.Gets} {
		var w waiting
		if err := w.open(&target, &load.Load{Kind: kind, Connections: 20}); err != nil || len(w) < 20 {
			t.Errorf("%s: %d, %v", kind, len(w), err)
		}
		w.close()
	}
	ld := load.Of(load.Load{Kind: load.Memory, Backlog: 20_000})
	if res := must.Get(Memory(t.Context(), target, ld, 0)); res.Server.BytesEach < 20 || res.Server.BytesEach > 5000 {
		t.Errorf("%v bytes for each job", res.Server.BytesEach)
	}
}

// Every thread is moved, and comes back.
func TestPinning(t *testing.T) {
	if !Can() {
		t.Skip("there is one processor")
	}
	count := func() int {
		var set unix.CPUSet
		must.Do(t, unix.SchedGetaffinity(os.Getpid(), &set))
		return set.Count()
	}
	before := count()
	restore := must.Get(PinSelf())
	if n := count(); n != 1 {
		t.Errorf("it runs on %d processors", n)
	}
	if restore(); count() != before {
		t.Errorf("it runs on %d processors afterwards, and %d before", count(), before)
	}
}
