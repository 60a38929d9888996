package measure

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"beanfield/storage/must"
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/testserver"
	"beanfield/tools/server"
)

func restartOf(t *testing.T, flags string, jobs int) (*result.Result, error) {
	t.Helper()
	return restartOfLoad(t, flags, func(ld *load.Load) { ld.Backlog = jobs })
}

func restartOfLoad(t *testing.T, flags string, change func(*load.Load)) (*result.Result, error) {
	t.Helper()
	p := &Pinning{}
	how := server.Launch{Command: "{self} queue -p {port} -d {dir} " + flags, Data: t.TempDir()}
	ld := load.Default()
	ld.Kind = load.KindRestart
	change(&ld)
	set := generator.Settings{Say: func(string, ...any) {}}
	return p.MeasureNew(context.Background(), false, how, ld, set)
}

func TestRestart(t *testing.T) {
	res := must.Get(restartOf(t, "", 500))
	u := res.Restart
	for name, v := range map[string]float64{
		"start": u.StartSec, "load": u.LoadSec, "stop": u.StopSec, "recovery": u.RecoverySec,
		"RSS": float64(u.LoadedRSS) / 1e9, "RSS after": float64(u.RecoveredRSS) / 1e9,
	} {
		if v <= 0 || v > 60 {
			t.Errorf("%s is %v", name, v)
		}
	}
	if res.Server.OnDisk < 500*100 {
		t.Errorf("%d bytes on the disk", res.Server.OnDisk)
	}
	if u.Jobs != 500 || u.LoadedPeak < u.LoadedRSS || u.RecoveredPeak < u.RecoveredRSS || u.Peak() <= 0 {
		t.Errorf("%+v", u)
	}
	text, err := json.Marshal(res)
	if err != nil || !strings.Contains(string(text), `"recovery_s":`) {
		t.Errorf("%s %v", text, err)
	}
}

// The test's server writes its jobs when it is asked to end, and so has none after SIGKILL.
func TestKilled(t *testing.T) {
	_, err := restartOfLoad(t, "", func(ld *load.Load) { ld.Backlog, ld.Kill = 500, true })
	if want := "has 0 jobs ready, and should have 500"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

// Without jobs there is only a start.
func TestStart(t *testing.T) {
	res := must.Get(restartOf(t, "", 0))
	if u := res.Restart; u.StartSec <= 0 || u.RecoverySec != 0 {
		t.Errorf("%+v", u)
	}
}

func TestRestartsThatGoWrong(t *testing.T) {
	for flags, message := range map[string]string{
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
			if _, err := restartOf(t, flags, 500); err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("got %v, want an error with %q", err, message)
			}
		})
	}
}

// The test binary stands in for the program where a server is started as {self}.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "queue" {
		os.Exit(testserver.Process(os.Args[2:]))
	}
	os.Exit(m.Run())
}
