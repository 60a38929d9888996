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

func restartOf(t *testing.T, flags string, ld load.Load) (*load.Result, error) {
	t.Helper()
	h := How{Launch: server.Launch{Command: "{self} queue -p {port} -d {dir} " + flags, Data: t.TempDir()}}
	ld.Kind = load.Restart
	return h.Once(t.Context(), load.Of(ld))
}

func TestRestart(t *testing.T) {
	res := must.Get(restartOf(t, "", load.Load{Backlog: 500}))
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
		u.RecoveredPeak < u.RecoveredRSS || u.Peak() <= 0 {
		t.Errorf("%+v, %d bytes on the disk", u, res.Server.OnDisk)
	}
	// Without jobs there is only a start.
	if u := must.Get(restartOf(t, "", load.Load{})).Recovery; u.StartSec <= 0 || u.RecoverySec != 0 {
		t.Errorf("%+v", u)
	}
}

func TestRestartsThatGoWrong(t *testing.T) {
	for flags, message := range map[string]string{
		"":               "has 0 jobs ready, and should have 500", // it writes its jobs when it is asked to end
		"-lose":          "has 499 jobs ready, and should have 500",
		"-refuse":        "the jobs cannot be read",
		"-hangup":        "out of luck",
		"-code 3":        "ended badly",
		"-no-such-flag":  "did not start",
		"-config {dir}":  "did not start",
		"-config /a/b/c": "did not start",
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			_, err := restartOf(t, flags, load.Load{Backlog: 500, Kill: flags == ""})
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
	if res := must.Get(memory(t.Context(), target, ld, 0)); res.Server.BytesEach < 20 || res.Server.BytesEach > 5000 {
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
	restore := must.Get(pinSelf())
	if n := count(); n != 1 {
		t.Errorf("it runs on %d processors", n)
	}
	if restore(); count() != before {
		t.Errorf("it runs on %d processors afterwards, and %d before", count(), before)
	}
}

// The test binary stands in for the program where a server is started as {self}.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "queue" {
		os.Exit(testserver.Process(os.Args[2:]))
	}
	os.Exit(m.Run())
}
